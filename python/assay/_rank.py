import html
import os

from . import _arrays, _core, _html
from ._inputs import reading
from ._moments import Moments
from ._result import Result
from ._run import Running


class RankResult(Result):
    """What ``rank`` found: the JSON of ``assay rank`` with a face.

    ``models`` (best first), ``best``, ``verdict`` (in words), ``notes``, ``failed``, ``to_pandas()``, ``plot()``, ``to_html()``.
    """

    command = "rank"

    @property
    def notes(self):
        """What the user should know, one sentence each."""
        left_out = [f"left out {one['metric']}: {one['reason']}" for one in self.data["left_out"]]
        return left_out + self.data["notes"]

    @property
    def best(self):
        """The name of the first model."""
        return self.models[0]["name"]

    @property
    def by(self):
        """The name of what orders the models."""
        return self.data["by"]

    def scores(self, metric):
        """The values of a metric by model."""
        if metric == "consensus":
            return {model["name"]: model["consensus"] for model in self.models}
        return {model["name"]: model["scores"][metric]["value"] for model in self.models}

    def rows(self):
        """One flat dict per model: its place, and every metric with the ends of its interval."""
        out = []
        for model in self.models:
            row = {key: model[key] for key in ("name", "rank", "rank_low", "rank_high", "tie_group")}
            if "consensus" in model:
                row["consensus"] = model["consensus"]
            for metric, score in model["scores"].items():
                row[metric] = score["value"]
                row[f"{metric}_low"], row[f"{metric}_high"] = score["low"], score["high"]
            row["n"], row["dim"] = model["n"], model["dim"]
            out.append(row)
        return out

    def bars(self, metric=None):
        """(value, low, high) of every model by one metric: the one that orders, or the first of the consensus."""
        metric = self.shown(metric)
        return [tuple(model["scores"][metric][key] for key in ("value", "low", "high")) for model in self.models]

    def shown(self, metric=None):
        """The metric that charts show: the given one, the one that orders, or the first of the consensus."""
        known = list(self.models[0]["scores"])
        metric = metric or (self.by if self.by in known else known[0])
        if metric not in known:
            raise KeyError(f"'{metric}' was not computed; there are {', '.join(known)}")
        return metric

    def _repr_html_(self):
        metric = self.shown()
        rows = []
        for model, bar in zip(self.models, _html.bars(self.bars(metric))):
            tied = "" if model["rank_low"] is None else f"{model['rank_low']}-{model['rank_high']}"
            cells = [model["rank"], tied, model["name"], *(score["value"] for score in model["scores"].values()), model["dim"]]
            rows.append("".join(f"<td>{html.escape(_html.number(cell))}</td>" for cell in cells) + f"<td>{bar}</td>")
        titles = ["rank", "range", "model", *self.models[0]["scores"], "D", metric]
        head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</tbody></table>"
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (f"{table}{_html.failures(self.failed)}<p>{html.escape(self.verdict)}</p>"
                + (f"<ul>{notes}</ul>" if notes else ""))


def _names(metrics):
    return metrics if isinstance(metrics, str) else ",".join(metrics)


def rank(models, labels=None, *, metric=None, metrics=None, by=None, ci=0.95, probabilities=None, groups=None, center=None,
         controls=False, refit=False, jackknife="closed", subsample=None, accuracy=False, test_rows=None, knn_exact_rows=None,
         soft_labels=False, source_weights=False, pactran=None, pool=None, seed=0, threads=0, memory_limit=None, progress=None):
    """Scores every model on labelled data and ranks them, as ``assay rank`` does.

    models: a dict of names and features (samples x dimensions: arrays, tensors, batches, files), or a path (or a list of
        paths) of a hub; or a dict of names and ``Moments``, which hold their labels (metrics: logme, hscore, hscore_shrunk).
    labels: one per sample. Integers, booleans and text are classes, floats regression targets, 2-D 0/1
        integers multi-label; or a path.
    metric, metrics (either name): "default", "all", or names, as a list or with commas between.
    by: the metric that orders. Default: the consensus of the default metrics, or the first one named.
    ci: the level of the intervals; 0 for none, which is faster.
    probabilities: a dict of source-class probabilities for LEEP and its kin, by model.
    groups: one id per sample; intervals keep a group together.
    jackknife: "closed" takes intervals from what every row adds, "refit" from scores without each of 20 folds.
    center: centre features and targets, i.e. fit an intercept. None: for numbers and several labels per sample, not for
        classes; False: the paper's letter.
    subsample: "5/class:10" or "200:10": score small draws instead.
    accuracy: also predict the test accuracy of a tuned linear probe trained on all rows, as the first metric (R2 for
        numbers, average precision for several labels per sample). It does not change the order.
    test_rows: rows of the test set the prediction will be compared with: its interval then covers what is measured there.
    knn_exact_rows: up to so many rows (131072) knn looks up the neighbours of every one; beyond, of a share of them, which
        keeps the work the same, and gives the standard error of that.
    soft_labels: labels are rows of probabilities, one column per class, not numbers to predict.
    source_weights: probabilities are non-negative weights that need not sum to 1, for ``pactran_gamma``.
    pactran: a dict with some of alpha, beta, sigma2, lambda, in the units of ``--pactran-alpha`` and its kin.
    pool: how to make one row of a sample's tokens where features are samples x tokens x dimensions; see ``pool``.
    progress: True for a bar, or a function of the share that is done and the name of the step.

    C-ordered float16, float32 and float64 arrays, memory-mapped ones too, are read in place.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["cat", "dog"], 100)
    >>> a = rng.normal(size=(200, 5)) + (y == "dog")[:, None]
    >>> result = rank({"a": a, "noise": rng.normal(size=(200, 5))}, y, metrics=["logme", "knn"])
    >>> result.best
    'a'
    >>> sorted(result.models[0]["scores"])
    ['knn', 'logme']
    """
    paths = []
    if _arrays.is_path(models):
        paths = [os.fspath(models)]
    elif isinstance(models, (list, tuple)) and models and all(map(_arrays.is_path, models)):
        paths = [os.fspath(path) for path in models]
    if metric is not None and metrics is not None:
        raise TypeError("metric= and metrics= are the same option; give one of them")
    chosen = _names(metric if metric is not None else metrics if metrics is not None else "default")
    if isinstance(models, dict) and any(isinstance(one, Moments) for one in models.values()):
        needs_rows = labels is not None or probabilities is not None or groups is not None or controls or subsample or accuracy
        if needs_rows or not all(isinstance(one, Moments) for one in models.values()):
            raise TypeError("Moments bring their labels and have no rows: all models must be Moments, and labels=, "
                            "probabilities=, groups=, controls=, subsample= and accuracy= are for features")
        chosen = "logme,hscore,hscore_shrunk" if chosen == "default" else chosen
        with Running(seed, threads, memory_limit, progress) as run:
            sums = [(name, one._sums) for name, one in models.items()]
            return RankResult(_core.rank_moments(sums, chosen, by or "", ci, center, run))
    with reading(memory_limit) as notes, Running(seed, threads, memory_limit, progress) as run:
        found = RankResult(
            _core.rank(
                [] if paths else _arrays.models(models, probabilities, pool), paths, _labels_or_path(labels, "labels", soft_labels),
                _labels_or_path(groups, "groups", True), chosen, by or "", ci, subsample or "",
                {"center": center, "controls": controls, "refit": refit, "jackknife": jackknife, "accuracy": accuracy,
                 "test_rows": test_rows or 0, "knn_exact_rows": knn_exact_rows, "soft_labels": soft_labels,
                 "source_weights": source_weights, "pactran": pactran or {}}, run,
            )
        )
        found.data["notes"].extend(notes)
        return found


def _labels_or_path(value, name, certain):
    """`certain`: the option itself says how they are read."""
    if value is None:
        return None
    return os.fspath(value) if _arrays.is_path(value) else _arrays.labels(value, name, note=not certain)


def score(features, labels, metric="logme", *, probabilities=None, center=None, pool=None, seed=0, threads=0,
          memory_limit=None, progress=None):
    """The value of one metric (a float), or of several (a dict), for one representation.

    The value is the paper's own quantity with its own sign; ``metrics()`` tells which way is better.

    >>> import numpy as np
    >>> rng = np.random.default_rng(2)
    >>> y = np.arange(100) % 4
    >>> round(score(np.eye(4)[y] + 0.01 * rng.normal(size=(100, 4)), y, "knn"), 3)
    1.0
    """
    names = _names(metric)
    result = rank(
        {"features": features}, labels, metric=names, ci=0.0, center=center, pool=pool, seed=seed, threads=threads,
        probabilities=None if probabilities is None else {"features": probabilities}, memory_limit=memory_limit,
        progress=progress,
    )
    found = {name: one["value"] for name, one in result.models[0]["scores"].items()}
    return found[names] if names in found else found


def logme(features, labels, *, center=None, pool=None, threads=0, memory_limit=None, progress=None):
    """LogME in nats per sample: the log evidence of the labels given the features. Higher is better.

    Numbers and several labels per sample are centred, i.e. fitted with an intercept, unless ``center=False``.

    >>> import numpy as np
    >>> y = np.array([0, 0, 1, 1, 0, 1])
    >>> x = np.array([[0.0], [0.1], [1.0], [0.9], [0.2], [1.1]])
    >>> logme(x, y) == score(x, y, "logme")
    True
    """
    return score(features, labels, "logme", center=center, pool=pool, threads=threads, memory_limit=memory_limit,
                 progress=progress)


def metrics():
    """Every metric: name, title, summary, reference, unit, needs, direction, default.

    >>> {row["name"]: row["direction"] for row in metrics()}["linear_valid"]
    'lower'
    """
    return _core.metrics()
