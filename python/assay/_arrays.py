"""What the user has, as arrays the compiled module reads in place: copied only when they must be."""
import os

import numpy as np

from . import _files
from ._inputs import CopyWarning, as_array, pooled, tell


def _in_place(array, name, note):
    if array.dtype.isnative and (array.flags.c_contiguous or array.flags.f_contiguous):
        return array
    if note:
        reason = "is not contiguous" if array.dtype.isnative else "is not in this machine's byte order"
        tell(
            f"{name}: the array {reason} and was copied ({array.nbytes:,} bytes); "
            "np.ascontiguousarray(x, dtype=x.dtype.newbyteorder('=')) does so once for all calls",
            CopyWarning,
        )
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def features(value, name="features", note=True, pool=None):
    """A float16, float32 or float64 array, in place where it can be; `pool` makes one row of a sample's tokens."""
    array = _files.load(value, name) if is_path(value) else as_array(value, name, pool)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise ValueError(
            f"{name}: features must be float16, float32 or float64, got {array.dtype}; save them as float32"
        )
    if array.ndim == 3:
        array = pooled(array, pool, name)
    return _in_place(array, name, note)


def labels(value, name="labels", note=True):
    """Integers, booleans and text are classes, floats are values, 2-D 0/1 integers multi-label."""
    array = as_array(value, name)
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.dtype.kind not in "fiubUS":
        raise ValueError(f"{name}: expected integers, text, booleans or floats, got {array.dtype}")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    if note and array.dtype.kind == "f" and _whole_numbers(array):
        tell(
            f"{name}: whole numbers of type {array.dtype} were read as numbers to predict, not as classes; "
            "if they are classes, pass them as integers: labels.astype(int)"
        )
    return _in_place(array, name, note=False)


def _whole_numbers(array):
    return array.size > 0 and array.ndim == 1 and bool((np.isfinite(array) & (np.floor(array) == array)).all())


def _from_objects(array, name):
    items = array.ravel().tolist()
    if all(isinstance(item, str) for item in items):
        return array.astype(str)
    if all(isinstance(item, (bool, int, np.integer, np.bool_)) for item in items):
        return array.astype(np.int64)
    if all(isinstance(item, (float, int, np.floating, np.integer)) for item in items):
        return array.astype(np.float64)
    odd = next((i for i, item in enumerate(items) if not isinstance(item, str)), 0)
    raise ValueError(
        f"{name}: entry {odd} is {items[odd]!r}; labels of one kind are expected: all text, or all numbers"
    )


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def models(value, probabilities=None, pool=None):
    """(name, features, probabilities) of every model: a dict of arrays, or a single array."""
    if not hasattr(value, "items") or hasattr(value, "dtypes"):  # a data frame is one model
        value = {"features": value}
    if not value:
        raise ValueError("no models: expected a dict of names and features")
    probabilities = dict(probabilities or {})
    unknown = sorted(set(probabilities) - set(value))
    if unknown:
        raise KeyError(f"probabilities of '{unknown[0]}', which is no model; models: {', '.join(map(str, value))}")
    return [
        (
            str(name),
            features(array, str(name), pool=pool),
            features(probabilities[name], f"{name}:probs") if name in probabilities else None,
        )
        for name, array in value.items()
    ]
