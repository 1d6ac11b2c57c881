import math

from . import _core
from ._prior import PriorResult, ProbeResult
from ._rank import RankResult
from ._result import Result
from ._robust import RobustResult


class Evaluation(Result):
    """How well metrics predicted the truth: ``metrics[NAME]`` has kendall, weighted_kendall, regret1, ...

    ``verdict`` says which did best and whether that can be told, ``best`` the same as numbers (None: nothing to compare).
    """

    command = "evaluate"

    @property
    def metrics(self):
        return self.data["metrics"]

    @property
    def best(self):
        return self.data["best"]

    def rows(self):
        return [{"metric": name, **{k: v for k, v in row.items() if k != "missing"}} for name, row in self.metrics.items()]


def _numbers(values):
    """Models with a number; what is None or NaN is missing."""
    items = values.items() if hasattr(values, "items") else values
    return {str(name): float(value) for name, value in items if value is not None and not math.isnan(value)}


def _of_robust(result):
    """A column per epsilon, threshold and kind of score, named as in ``assay evaluate``."""
    table = {}
    for model in result.models:
        for score in model["scores"]:
            for which in ("value", "calibrated"):
                name = f"{which}_e{score['epsilon']:g}_t{score['threshold']:g}"
                table.setdefault(name, {})[model["name"]] = score[which]
    return table


def _columns(table):
    return [(str(name), _numbers(values)) for name, values in table.items()]


def evaluate(scores, truth, *, static=None, truth_column="accuracy", lower_is_better=(), dataset="data"):
    """How well scores predicted what the models turned out to be worth, as ``assay evaluate`` tells it.

    scores: what ``rank``, ``prior_score``, ``prior_probe`` or ``robust_score`` returned, or a dict (or data frame) of metrics, each with a value per model.
    truth: the measured value of each model.
    static: further columns a metric has to beat, like {"params": {...}}.
    lower_is_better: names of columns, or of the truth, where less is better. Assay's own metrics are known.
    dataset: what to call the data the models were measured on.

    >>> found = evaluate({"mine": {"a": 3, "b": 2, "c": 1}}, {"a": 0.9, "b": 0.8, "c": 0.7})
    >>> found.metrics["mine"]["kendall"], found.metrics["mine"]["regret1"]
    (1.0, 0.0)
    """
    dims = {}
    if isinstance(scores, RankResult):
        dims = {model["name"]: float(model["dim"]) for model in scores.models}
        names = list(scores.models[0]["scores"]) + (["consensus"] if "consensus" in scores.models[0] else [])
        scores = {name: scores.scores(name) for name in names}
    if isinstance(scores, (PriorResult, ProbeResult)):
        columns, dims, lower = _core.prior_columns(scores.to_json())
        scores = dict(columns)
        lower_is_better = [*([lower_is_better] if isinstance(lower_is_better, str) else lower_is_better), *lower]
    if isinstance(scores, RobustResult):
        dims = {model["name"]: float(model["dim"]) for model in scores.models}
        scores = _of_robust(scores)
    if isinstance(lower_is_better, str):
        lower_is_better = [lower_is_better]
    return Evaluation(
        _core.evaluate(
            dataset, _columns(scores), truth_column, _numbers(truth), _columns(static or {}), dims, list(lower_is_better)
        )
    )


def weighted_tau(x, y):
    """Weighted Kendall's tau, as SciPy's ``weightedtau(x, y)``; None where it does not exist.

    >>> weighted_tau([3, 2, 1], [30, 20, 10])
    1.0
    >>> weighted_tau([1, 1], [1, 2]) is None
    True
    """
    return _core.weighted_tau([float(v) for v in x], [float(v) for v in y])
