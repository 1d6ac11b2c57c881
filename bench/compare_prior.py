"""The third table of compare.py: Task Priors against plain NumPy.

- `prior score` of one model under one prior, n = 8192, D = 768, against whole n x n kernels,
- `prior sample`, 100 tasks of 10 classes on the same samples, against Algorithm 1 one step at a time.
"""
import json

from measure import PEERS, median, print_table, python_with, run, summary, warm

CASE = "e"
SCORE_TEMPERATURE = "0.05"
SAMPLE_TEMPERATURE = "5"
CLASSES, TASKS = 10, 100
PEER_TASKS = 10  # of the sequential sampler, scaled up: each task takes the same time
SMALLEST = 1  # task, to take the start-up off


def race(repeat, theirs, ours):
    """Both in turns."""
    runs = {"peer": [], "assay": []}
    for _ in range(repeat):
        runs["peer"].append(theirs())
        runs["assay"].append(ours())
    return runs


def row(name, threads, runs):
    peer, assay = summary(runs["peer"]), summary(runs["assay"])
    return {"what": name, "threads": threads, "peer": peer, "assay": assay,
            "cpu_ratio": peer["cpu"] / assay["cpu"], "wall_ratio": peer["wall"] / assay["wall"],
            "memory_ratio": peer["mb"] / assay["mb"]}


def measure(assay, data, repeat, thread_counts):
    python = python_with("numpy")
    prior, model = data / f"{CASE}_prior.npy", data / f"{CASE}_model.npy"
    for path in (prior, model):
        warm(path)
    rows = []
    for threads in thread_counts:
        limit = {"OPENBLAS_NUM_THREADS": str(threads)}

        def score_peer():
            result = run([python, PEERS / "task_prior_numpy.py", prior, model, SCORE_TEMPERATURE], **limit)
            return {**result, "value": float(result["output"].split()[0])}

        def score():
            result = run([assay, "prior", "score", model, "--prior", prior, "--temperature", SCORE_TEMPERATURE,
                          "--probe-r2", "off", "--no-label-free",
                          "--threads", str(threads), "--quiet", "--json", "-"])
            return {**result, "value": json.loads(result["output"])["models"][0]["expectation"]}

        runs = race(repeat, score_peer, score)
        values = median(runs["peer"], "value"), median(runs["assay"], "value")
        assert abs(values[0] - values[1]) < 1e-3 * abs(values[0]), f"prior score differs: {values}"
        rows.append(row("prior score", threads, runs))

        def sample_peer():
            def timed(tasks):
                return run([python, PEERS / "sample_tasks_numpy.py", prior, str(CLASSES), str(tasks),
                            SAMPLE_TEMPERATURE], **limit)
            few, many = timed(SMALLEST), timed(PEER_TASKS)
            factor = (TASKS - SMALLEST) / (PEER_TASKS - SMALLEST)
            return {**many, **{k: few[k] + factor * (many[k] - few[k]) for k in ("cpu", "wall")}}

        def sample():
            return run([assay, "prior", "sample", prior, "--classes", str(CLASSES), "--tasks", str(TASKS),
                        "--temperature", SAMPLE_TEMPERATURE, "--threads", str(threads), "--quiet"])

        rows.append(row("prior sample", threads, race(repeat, sample_peer, sample)))
    return rows


def print_results(rows):
    print("Task Priors against NumPy: n = 8192, D = 768; 100 tasks of 10 classes "
          f"(the peer's time from {PEER_TASKS})")
    print_table(
        ["what", "threads", "NumPy CPU s", "Assay CPU s", "CPU ratio", "wall ratio", "NumPy MB", "Assay MB"],
        [[r["what"], str(r["threads"]), f"{r['peer']['cpu']:.2f}", f"{r['assay']['cpu']:.2f}",
          f"{r['cpu_ratio']:.1f}", f"{r['wall_ratio']:.1f}", f"{r['peer']['mb']:.0f}", f"{r['assay']['mb']:.0f}"]
         for r in rows])
