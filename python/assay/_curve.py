from . import _arrays, _core
from ._inputs import reading
from ._result import Result
from ._run import Running


class CurveResult(Result):
    """Loss-data curves: ``models`` with curve, va, mdl, sdl and esc; ``answer`` in words."""

    command = "curve"

    def __init__(self, found):
        super().__init__(found)
        self.notes = found.get("notes", [])

    @property
    def answer(self):
        """How many labels the targets need, in words; empty without a target."""
        return self.data.get("answer", "")

    def forecast(self, name):
        """Sizes beyond the data, the losses foretold and the lower and upper ends of their 95 % intervals."""
        points = next(model["forecast"] for model in self.models if model["name"] == name)
        return tuple([point[key] for point in points] for key in ("n", "loss", "low", "high"))

    def curve(self, name):
        """Sizes and mean losses of a model, to plot."""
        points = next(model["curve"] for model in self.models if model["name"] == name)
        return [point["n"] for point in points], [point["loss"] for point in points]


def loss_data_curve(models, labels, *, validation=None, validation_labels=None, validation_share=0.2, probe=None,
                    sizes=10, seeds=4, epsilon=(), loss=None, rule="left", refine=0, certify=None, target_loss=None,
                    target_accuracy=None, l2="auto", groups=None, hidden=(512, 512), updates=4000, lr=1e-4,
                    batch=256, pool=None, seed=0, threads=0, memory_limit=None, progress=None):
    """The validation loss against the number of labels, as ``assay curve`` measures it.

    models: a dict of names and features, or of names and functions: a learner of your own. It is called as
        ``learner(train_rows, validation_rows)`` for every size and seed with the row numbers the engine
        draws (int64 arrays), and returns its loss on the validation rows, or ``(loss, accuracy)``.
    sizes: how many sizes, log-uniform from 10 rows to all; or the sizes themselves.
    pool: of a sample's tokens, as for ``rank``.
    groups: one id per row (a sentence's words); rows of a group stay together in splits and intervals.
    l2: of linear and ridge probes; "auto" chooses it for every probe by its training rows alone.
    hidden, updates, lr, batch: of the mlp probe.
    target_loss, target_accuracy: how many labels do they take? Answered beyond the data too, see ``answer``.
    validation, validation_labels: validation data of their own, by the same names; else a share of the rows.

    Learners are called in the thread that calls, seed after seed by ascending sizes.

    >>> import numpy as np
    >>> y = np.arange(200) % 2
    >>> x = y[:, None] + 0.3 * np.random.default_rng(3).normal(size=(200, 4))
    >>> def guess(train_rows, validation_rows):
    ...     p = y[train_rows].mean()
    ...     return -np.log(np.where(y[validation_rows] == 1, p, 1 - p)).mean()
    >>> result = loss_data_curve({"x": x, "guess": guess}, y, sizes=[20, 160], seeds=2)
    >>> [model["name"] for model in result.models]
    ['guess', 'x']
    >>> result.curve("guess")[0]
    [20, 160]
    """
    if not hasattr(models, "items") or hasattr(models, "dtypes"):
        models = {"learner" if callable(models) else "features": models}
    learners = {str(name): model for name, model in models.items() if callable(model)}
    arrays = {name: model for name, model in models.items() if not callable(model)}
    if validation is not None and (not hasattr(validation, "items") or hasattr(validation, "dtypes")):
        validation = {"features": validation}
    if validation is not None and validation_labels is None:
        raise ValueError("validation and validation_labels go together: features and their labels")
    if isinstance(l2, str) and l2 != "auto":
        raise ValueError(f"`l2`: '{l2}' is no penalty; expected \"auto\" or a number above 0")
    chosen = [] if isinstance(sizes, int) else sorted({int(size) for size in sizes})
    if chosen and chosen[0] < 1:
        raise ValueError(f"`sizes`: '{chosen[0]}' is no count; expected a whole number of 1 or more")
    options = {
        "probe": probe,
        "loss": loss,
        "rule": rule,
        "sizes": chosen,
        "size_count": sizes if isinstance(sizes, int) else 10,
        "seeds": seeds,
        "epsilon": [float(epsilon)] if isinstance(epsilon, (int, float)) else [float(e) for e in epsilon],
        "l2": l2 if isinstance(l2, str) else float(l2),
        "groups": None if groups is None else _arrays.labels(groups, "groups", note=False),
        "validation_share": validation_share,
        "refine": int(refine),
        "certify": certify,
        "target_loss": target_loss,
        "target_accuracy": target_accuracy,
        "hidden": list(hidden),
        "updates": updates,
        "lr": lr,
        "batch": batch,
    }
    with reading(memory_limit) as notes, Running(seed, threads, memory_limit, progress) as run:
        found = CurveResult(
            _core.loss_data_curve(
                _arrays.models(arrays, pool=pool) if arrays else [],
                learners,
                _arrays.labels(labels),
                _arrays.models(validation, pool=pool) if validation else [],
                None if validation_labels is None else _arrays.labels(validation_labels, "validation labels", note=False),
                options,
                run,
            )
        )
        found.notes.extend(notes)
        return found
