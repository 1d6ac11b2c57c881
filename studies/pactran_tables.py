#!/usr/bin/env python3
"""Tables 1 and 4 to 7 of the PACTran paper on hubs of features, and what they cost.

    pactran_tables.py run ASSAY OUT HUB... [--families A,B]     HUB/DATASET/MODEL.npy, HUB/DATASET_labels.npy, HUB/DATASET_truth.csv
    pactran_tables.py tables OUT [BANDS]            BANDS as `assay evaluate --bands` takes them; 2-9,10-99,100+ as in the paper

`run` scores five stratified draws of 2, 5 and 10 rows per class of every data set of classes with every metric of the paper, those it is
compared with and the default, on one thread: one file per data set, size and family of metrics in OUT. What is there already is not run
again, so it may be stopped at any time. CPU seconds are kept beside each result.

`tables` prints Kendall's tau with the measured accuracy, mean over draws (and its standard error over draws): by band of classes
(Table 1), by data set (Tables 4 to 6), among models of equal width (Table 7), and the CPU seconds.
"""
import csv
import json
import math
import pathlib
import resource
import subprocess
import sys

SIZES = (2, 5, 10)
DRAWS = 5
FAMILIES = {
    "default": "logme,ridge_loo,knn,ncc_loo",
    "moments": "hscore,hscore_shrunk,transrate",
    "linear": "linear,linear_valid,pactran_gauss,pactran_gauss_grid",
    "mixture": "nleep,npactran_dirichlet,npactran_gamma",
    "compared": "cka,gbc,ncti,sfda",
}
ORDER = ("nleep", "hscore", "logme", "linear", "linear_valid", "npactran_dirichlet", "npactran_gamma", "pactran_gauss_grid", "pactran_gauss",
         "hscore_shrunk", "transrate", "cka", "gbc", "ncti", "sfda", "knn", "ncc_loo", "ridge_loo", "consensus", "dim")


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def data_sets(hubs):
    for hub in map(pathlib.Path, hubs):
        for folder in sorted(path for path in hub.iterdir() if path.is_dir()):
            if (hub / f"{folder.name}_truth.csv").exists():
                yield folder, hub / f"{folder.name}_labels.npy", hub / f"{folder.name}_truth.csv"


def run_one(assay, folder, labels, truth, size, family, target):
    before = children_seconds()
    command = [assay, "rank", folder, "--labels", labels, "--truth", truth, "--metric", FAMILIES[family], "--threads", "1",
               "--subsample", f"{size}/class:{DRAWS}", "--json", target.with_suffix(".part"), "--quiet"]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if not target.with_suffix(".part").exists():
        if "regression" in done.stderr or "no metric is left" in done.stderr:
            return None
        sys.exit(f"{folder.name}: {done.stderr.strip()}")
    result = json.loads(target.with_suffix(".part").read_text())
    result["cpu_seconds"] = children_seconds() - before
    target.write_text(json.dumps(result))
    target.with_suffix(".part").unlink()
    return result["cpu_seconds"]


def run(assay, out, hubs, families):
    out.mkdir(parents=True, exist_ok=True)
    for family in families:
        for size in SIZES:
            for folder, labels, truth in data_sets(hubs):
                target = out / f"{folder.name}.{size}.{family}.json"
                if target.exists() or folder.name == "stsb":
                    continue
                seconds = run_one(assay, folder, labels, truth, size, family, target)
                if seconds is not None:
                    print(f"{folder.name}, {size} per class, {family}: {seconds:.1f} CPU s", flush=True)


def kendall(values, truth):
    pairs = [(a, b) for i, a in enumerate(values) for b in list(values)[:i]]
    sign = lambda x: (x > 0) - (x < 0)
    return sum(sign(values[a] - values[b]) * sign(truth[a] - truth[b]) for a, b in pairs) / len(pairs) if pairs else None


def truth_of(result):
    command = result["provenance"]["command"]
    with open(command[command.index("--truth") + 1]) as file:
        return {row["name"]: float(row["accuracy"]) for row in csv.DictReader(file)}


class Results:
    """Per data set and size: Kendall's tau of every draw by metric, and the scores behind it, turned so that higher is better."""

    def __init__(self, out):
        self.whole, self.scores, self.truth, self.dims, self.classes, self.seconds = {}, {}, {}, {}, {}, {}
        for path in sorted(out.glob("*.json")):
            name, size, family = path.stem.split(".")
            result = json.loads(path.read_text())
            key = name, int(size)
            self.classes[name] = result["targets"]["columns"]
            self.seconds[(*key, family)] = result["cpu_seconds"]
            self.truth[name] = truth_of(result)
            self.dims[name] = {model["name"]: model["dim"] for model in result["models"]}
            draws = sorted(result["evaluation"]["datasets"].items(), key=lambda item: int(item[0].split()[1]))
            for metric in (*FAMILIES[family].split(","), *(("consensus", "dim") if family == "default" else ())):
                if metric in draws[0][1]["metrics"]:
                    found = [one["metrics"][metric]["kendall"] for _, one in draws]
                    self.whole.setdefault(key, {})[metric] = [0.0 if tau is None else tau for tau in found]
                if metric in result["metrics"]:
                    sign = -1 if result["metrics"][metric]["direction"] == "lower" else 1
                    values = {model["name"]: model["scores"][metric]["draw_values"] for model in result["models"]}
                    self.scores.setdefault(key, {})[metric] = [{m: sign * v[draw] for m, v in values.items()} for draw in range(len(draws))]

    def taus(self, name, size, metric, models=None):
        """Of every draw, over the models given."""
        if models is None:
            return self.whole.get((name, size), {}).get(metric, [])
        found = []
        for values in self.scores.get((name, size), {}).get(metric, []):
            kept = {m: v for m, v in values.items() if m in self.truth[name] and m in models}
            if len(kept) > 1:
                found.append(kendall(kept, self.truth[name]))
        return found


def mean_and_error(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def over_sets(results, names, size, metric, widths=False):
    """The mean over data sets of each draw's tau, then mean and error over draws."""
    rows = []
    for name in names:
        if not widths:
            rows.append(results.taus(name, size, metric))
            continue
        by_width = {}
        for model in results.truth[name]:
            by_width.setdefault(results.dims[name][model], set()).add(model)
        for models in by_width.values():
            if len(models) >= 3:
                rows.append(results.taus(name, size, metric, models))
    if not widths and not all(rows):  # a mean over some of the data sets would not compare
        return None
    rows = [row for row in rows if row]
    if not rows:
        return None
    draws = min(map(len, rows))
    return mean_and_error([sum(row[k] for row in rows) / len(rows) for k in range(draws)])


def cell(found):
    return "-" if found is None else f"{found[0]:.3f} ± {found[1]:.3f}"


def print_table(title, columns, rows):
    print(f"\n{title}\n\n| metric | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for name, cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |")


def in_band(classes, band):
    if band.endswith("+"):
        return classes >= float(band[:-1])
    low, _, high = band.partition("-")
    return float(low) <= classes <= float(high or low)


def tables(out, bands):
    results = Results(out)
    names = sorted(results.truth)
    known = set().union(*(set(metrics) for metrics in results.whole.values()))
    metrics = [metric for metric in ORDER if metric in known]
    image = [name for name in names if name in ("caltech101", "cifar10", "fashion_mnist")]
    groups = {band: [n for n in names if in_band(results.classes[n], band)] for band in bands}
    for band, members in groups.items():
        print_table(f"Table 1, {band} classes ({', '.join(members)})", [f"N/K = {s}" for s in SIZES],
                    [(m, [cell(over_sets(results, members, s, m)) for s in SIZES]) for m in metrics] if members else [])
    kinds = {"images": image, "text": [n for n in names if n not in image], "all": names}
    print_table("Table 1, means", [f"{kind}, N/K = {s}" for kind in kinds for s in SIZES],
                [(m, [cell(over_sets(results, members, s, m)) for members in kinds.values() for s in SIZES]) for m in metrics])
    for size, number in zip(SIZES, (4, 5, 6)):
        print_table(f"Table {number}, N/K = {size}", names, [(m, [cell(over_sets(results, [n], size, m)) for n in names]) for m in metrics])
    print_table("Table 7, models of equal width (three or more)", [f"{kind}, N/K = {s}" for kind in kinds for s in SIZES],
                [(m, [cell(over_sets(results, members, s, m, True)) for members in kinds.values() for s in SIZES])
                 for m in metrics if m not in ("dim", "consensus")])
    print_table("CPU seconds of five draws of all models, all data sets", [f"N/K = {s}" for s in SIZES],
                [(family, [f"{sum(results.seconds.get((n, s, family), 0.0) for n in names):.1f}" for s in SIZES]) for family in FAMILIES])


def main():
    if len(sys.argv) > 4 and sys.argv[1] == "run":
        words = sys.argv[4:]
        families = list(FAMILIES)
        if "--families" in words:
            at = words.index("--families")
            families = words[at + 1].split(",")
            del words[at:at + 2]
        run(sys.argv[2], pathlib.Path(sys.argv[3]), words, families)
    elif len(sys.argv) in (3, 4) and sys.argv[1] == "tables":
        tables(pathlib.Path(sys.argv[2]), (sys.argv[3] if len(sys.argv) == 4 else "2-9,10-99,100+").split(","))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
