"""What is to be encoded: images, texts, pairs of texts, sentences of words, or whatever a data set of torch yields."""
import os

import numpy as np

from . import _core
from ._inputs import as_array, is_tensor

IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
TRAIN_FOLDERS = ("train", "training")
OTHER_PARTS = ("test", "val", "valid", "validation")
_TEXT_COLUMNS = ("text", "sentence", "content", "review", "question")
_IMAGE_COLUMNS = ("image", "img")


class Items:
    """A sequence of things of one kind, with their labels.

    kind: "image", "text", "pair" (two texts), "words" (a sentence as its words) or "other".
    counts: rows per item; None where every item is one row.
    """

    def __init__(self, kind, things, name="data", labels=None, counts=None, open_one=None):
        self.kind, self.things, self.name, self.labels, self.counts = kind, things, name, labels, counts
        self._open = open_one or (lambda thing: thing)

    def __len__(self):
        return len(self.things)

    @property
    def rows(self):
        return len(self) if self.counts is None else int(sum(self.counts))

    @property
    def groups(self):
        """The sentence of each word; None where a row is an item."""
        return None if self.counts is None else np.repeat(np.arange(len(self)), self.counts)

    def take(self, indices):
        return [self._open(self.things[int(i)]) for i in indices]

    def rows_of(self, first, count):
        return count if self.counts is None else int(sum(self.counts[first:first + count]))

    def digest(self):
        """Of all contents in their order; None where they cannot be told without running code of the user's."""
        digest = _core.Digest()
        digest.update(self.kind.encode())
        for thing in self.things:
            content = _content(thing)
            if content is None:
                return None
            digest.update(content)
        return digest.hex()


def _content(thing):
    """Bytes that differ when the thing does."""
    if isinstance(thing, os.PathLike):
        return _core.file_digest(os.fspath(thing)).encode()
    if isinstance(thing, str):
        text = thing.encode("utf-8", "surrogatepass")
        return b"s%d:" % len(text) + text
    if isinstance(thing, (list, tuple)) and all(isinstance(part, str) for part in thing):
        return b"l%d:" % len(thing) + b"".join(map(_content, thing))
    if isinstance(thing, np.ndarray) or is_tensor(thing):
        array = np.ascontiguousarray(as_array(thing, "item"))
        return f"a{array.dtype}{array.shape}:".encode() + array.tobytes()
    if hasattr(thing, "tobytes") and hasattr(thing, "mode") and hasattr(thing, "size"):  # of Pillow
        return f"p{thing.mode}{thing.size}:".encode() + thing.tobytes()
    return None


def open_image(thing):
    """An RGB image of Pillow from a path, an array of bytes, or an image."""
    from PIL import Image

    if isinstance(thing, (str, os.PathLike)):
        with Image.open(thing) as image:
            return image.convert("RGB")
    if isinstance(thing, np.ndarray) or is_tensor(thing):
        array = as_array(thing, "image")
        if array.dtype != np.uint8 or array.ndim not in (2, 3):
            raise ValueError(f"an image of {array.dtype} and shape {array.shape}; expected uint8, height x width (x 3)")
        return Image.fromarray(array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array).convert("RGB")
    return thing.convert("RGB")


def _is_image(thing):
    return hasattr(thing, "convert") and hasattr(thing, "mode")


def read(data, labels=None, column=None, pair=None):
    """Items of whatever form `data` has; `labels` may name a column of it."""
    if isinstance(data, (str, os.PathLike)):
        items = _folder(os.fspath(data))
    elif hasattr(data, "column_names") and hasattr(data, "features"):
        items, labels = _hugging_face(data, labels, column)
    elif hasattr(data, "columns") and hasattr(data, "iloc"):
        items, labels = _data_frame(data, labels, column)
    elif _is_torch_data(data):
        items = _torch_data(data)
    else:
        items = _sequence(data)
    if pair is not None and items.kind != "pair":
        raise ValueError(f"pair='{pair}' needs pairs of texts, got {items.kind}; pass a list of (first, second)")
    if labels is not None:
        items.labels = _flat(labels) if items.kind == "words" else labels
        found = len(items.labels)
        if found != items.rows:
            raise ValueError(f"labels: {found} for {items.rows} {'words' if items.kind == 'words' else 'items'} of the data")
    return items


def _flat(labels):
    """Of words: a list per sentence, or one label per word already."""
    labels = list(labels)
    if labels and isinstance(labels[0], (list, tuple, np.ndarray)):
        return [label for sentence in labels for label in sentence]
    return labels


def _images_below(folder):
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.join(where, name) for name in files
                  if name.lower().endswith(IMAGE_ENDINGS) and not name.startswith(".")]
    return sorted(found, key=os.fsencode)


def _folder(root):
    """A folder per class, perhaps below train/: rows in the order of the command."""
    import pathlib

    if not os.path.isdir(root):
        raise FileNotFoundError(f"{root}: no such folder; data is a folder of images, or a list of images or texts")
    name = os.path.basename(os.path.abspath(root))
    below = sorted((entry for entry in os.listdir(root) if os.path.isdir(os.path.join(root, entry)) and not entry.startswith(".")),
                   key=os.fsencode)
    train = [entry for entry in below if entry in TRAIN_FOLDERS]
    if train and all(entry in TRAIN_FOLDERS + OTHER_PARTS for entry in below):
        return _folder_of_classes(os.path.join(root, train[0]), name)
    if below:
        return _folder_of_classes(root, name)
    paths = _images_below(root)
    if not paths:
        raise ValueError(f"{root}: holds no images")
    return Items("image", [pathlib.Path(path) for path in paths], name, open_one=open_image)


def _folder_of_classes(root, name):
    import pathlib

    paths, labels = [], []
    for entry in sorted(os.listdir(root), key=os.fsencode):
        folder = os.path.join(root, entry)
        if not os.path.isdir(folder) or entry.startswith("."):
            continue
        found = _images_below(folder)
        if not found:
            raise ValueError(f"{folder}: a class without images")
        paths += map(pathlib.Path, found)
        labels += [entry] * len(found)
    return Items("image", paths, name, labels=labels, open_one=open_image)


def _chosen(names, column, usual):
    if column is not None:
        if column not in names:
            raise KeyError(f"column '{column}': the data have {', '.join(map(str, names))}")
        return column
    known = [name for name in usual if name in names]
    if len(known) != 1:
        raise ValueError(f"which column holds the data? name it with column=; there are {', '.join(map(str, names))}")
    return known[0]


def _column_of_labels(labels, names, get):
    if isinstance(labels, str):
        if labels not in names:
            raise KeyError(f"labels '{labels}': the data have {', '.join(map(str, names))}")
        return list(get(labels))
    if labels is None and "label" in names:
        return list(get("label"))
    return labels


def _hugging_face(data, labels, column):
    if hasattr(data, "keys"):  # several parts
        raise ValueError(f"choose one part of the data set: {', '.join(data.keys())}")
    names = list(data.column_names)
    column = column if isinstance(column, (list, tuple)) else _chosen(names, column, _IMAGE_COLUMNS + _TEXT_COLUMNS)
    labels = _column_of_labels(labels, names, lambda name: data[name])
    if isinstance(column, (list, tuple)):
        return _sequence(list(zip(*(list(data[_chosen(names, one, ())]) for one in column)))), labels
    return _sequence(list(data[column])), labels


def _data_frame(frame, labels, column):
    names = list(frame.columns)
    labels = _column_of_labels(labels, names, lambda name: frame[name])
    if isinstance(column, (list, tuple)):
        return _sequence(list(zip(*(frame[_chosen(names, one, ())] for one in column)))), labels
    return _sequence(frame[_chosen(names, column, _IMAGE_COLUMNS + _TEXT_COLUMNS)]), labels


def _is_torch_data(data):
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(data).__mro__}
    return bool(kinds & {"torch.Dataset", "torch.DataLoader"})


def _torch_data(data):
    """In the order of the data set; a loader's own order may be another in every pass."""
    data = getattr(data, "dataset", data) if type(data).__name__ == "DataLoader" else data
    if not hasattr(data, "__len__") or not hasattr(data, "__getitem__"):
        raise ValueError("a data set without len() or [i] cannot be read in the same order for every model; pass a list")
    if len(data) == 0:
        raise ValueError("the data set is empty")
    first = data[0]
    labelled = isinstance(first, (tuple, list)) and len(first) == 2
    thing = first[0] if labelled else first
    if isinstance(thing, dict):
        raise ValueError(f"items of this data set are dicts ({', '.join(map(str, thing))}); pass lists of data and labels")
    kind = "image" if _is_image(thing) else "text" if isinstance(thing, str) else "other"
    return Items(kind, _Indexed(data, 0 if labelled else None), type(data).__name__,
                 labels=_torch_labels(data) if labelled else None, open_one=open_image if kind == "image" else None)


def _torch_labels(data):
    """Known without opening every item where the data set keeps them."""
    for name in ("targets", "labels"):
        kept = getattr(data, name, None)
        if kept is not None and hasattr(kept, "__len__") and len(kept) == len(data) and getattr(data, "target_transform", None) is None:
            return as_array(kept, "labels")
    return [_plain(data[i][1]) for i in range(len(data))]


def _plain(label):
    return label.item() if hasattr(label, "item") and getattr(label, "ndim", 1) == 0 else label


class _Indexed:
    """A part of every item of a data set."""

    def __init__(self, data, part):
        self._data, self._part = data, part

    def __len__(self):
        return len(self._data)

    def __getitem__(self, i):
        return self._data[i] if self._part is None else self._data[i][self._part]

    def __iter__(self):
        return iter([_Opaque()] if len(self) else [])  # its contents are known to its own code alone


class _Opaque:
    """Has no bytes that could be named."""


def _sequence(data):
    """A list, array or column: what its first thing is, all are."""
    import pathlib

    if isinstance(data, np.ndarray) and data.ndim > 1 or is_tensor(data):
        array = as_array(data, "data")
        kind = "image" if array.dtype == np.uint8 else "other"
        return Items(kind, array, open_one=open_image if kind == "image" else None)
    things = list(data)
    if not things:
        raise ValueError("no data: the list is empty")
    if all(isinstance(thing, str) for thing in things):
        paths = [thing.lower().endswith(IMAGE_ENDINGS) for thing in things]
        if all(paths):
            things = [pathlib.Path(thing) for thing in things]
        elif not any(paths) or not all(os.path.exists(thing) for thing, path in zip(things, paths) if path):
            return Items("text", things)
    if all(isinstance(thing, os.PathLike) for thing in things):
        return Items("image", things, open_one=open_image)
    if all(_is_image(thing) for thing in things) or _all_pixels(things):
        return Items("image", things, open_one=open_image)
    if all(isinstance(thing, (list, tuple, np.ndarray)) and all(isinstance(part, str) for part in thing) for thing in things):
        things = [list(thing) if not isinstance(thing, tuple) else thing for thing in things]
        if all(isinstance(thing, tuple) and len(thing) == 2 for thing in things):
            return Items("pair", things)
        if not all(len(thing) for thing in things):
            raise ValueError(f"data[{[len(t) for t in things].index(0)}] is a sentence without words")
        return Items("words", [list(thing) for thing in things], counts=[len(thing) for thing in things])
    odd = next((i for i, thing in enumerate(things) if type(thing) is not type(things[0])), None)
    if odd is not None:
        raise ValueError(f"data[{odd}] is {things[odd]!r:.60}, data[0] {things[0]!r:.60}; expected things of one kind")
    return Items("other", things)


def _all_pixels(things):
    return all(isinstance(thing, np.ndarray) and thing.dtype == np.uint8 and thing.ndim in (2, 3) for thing in things)
