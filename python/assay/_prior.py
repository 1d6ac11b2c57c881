from . import _arrays, _core
from ._result import Result
from ._run import Running


class PriorResult(Result):
    """Mean and variance over all tasks: ``models``, one dict per prior, model and temperature."""


class _Part:
    def __init__(self, kind, value, name):
        self.kind, self.value, self.name = kind, value, name


def labels_prior(labels, name="labels"):
    """A prior under which samples of one class belong together."""
    return _Part("labels", _arrays.labels(labels, name), f"labels:{name}")


def views_prior(views):
    """A prior under which each ``views`` rows in a row belong together."""
    return _Part("views", int(views), f"views:{int(views)}")


def _part(value, name):
    if isinstance(value, _Part):
        return (value.kind, value.name, value.value)
    return ("features", name, _arrays.features(value, name))


def _parts(value, name):
    """A tuple of parts multiplies."""
    if not isinstance(value, tuple):
        return [_part(value, name)]
    return [_part(part, f"{name}{i}") for i, part in enumerate(value)]


def _temperatures(value):
    if value is None or (isinstance(value, str) and value == "auto"):
        return []
    return [float(value)] if isinstance(value, (int, float)) else [float(t) for t in value]


def task_prior(models, prior, *, temperature=None, labels=None, kernel="cosine", center=None, normalize="none",
               graph="directed", pairs=0, seed=0, threads=0, memory_limit=None, progress=None):
    """How good a representation is over all tasks that a prior finds likely, as ``assay prior score`` tells it.

    models: a dict of names and features, or features.
    prior: features, ``labels_prior(y)`` or ``views_prior(V)``; a tuple of these multiplies; a dict of names
        and such is several priors.
    temperature: a number or several; None: the prior kernel's median absolute entry.
    labels: one labelling, also to place the models by.

    >>> import numpy as np
    >>> rng = np.random.default_rng(4)
    >>> y = np.arange(60) % 3
    >>> x = np.eye(3)[y] + 0.1 * rng.normal(size=(60, 3))
    >>> result = task_prior({"x": x, "noise": rng.normal(size=(60, 3))}, labels_prior(y), temperature=1.0)
    >>> x, noise = (model["expectation_per_pair"] for model in result.models)
    >>> x > 5 * noise
    True
    """
    priors = prior if isinstance(prior, dict) else {"prior": prior}
    options = {
        "temperature": _temperatures(temperature),
        "kernel": kernel,
        "center": center,
        "normalize": normalize,
        "graph": graph,
        "pairs": int(pairs),
    }
    with Running(seed, threads, memory_limit, progress) as run:
        return PriorResult(
            _core.task_prior(
                _arrays.models(models),
                [_parts(value, str(name)) for name, value in priors.items()],
                None if labels is None else _arrays.labels(labels),
                options,
                run,
            )
        )


def _sweeps(sampler):
    if sampler == "prefix":
        return 0
    kind, _, count = sampler.partition(":")
    if kind == "gibbs" and count.isdigit() and int(count) > 0:
        return int(count)
    raise ValueError(f"`sampler` '{sampler}': expected prefix, or gibbs:K with K sweeps")


def sample_tasks(features, *, classes=2, tasks=1, temperature=None, sampler="prefix", from_kernel=False,
                 kernel="cosine", center=None, normalize="none", seed=0, threads=0, memory_limit=None, progress=None):
    """Labelings drawn from the prior of these features: int32 of shape (tasks, samples), as
    ``assay prior sample`` writes them.

    >>> import numpy as np
    >>> x = np.random.default_rng(5).normal(size=(50, 8))
    >>> labels = sample_tasks(x, classes=3, tasks=4)
    >>> labels.shape, labels.dtype.name, int(labels.max()) <= 2
    ((4, 50), 'int32', True)
    """
    options = {
        "temperature": _temperatures(temperature),
        "kernel": kernel,
        "center": center,
        "normalize": normalize,
    }
    with Running(seed, threads, memory_limit, progress) as run:
        labels, _ = _core.sample_tasks(
            _arrays.features(features), classes, tasks, _sweeps(sampler), from_kernel, options, run
        )
    return labels
