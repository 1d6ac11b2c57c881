import html
import os

from . import _arrays, _core
from ._result import Result, html_table
from ._run import Running


class RankResult(Result):
    """What ``rank`` found: the JSON of ``assay rank`` with a face.

    ``models`` (best first), ``verdict`` (in words), ``notes``, ``failed``, ``table()``, ``to_html()``.
    """

    def __init__(self, found):
        super().__init__(found)
        self._csv = found["csv"]

    @property
    def verdict(self):
        """Which model, by what, how sure: one paragraph."""
        return self.data["verdict"]

    @property
    def notes(self):
        """What the user should know, one sentence each."""
        left_out = [f"left out {one['metric']}: {one['reason']}" for one in self.data["left_out"]]
        return left_out + self.data["notes"]

    @property
    def best(self):
        """The name of the first model."""
        return self.models[0]["name"]

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

    def to_csv(self):
        """The text of the command's ``--csv``."""
        return self._csv

    def __repr__(self):
        return f"{self._text}\n{self.verdict}"

    def _repr_html_(self):
        rows = [{k: v for k, v in row.items() if v is not None} for row in self.rows()]
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"{html_table(rows)}<p>{html.escape(self.verdict)}</p>" + (f"<ul>{notes}</ul>" if notes else "")


def _names(metrics):
    return metrics if isinstance(metrics, str) else ",".join(metrics)


def rank(models, labels=None, *, metrics="default", by=None, ci=0.95, probabilities=None, groups=None, center=None,
         controls=False, refit=False, jackknife="closed", subsample=None, accuracy=False, test_rows=None, soft_labels=False,
         seed=0, threads=0, memory_limit=None, progress=None):
    """Scores every model on labelled data and ranks them, as ``assay rank`` does.

    models: a dict of names and features (samples x dimensions), or a path (or a list of paths) of a hub.
    labels: one per sample. Integers, booleans and text are classes, floats regression targets, 2-D 0/1
        integers multi-label; or a path.
    metrics: "default", "all", or names, as a list or with commas between.
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
    soft_labels: labels are rows of probabilities, one column per class, not numbers to predict.
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
    given = [] if paths else _arrays.models(models, probabilities)
    with Running(seed, threads, memory_limit, progress) as run:
        return RankResult(
            _core.rank(
                given, paths, _labels_or_path(labels, "labels"), _labels_or_path(groups, "groups"), _names(metrics),
                by or "", ci, subsample or "",
                {"center": center, "controls": controls, "refit": refit, "jackknife": jackknife, "accuracy": accuracy,
                 "test_rows": test_rows or 0, "soft_labels": soft_labels}, run,
            )
        )


def _labels_or_path(value, name):
    if value is None:
        return None
    return os.fspath(value) if _arrays.is_path(value) else _arrays.labels(value, name)


def score(features, labels, metric="logme", *, probabilities=None, center=None, seed=0, threads=0, memory_limit=None,
          progress=None):
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
        {"features": features}, labels, metrics=names, ci=0.0, center=center, seed=seed, threads=threads,
        probabilities=None if probabilities is None else {"features": probabilities}, memory_limit=memory_limit,
        progress=progress,
    )
    found = {name: one["value"] for name, one in result.models[0]["scores"].items()}
    return found[names] if names in found else found


def logme(features, labels, *, center=None, threads=0, memory_limit=None, progress=None):
    """LogME in nats per sample: the log evidence of the labels given the features. Higher is better.

    Numbers and several labels per sample are centred, i.e. fitted with an intercept, unless ``center=False``.

    >>> import numpy as np
    >>> y = np.array([0, 0, 1, 1, 0, 1])
    >>> x = np.array([[0.0], [0.1], [1.0], [0.9], [0.2], [1.1]])
    >>> logme(x, y) == score(x, y, "logme")
    True
    """
    return score(features, labels, "logme", center=center, threads=threads, memory_limit=memory_limit,
                 progress=progress)


def metrics():
    """Every metric: name, title, summary, reference, unit, needs, direction, default.

    >>> {row["name"]: row["direction"] for row in metrics()}["linear_valid"]
    'lower'
    """
    return _core.metrics()
