import warnings

import numpy as np

from . import _arrays, _core
from ._inputs import as_array, outside
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
        return f"{type(self).__name__}(threads={self.threads!r}, memory_limit={self.memory_limit!r})"

    _estimator_type = None  # what scikit-learn before 1.6 asks for, and what the tags say since

    def __sklearn_tags__(self):
        return _tags(self._estimator_type)

    def _running(self):
        return Running(0, self.threads, self.memory_limit)

    def fit(self, X, y):
        """Fits on features X (n, D) and one label per row; returns itself."""
        X, y = _floats(X), self._targets(y)
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
            self.classes_ = self._classes_of(y)
        return self

    def _targets(self, y):
        return _labels(y)

    def _classes_of(self, y):
        return np.unique(y)

    def _checked(self, X):
        if not hasattr(self, "_fitted"):
            raise _not_fitted(self)
        X = _floats(X)
        if X.ndim == 2 and X.shape[1] != self.n_features_in_:
            name = type(self).__name__
            raise ValueError(f"X has {X.shape[1]} features, but {name} is expecting {self.n_features_in_} features as input")
        return X

    def _distribution(self, X):
        X = self._checked(X)
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


class LogMEClassifier(LogME):
    """``LogME`` for classes alone, which scikit-learn knows as a classifier: folds are stratified, and there are
    probabilities. Whole numbers of any type, booleans and text are classes.

    >>> import numpy as np
    >>> rng = np.random.default_rng(9)
    >>> y = np.repeat(["cat", "dog"], 40)
    >>> x = rng.normal(size=(80, 3)) + 3 * (y == "dog")[:, None]
    >>> model = LogMEClassifier().fit(x, y)
    >>> model.predict(x[:1]).tolist(), bool(model.predict_proba(x[:1])[0, 0] > 0.5)
    (['cat'], True)
    """

    _estimator_type = "classifier"

    def _targets(self, y):
        y = _one_column(y, type(self).__name__)
        if y.dtype.kind == "f" and not (np.floor(y) == y).all():
            raise ValueError("Unknown label type: continuous values; LogMERegressor predicts numbers")
        self._known, codes = np.unique(y, return_inverse=True)
        if len(self._known) < 2:
            raise ValueError(f"y holds only one class, {self._known.tolist()}; classes are told apart from each other")
        return codes.reshape(-1)

    def _classes_of(self, y):
        return self._known

    def decision_function(self, X):
        """Posterior mean of every class; of two classes, by how much the second one is ahead."""
        mean = self._distribution(X)[0]
        return mean[:, 1] - mean[:, 0] if mean.shape[1] == 2 else mean

    def predict_proba(self, X):
        """How often each class is on top when every column is drawn from its predictive normal distribution.

        With more than two classes of unlike variance the likeliest class here need not be the one of the largest mean,
        which ``predict`` gives.
        """
        X = self._checked(X)
        with self._running() as run:
            return self._fitted.probabilities(X, run)

    def predict_log_proba(self, X):
        """The logarithm of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class LogMERegressor(LogME):
    """``LogME`` for numbers alone, which scikit-learn knows as a regressor: integers are numbers, too.

    >>> import numpy as np
    >>> x = np.arange(20.0)[:, None]
    >>> round(float(LogMERegressor().fit(x, np.arange(20)).predict([[30.0]])[0]), 3)
    30.0
    """

    _estimator_type = "regressor"

    def _targets(self, y):
        y = _labels(y, note=False)
        if y.dtype.kind in "US":
            raise ValueError("y holds text; LogMERegressor predicts numbers, LogMEClassifier classes")
        return (_raveled(y) if y.ndim == 2 and y.shape[1] == 1 else y).astype(np.float64)

    @property
    def decision_function(self):
        raise AttributeError("LogMERegressor has no decision_function; predict(X) gives the posterior mean")


def _tags(kind):
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

    return Tags(
        estimator_type=kind,
        target_tags=TargetTags(required=True),
        input_tags=InputTags(),
        classifier_tags=ClassifierTags() if kind == "classifier" else None,
        regressor_tags=RegressorTags() if kind == "regressor" else None,
    )


def _one_column(y, name):
    y = _labels(y, note=False)
    if y.ndim > 1 and y.shape[1] != 1:
        raise ValueError(f"y has {y.shape[1]} columns; {name} expects one label per row (LogME takes several)")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("y holds NaN or infinity")
    return _raveled(y) if y.ndim > 1 else y


def _raveled(y):
    """A column as a vector, said as scikit-learn says it."""
    try:
        from sklearn.exceptions import DataConversionWarning as Kind
    except ImportError:
        Kind = UserWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected; it was raveled.", Kind, stacklevel=outside())
    return y.reshape(-1)


def _not_fitted(estimator):
    message = f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' before using this estimator."
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(message)
    return NotFittedError(message)


def _floats(X):
    """Features as scikit-learn's users pass them: integers and objects become floats."""
    X = as_array(X, "X") if not hasattr(X, "toarray") else _refuse_sparse()
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


def _labels(y, note=True):
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    return _arrays.labels(y, "labels", note)
