import os

import numpy as np

from . import _arrays, _core
from ._result import Result
from ._run import Running

_MEMBERS = ("scales", "train", "test", "train_labels", "test_labels")


class RobustResult(Result):
    """SynBench: ``models`` with scores by epsilon and threshold, and best_epsilon."""

    def rows(self):
        return [{"name": model["name"], **score} for model in self.models for score in model["scores"]]


def _members(value, name):
    if _arrays.is_path(value):
        with np.load(value) as file:
            value = {key: file[key] for key in file.files}
    missing = [key for key in _MEMBERS if key not in value]
    if missing:
        raise KeyError(f"{name}: no array '{missing[0]}'; expected {', '.join(_MEMBERS)}")
    return {key: _arrays._in_place(np.asarray(value[key]), f"{name}:{key}", note=True) for key in _MEMBERS}


def synbench(representations, *, epsilon=(0.0, 0.2, 0.4, 0.6, 0.8), threshold=(0.7, 0.75, 0.8, 0.85, 0.9),
             absolute=False, norm=2, literal=False, class_prior=0.5, seed=0, threads=0, memory_limit=None,
             progress=None):
    """Robustness and accuracy of representations of synthetic data, as ``assay robust score`` tells it.

    representations: a dict of names and arrays: scales (S), train and test (S, N, D), train_labels and
        test_labels (S, N) of 0 and 1; or paths of .npz files that hold them. See docs/guide/robust.md.

    >>> import numpy as np
    >>> rng = np.random.default_rng(6)
    >>> scales = np.array([1.0, 2.0])
    >>> y = np.tile(np.arange(100) % 2, (2, 1))
    >>> def raw():  # the synthetic data themselves, in two dimensions
    ...     return rng.normal(size=(2, 100, 2)) + scales[:, None, None] * (2 * y - 1)[..., None] / np.sqrt(2)
    >>> result = synbench({"raw": dict(scales=scales, train=raw(), test=raw(), train_labels=y, test_labels=y)},
    ...                   epsilon=[0.2], threshold=[0.7])
    >>> 0.5 < result.models[0]["scores"][0]["value"] < 1.5
    True
    """
    if _arrays.is_path(representations):
        representations = [representations]
    if not hasattr(representations, "items"):
        representations = {os.path.splitext(os.path.basename(os.fspath(p)))[0]: p for p in representations}
    options = {
        "epsilon": [float(e) for e in np.atleast_1d(epsilon)],
        "threshold": [float(t) for t in np.atleast_1d(threshold)],
        "absolute": absolute,
        "norm": str(norm),
        "literal": literal,
        "class_prior": class_prior,
    }
    models = {str(name): _members(value, str(name)) for name, value in representations.items()}
    with Running(seed, threads, memory_limit, progress) as run:
        return RobustResult(_core.synbench(models, options, run))
