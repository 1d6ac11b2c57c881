"""Drop-in for the class of the LogME authors' script: ``fit`` returns the score."""
import warnings

import numpy as np

from . import _arrays, _core
from ._inputs import as_array
from ._run import Running

__all__ = ["LogME"]


def _floats(f):
    f = as_array(f, "features")
    return _arrays.features(f.astype(np.float64) if f.dtype.kind in "iub" else f)


class LogME:
    """LogME with the interface of the public class, computed right.

    >>> import numpy as np
    >>> y = np.array([0, 0, 1, 1, 0, 1])
    >>> f = np.array([[1, 0.0], [1, 0.1], [1, 1.0], [1, 0.9], [1, 0.2], [1, 1.1]])
    >>> model = LogME(regression=False)
    >>> score = model.fit(f, y)
    >>> model.predict(f).tolist()
    [0, 0, 1, 1, 0, 1]
    """

    def __init__(self, regression=False):
        self.regression = regression
        self.fitted = False
        self.reset()

    def reset(self):
        self.num_dim = 0
        self.alphas = []  # per class or target
        self.betas = []
        self.ms = []  # (classes or targets, dimensions)

    def fit(self, f, y):
        """The score of features f for classes y (n) or, with ``regression``, targets (n) or (n, C)."""
        if self.fitted:
            warnings.warn("re-fitting for new data. old parameters cleared.", stacklevel=2)
            self.reset()
        y = np.asarray(y)
        y = y.astype(np.float64) if self.regression else y.astype(np.int64)
        with Running() as run:
            found = _core.fit(_floats(f), _arrays.labels(y, note=False), run)
        self.fitted = True
        self._found = found
        self._columns = np.arange(len(found.columns)) if self.regression else np.array(found.columns, dtype=np.int64)
        self.num_dim = len(self._columns) if self.regression else int(y.max() + 1)
        # Classes that do not occur have a row of zeros, and are never predicted.
        self.ms = np.zeros((self.num_dim, found.weights.shape[0]))
        self.alphas, self.betas = [np.nan] * self.num_dim, [np.nan] * self.num_dim
        for column, alpha, beta, m in zip(self._columns, found.alphas, found.betas, found.weights.T):
            self.alphas[column], self.betas[column], self.ms[column] = alpha, beta, m
        return found.score

    def predict(self, f):
        """Classes (n), or values (n, C) for regression."""
        if not self.fitted:
            raise RuntimeError("not fitted, please call fit first")
        with Running() as run:
            logits, _ = self._found.predict(_floats(f), run)
        return logits if self.regression else self._columns[np.argmax(logits, axis=-1)]
