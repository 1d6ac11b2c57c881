"""Where rows go while a model runs: into the command's cache shard by shard, or into one array; and out again.

What is large stays in files that are mapped, so that features are never whole in memory.
"""
import os
import time

import numpy as np

from . import _core
from ._encoders import FINAL, finite_shape

MAPPED_FROM = 256 * 1024 * 1024  # bytes of one output from which its rows go into a file


class _Scratch:
    """A folder for mapped files, made when first needed and removed when Python ends."""

    def __init__(self):
        self._folder = None

    def array(self, shape):
        if int(np.prod(shape)) * 4 < MAPPED_FROM:
            return np.empty(shape, np.float32)
        import tempfile  # only now: it takes longer to import than all of this package

        if self._folder is None:
            import atexit
            import shutil

            self._folder = tempfile.mkdtemp(prefix="assay-features-")
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        handle, path = tempfile.mkstemp(dir=self._folder, suffix=".npy")
        os.close(handle)
        return np.lib.format.open_memmap(path, "w+", np.float32, tuple(shape))


_SCRATCH = _Scratch()


def batches(encoder, items, first, count):
    """Numbers of the items of a shard, those of like length together, longest first: memory runs out at once or never."""
    order = np.arange(first, first + count)
    lengths = [encoder.length(items.things[int(i)]) for i in order] if items.kind != "other" else [0] * count
    order = order[np.argsort([-length for length in lengths], kind="stable")]
    size = encoder.options.batch_size
    return [order[start:start + size] for start in range(0, count, size)]


def encode_shard(encoder, items, first, count, step):
    """Every output's rows for `count` items from `first` on, in the order of the data."""
    starts = np.concatenate([[0], np.cumsum(items.counts[first:first + count])]) if items.counts is not None else np.arange(count + 1)
    out = {}
    for numbers in batches(encoder, items, first, count):
        rows_per_item = [int(starts[i - first + 1] - starts[i - first]) for i in numbers]
        found = encoder.encode(items.take(numbers))
        for output, rows in found.items():
            rows = finite_shape(rows, sum(rows_per_item), encoder.name)
            if output not in out:
                out[output] = np.empty((int(starts[-1]), rows.shape[1]), np.float32)
            elif out[output].shape[1] != rows.shape[1]:
                raise ValueError(f"{encoder.name}: gives {rows.shape[1]} dimensions here and {out[output].shape[1]} before")
            end = np.cumsum(rows_per_item)
            for i, last, rows_of_item in zip(numbers, end, rows_per_item):
                out[output][starts[i - first]:starts[i - first] + rows_of_item] = rows[last - rows_of_item:last]
        step(len(numbers))
    return out


class Plain:
    """Without a cache: one array per output."""

    shard_size = 1024  # items

    def __init__(self, encoder, items):
        self._encoder, self._items = encoder, items

    def run(self, step):
        encoder, items = self._encoder, self._items
        out, row = {}, 0
        for first in range(0, len(items), self.shard_size):
            count = min(self.shard_size, len(items) - first)
            found = encode_shard(encoder, items, first, count, step)
            for output, rows in found.items():
                if output not in out:
                    out[output] = _SCRATCH.array((items.rows, rows.shape[1]))
                out[output][row:row + len(rows)] = rows
            row += items.rows_of(first, count)
        return out


class Cached:
    """In the command's cache: what is there is not computed again, what was interrupted goes on after its last shard."""

    def __init__(self, encoder, items, folder, key):
        self._encoder, self._items, self._entry = encoder, items, _core.CacheEntry(folder, key)
        self.computed = 0

    def _missing(self, shard):
        expected = self._items.rows_of(self._entry.first(shard), self._entry.count(shard))
        sound = [self._entry.sound(output, shard) for output in self._encoder.outputs]
        return any(found is None or found[0] != expected for found in sound)

    def run(self, step):
        entry = self._entry
        lock = None
        for shard in range(entry.shards):
            if self._missing(shard) and lock is None:
                lock = entry.lock()  # another process may have filled it while we waited
            if not self._missing(shard):
                step(entry.count(shard))
                continue
            found = encode_shard(self._encoder, self._items, entry.first(shard), entry.count(shard), step)
            for output, rows in found.items():
                entry.write(output, shard, rows)
            self.computed += entry.count(shard)
        del lock
        return {output: self._joined(output) for output in self._encoder.outputs}

    def _joined(self, output):
        parts = [np.load(self._entry.file(output, shard), mmap_mode="r") for shard in range(self._entry.shards)]
        if len(parts) == 1:
            return parts[0]
        whole = _SCRATCH.array((sum(map(len, parts)), parts[0].shape[1]))
        row = 0
        for part in parts:
            whole[row:row + len(part)] = part
            row += len(part)
        return whole


def store_for(encoder, items, data_digest, folder):
    """The cache where everything that decides the numbers has a name, else plain arrays."""
    if folder is None or data_digest is None:
        return Plain(encoder, items)
    recipe = encoder.recipe()
    weights = encoder.weights() if recipe is not None else None
    if weights is None:
        return Plain(encoder, items)
    key = {"model": encoder.name, "dataset": items.name, "weights": weights, "preprocessing": f"python {recipe}",
           "data": data_digest, "count": len(items)}
    return Cached(encoder, items, folder, key)


def save(features, labels, folder):
    """A hub of files that the command ranks: NAME.npy and labels.npy, each written whole."""
    os.makedirs(folder, exist_ok=True)
    arrays = dict(features) if labels is None else {**features, "labels": np.asarray(labels)}
    for name, array in arrays.items():
        path = os.path.join(folder, name.replace("/", "--") + ".npy")
        temporary = f"{path}.{os.getpid()}.{time.monotonic_ns()}.tmp"
        with open(temporary, "wb") as file:
            np.save(file, array)
        os.replace(temporary, path)


__all__ = ["FINAL", "Cached", "Plain", "save", "store_for"]
