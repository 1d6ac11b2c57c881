"""Labels of parts: entities of tagged words, and patches of images."""
import numpy as np

from ._inputs import as_array


def _entities(tags, groups):
    """(sentence, first word, last word, type) of every entity in BIO tags; a type that changes begins a new one."""
    found, open_one = set(), None
    for i, (tag, group) in enumerate(zip([*tags, "O"], [*groups, None])):
        mark, _, kind = str(tag).partition("-")
        goes_on = mark == "I" and open_one is not None and open_one[0] == group and open_one[2] == kind
        if open_one is not None and not goes_on:
            found.add((open_one[0], open_one[1], i - 1, open_one[2]))
            open_one = None
        if mark in ("B", "I") and not goes_on:
            open_one = (group, i, kind)
    return found


def _checked_tags(tags, name):
    tags = [str(tag) for tag in as_array(tags, name).tolist()]
    for i, tag in enumerate(tags):
        if tag != "O" and not (tag[:2] in ("B-", "I-") and len(tag) > 2):
            raise ValueError(f"{name}: tag {i} is '{tag}'; expected O, B-TYPE or I-TYPE")
    return tags


def entity_f1(truth, predicted, groups=None):
    """The share of entities found whole: F1 of (first word, last word, type), of words tagged O, B-TYPE and I-TYPE.

    truth, predicted: a tag per word. groups: the sentence of each word; an entity ends with its sentence. An I that nothing
    precedes begins an entity. None where neither side has an entity.

    >>> entity_f1(["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "I-PER", "O", "O"])
    0.6666666666666666
    """
    truth, predicted = _checked_tags(truth, "truth"), _checked_tags(predicted, "predicted")
    groups = [0] * len(truth) if groups is None else as_array(groups, "groups").tolist()
    if not len(truth) == len(predicted) == len(groups):
        raise ValueError(f"{len(truth)} true tags, {len(predicted)} predicted ones, {len(groups)} groups; expected one of each per word")
    wanted, found = _entities(truth, groups), _entities(predicted, groups)
    return 2 * len(wanted & found) / (len(wanted) + len(found)) if wanted or found else None


def patch_rows(features, labels, ignore=None):
    """Patches as rows: features n x H x W x D and label maps n x H x W -> (rows, labels, groups); a group is an image.

    ignore: a label whose patches are left out, as 255 often marks.

    >>> import numpy as np
    >>> rows, y, groups = patch_rows(np.zeros((2, 3, 3, 5)), np.arange(18).reshape(2, 3, 3) % 4, ignore=3)
    >>> rows.shape, y.shape, groups.tolist()
    ((14, 5), (14,), [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
    """
    features, labels = as_array(features, "features"), as_array(labels, "labels")
    if features.ndim != 4:
        raise ValueError(f"features: expected images x height x width x dimensions, got shape {features.shape}")
    if labels.shape != features.shape[:3]:
        raise ValueError(f"labels: expected a map of {features.shape[:3]}, got {labels.shape}; resize it to the patches (nearest neighbour)")
    rows, flat = features.reshape(-1, features.shape[3]), labels.reshape(-1)
    groups = np.repeat(np.arange(len(features)), features.shape[1] * features.shape[2])
    if ignore is None:
        return rows, flat, groups
    kept = flat != ignore
    return rows[kept], flat[kept], groups[kept]
