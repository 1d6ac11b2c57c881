import os

import numpy as np

from . import _arrays, _core
from ._run import Running


class BTuningTargets:
    """What the teachers say about every sample, for a trainer of your own.

    targets: float16 (samples, columns), the teachers' Bayesian predictions, mixed.
    m: float32 (columns, dimensions), fixed, of the network to tune.
    intercept: float32 (columns), goes with ``m``; zeros for classes.
    weights: how much each teacher counts; logme: its LogME, nats per sample.
    columns: the classes or targets, in the order of ``targets``' columns.
    """

    def __init__(self, names, found):
        self.columns = found["columns"]
        self.targets = found["targets"].astype(np.float16)
        self.m = found["m"].astype(np.float32)
        self.intercept = found["intercept"].astype(np.float32).reshape(-1)
        self.weights = dict(zip(names, found["weights"]))
        self.logme = dict(zip(names, found["logme"]))

    def __repr__(self):
        shares = ", ".join(f"{name} {weight:.2f}" for name, weight in self.weights.items())
        return f"BTuningTargets of {len(self.targets)} samples x {len(self.columns)} columns; weights: {shares}"

    def save(self, path):
        """Writes an .npz with ``targets``, ``m``, ``intercept`` and ``weights``: a temporary first, then renamed."""
        temporary = f"{os.fspath(path)}.tmp.npz"
        np.savez(
            temporary,
            targets=self.targets,
            m=self.m,
            intercept=self.intercept,
            weights=np.array(list(self.weights.values())),
        )
        os.replace(temporary, path)


def b_tuning_targets(
    teachers,
    target,
    labels,
    *,
    temperature=0.1,
    teacher_fit="leave-one-out",
    threads=0,
    memory_limit=None,
    progress=None,
):
    """What B-Tuning needs of its teachers, computed once: C numbers per sample.

    teachers: a dict of names and features (samples x dimensions, each its own).
    target: the features of the network to tune, before tuning.
    labels: one per sample, as for ``rank``.
    temperature: teachers count as softmax(LogME / temperature).
    teacher_fit: each sample is predicted by the fit to all others, or ("in-sample", as in the paper) by the fit to all.

    With PyTorch the loss of a batch of samples ``rows`` is then ::

        targets, m = torch.from_numpy(found.targets).float(), torch.from_numpy(found.m)
        features = network(images[rows])
        task = torch.nn.functional.cross_entropy(head(features), labels[rows])
        bayes = ((targets[rows] - features @ m.T - intercept) ** 2).mean()
        loss = task + lambda_ * bayes

    with ``intercept = torch.from_numpy(found.intercept)``. ``m`` is fixed; only the network and its head learn. The
    authors' lambda is 100; ``assay tune`` finds it by how hard the second term pulls at the features.

    >>> import numpy as np
    >>> rng = np.random.default_rng(8)
    >>> y = np.arange(90) % 3
    >>> big = np.eye(3)[y] + 0.2 * rng.normal(size=(90, 3))
    >>> small = np.eye(3)[y] + 1.0 * rng.normal(size=(90, 3))
    >>> found = b_tuning_targets({"big": big, "noise": rng.normal(size=(90, 8))}, small, y)
    >>> found.targets.shape, found.m.shape
    ((90, 3), (3, 3))
    >>> found.weights["big"] > 0.9
    True
    """
    if teacher_fit not in ("leave-one-out", "in-sample"):
        raise ValueError(f"teacher_fit {teacher_fit!r}: expected 'leave-one-out' or 'in-sample'")
    given = _arrays.models(teachers)
    with Running(0, threads, memory_limit, progress) as run:
        found = _core.b_tuning_targets(
            given, _arrays.features(target, "target"), _arrays.labels(labels), float(temperature),
            teacher_fit == "leave-one-out", run
        )
    return BTuningTargets([name for name, _, _ in given], found)
