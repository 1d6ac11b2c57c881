#!/usr/bin/env python3
"""Do the networks of a hub, run by Assay, give the features that were stored with it?

  tools/check_hub_features.py HUB [--assay build/assay] [--dataset NAME ...]

HUB has models/ (hub.json and networks), data/NAME/ (images as `assay --data` reads them) and
features/NAME/MODEL.npy with features/NAME_truth.csv, whose input_size is what the features were made at, and
features/NAME_labels.npy. Where fewer rows were stored than there are images, they are the first of each class.
Prints, for every network and data set, the difference relative to the stored features: as a whole (Euclidean
norms) and of the worst single number (to the largest of that network). Exit code 1 if the former exceeds 1e-3
anywhere. Features are taken from the cache where they are there ($ASSAY_CACHE).
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

TOLERANCE = 1e-3  # half precision has stored them to 5e-4


def first_rows(labels, stored_labels):
    """The first rows of each class, as many as there are stored, in the order of the images."""
    wanted = {name: int((stored_labels == name).sum()) for name in numpy.unique(stored_labels)}
    seen = dict.fromkeys(wanted, 0)
    rows = []
    for row, name in enumerate(labels):
        if seen[name] < wanted[name]:
            rows.append(row)
        seen[name] += 1
    if not numpy.array_equal(labels[rows], stored_labels):
        sys.exit("check_hub_features: the stored labels are not the first of each class")
    return rows


def hub_at_sizes(models, sizes, folder):
    """A copy of the hub's description, at the input sizes of the stored features; networks stay where they are."""
    entries = [entry for entry in json.loads((models / "hub.json").read_text()) if entry["name"] in sizes]
    for entry in entries:
        entry["file"] = str((models / entry["file"]).resolve())
        entry["input_size"] = sizes[entry["name"]]
    (folder / "hub.json").write_text(json.dumps(entries))
    return [entry["name"] for entry in entries]


def check(assay, hub, dataset):
    features = hub / "features"
    with open(features / f"{dataset}_truth.csv") as file:
        sizes = {row["name"]: int(row["input_size"]) for row in csv.DictReader(file)}
    rows = first_rows(numpy.load(hub / "data" / dataset / "train_labels.npy"), numpy.load(features / f"{dataset}_labels.npy"))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        names = hub_at_sizes(hub / "models", sizes, folder)
        subprocess.run([assay, "extract", folder, "--data", hub / "data" / dataset, "--out", folder / "out", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        for name in names:
            ours = numpy.load(folder / "out" / name / "features.npy")[rows].astype(float)
            stored = numpy.load(features / dataset / f"{name}.npy").astype(float)
            whole = numpy.linalg.norm(ours - stored) / numpy.linalg.norm(stored)
            worst = numpy.abs(ours - stored).max() / numpy.abs(stored).max()
            found.append((dataset, name, sizes[name], len(rows), whole, worst))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hub", type=pathlib.Path)
    parser.add_argument("--assay", default=str(pathlib.Path(__file__).resolve().parents[1] / "build" / "assay"))
    parser.add_argument("--dataset", nargs="*")
    args = parser.parse_args()
    datasets = args.dataset or sorted(path.name for path in (args.hub / "data").iterdir() if path.is_dir())
    print(f"{'data set':<15} {'network':<26} {'size':>4} {'rows':>6} {'relative':>9} {'worst':>9}")
    largest = 0.0
    for dataset in datasets:
        for name, network, size, rows, whole, worst in check(args.assay, args.hub, dataset):
            print(f"{name:<15} {network:<26} {size:>4} {rows:>6} {whole:>9.1e} {worst:>9.1e}", flush=True)
            largest = max(largest, whole)
    print(f"largest relative difference {largest:.1e}, allowed {TOLERANCE:.0e}")
    return 0 if largest <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
