"""Data and table of studies/labels_needed.sh.

    labels_needed_table.py prepare HUB OUT      the arrays that its pools are drawn from
    labels_needed_table.py table RESULTS.csv    coverage per regime, and per data set
"""
import collections
import csv
import pathlib
import sys

import numpy as np

RESAMPLES = 2000


def prepare(hub, out):
    text = hub / "text"
    rows = np.concatenate([np.load(text / f"trec_{part}_glove100mean.npy") for part in ("train", "test")])
    coarse, fine = (np.concatenate([np.load(text / f"trec_{part}{kind}_labels.npy") for part in ("train", "test")])
                    for kind in ("", "_fine"))
    np.save(out / "trec.npy", rows.astype(np.float32))
    np.save(out / "trec_coarse.npy", coarse)
    often = np.bincount(fine)[fine] >= 10  # a pool must have rows of a class to learn it
    np.save(out / "trec_fine_rows.npy", rows[often].astype(np.float32))
    np.save(out / "trec_fine.npy", fine[often])
    table = np.load(pathlib.Path(__file__).parents[1] / "examples" / "digits" / "digits.npy")
    label = 0 if table[:, 0].max() <= 9 and len(np.unique(table[:, 0])) == 10 else table.shape[1] - 1
    pixels = np.delete(table, label, axis=1) / 16.0
    random = np.random.default_rng(0)
    hidden = np.maximum(pixels @ random.normal(size=(64, 200)) + random.normal(size=200), 0.0)
    np.save(out / "digits.npy", hidden.astype(np.float32))
    np.save(out / "digits_labels.npy", table[:, label].astype(np.int64))
    images = np.load(hub / "features" / "cifar10" / "mnv1_025_224.npy")
    np.save(out / "cifar10.npy", images.astype(np.float32))
    np.save(out / "cifar10_labels.npy", np.load(hub / "features" / "cifar10_labels.npy")[: len(images)])


def clustered(covered, random):
    """95 % interval of a coverage when pools of one data set overlap: data sets, then pools, drawn anew."""
    sets = [np.array(v, float) for v in covered.values()]
    shares = []
    for _ in range(RESAMPLES):
        drawn = [sets[i] for i in random.integers(len(sets), size=len(sets))]
        shares.append(np.concatenate([random.choice(s, len(s)) for s in drawn]).mean())
    return np.quantile(shares, [0.025, 0.975])


def table(path):
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for name, _, _, multiple, truth, labels, low, high, _ in csv.reader(open(path)):
        truth, labels, low, high = map(float, (truth, labels, low, high))
        found[float(multiple)][name].append((low <= truth <= high, labels / truth, low / truth, high / truth))
    random = np.random.default_rng(0)
    print("| target at | pools | covered | [95 %, by data set] | truth below / above | median of labels / truth | "
          "median low | median high | no upper end |")
    print("|---|---|---|---|---|---|---|---|---|")
    for multiple, sets in sorted(found.items()):
        rows = np.array([row for own in sets.values() for row in own])
        low, high = clustered({name: [row[0] for row in own] for name, own in sets.items()}, random)
        print(f"| {multiple:g} x | {len(rows)} | {100 * rows[:, 0].mean():.1f} % | [{100 * low:.1f}, {100 * high:.1f}] | "
              f"{100 * (rows[:, 2] > 1).mean():.1f} / {100 * (rows[:, 3] < 1).mean():.1f} % | {np.median(rows[:, 1]):.2f} | "
              f"{np.median(rows[:, 2]):.2f} | {np.median(rows[:, 3]):.2f} | {100 * np.isinf(rows[:, 3]).mean():.0f} % |")
    print()
    names = sorted({name for sets in found.values() for name in sets})
    print("| target at | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for multiple, sets in sorted(found.items()):
        cells = [f"{100 * np.mean([r[0] for r in sets[name]]):.0f} %, {np.median([r[1] for r in sets[name]]):.2f}"
                 if name in sets else "" for name in names]
        print(f"| {multiple:g} x | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    else:
        table(sys.argv[2])
