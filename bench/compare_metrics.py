"""The second table of compare.py: metrics other than LogME.

- pactran_gauss and linear_valid against their SciPy and scikit-learn forms (case c),
- what further metrics cost beside LogME (case a),
- every metric on a hub of models (case d).
"""
import sys

from measure import median, peer, print_table, python_with, rank, summary, warm

PEER_CASE = "c"
SHARED_CASE = "a"
HUB_CASE = "d"
HUB_THREADS = 2
PEERS = (  # metric, script, modules it imports, largest relative difference of the values (None: only shown)
    ("pactran_gauss", "pactran_scipy.py", ("numpy", "scipy"), 1e-4),
    ("linear_valid", "linear_valid_sklearn.py", ("numpy", "sklearn"), None),  # other halves, other errors
)
LISTS = ("logme", "logme,hscore,hscore_shrunk", "logme,hscore,hscore_shrunk,transrate,ridge_loo")


def files(data, case):
    paths = data / f"{case}_features.npy", data / f"{case}_labels.npy"
    for path in paths:
        if not path.exists():
            sys.exit(f"compare: {path} is missing; run bench/make_data.py {data}")
        warm(path)
    return paths


def against_peer(assay, python, row, features, labels, threads, repeat):
    metric, script, _, tolerance = row
    theirs, ours = [], []
    for _ in range(repeat):
        theirs.append(peer(python, script, features, labels, threads))
        ours.append(rank(assay, features, labels, metric, threads))
    for one in theirs:
        one["value"] = one["result"]["value"]
    for one in ours:
        one["value"] = one.pop("result")["models"][0]["scores"][metric]["value"]
    value, expected = median(ours, "value"), median(theirs, "value")
    difference = abs(value - expected) / max(abs(expected), 1e-300)
    if tolerance is not None and not difference <= tolerance:
        sys.exit(f"compare: {metric}: the peer has {expected:.8g}, Assay {value:.8g}; they differ by "
                 f"{difference:.1g}, {tolerance:.1g} is allowed")
    return {
        "metric": metric, "case": PEER_CASE, "threads": threads, "peer": summary(theirs), "assay": summary(ours),
        "peer_value": expected, "value": value, "relative_difference": difference,
        "cpu_ratio": median(theirs, "cpu") / median(ours, "cpu"),
        "wall_ratio": median(theirs, "wall") / median(ours, "wall"), "runs": {"peer": theirs, "assay": ours},
    }


def peer_rows(assay, data, repeat, thread_counts):
    features, labels = files(data, PEER_CASE)
    rows = []
    for row in PEERS:
        python = python_with(*row[2])
        if python is None:
            print(f"{row[0]}: left out, no Python with {' and '.join(row[2])} found\n")
            continue
        rows += [against_peer(assay, python, row, features, labels, threads, repeat) for threads in thread_counts]
    return rows


def shared_rows(assay, data, repeat):
    """One pass and one reduction serve several metrics: the cost of each list against LogME alone."""
    features, labels = files(data, SHARED_CASE)
    runs = {metrics: [] for metrics in LISTS}
    for _ in range(repeat):
        for metrics in LISTS:
            one = rank(assay, features, labels, metrics, threads=1)
            del one["result"]
            runs[metrics].append(one)
    alone = median(runs["logme"], "cpu")
    return [{"metrics": metrics, "case": SHARED_CASE, "threads": 1, **summary(runs[metrics]),
             "cpu_ratio": median(runs[metrics], "cpu") / alone, "runs": runs[metrics]} for metrics in LISTS]


def hub_row(assay, data, repeat):
    hub, labels = data / f"{HUB_CASE}_hub", data / f"{HUB_CASE}_labels.npy"
    models = sorted(hub.glob("*.npy"))
    if not models or not labels.exists():
        sys.exit(f"compare: no models in {hub}, or no {labels}; run bench/make_data.py {data}")
    for path in models:
        warm(path)
    runs = [rank(assay, hub, labels, "all", HUB_THREADS) for _ in range(repeat)]
    scored = sorted(runs[0]["result"]["models"][0]["scores"])
    for one in runs:
        del one["result"]
    return {"case": HUB_CASE, "threads": HUB_THREADS, "models": len(models), "metrics": scored, **summary(runs),
            "runs": runs}


def measure(assay, data, repeat, thread_counts):
    return {"peers": peer_rows(assay, data, repeat, thread_counts), "shared": shared_rows(assay, data, repeat),
            "hub": hub_row(assay, data, repeat)}


def print_results(result):
    print("Against SciPy (pactran_gauss) and scikit-learn (linear_valid)")
    print_table(
        ["metric", "case", "threads", "peer CPU s", "Assay CPU s", "CPU ratio", "wall ratio", "peer value",
         "Assay value"],
        [[r["metric"], r["case"], str(r["threads"]), f"{r['peer']['cpu']:.2f}", f"{r['assay']['cpu']:.2f}",
          f"{r['cpu_ratio']:.1f}", f"{r['wall_ratio']:.1f}", f"{r['peer_value']:.6f}", f"{r['value']:.6f}"]
         for r in result["peers"]])
    print("\nFurther metrics beside LogME, no intervals")
    print_table(["case", "threads", "CPU s", "wall s", "MB", "CPU ratio to LogME", "metrics"],
                [[r["case"], str(r["threads"]), f"{r['cpu']:.2f}", f"{r['wall']:.2f}", f"{r['mb']:.0f}",
                  f"{r['cpu_ratio']:.2f}", r["metrics"]] for r in result["shared"]])
    hub = result["hub"]
    print(f"\n--metric all --ci 0 on case {hub['case']}, {hub['models']} models, {len(hub['metrics'])} metrics, "
          f"{hub['threads']} threads: {hub['wall']:.2f} s wall, {hub['cpu']:.2f} s CPU, {hub['mb']:.0f} MB")
