import numpy as np

from . import _arrays, _core
from ._run import Running


class LogME:
    """The Bayesian linear regression behind LogME, in scikit-learn's manner: no training, no tuning.

    As in the paper there is no intercept: subtract the mean of values that lie far from zero.

    Integers, booleans and text are classes, floats are values. After ``fit``: ``score_`` (LogME, nats per
    sample), ``flags_``, ``coef_`` (columns x dimensions), ``alpha_`` and ``beta_`` (precisions of weights
    and noise, per column), ``classes_`` (of classes), ``n_features_in_``.

    >>> import numpy as np
    >>> rng = np.random.default_rng(7)
    >>> x = rng.normal(size=(80, 3))
    >>> y = x @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=80)
    >>> model = LogME().fit(x[:60], y[:60])
    >>> mean, std = model.predict(x[60:], return_std=True)
    >>> bool(np.abs(mean - y[60:]).max() < 5 * std.max())
    True
    >>> round(model.score(x[60:], y[60:]), 2)
    1.0
    """

    def __init__(self, threads=0, memory_limit=None):
        self.threads = threads
        self.memory_limit = memory_limit

    def get_params(self, deep=True):
        return {"threads": self.threads, "memory_limit": self.memory_limit}

    def set_params(self, **params):
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {sorted(self.get_params())}.")
            setattr(self, name, value)
        return self

    def __repr__(self):
        return f"LogME(threads={self.threads!r}, memory_limit={self.memory_limit!r})"

    def _running(self):
        return Running(0, self.threads, self.memory_limit)

    def fit(self, X, y):
        """Fits on features X (n, D) and one label per row; returns itself."""
        X, y = _floats(X), _labels(y)
        if len(X) == 1:
            raise ValueError("Found array with 1 sample; a fit needs 2 or more, of which some differ")
        with self._running() as run:
            self._fitted = _core.fit(X, y, run)
        self.score_ = self._fitted.score
        self.flags_ = self._fitted.flags
        self.coef_ = self._fitted.weights.T
        self.alpha_ = np.array(self._fitted.alphas)
        self.beta_ = np.array(self._fitted.betas)
        self.n_features_in_ = X.shape[1]
        self._one_column = y.ndim == 1
        self.__dict__.pop("classes_", None)
        if y.dtype.kind != "f" and (y.ndim == 1 or y.shape[1] == 1):
            self.classes_ = np.unique(y)
        return self

    def _distribution(self, X):
        if not hasattr(self, "_fitted"):
            raise _not_fitted()
        X = _floats(X)
        if X.ndim == 2 and X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but LogME is expecting {self.n_features_in_} features as input")
        with self._running() as run:
            return self._fitted.predict(X, run)

    def decision_function(self, X):
        """Posterior mean of every column: per class for classes, per target for values."""
        return self._distribution(X)[0]

    def predict(self, X, return_std=False):
        """Classes, or mean values; with ``return_std`` also the standard deviation of the prediction.

        For classes that is the standard deviation of the winning column.
        """
        mean, variance = self._distribution(X)
        std = np.sqrt(variance)
        if hasattr(self, "classes_"):
            best = mean.argmax(axis=1)
            found, spread = self.classes_[best], std[np.arange(len(best)), best]
        elif self._one_column:
            found, spread = mean[:, 0], std[:, 0]
        else:
            found, spread = mean, std
        return (found, spread) if return_std else found

    def score(self, X, y):
        """Accuracy for classes, R squared for values."""
        found, y = self.predict(X), np.asarray(y)
        if hasattr(self, "classes_"):
            return float(np.mean(found == y.ravel()))
        rest = ((y - found) ** 2).sum()
        return float(1 - rest / ((y - y.mean(axis=0)) ** 2).sum())


def _not_fitted():
    message = "This LogME instance is not fitted yet. Call 'fit' before using this estimator."
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(message)
    return NotFittedError(message)


def _floats(X):
    """Features as scikit-learn's users pass them: integers and objects become floats."""
    X = np.asarray(X) if not hasattr(X, "toarray") else _refuse_sparse()
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if X.dtype.kind in "iubO":
        X = X.astype(np.float64)
    if X.ndim == 1:
        raise ValueError("Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) is one feature.")
    if X.ndim == 2 and X.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    return _arrays.features(X, note=False)


def _refuse_sparse():
    raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a dense numpy array.")


def _labels(y):
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    return _arrays.labels(y, "labels")
