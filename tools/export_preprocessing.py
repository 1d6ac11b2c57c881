"""How a network's images are to be resized, cut and normalised, in the words of hub.json: read from the library it is of."""
import importlib
import sys

IMAGENET_MEAN, IMAGENET_STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def fail(message):
    sys.exit(f"export_model: {message}")


def imported(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        fail(f"{error}; install {name.split('.')[0]} for this Python ({sys.executable})")


PLAIN = {"input_size": 224, "mean": IMAGENET_MEAN, "std": IMAGENET_STD}


def preprocessing_of(source, module):
    """What the library knows of the network's images, in the words of hub.json; else ImageNet's usual."""
    kind, _, name = source.partition(":")
    if getattr(module, "pretrained_cfg", None) or getattr(module, "default_cfg", None):
        return preprocessing_of_timm(imported("timm.data").resolve_data_config({}, model=module))
    if kind == "torchvision":
        return preprocessing_of_torchvision(imported("torchvision.models").get_model_weights(name).DEFAULT.transforms())
    if kind == "hf":
        return preprocessing_of_processor(imported("transformers").AutoImageProcessor.from_pretrained(name).to_dict())
    return PLAIN


def checked_interpolation(name):
    if name not in ("bilinear", "bicubic"):
        fail(f"its images are resized by '{name}'; assay knows bilinear and bicubic, name one with --interpolation")
    return name


def preprocessing_of_timm(config):
    height, width = config["input_size"][-2:]
    if height != width:
        fail(f"its images are {height} x {width}; assay runs square ones, name a side with --input-size")
    mode = config.get("crop_mode", "center")
    if mode not in ("center", "squash"):
        fail(f"its images are cut out in timm's mode '{mode}'; assay knows center and squash")
    found = {"input_size": height, "mean": list(config["mean"]), "std": list(config["std"]), "interpolation": config["interpolation"]}
    return {**found, "crop_pct": config["crop_pct"]} if mode == "center" else found


def preprocessing_of_torchvision(transform):
    crop, resize = transform.crop_size[0], transform.resize_size[0]
    return {"input_size": crop, "mean": list(transform.mean), "std": list(transform.std),
            "interpolation": transform.interpolation.value, "crop_pct": crop / resize}


def preprocessing_of_processor(known):
    """Of Hugging Face: a fixed square, or a shorter side of which the centre is cut out."""
    resampling = {2: "bilinear", 3: "bicubic"}.get(known.get("resample"), f"Pillow's filter {known.get('resample')}")
    size = known.get("size") or {}
    found = {"mean": known.get("image_mean") or IMAGENET_MEAN, "std": known.get("image_std") or IMAGENET_STD,
             "interpolation": resampling, "input_scale": 1.0 / known.get("rescale_factor", 1 / 255)}
    if known.get("do_normalize") is False:
        found.update(mean=[0.0] * 3, std=[1.0] * 3)
    if known.get("do_center_crop"):
        side = known["crop_size"]["height"]
        return {**found, "input_size": side, "crop_pct": side / size["shortest_edge"]} if "shortest_edge" in size else fail(
            "its images are resized to a rectangle and cut; assay knows a shorter side")
    if "height" in size and size["height"] == size["width"]:
        return {**found, "input_size": size["height"]}
    crop = known.get("crop_pct")
    if crop and "shortest_edge" in size:  # ConvNeXt: the edge is that of the centre
        return {**found, "input_size": size["shortest_edge"], "crop_pct": crop if size["shortest_edge"] < 384 else None}
    fail(f"its images are resized to {size}; assay knows squares and a shorter side with a centre")


def chosen_preprocessing(args, known):
    """What the command line says goes before what the library says."""
    said = {"input_size": args.input_size, "input_scale": args.input_scale, "interpolation": args.interpolation,
            "crop_pct": args.crop_pct, "mean": args.mean, "std": args.std}
    out = {"input_scale": 255.0, "interpolation": "bilinear", **known, **{k: v for k, v in said.items() if v is not None}}
    checked_interpolation(out["interpolation"])
    if not out.get("crop_pct"):
        out.pop("crop_pct", None)
    return out
