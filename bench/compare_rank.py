"""The third table of compare.py: whole answers, with intervals, against a bare LogME in NumPy, one thread (cases a and b)."""
from compare_metrics import files
from measure import median, peer, print_table, python_with, rank, summary

CASES = ("b", "a")
LISTS = {  # what is asked for: metrics, further options
    "logme": ("logme", ()),
    "default": ("default", ()),
    "default with accuracy": ("default", ("--accuracy",)),
}


def case_rows(assay, python, data, case, repeat):
    features, labels = files(data, case)
    theirs, ours = [], {name: [] for name in LISTS}
    for _ in range(repeat):
        theirs.append(peer(python, "logme_numpy.py", features, labels, threads=1))
        for name, (metrics, extra) in LISTS.items():
            one = rank(assay, features, labels, metrics, threads=1, level=0.95, extra=extra)
            del one["result"]
            ours[name].append(one)
    default = median(ours["default"], "cpu")
    return [{"case": case, "answer": name, "numpy": summary(theirs), "assay": summary(runs),
             "cpu_ratio": median(theirs, "cpu") / median(runs, "cpu"), "of_default": median(runs, "cpu") / default,
             "runs": {"numpy": theirs, "assay": runs}} for name, runs in ours.items()]


def measure(assay, data, repeat):
    python = python_with("numpy")
    return [row for case in CASES for row in case_rows(assay, python, data, case, repeat)]


def print_results(rows):
    print("Whole answers with 95 % intervals against NumPy's LogME without, one thread")
    print_table(["case", "answer", "NumPy CPU s", "Assay CPU s", "NumPy / Assay", "of the default", "MB"],
                [[r["case"], r["answer"], f"{r['numpy']['cpu']:.2f}", f"{r['assay']['cpu']:.2f}", f"{r['cpu_ratio']:.2f}",
                  f"{r['of_default']:.2f}", f"{r['assay']['mb']:.0f}"] for r in rows])
