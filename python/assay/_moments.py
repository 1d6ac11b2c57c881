import os

from . import _arrays, _core


class Moments:
    """What LogME and H-score need of features, summed batch by batch: features themselves are never stored.

    Objects of disjoint rows add (``a + b``), whatever process or machine they come from: feed them in a training loop, or in
    tasks of Dask, Ray or Spark, and rank with ``assay.rank({"name": moments, ...})``. They pickle, and ``save`` writes the
    file that ``assay rank --moments`` reads. Memory: 20 (D^2 + D C) numbers, 20 folds for intervals.

    seed: which rows of a batch belong to which fold. Batches of hundreds of rows or more keep the classes of folds alike.

    >>> import numpy as np, assay
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 4
    >>> x = np.eye(4)[y] + 0.5 * rng.normal(size=(400, 4))
    >>> left, right = Moments().update(x[:200], y[:200]), Moments().update(x[200:], y[200:])
    >>> both = left + right
    >>> both.rows, both.dim
    (400, 4)
    >>> result = assay.rank({"x": both, "shuffled": Moments().update(rng.permutation(x), y)})
    >>> result.best
    'x'
    >>> abs(result.scores("logme")["x"] - assay.logme(x, y)) < 1e-9
    True
    """

    def __init__(self, *, seed=0, threads=0):
        self._seed, self._threads = seed, threads
        self._sums = _core.ModelMoments()

    @property
    def rows(self):
        """How many rows were summed."""
        return self._sums.rows

    @property
    def dim(self):
        """Dimensions of the features; 0 before the first batch."""
        return self._sums.dim

    @property
    def columns(self):
        """Class ids as text, or the columns of the targets, as far as they were seen."""
        return self._sums.columns

    def update(self, features, labels):
        """Adds a batch of rows and their labels (read as ``rank`` reads them); returns the object."""
        self._sums.update(_arrays.features(features), _arrays.labels(labels, note=False), self._seed, self._threads)
        return self

    def __iadd__(self, other):
        if not isinstance(other, Moments):
            return NotImplemented
        self._sums.add(other._sums)
        return self

    def __add__(self, other):
        if not isinstance(other, Moments):
            return NotImplemented
        total = Moments(seed=self._seed, threads=self._threads)
        total._sums = self._sums.copy()
        total += other
        return total

    def __radd__(self, other):  # sum() starts with 0
        return self + Moments() if other == 0 else NotImplemented

    def save(self, path, name=None):
        """Writes the file that ``assay rank --moments`` reads. name: of the model; default: that of the file."""
        stem = os.path.splitext(os.path.basename(os.fspath(path)))[0]
        data = self._sums.to_bytes(stem if name is None else name)
        temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)

    @classmethod
    def load(cls, path):
        """What ``save`` or ``assay moments`` wrote. Raises ValueError for a file that is damaged or none of theirs."""
        with open(path, "rb") as file:
            return cls._of_bytes(file.read(), os.fspath(path))

    @classmethod
    def _of_bytes(cls, data, where):
        moments = cls()
        _, moments._sums = _core.ModelMoments.of_bytes(data, where)
        return moments

    def __getstate__(self):
        return {"seed": self._seed, "threads": self._threads,
                "sums": self._sums.to_bytes("") if self._sums.rows else b""}

    def __setstate__(self, state):
        self.__init__(seed=state["seed"], threads=state["threads"])
        if state["sums"]:
            _, self._sums = _core.ModelMoments.of_bytes(state["sums"], "pickled moments")

    def __repr__(self):
        return f"Moments({self.rows} rows, {self.dim} dimensions, {len(self.columns)} columns)"
