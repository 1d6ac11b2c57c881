"""Encoders of images: torch modules with the transform that each was trained with, and their layers by hooks."""
import numpy as np

from ._encoders import FINAL, Encoder, Evaluating, device_of, library, quiet_progress, to_rows, torch_module, weights_digest
from ._text_encoders import pool_tokens

_MEAN, _STD, _SIZE = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), 224


class Module(Encoder):
    """A torch module. Its features are what goes into its last linear layer where that gives the output, else its output."""

    def __init__(self, module, name, items, options, transform=None):
        super().__init__(name, options)
        self._device = device_of(options)
        self._module, self._kind = module.to(self._device), items.kind
        self._transform = transform or options.transform
        if self._transform is None and items.kind == "image":
            self._transform = _timm_transform(module) or self._usual_transform()
        self._features = self._how_features()
        self._hooked = _chosen_layers(module, options.layers, name)
        self.outputs = [FINAL] if options.layers is None else list(self._hooked)

    def _usual_transform(self):
        self.notes.append(f"{self.name}: no transform is known; images are squeezed to {_SIZE} x {_SIZE} and normalised as for "
                          "ImageNet (give another with transform= or as (model, transform))")
        return SquareTransform(_SIZE)

    def _how_features(self):
        module = self._module
        if hasattr(module, "forward_features") and hasattr(module, "forward_head"):  # timm
            return _timm_features
        linear = [part for part in module.modules() if isinstance(part, torch_module().nn.Linear)]
        return _before_head(linear[-1]) if linear else lambda module, batch: module(batch)

    def recipe(self):
        words = repr(self._transform)
        if " at 0x" in words or (self._kind != "image" and self._transform is not None):
            return None  # a function: nobody knows whether it is the same
        return (f"image {self._kind} {words} pool {self.options.pool or 'mean'} precision {self.options.precision or 'fp32'} "
                f"{'layers' if self.options.layers is not None else 'features'}")

    def weights(self):
        return weights_digest(self._module)

    def _batch(self, items):
        torch = torch_module()
        if self._transform is not None:
            items = [self._transform(item) for item in items]
        items = [item["pixel_values"] if hasattr(item, "keys") and "pixel_values" in item else item for item in items]
        items = [torch.as_tensor(np.asarray(item)) if not isinstance(item, torch.Tensor) else item for item in items]
        items = [item[0] if item.ndim == 4 and len(item) == 1 else item for item in items]
        return torch.stack(items).to(self._device)

    def encode(self, items):
        batch = self._batch(items)
        with Evaluating(self._module, self.options):
            if self.options.layers is None:
                return {FINAL: self._rows(self._features(self._module, batch))}
            return self._layers(batch)

    def _layers(self, batch):
        found, handles = {}, []
        try:
            for name, part in self._hooked.items():
                handles.append(part.register_forward_hook(lambda _, __, out, name=name: found.__setitem__(name, out)))
            self._module(batch)
        finally:
            for handle in handles:
                handle.remove()
        silent = [name for name in self._hooked if name not in found]
        if silent:
            raise ValueError(f"{self.name}: its layer '{silent[0]}' was not used in the forward pass")
        return {name: self._rows(out, name) for name, out in found.items()}

    def _rows(self, out, layer=None):
        """Pooled: over places of a map, over tokens of a sequence."""
        torch = torch_module()
        if hasattr(out, "keys"):  # outputs of Hugging Face
            chosen = [out[key] for key in ("pooler_output", "last_hidden_state", "image_embeds") if out.get(key) is not None]
            out = chosen[0] if chosen else next(iter(out.values()))
        if isinstance(out, (tuple, list)):
            out = out[0]
        if not isinstance(out, torch.Tensor):
            raise ValueError(f"{self.name}: gives a {type(out).__name__}{f' at {layer}' if layer else ''}; expected a tensor")
        if out.ndim == 4:
            last = getattr(self._module, "output_fmt", None) is not None and "NHWC" in str(self._module.output_fmt)
            out = out.float().mean(dim=(1, 2) if last else (2, 3))
        if out.ndim == 3:
            out = pool_tokens(out, torch.ones(out.shape[:2]), self.options.pool or "mean")
        return to_rows(out.flatten(1))


def _timm_features(module, batch):
    return module.forward_head(module.forward_features(batch), pre_logits=True)


def _before_head(head):
    """What goes into the last linear layer, if what comes out of it is the output."""

    def features(module, batch):
        kept = {}
        handle = head.register_forward_hook(lambda _, given, out: kept.update(given=given[0], out=out))
        try:
            out = module(batch)
        finally:
            handle.remove()
        same = isinstance(out, torch_module().Tensor) and kept.get("out") is not None and kept["out"] is out
        return kept["given"] if same else out

    return features


def _chosen_layers(module, layers, name):
    """The parts whose outputs are taken. "all": the children of the module, blocks of a list or sequence each."""
    if layers is None:
        return {}
    parts = dict(module.named_modules())
    if layers == "all":
        chosen = []
        for child, part in module.named_children():
            blocks = [f"{child}.{block}" for block, _ in part.named_children()] if _is_list(part) else [child]
            chosen += blocks
        found = {one: parts[one] for one in chosen if any(True for _ in parts[one].parameters())}
        if not found:
            raise ValueError(f"{name}: has no layers with weights")
        return found
    unknown = [layer for layer in layers if str(layer) not in parts]
    if unknown:
        near = ", ".join(one for one in list(parts)[1:9])
        raise ValueError(f"{name}: no layer '{unknown[0]}'; it has {near}, ... (named_modules() names them all)")
    return {str(layer): parts[str(layer)] for layer in layers}


def _is_list(part):
    return isinstance(part, (torch_module().nn.ModuleList, torch_module().nn.Sequential)) and len(part) > 1


class SquareTransform:
    """Squeezed to a square, bilinear and antialiased, normalised as for ImageNet: what the command assumes of a network."""

    def __init__(self, size):
        self._size = size

    def __repr__(self):
        return f"square {self._size} bilinear mean {_MEAN} std {_STD}"

    def __call__(self, image):
        from PIL import Image

        small = np.asarray(image.resize((self._size, self._size), Image.BILINEAR), dtype=np.float32) / 255
        return torch_module().from_numpy(((small - np.float32(_MEAN)) / np.float32(_STD)).transpose(2, 0, 1).copy())


def _timm_transform(module):
    """timm's own transform for evaluation, of modules that know how they were trained."""
    if not (getattr(module, "pretrained_cfg", None) or getattr(module, "default_cfg", None)):
        return None
    import timm

    config = timm.data.resolve_data_config({}, model=module)
    return timm.data.create_transform(**config, is_training=False)


def timm_model(text, name, items, options):
    timm = library("timm", f"'{text}' is looked for in timm")
    model = timm.create_model(text, pretrained=options.pretrained)
    encoder = Module(model, name, items, options)
    if not options.pretrained:
        encoder.notes.append(f"{name}: random weights (pretrained=False)")
    return encoder


def torchvision_model(text, name, items, options):
    torchvision = library("torchvision", f"'{text}' is looked for in torchvision")
    weights = torchvision.models.get_model_weights(text).DEFAULT
    model = torchvision.models.get_model(text, weights=weights if options.pretrained else None)
    return Module(model, name, items, options, transform=weights.transforms())


def hugging_face(text, name, items, options):
    """A name or a folder: AutoModel, and its image processor as the transform."""
    transformers = library("transformers", "models of Hugging Face need transformers")
    quiet_progress()
    model = transformers.AutoModel.from_pretrained(text)
    model = getattr(model, "vision_model", model)  # the half of CLIP and its kin that sees
    return Module(model, name, items, options, transform=Processor(transformers.AutoImageProcessor.from_pretrained(text)))


class Processor:
    """An image processor of transformers, one image at a time."""

    def __init__(self, processor):
        self._processor = processor

    def __repr__(self):
        return f"{type(self._processor).__name__} {sorted(self._processor.to_dict().items(), key=str)}"

    def __call__(self, image):
        return self._processor(images=image, return_tensors="pt")["pixel_values"][0]


def torchscript(path, name, items, options):
    """A file of TorchScript, as the command runs it; its own forward gives the features."""
    module = torch_module().jit.load(path, map_location="cpu")
    return Module(module, name, items, options)
