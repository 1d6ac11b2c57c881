"""A file of features given by its path among arrays: .npy, .npz, .safetensors, and what ``torch.save`` wrote."""
import json
import os
import sys

import numpy as np

from ._inputs import as_array, from_bfloat16

_TYPES = {"F16": np.float16, "F32": np.float32, "F64": np.float64, "BF16": np.uint16}
_MOST_HEADER = 100_000_000  # bytes, what the format allows


def load(path, name):
    """The one array of a file, memory-mapped where the format allows."""
    path = os.fspath(path)
    read = _READERS.get(os.path.splitext(path)[1].lower())
    if read is None:
        raise ValueError(f"{name}: {path}: expected one of {', '.join(sorted(_READERS))}")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{path}: no such file")
    return read(path, name)


def _npy(path, name):
    return as_array(np.load(path, mmap_mode="r"), name)


def _only(names, path):
    if len(names) != 1:
        raise ValueError(f"{path}: holds {len(names)} arrays ({', '.join(sorted(names)[:5])}); expected one")
    return next(iter(names))


def _npz(path, name):
    with np.load(path) as file:
        return as_array(file[_only(file.files, path)], name)


def _safetensors(path, name):
    """Little-endian: the header's length, the header as JSON, then the values."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(_MOST_HEADER, os.path.getsize(path)):
            raise ValueError(f"{path}: no safetensors file")
        try:
            header = json.loads(file.read(length))
            header.pop("__metadata__", None)
            entry = header[_only(header, path)]
            kind, shape, (first, last) = entry["dtype"], entry["shape"], entry["data_offsets"]
        except (UnicodeDecodeError, json.JSONDecodeError, AttributeError, KeyError, TypeError):
            raise ValueError(f"{path}: no safetensors file") from None
    if kind not in _TYPES:
        raise ValueError(f"{path}: holds values of type {kind}; expected one of {', '.join(sorted(_TYPES))}")
    wanted = int(np.prod(shape, dtype=np.int64)) * np.dtype(_TYPES[kind]).itemsize
    if first < 0 or last - first != wanted or 8 + length + last > os.path.getsize(path):
        raise ValueError(f"{path}: is cut short, or its header names another size")
    values = np.memmap(path, _TYPES[kind], "r", 8 + length + first, tuple(shape)) if wanted else np.empty(shape, _TYPES[kind])
    return from_bfloat16(values) if kind == "BF16" else values


def _torch_saved(path, name):
    """Only tensors are unpickled (weights_only): a pickle could run anything."""
    if "torch" not in sys.modules:
        try:
            import torch  # noqa: F401
        except ImportError:
            raise ValueError(
                f"{name}: {path} was written by torch.save, and torch is not installed here; save the features as .npy or "
                ".safetensors"
            ) from None
    torch = sys.modules["torch"]
    try:
        value = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds
        raise ValueError(
            f"{name}: {path}: torch cannot load it as tensors alone ({str(error).splitlines()[0]}); save the features as a "
            "tensor, .npy or .safetensors"
        ) from None
    if isinstance(value, dict):
        value = value[_only(value, path)]
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"{name}: {path} holds a {type(value).__name__}; expected a tensor of features")
    return as_array(value, name)


_READERS = {".npy": _npy, ".npz": _npz, ".safetensors": _safetensors, ".pt": _torch_saved, ".pth": _torch_saved}
