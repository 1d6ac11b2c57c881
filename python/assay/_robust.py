import os

import numpy as np

from . import _arrays, _core, _inputs
from ._result import Result
from ._run import Running

_MEMBERS = ("scales", "train", "test", "train_labels", "test_labels")


class RobustResult(Result):
    """SynBench: ``models`` with scores by epsilon and threshold, and best_epsilon."""

    command = "robust score"

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


class RobustProbeResult(Result):
    """Robust probes: ``models`` with ``probes`` by epsilon and seed: clean, attacked and corrupted accuracy."""

    command = "robust probe"

    def rows(self):
        keys = ("epsilon", "seed", "clean_accuracy", "corruption_accuracy")
        return [
            {"name": model["name"], **{key: probe[key] for key in keys},
             **{f"accuracy_at_{attack['epsilon']:g}": attack["accuracy"] for attack in probe["attacks"]}}
            for model in self.models for probe in model["probes"]
        ]


def _paths(value):
    return [os.fspath(path) for path in ([value] if _arrays.is_path(value) else value)]


def _is_of_networks(models):
    """Paths other than .npz files; a mapping holds representations."""
    return not hasattr(models, "items") and not any(path.endswith(".npz") for path in _paths(models))


def _world(mean, covariance):
    def numbers(value):
        value = np.load(value) if _arrays.is_path(value) else _inputs.as_array(value, "world")
        return np.ascontiguousarray(value, dtype=np.float64)

    parts = {"mean": mean, "covariance": covariance}
    if isinstance(covariance, tuple):
        parts["covariance"], parts["factor"] = covariance
    return {name: numbers(part) for name, part in parts.items() if part is not None}


def robust_score(models, *, scales=None, samples=2048, input_size=0, epsilon=(0.0, 0.2, 0.4, 0.6, 0.8),
                 threshold=(0.7, 0.75, 0.8, 0.85, 0.9), absolute=False, norm=2, literal=False, class_prior=0.5, mean=None,
                 covariance=None, seed=0,
                 threads=0, memory_limit=None, progress=None):
    """SynBench: robustness and accuracy without data, as ``assay robust score`` tells it.

    models: paths of networks (.pt, .onnx) or hubs, which are run on synthetic images (``scales``, ``samples`` and
        ``input_size`` are for them); or representations that you made: a dict of names and arrays: scales (S), train
        and test (S, N, D), train_labels and test_labels (S, N) of 0 and 1; or paths of .npz files that hold them. See
        docs/guide/robust.md.
    mean, covariance: another synthetic world, of as many inputs as the networks have: the direction in which the classes
        differ, and the noise as variances (d), a matrix (d, d) or a pair (variances, factor (d, r)). Of representations:
        the world that they were made of.

    >>> import numpy as np
    >>> rng = np.random.default_rng(6)
    >>> scales = np.array([1.0, 2.0])
    >>> y = np.tile(np.arange(100) % 2, (2, 1))
    >>> def raw():  # the synthetic data themselves, in two dimensions
    ...     return rng.normal(size=(2, 100, 2)) + scales[:, None, None] * (2 * y - 1)[..., None] / np.sqrt(2)
    >>> result = robust_score({"raw": dict(scales=scales, train=raw(), test=raw(), train_labels=y, test_labels=y)},
    ...                       epsilon=[0.2], threshold=[0.7])
    >>> 0.5 < result.models[0]["scores"][0]["calibrated"] < 1.5
    True
    """
    options = {
        "epsilon": [float(e) for e in np.atleast_1d(epsilon)],
        "threshold": [float(t) for t in np.atleast_1d(threshold)],
        "absolute": absolute,
        "norm": str(norm),
        "literal": literal,
        "class_prior": class_prior,
    }
    options.update(_world(mean, covariance))
    if _is_of_networks(models):
        options.update(networks=_paths(models), samples=samples, input_size=input_size,
                       scales=None if scales is None else [float(s) for s in np.atleast_1d(scales)])
        arrays = {}
    else:
        if not hasattr(models, "items"):
            models = {os.path.splitext(os.path.basename(path))[0]: path for path in _paths(models)}
        arrays = {str(name): _members(value, str(name)) for name, value in models.items()}
    with Running(seed, threads, memory_limit, progress) as run:
        return RobustResult(_core.robust_score(arrays, options, run))


def synbench(representations, **options):
    """``robust_score`` of representations, by the name it had first."""
    return robust_score(representations, **options)


def robust_probe(models, data, *, epsilon=(0.0, 0.5), runs=1, steps=10, final_steps=50, restarts=2, queries=200, epochs=5,
                 batch_size=48, lr=0.1, input_size=0, seed=0, threads=0, memory_limit=None, progress=None):
    """eps-robust linear probing of networks on images, as ``assay robust probe`` tells it.

    models: paths of TorchScript networks or hubs. data: a folder of images with a test part.
    epsilon: radii to train against and to attack with, pixels being 0 to 1; or "best": 0, and what ``robust_score``
        finds best for each network.
    """
    options = {
        "models": _paths(models),
        "data": os.fspath(data),
        "epsilon": None if isinstance(epsilon, str) and epsilon == "best" else [float(e) for e in np.atleast_1d(epsilon)],
        "runs": runs,
        "steps": steps,
        "final_steps": final_steps,
        "restarts": restarts,
        "queries": queries,
        "epochs": epochs,
        "batch_size": batch_size,
        "lr": lr,
        "input_size": input_size,
    }
    with Running(seed, threads, memory_limit, progress) as run:
        return RobustProbeResult(_core.robust_probe(options, run))
