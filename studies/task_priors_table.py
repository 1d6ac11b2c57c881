"""Rows of docs/study-task-priors.md for one data set, prior and sampler, from what task_priors.sh left in a folder.

    task_priors_table.py ASSAY FOLDER DATASET PRIOR SAMPLER TRUTH.csv
"""
import csv
import json
import pathlib
import subprocess
import sys


def read(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def by_model(result, value):
    return {model["name"]: value(model) for model in result["models"]}


def agreement(assay, folder, columns, truth, lower):
    """Spearman and weighted tau of every column, by `assay evaluate`."""
    names = sorted(truth)
    with (folder / "scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", *columns])
        for name in names:
            cells = (values.get(name) for values in columns.values())
            writer.writerow([name, *("" if cell is None else cell for cell in cells)])
    with (folder / "truth.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "accuracy"])
        writer.writerows([name, truth[name]] for name in names)
    output = subprocess.run([assay, "evaluate", "--scores", folder / "scores.csv", "--truth", folder / "truth.csv",
                             "--lower-is-better", ",".join(lower), "--json", "-", "--quiet"],
                            check=True, capture_output=True, text=True).stdout
    return json.loads(output)["metrics"]


def shown(metric):
    if metric is None or metric["spearman"] is None:
        return "-"
    return f"{metric['spearman']:+.2f} / {metric['weighted_kendall']:+.2f}"


def interval(correlation):
    return (f"{correlation['spearman']:+.2f} [{correlation['spearman_low']:+.2f}, {correlation['spearman_high']:+.2f}]")


def main():
    assay, folder, dataset, prior, sampler, truth_file = sys.argv[1:]
    folder = pathlib.Path(folder)
    score, probe = read(folder, "score"), read(folder, "probe")
    others = {model["name"] for model in score["models"] if not model["own_prior"]}
    columns = {
        "probe_r2": by_model(score, lambda m: m["probe_r2"]["value"]),
        "E ridge": by_model(read(folder, "ridge"), lambda m: m["expectation"]),
        "E paper": by_model(score, lambda m: m["expectation"]),
        "RankMe": by_model(score, lambda m: m["rankme"]),
        "alpha-ReQ": by_model(score, lambda m: None if m["alpha_req"] is None else abs(m["alpha_req"] - 1)),
        "LogME": by_model(read(folder, "rank"), lambda m: m["scores"]["logme"]["value"]),
    }
    with open(truth_file, newline="") as file:
        true_task = {row["name"]: float(row["accuracy"]) for row in csv.DictReader(file) if row["accuracy"]}
    sampled = by_model(probe, lambda m: m["mean"])
    for what, truth in (("sampled tasks", sampled), ("true task", true_task)):
        found = agreement(assay, folder, columns, {n: v for n, v in truth.items() if n in others}, ["alpha-ReQ"])
        print(" | ".join(["", dataset, prior, sampler, what, *(shown(found.get(name)) for name in columns), ""]).strip())
    sample = read(folder, "sample")
    correlation = probe["correlation"]
    print(f"  mean ARI {sample['mean_ari']:.3f}, effective tasks {sample['effective_tasks']:.1f}, T {sample['temperature']:.3g}; "
          f"probe_r2 {interval(correlation['mean_probe_r2'])}; E {interval(correlation['mean'])}; "
          f"Var {interval(correlation['variance'])}; E~Var {interval(correlation['expectation_and_variance'])}; "
          f"mean~variance {interval(correlation['mean_and_variance'])}; accuracies {min(sampled.values()):.2f}-{max(sampled.values()):.2f}")


main()
