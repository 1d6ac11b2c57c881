#!/usr/bin/env python3
"""Few labelled sentences: LogME's posterior, a tuned logistic head, class means (LogME paper, 6.6 and Table 13).

    studies/prompt_learning.py FEATURES [--assay build/assay] [--draws 40]

FEATURES holds DATASET/MODEL.npy and DATASET_labels.npy. Of every data set so many rows are drawn, evenly by class, as the labelled
ones; all others are the test rows. Each draw is the same for every method. `assay predict --test-labels` gives the posterior with and
without an intercept; the head is scikit-learn's logistic regression on standardised features, its penalty chosen by stratified folds
of the labelled rows; class means are compared by Euclidean distance.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

PENALTIES = [1e-3, 1e-2, 1e-1, 1.0]


def drawn(labels, count, rng):
    """So many rows, evenly by class."""
    classes = np.unique(labels)
    rows = [rng.permutation(np.flatnonzero(labels == c)) for c in classes]
    order = [rows[k % len(classes)][k // len(classes)] for k in range(count)]
    return np.sort(order)


def posterior(assay, folder, center):
    command = [assay, "predict", "test.npy", "--fit", "fit.npy", "--labels", "fit_labels.npy", "--test-labels",
               "test_labels.npy", "--center", center, "--threads", "1", "--json", "-"]
    result = json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True).stdout)
    return result["quality"]["value"]


def tuned_head(fit, labels, test, truth):
    folds = min(3, np.bincount(np.unique(labels, return_inverse=True)[1]).min())
    head = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    search = GridSearchCV(head, {"logisticregression__C": PENALTIES}, cv=StratifiedKFold(folds))
    return search.fit(fit, labels).score(test, truth)


def class_means(fit, labels, test, truth):
    classes = np.unique(labels)
    means = np.stack([fit[labels == c].mean(axis=0) for c in classes])
    distances = ((test[:, None, :] - means[None]) ** 2).sum(axis=2)
    return (classes[distances.argmin(axis=1)] == truth).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", type=pathlib.Path)
    parser.add_argument("--assay", default="build/assay")
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--datasets", default="sst2,agnews")
    parser.add_argument("--models", default="use_final,glove100_mean")
    args = parser.parse_args()
    assay = str(pathlib.Path(args.assay).resolve())
    print("| data | features | labelled | posterior | with intercept | logistic head | class means |")
    print("|---|---|---|---|---|---|---|")
    for dataset in args.datasets.split(","):
        labels = np.load(args.features / f"{dataset}_labels.npy")
        for model in args.models.split(","):
            features = np.load(args.features / dataset / f"{model}.npy").astype(np.float64)
            for count in (10, 20, 50, 100):
                found = []
                for draw in range(args.draws):
                    rows = drawn(labels, count, np.random.default_rng([draw, count]))
                    rest = np.setdiff1d(np.arange(len(labels)), rows)
                    fit, test = features[rows], features[rest]
                    with tempfile.TemporaryDirectory() as folder:
                        for name, values in (("fit", fit), ("test", test), ("fit_labels", labels[rows]),
                                             ("test_labels", labels[rest])):
                            np.save(f"{folder}/{name}.npy", values)
                        both = [posterior(assay, folder, center) for center in ("no", "yes")]
                    found.append(both + [f(fit, labels[rows], test, labels[rest]) for f in (tuned_head, class_means)])
                found = np.array(found)
                means, spread = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
                cells = " | ".join(f"{m:.3f} ±{s:.3f}" for m, s in zip(means, spread))
                print(f"| {dataset} | {model} | {count} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
