"""Which pre-trained model should you use for your data?

The engine of the command ``assay`` on NumPy arrays: the same library calls.

>>> import numpy as np, assay
>>> rng = np.random.default_rng(0)
>>> y = rng.integers(0, 3, 300)
>>> good = np.eye(3)[y] + 0.5 * rng.normal(size=(300, 3))
>>> bad = rng.normal(size=(300, 3))
>>> result = assay.rank({"good": good, "bad": bad}, y, metrics="logme")
>>> [model["name"] for model in result.models]
['good', 'bad']
>>> assay.logme(good, y) > assay.logme(bad, y)
True
"""
from . import compat
from ._core import __version__
from ._curve import CurveResult, loss_data_curve
from ._evaluate import Evaluation, evaluate, weighted_tau
from ._inputs import CopyWarning, InputNote, from_bfloat16, pool
from ._logme import LogME, LogMEClassifier, LogMERegressor
from ._moments import Moments
from ._parts import entity_f1, patch_rows
from ._prior import (
    PriorResult,
    PriorTasks,
    ProbeResult,
    kernel_prior,
    labels_prior,
    prior_probe,
    prior_sample,
    prior_score,
    sample_tasks,
    task_prior,
    views_prior,
)
from ._rank import RankResult, logme, metrics, rank, score
from ._result import FailedModelWarning, load, report
from ._robust import RobustProbeResult, RobustResult, robust_probe, robust_score, synbench
from ._teachers import BTuningTargets, b_tuning_targets
from ._track import Tracker, TrackResult

__all__ = [
    "BTuningTargets",
    "CopyWarning",
    "CurveResult",
    "Evaluation",
    "Extraction",
    "FailedModelWarning",
    "InputNote",
    "LogME",
    "LogMEClassifier",
    "LogMERegressor",
    "Moments",
    "PriorResult",
    "PriorTasks",
    "ProbeResult",
    "RankResult",
    "RobustProbeResult",
    "RobustResult",
    "TrackResult",
    "Tracker",
    "__version__",
    "b_tuning_targets",
    "compat",
    "entity_f1",
    "evaluate",
    "extract",
    "from_bfloat16",
    "kernel_prior",
    "labels_prior",
    "load",
    "logme",
    "loss_data_curve",
    "metrics",
    "patch_rows",
    "pool",
    "prior_probe",
    "prior_sample",
    "prior_score",
    "rank",
    "rank_models",
    "report",
    "robust_probe",
    "robust_score",
    "sample_tasks",
    "score",
    "synbench",
    "task_prior",
    "views_prior",
    "weighted_tau",
]

_OF_EXTRACT = ("Extraction", "extract", "rank_models")  # loaded when first asked for, so that the rest starts sooner


def __getattr__(name):
    if name in _OF_EXTRACT:
        from . import _extract

        return getattr(_extract, name)
    raise AttributeError(f"module 'assay' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_OF_EXTRACT})
