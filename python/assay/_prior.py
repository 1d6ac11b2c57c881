import numpy as np

from . import _arrays, _core
from ._result import Result
from ._run import Running


class PriorResult(Result):
    """Every model over all tasks: ``models``, one dict per prior, model and temperature."""

    command = "prior score"


class PriorTasks(Result):
    """Sampled tasks: ``labels``, int32 of shape (tasks, samples); how much they differ by name."""

    def __init__(self, found, labels):
        super().__init__(found)
        self.labels = labels


class ProbeResult(Result):
    """Probe accuracy of every model on every task: ``models``, and ``correlation`` with the closed forms."""

    command = "prior probe"

    @property
    def correlation(self):
        return self.data["correlation"]


class _Part:
    def __init__(self, kind, value, name):
        self.kind, self.value, self.name = kind, value, name


def labels_prior(labels, name="labels"):
    """A prior under which samples of one class belong together."""
    return _Part("labels", _arrays.labels(labels, name), f"labels:{name}")


def views_prior(views):
    """A prior under which each ``views`` rows in a row belong together."""
    return _Part("views", int(views), f"views:{int(views)}")


def kernel_prior(kernel, name="kernel"):
    """A prior given by its n x n kernel matrix."""
    return _Part("kernel", _arrays.features(kernel, name), name)


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


def _each(prior):
    return isinstance(prior, str) and prior == "each"


def prior_score(models, prior, *, temperature=None, labels=None, kernel="cosine", center=None, normalize="none",
                model_kernel=None, penalty="mean", probe_r2=200, views=0, graph="directed", pairs=0, seed=0, threads=0,
                memory_limit=None, progress=None):
    """How good a representation is over all tasks that a prior finds likely, as ``assay prior score`` tells it.

    models: a dict of names and features, or features.
    prior: features, ``labels_prior(y)``, ``views_prior(V)`` or ``kernel_prior(K)``; a tuple of these multiplies; a
        dict of names and such is several priors; "each": every model once.
    temperature: a number or several; None: the prior kernel's median absolute entry.
    labels: one labelling, also to place the models by.
    model_kernel: of the models, where it is not that of the priors; "ridge": what a ridge probe predicts with.
    penalty: of ridge and of probe_r2: "mean", "loo" or a number.
    probe_r2: tasks sampled for its spread; None leaves it out.
    views: rows in a row that show one sample, for LiDAR.

    >>> import numpy as np
    >>> rng = np.random.default_rng(4)
    >>> y = np.arange(60) % 3
    >>> x = np.eye(3)[y] + 0.1 * rng.normal(size=(60, 3))
    >>> result = prior_score({"x": x, "noise": rng.normal(size=(60, 3))}, labels_prior(y), temperature=1.0)
    >>> [model["name"] for model in result.models]
    ['x', 'noise']
    >>> result.models[0]["probe_r2"]["value"] > 0.5
    True
    """
    priors = {} if _each(prior) else prior if isinstance(prior, dict) else {"prior": prior}
    options = {
        "temperature": _temperatures(temperature),
        "kernel": kernel,
        "center": center,
        "normalize": normalize,
        "model_kernel": model_kernel,
        "penalty": penalty,
        "probe_r2": None if probe_r2 is None else int(probe_r2),
        "each": _each(prior),
        "views": int(views),
        "graph": graph,
        "pairs": int(pairs),
    }
    with Running(seed, threads, memory_limit, progress) as run:
        return PriorResult(
            _core.prior_score(
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


def prior_sample(prior, *, classes=2, tasks=1, temperature=None, diversity=0.2, sampler="prefix", kernel="cosine",
                 center=None, normalize="none", seed=0, threads=0, memory_limit=None, progress=None):
    """Labelings drawn from a prior, as ``assay prior sample`` draws them: ``labels``, int32 of shape (tasks, samples).

    prior: features, or a part as for ``prior_score``; a tuple of these multiplies.
    temperature: None: the one at which two tasks have an adjusted Rand index of ``diversity`` on average.

    >>> import numpy as np
    >>> x = np.random.default_rng(5).normal(size=(50, 8))
    >>> drawn = prior_sample(x, classes=3, tasks=4)
    >>> drawn.labels.shape, drawn.labels.dtype.name, int(drawn.labels.max()) <= 2
    ((4, 50), 'int32', True)
    >>> sorted(drawn["class_balance"])
    ['largest', 'smallest', 'tasks_with_empty_class']
    """
    options = {
        "temperature": _temperatures(temperature),
        "kernel": kernel,
        "center": center,
        "normalize": normalize,
        "diversity": float(diversity),
    }
    with Running(seed, threads, memory_limit, progress) as run:
        labels, found = _core.prior_sample(_parts(prior, "features"), classes, tasks, _sweeps(sampler), options, run)
    return PriorTasks(found, labels)


def prior_probe(models, tasks, *, prior=None, probe="ridge", test_share=0.25, temperature=None, kernel="cosine",
                center=None, normalize="none", model_kernel=None, penalty="mean", graph="directed", seed=0, threads=0,
                memory_limit=None, progress=None):
    """Held-out accuracy of linear probes on tasks, as ``assay prior probe`` measures it.

    tasks: integers 0, 1, 2, ... of shape (tasks, samples), such as ``prior_sample(...).labels``.
    prior: also the closed forms under it, and how they go with the probes.

    >>> import numpy as np
    >>> x = np.random.default_rng(6).normal(size=(80, 4))
    >>> drawn = prior_sample(x, tasks=20)
    >>> result = prior_probe({"x": x, "half": x[:, :2]}, drawn.labels, prior=x)
    >>> result.models[0]["accuracy"][0] <= 1, len(result.models[0]["accuracy"])
    (True, 20)
    """
    labels = np.asarray(tasks)
    if labels.ndim != 2 or labels.dtype.kind not in "iub":
        raise ValueError("tasks: expected integers of shape (tasks, samples)")
    if labels.size and (labels.min() < 0 or labels.max() >= 100_000):
        raise ValueError("tasks: labels are 0, 1, 2, ...")
    options = {
        "temperature": _temperatures(temperature),
        "kernel": kernel,
        "center": center,
        "normalize": normalize,
        "model_kernel": model_kernel,
        "penalty": penalty,
        "graph": graph,
        "probe": probe,
        "test_share": float(test_share),
    }
    given = _arrays.models(models)
    if any(labels.shape[1] != len(features) for _, features, _ in given):
        raise ValueError(f"tasks label {labels.shape[1]} samples; a model has another number of rows")
    with Running(seed, threads, memory_limit, progress) as run:
        return ProbeResult(
            _core.prior_probe(
                given,
                np.ascontiguousarray(labels, dtype=np.int32),
                [] if prior is None else _parts(prior, "prior"),
                options,
                run,
            )
        )


def task_prior(models, prior, **options):
    """The former name of ``prior_score``."""
    return prior_score(models, prior, **options)


def sample_tasks(features, *, from_kernel=False, **options):
    """The labels of ``prior_sample`` alone, its former name."""
    return prior_sample(kernel_prior(features) if from_kernel else features, **options).labels
