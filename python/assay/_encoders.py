"""Models as encoders: what turns a list of items into rows of features, one array per output.

torch, timm, transformers and sentence-transformers are imported when a model needs them, and not before.
"""
import importlib
import importlib.util
import os
import sys

import numpy as np

from . import _core
from ._inputs import as_array, pooled

FINAL = "features"  # the output without a name of its own, as the command's cache calls it


class Encoder:
    """A model that is loaded. ``encode`` gives a dict of outputs, each with a row (or several) per item."""

    def __init__(self, name, options):
        self.name, self.options, self.notes = name, options, []
        self.outputs = [FINAL]

    def encode(self, items):
        raise NotImplementedError

    def length(self, item):
        """Items of like length are encoded together."""
        return 0

    def recipe(self):
        """In words that differ when the features would; None where that cannot be told: nothing is kept then."""
        return None

    def weights(self):
        """Digest of the model; None as above."""
        return None


class Function(Encoder):
    """Any function of a list of items that gives an array with a row per item, or samples x tokens x dimensions."""

    def __init__(self, function, name, options):
        super().__init__(name, options)
        self._function = function
        if options.layers is not None:
            raise ValueError(f"{name}: a function has no layers that could be named")

    def encode(self, items):
        rows = as_array(self._function(items), self.name, self.options.pool)
        return {FINAL: pooled(rows, self.options.pool, self.name) if rows.ndim == 3 else rows}


def library(name, why):
    """A module that is imported when it is needed; where it cannot be, the message says whether it is absent or broken."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if error.name == name or importlib.util.find_spec(name) is None:
            raise ImportError(f"{why}: pip install {name.replace('_', '-')}") from None
        raise ImportError(f"{why}, which is installed but cannot be imported: {error}") from error


def torch_module():
    return library("torch", "running models needs torch")


def device_of(options):
    """The one that was asked for, else a GPU where there is one."""
    torch = torch_module()
    if options.device is not None:
        return torch.device(options.device)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def precision_of(options):
    """Autocast of a name, as a context manager."""
    import contextlib

    torch = torch_module()
    kinds = {None: None, "fp32": None, "fp16": torch.float16, "bf16": torch.bfloat16}
    if options.precision not in kinds:
        raise ValueError(f"precision '{options.precision}': expected fp32, fp16 or bf16")
    kind = kinds[options.precision]
    return contextlib.nullcontext() if kind is None else torch.autocast(device_of(options).type, dtype=kind)


def weights_digest(module):
    """Of everything a torch module holds, and of the code of its classes: that, too, decides what comes out."""
    import inspect

    digest = _core.Digest()
    for name, value in module.state_dict().items():
        if not hasattr(value, "detach"):
            continue
        value = value.detach().cpu().contiguous()
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
        bits = value.reshape(-1).view(torch_module().uint8) if value.numel() else value
        digest.update(bits.numpy().tobytes() if value.numel() == 0 else bits.numpy())
    for kind in sorted({type(part) for part in module.modules()}, key=lambda kind: (kind.__module__, kind.__qualname__)):
        digest.update(f"{kind.__module__}.{kind.__qualname__}\n".encode())
        if kind.__module__.partition(".")[0] in ("torch", "timm", "transformers", "torchvision"):
            continue
        try:
            digest.update(inspect.getsource(kind).encode())
        except (OSError, TypeError):
            return None  # written in a shell: nobody knows whether it is the same
    digest.update(repr(module).encode())
    return digest.hex()


class Evaluating:
    """A module in eval mode on its device, without gradients; its own mode is given back."""

    def __init__(self, module, options):
        self._module, self._options = module, options

    def __enter__(self):
        torch = torch_module()
        self._training = self._module.training
        self._module.eval()
        self._contexts = [torch.inference_mode(), precision_of(self._options)]
        for context in self._contexts:
            context.__enter__()

    def __exit__(self, *reason):
        for context in reversed(self._contexts):
            context.__exit__(*reason)
        self._module.train(self._training)


def to_rows(tensor):
    return tensor.detach().float().cpu().numpy()


def split_layer(text):
    """NAME@LAYER -> (NAME, LAYER); without a layer, None."""
    name, mark, layer = text.rpartition("@")
    return (name, layer) if mark and name and os.sep not in layer else (text, None)


def _is(model, *names):
    return any(f"{kind.__module__.partition('.')[0]}.{kind.__name__}" in names for kind in type(model).__mro__)


def name_of(model):
    """What a row is called when nobody said."""
    if isinstance(model, tuple):
        return name_of(model[0])
    if isinstance(model, (str, os.PathLike)):
        text = os.fspath(model)
        return os.path.basename(os.path.normpath(text)) if os.path.isdir(text) else text
    known = getattr(model, "pretrained_cfg", None) or {}
    return (known.get("architecture") or getattr(model, "name_or_path", None) or getattr(model, "__name__", None)
            or type(model).__name__)


def encoder_of(model, name, items, options):
    """The encoder of whatever stands for a model; see ``extract``."""
    from . import _image_encoders, _text_encoders

    if isinstance(model, (str, os.PathLike)):
        return _named(os.fspath(model), name, items, options)
    if isinstance(model, tuple) and len(model) == 2 and _is(model[0], "torch.Module"):
        if items.kind in ("text", "pair", "words"):
            return _text_encoders.Transformer(model[0], model[1], name, items, options)
        return _image_encoders.Module(model[0], name, items, options, transform=model[1])
    if _is(model, "sentence_transformers.SentenceTransformer"):
        return _text_encoders.sentence_transformer(model, name, items, options)
    if _is(model, "torch.Module"):
        if items.kind in ("text", "pair", "words"):
            return _text_encoders.with_own_tokenizer(model, name, items, options)
        return _image_encoders.Module(model, name, items, options)
    if callable(model):
        return Function(model, name, options)
    raise TypeError(f"{name}: a {type(model).__name__} is no model; expected a name, a folder, a torch module or a function")


def _named(text, name, items, options):
    from . import _image_encoders, _text_encoders

    kind, mark, rest = text.partition(":")
    openers = {
        "timm": _image_encoders.timm_model,
        "torchvision": _image_encoders.torchvision_model,
        "hf": _image_encoders.hugging_face if items.kind in ("image", "other") else _text_encoders.hugging_face,
        "st": _text_encoders.sentence_transformer,
    }
    if mark and kind in openers:
        return openers[kind](rest, name, items, options)
    if items.kind in ("text", "pair", "words"):
        sentences = os.path.isfile(os.path.join(text, "modules.json")) or text.startswith("sentence-transformers/")
        return openers["st" if sentences and items.kind != "words" else "hf"](text, name, items, options)
    if os.path.isdir(text):
        return openers["hf"](text, name, items, options)
    if os.path.isfile(text):
        return _image_encoders.torchscript(text, name, items, options)
    if "/" in text and not text.startswith(("timm/", "hf-hub:", "hf_hub:")):
        return openers["hf"](text, name, items, options)
    return openers["timm"](text, name, items, options)


def quiet_progress():
    """Loading bars of other libraries are not ours to show."""
    transformers = sys.modules.get("transformers")
    if transformers is not None and hasattr(transformers.utils.logging, "disable_progress_bar"):
        transformers.utils.logging.disable_progress_bar()


def finite_shape(rows, count, where):
    """Rows as float32, one per item (or word)."""
    rows = np.asarray(rows)
    if rows.ndim != 2 or len(rows) != count:
        raise ValueError(f"{where}: gives shape {rows.shape} for {count} rows; expected {count} x dimensions")
    return np.ascontiguousarray(rows, dtype=np.float32)
