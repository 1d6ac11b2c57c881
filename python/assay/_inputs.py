"""What people hold (tensors, batches, sparse matrices, columns of tables) as NumPy arrays.

Nothing is imported here that the value itself has not brought along: a tensor is known by the module of its type.
"""
import contextlib
import contextvars
import os
import sys
import warnings

import numpy as np

from . import _core


class InputNote(UserWarning):
    """How an input was read, where it could have been read in another way."""


class CopyWarning(UserWarning):
    """Features had to be copied: they were not contiguous, or had the bytes of another machine."""


_NOTES = contextvars.ContextVar("assay_notes", default=None)
_LIMIT = contextvars.ContextVar("assay_memory_limit", default=None)


@contextlib.contextmanager
def reading(memory_limit=None):
    """Collects the notes of one call's inputs, and holds what is made dense to its limit of memory."""
    notes = []
    told, limit = _NOTES.set(notes), _LIMIT.set(memory_limit)
    try:
        yield notes
    finally:
        _NOTES.reset(told)
        _LIMIT.reset(limit)


def outside():
    """How far up the first caller outside this package is, for warnings."""
    here = os.path.dirname(__file__)
    level, frame = 1, sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back
    return level


def tell(message, kind=InputNote):
    warnings.warn(message, kind, stacklevel=outside())
    notes = _NOTES.get()
    if notes is not None and kind is InputNote and message not in notes:
        notes.append(message)


def from_bfloat16(bits):
    """float32 of bfloat16 values given as their raw bits (uint16), as files written without that type hold them.

    >>> import numpy as np
    >>> from_bfloat16(np.array([[0x3F80, 0xC000]], dtype=np.uint16)).tolist()
    [[1.0, -2.0]]
    """
    bits = np.asarray(bits)
    if bits.dtype.itemsize != 2 or bits.dtype.kind not in "uiV":
        raise ValueError(f"from_bfloat16: expected raw bits as uint16, got {bits.dtype}")
    whole = np.ascontiguousarray(bits).view(np.uint16).astype(np.uint32)
    whole <<= 16  # a bfloat16 is the upper half of a float32
    return whole.view(np.float32)


def _from_torch(tensor):
    if tensor.layout is not sys.modules["torch"].strided:
        tensor = tensor.to_dense()
    tensor = tensor.detach().cpu()
    if str(tensor.dtype) == "torch.bfloat16" or "float8" in str(tensor.dtype):
        tensor = tensor.float()
    return tensor.numpy()


def is_tensor(value):
    """Of torch, which must be loaded if there is one."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_sparse(value):
    return hasattr(value, "toarray") and hasattr(value, "nnz") and hasattr(value, "shape")


def _from_sparse(matrix, name):
    itemsize = matrix.dtype.itemsize if matrix.dtype.kind == "f" else 4
    size, limit = int(np.prod(matrix.shape)) * itemsize, _core.memory_limit(str(_LIMIT.get() or ""))
    if size > limit:
        raise ValueError(
            f"{name}: a sparse matrix of {matrix.shape[0]:,} x {matrix.shape[1]:,} takes {size:,} bytes as a dense one, the "
            f"limit is {limit:,}; reduce its columns (TruncatedSVD) or raise memory_limit="
        )
    tell(f"{name}: a sparse matrix was made dense ({size:,} bytes)")
    return matrix.toarray() if matrix.dtype.kind == "f" else matrix.toarray().astype(np.float32)


def _from_arrow(column, name):
    """A column or table of pyarrow; lists of equal length are rows."""
    import pyarrow

    if isinstance(column, (pyarrow.Table, pyarrow.RecordBatch)):
        columns = [_from_arrow(column.column(i), f"{name}:{field}") for i, field in enumerate(column.schema.names)]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)
    if isinstance(column, pyarrow.ChunkedArray):
        parts = [_from_arrow(chunk, name) for chunk in column.chunks if len(chunk)]
        return np.concatenate(parts) if parts else np.empty(0)
    if column.null_count:
        raise ValueError(f"{name}: {column.null_count} of {len(column)} entries are null; remove their rows or fill them")
    kinds = pyarrow.types
    if kinds.is_fixed_size_list(column.type) or kinds.is_list(column.type) or kinds.is_large_list(column.type):
        values = column.flatten()
        if len(column) == 0 or len(values) % len(column) or not _equal_lists(column):
            raise ValueError(f"{name}: the lists of this column are not equally long")
        return _from_arrow(values, name).reshape(len(column), -1)
    if kinds.is_dictionary(column.type):
        column = column.dictionary_decode()
    return np.asarray(column.to_pylist()) if kinds.is_string(column.type) else column.to_numpy(zero_copy_only=False)


def _equal_lists(column):
    if not hasattr(column, "offsets"):
        return True
    lengths = np.diff(column.offsets.to_numpy())
    return len(lengths) == 0 or bool((lengths == lengths[0]).all())


def _is_array(value):
    return is_tensor(value) or hasattr(value, "__array__") or _is_sparse(value)


def _joined(parts, name, pool):
    """Batches end to end; vectors, and with `pool` the tokens of one sample each, on top of each other."""
    arrays = [as_array(part, f"{name}[{i}]") for i, part in enumerate(parts)]
    ranks = sorted({array.ndim for array in arrays})
    if len(ranks) != 1:
        raise ValueError(f"{name}: a list of arrays of {' and '.join(map(str, ranks))} axes; expected all the same")
    if ranks[0] >= 3 or (ranks[0] == 2 and pool is not None):
        samples = arrays if ranks[0] >= 3 else [array[None] for array in arrays]
        arrays = [pooled(sample, pool, f"{name}[{i}]") for i, sample in enumerate(samples)]
        ranks = [2]
    widths = sorted({array.shape[-1] if array.ndim else 1 for array in arrays})
    if len(widths) != 1:
        raise ValueError(f"{name}: the arrays of this list have different widths: {widths[0]} and {widths[-1]}")
    return np.concatenate(arrays) if ranks[0] == 2 else np.stack(arrays)


def as_array(value, name, pool=None):
    """A NumPy array of `value`; bfloat16 becomes float32, which holds each of its values exactly."""
    if is_tensor(value):
        return _from_torch(value)
    if _is_sparse(value):
        return _from_sparse(value, name)
    if type(value).__module__.partition(".")[0] == "pyarrow":
        return _from_arrow(value, name)
    if type(value).__module__.partition(".")[0] == "cupy":
        return value.get()
    if isinstance(value, (list, tuple)) and value and all(map(_is_array, value)):
        if not all(isinstance(part, np.generic) for part in value):
            return _joined(value, name, pool)
    if hasattr(value, "columns") and hasattr(value, "dtypes") and hasattr(value, "to_numpy"):
        return _from_frame(value)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name}: some values are masked; remove their rows or fill them")
    array = np.asarray(value)
    if array.dtype.name == "bfloat16":
        return from_bfloat16(array)
    if array.dtype.kind == "O" and array.ndim == 1 and len(array) and all(map(_is_row, array)):
        return _joined([np.asarray(row) if isinstance(row, (list, tuple)) else row for row in array], name, pool)
    return array


def _is_row(value):
    return _is_array(value) or (isinstance(value, (list, tuple)) and len(value) > 0)


def _from_frame(frame):
    """A data frame, perhaps of types that know NA."""
    array = np.asarray(frame)
    if array.dtype.kind == "O" and all(getattr(kind, "kind", "O") in "fiub" for kind in frame.dtypes):
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return array


POOLS = ("mean", "cls", "last", "max")


def pooled(tokens, how, name="features", mask=None):
    """One row per sample of samples x tokens x dimensions; see ``assay.pool``."""
    if how is None:
        raise ValueError(
            f"{name}: features must be a 2-D array (samples x dimensions), got shape {tokens.shape}; of samples x tokens x "
            f"dimensions, say how to pool the tokens with pool= ({', '.join(POOLS)}, or a function)"
        )
    if tokens.ndim != 3:
        raise ValueError(f"{name}: pool= takes samples x tokens x dimensions, got shape {tokens.shape}")
    if callable(how):
        return as_array(how(tokens), name)
    if how not in POOLS:
        raise ValueError(f"{name}: pool '{how}' is unknown; expected one of {', '.join(POOLS)}, or a function")
    if tokens.shape[1] == 0:
        raise ValueError(f"{name}: samples of 0 tokens cannot be pooled")
    if mask is None:
        mask = np.ones(tokens.shape[:2], bool)
    mask = np.asarray(as_array(mask, "mask"), bool)
    if mask.shape != tokens.shape[:2]:
        raise ValueError(f"{name}: the mask has shape {mask.shape}, the tokens {tokens.shape[:2]}")
    if not mask.any(axis=1).all():
        raise ValueError(f"{name}: sample {int(np.argmin(mask.any(axis=1)))} has no tokens in the mask")
    return _pool(tokens, how, mask)


def _pool(tokens, how, mask):
    rows = np.arange(len(tokens))
    if how == "cls":
        return np.ascontiguousarray(tokens[rows, mask.argmax(axis=1)])
    if how == "last":
        return np.ascontiguousarray(tokens[rows, mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)])
    if how == "max":
        return np.where(mask[:, :, None], tokens, np.array(-np.inf, tokens.dtype)).max(axis=1)
    kind = tokens.dtype if tokens.dtype.itemsize >= 4 else np.float32
    sums = np.einsum("ntd,nt->nd", tokens, mask.astype(kind), dtype=kind, casting="same_kind") if not mask.all() \
        else tokens.sum(axis=1, dtype=kind)
    return sums / mask.sum(axis=1, keepdims=True).astype(kind)


def pool(tokens, how="mean", mask=None):
    """One row per sample from what a transformer gives: samples x tokens x dimensions.

    how: "mean", "cls" (the first token), "last", "max", or a function of the array.
    mask: samples x tokens, 1 where there is a token and 0 where there is padding, on either side.

    >>> import numpy as np
    >>> x = np.arange(12.0).reshape(2, 3, 2)
    >>> pool(x, "mean", mask=[[1, 1, 0], [1, 1, 1]]).tolist()
    [[1.0, 2.0], [8.0, 9.0]]
    """
    return pooled(as_array(tokens, "tokens"), how, "tokens", mask)
