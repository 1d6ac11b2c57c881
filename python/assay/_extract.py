"""Models of your own torch on your own data: features of all of them, and their ranking."""
import copy
import os
import time
import warnings

import numpy as np

from . import _extract_data, _feature_store
from ._encoders import FINAL, encoder_of, name_of, split_layer
from ._inputs import as_array, outside
from ._rank import rank
from ._result import FailedModelWarning
from ._run import Running

def _log():
    import logging

    return logging.getLogger("assay")


class Options:
    """What a run was asked for; each encoder takes what concerns it."""

    def __init__(self, *, pool, layers, pair, transform, batch_size, max_length, device, precision, pretrained):
        self.pool, self.layers, self.pair, self.transform = pool, layers, pair, transform
        self.batch_size, self.max_length = batch_size, max_length
        self.device, self.precision, self.pretrained = device, precision, pretrained

    def of_layer(self, layer):
        other = copy.copy(self)
        other.layers = [layer]
        return other


class Extraction(dict):
    """Features by name, and ``labels``, ``groups``, ``failed`` (name and error), ``notes``, ``seconds`` by model."""

    def __init__(self, labels=None, groups=None):
        super().__init__()
        self.labels, self.groups = labels, groups
        self.failed, self.notes, self.seconds = [], [], {}

    def __repr__(self):
        rows = [f"{name}: {array.shape[0]:,} x {array.shape[1]:,}" for name, array in self.items()]
        return "\n".join(rows + [f"{one['name']} failed: {one['error']}" for one in self.failed])

    def save(self, folder):
        """Files that ``assay rank`` reads: NAME.npy each (with -- for /), and labels.npy."""
        _feature_store.save(self, self.labels, os.fspath(folder))


def _named_models(models):
    """(name, model) of each; a name twice is an error, not a model lost."""
    if hasattr(models, "items") and not hasattr(models, "named_modules"):
        pairs = [(str(name), model) for name, model in models.items()]
    else:
        single = not isinstance(models, (list, set)) and not (isinstance(models, tuple) and all(isinstance(m, (str, os.PathLike)) for m in models))
        pairs = [(name_of(model), model) for model in ([models] if single else models)]
    if not pairs:
        raise ValueError("no models: expected a list of names or modules, or a dict of them by name")
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two models are called '{name}'; pass a dict of names and models")
    return pairs


def _is_features(model):
    return isinstance(model, np.ndarray)


def extract(models, data, labels=None, *, layers=None, pool=None, pair=None, transform=None, column=None, batch_size=32,
            max_length=None, device=None, precision=None, pretrained=True, cache=None, progress=None):
    """Runs models on data in your own torch: a row of features per image, text, pair of texts, or word.

    models: a list, or a dict by name, of
        timm names ("resnet50", "timm:vit_base_patch16_224"), Hugging Face names or folders ("bert-base-uncased"), names or
        folders of sentence-transformers, "torchvision:resnet18"; with "@LAYER" behind it, that layer alone;
        torch modules, (module, transform) and (transformer, tokenizer); functions of a list of items.
    data: a folder of images (a folder per class); a list, array or column of paths, images, texts, pairs of texts (tuples), or
        sentences of words (lists); a Hugging Face data set, a data frame, a torch Dataset or DataLoader.
    labels: one per row, or the name of a column; of words, a list per sentence.
    layers: None for the final features, "all", or a list; rows are then called NAME@LAYER. Several layers of one width also
        give NAME@mean, the mean over them.
    pool: of tokens: "mean" (usual), "cls", "last", "max"; of the pieces of a word: "first" (usual), "last", "mean".
    pair: "cross": one call of the tokenizer with both texts; "bi": [u, v, |u - v|, u * v] of each by itself.
    transform: of images, for all models; else each has its own (timm's configuration, the processor).
    column: of the data, where it has several; two for pairs.
    precision: "fp16" or "bf16" for autocast. device: the GPU where there is one.
    pretrained: False for random weights, to try things without a download.
    cache: None: the command's ($ASSAY_CACHE, else ~/.cache/assay); False: none; or a folder. Functions, transforms and data
        whose contents cannot be told are never kept.

    A model that fails is left out with a warning and listed in ``failed``; nothing stands in for it.

    >>> import numpy as np
    >>> found = extract({"length": lambda texts: np.array([[len(text)] for text in texts])}, ["a", "bcd"], cache=False)
    >>> found["length"].tolist()
    [[1.0], [3.0]]
    """
    if batch_size < 1:
        raise ValueError(f"batch_size {batch_size}: expected 1 or more")
    if layers is not None and not isinstance(layers, str):
        layers = list(layers)
    elif layers not in (None, "all"):
        layers = [layers]
    items = _extract_data.read(data, labels, column, pair)
    options = Options(pool=pool, layers=layers, pair=pair, transform=transform, batch_size=int(batch_size), max_length=max_length,
                      device=device, precision=precision, pretrained=pretrained)
    found = Extraction(None if items.labels is None else as_array(items.labels, "labels"), items.groups)
    pairs = _named_models(models)
    folder = None if cache is False else os.fspath(cache or "")
    digest = items.digest() if folder is not None and not all(_is_features(model) for _, model in pairs) else None
    with Running(progress=progress) as run:
        for number, (name, model) in enumerate(pairs):
            steps = _Steps(run["progress"], name, number, len(pairs), len(items))
            try:
                _extract_one(found, name, model, items, options, digest, folder, steps)
            except Exception as error:  # any library may raise anything; the others go on
                _log().debug("%s failed", name, exc_info=True)
                found.failed.append({"name": name, "error": _words_of(error)})
                warnings.warn(f"{name} failed and is left out: {_words_of(error)}", FailedModelWarning, stacklevel=outside())
    return found


class _Steps:
    """Items done of one model, as a share of all models."""

    def __init__(self, progress, name, number, models, items):
        self._progress, self._name, self._number, self._models, self._items = progress, name, number, models, items
        self._done = 0

    def __call__(self, count):
        self._done += count
        if self._progress is not None:
            self._progress((self._number + self._done / self._items) / self._models, self._name)


def _words_of(error):
    text = str(error).strip()
    first = text.splitlines()[0] if text else ""
    return first if isinstance(error, (ValueError, OSError)) and first else f"{type(error).__name__}: {first}"


def _extract_one(found, name, model, items, options, digest, folder, step):
    started = time.monotonic()
    if _is_features(model):
        found[name] = model
        return
    if isinstance(model, str):
        model, layer = split_layer(model)
        if layer is not None:
            options = options.of_layer(layer)
            name = split_layer(name)[0]
    encoder = encoder_of(model, name, items, options)
    outputs = _feature_store.store_for(encoder, items, digest, folder).run(step)
    if hasattr(encoder, "finish"):
        encoder.finish()
    for output, rows in outputs.items():
        found[name if output == FINAL else f"{name}@{output}"] = rows
    if len(outputs) > 1 and len({rows.shape[1] for rows in outputs.values()}) == 1:
        found[f"{name}@mean"] = _mean_of(list(outputs.values()))
    found.notes.extend(encoder.notes)
    found.seconds[name] = time.monotonic() - started
    _log().info("%s: %d outputs of %d rows in %.1f s", name, len(outputs), items.rows, found.seconds[name])


def _mean_of(arrays):
    """Without all of them in memory at once."""
    total = np.array(arrays[0], dtype=np.float32)
    for array in arrays[1:]:
        total += array
    total /= len(arrays)
    return total


def _best_layers(result):
    """A sentence for each model of which several layers were ranked."""
    layers = {}
    for model in result:
        base, layer = split_layer(model["name"])
        if layer is not None and layer != "mean":
            layers.setdefault(base, []).append(layer)
    return [f"the best of {len(ranked)} layers of {base} is {ranked[0]}" for base, ranked in layers.items() if len(ranked) > 1]


_RANK_OPTIONS = ("metric", "metrics", "by", "ci", "center", "controls", "refit", "jackknife", "subsample", "accuracy", "test_rows",
                 "knn_exact_rows", "soft_labels", "seed", "threads", "memory_limit", "groups")


def rank_models(models, data, labels=None, *, progress=None, **options):
    """``extract``, then ``rank``: which of these models should you use for your data?

    models, data, labels and all options of ``extract``, and those of ``rank`` (``metric=``, ``ci=``, ...). Models may also be
    arrays of features. Words are grouped by their sentences unless ``groups=`` says otherwise.

    The result is that of ``rank``; models that could not be run are in ``failed``, the features in ``extraction``.

    >>> import numpy as np
    >>> texts = ["good", "very good", "bad", "so bad"] * 10
    >>> y = [1, 1, 0, 0] * 10
    >>> vowels = lambda texts: np.array([[text.count("o"), text.count("a")] for text in texts], dtype=float)
    >>> sizes = lambda texts: np.array([[len(text), 1.0] for text in texts])
    >>> rank_models({"vowels": vowels, "sizes": sizes}, texts, y, metric="logme", cache=False).best
    'vowels'
    """
    chosen = {name: options.pop(name) for name in _RANK_OPTIONS if name in options}
    half = None if progress is None or progress is True else (lambda done, what: progress(0.9 * done, what))
    found = extract(models, data, labels, progress=True if progress is True else half, **options)
    if found.labels is None:
        raise ValueError("rank_models needs labels: one per row of the data, or the name of a column")
    if not found:
        raise ValueError("no model could be run:\n" + "\n".join(f"  {one['name']}: {one['error']}" for one in found.failed))
    chosen.setdefault("groups", found.groups)
    rest = None if half is None else (lambda done, what: progress(0.9 + 0.1 * done, what))
    result = rank(dict(found), found.labels, progress=True if progress is True else rest, **chosen)
    result.data["failed"] = [*result.data.get("failed", []), *found.failed]
    result.data["notes"] = [*result.data["notes"], *found.notes, *_best_layers(result)]
    result.extraction = found
    return result
