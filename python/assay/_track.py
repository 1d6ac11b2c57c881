import json

from . import _arrays, _core
from ._prior import _parts
from ._result import Result
from ._run import Running


class TrackResult(Result):
    """Checkpoints over training: ``models`` by step, ``best``, ``no_longer_improving_since``."""

    command = "track"


class Tracker:
    """Follows training from inside its loop, as ``assay track`` does from files: is this checkpoint better than the last?

    labels: one per row of the features you will give: adds LogME and neighbours, and makes probe R2 that of these classes.
    prior: which rows belong together, as for ``prior_score``, for probe R2.
    views: rows in a row that show one sample, for LiDAR.
    by: what says which checkpoint is better: "logme", "knn", "probe_r2" or "rankme"; None: the first there is.

    It keeps what rows contribute to the scores of three checkpoints, never features.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(120) % 3
    >>> tracker = Tracker(y)
    >>> for step, noise in [(0, 4.0), (100, 1.0), (200, 0.3)]:
    ...     scores = tracker.update(step, np.eye(3)[y] + noise * rng.normal(size=(120, 3)))["scores"]
    >>> scores["logme"]["change_low"] > 0
    True
    >>> tracker.result()["best_step"]
    200.0
    """

    def __init__(self, labels=None, prior=None, *, views=0, by=None, ci=0.95, seed=0, threads=0, memory_limit=None):
        options = {"views": int(views), "by": by or "", "ci": float(ci)}
        with Running(seed, threads, memory_limit) as run:
            self._follower = _core.Follower(
                None if labels is None else _arrays.labels(labels),
                [] if prior is None else _parts(prior, "prior"),
                options,
                run,
            )

    def update(self, step, features, name=None):
        """Scores the checkpoint at this step (steps ascend): a dict of its scores and their paired changes from the one before."""
        name = f"step {step}" if name is None else str(name)
        return json.loads(self._follower.update(name, float(step), _arrays.features(features, name)))

    def result(self):
        """All checkpoints so far, the best of them, and since when none is better."""
        return TrackResult(self._follower.result())
