#!/usr/bin/env python3
"""What loss-data curves cost: linear probes in all, mlp probes an update, against PyTorch (else NumPy).

    compare_curve.py [--assay build/assay] [--data build/bench-data] [--repeat R] [--updates U] [--json FILE]

12,500 x 512 float32, ten classes, of which 10,000 rows train. Linear: 20 sizes x 8 seeds, whole process, two threads.
mlp, an update: Assay's is the time of U updates minus that of one (reading and standardising cancel), the peer's that of
its loop. CPU time on one thread, then wall time on two cores: Assay trains two probes at once, the peer, one after the
other, has the best of four thread settings. The schedule's totals follow for 4000 updates and 8 seeds.
"""
import argparse
import json
import pathlib

import numpy as np
from measure import PEERS, median, print_table, python_with, run


SIZES = (10, 100, 256, 1000, 10000)


def data(folder):
    folder.mkdir(parents=True, exist_ok=True)
    features, labels = folder / "curve_features.npy", folder / "curve_labels.npy"
    if not features.exists():
        rng = np.random.default_rng(0)
        y = rng.integers(0, 10, 12500)
        np.save(features, (rng.normal(size=(10, 512)) * 0.18)[y].astype(np.float32)
                + rng.normal(size=(12500, 512)).astype(np.float32))
        np.save(labels, y)
    return features, labels


def curve(assay, files, *options):
    return run([assay, "curve", files[0], "--labels", files[1], "--no-journal", "--quiet", "--json", "-", *options])


def mlp_seconds(assay, files, n, updates, clock, threads):
    def seconds(count):
        return curve(assay, files, "--probe", "mlp", "--sizes", f"{n},", "--seeds", str(2 * threads), "--threads",
                     str(threads), "--updates", str(count))[clock]
    return (seconds(updates + 1) - seconds(1)) / updates / (2 * threads)


def peer_seconds(python, library, files, n, updates, clock, settings):
    def seconds(omp, blas):
        limit = {"OMP_NUM_THREADS": str(omp), "MKL_NUM_THREADS": str(omp), "OPENBLAS_NUM_THREADS": str(blas)}
        result = run([python, PEERS / "mlp_probe.py", *files, library, str(n), str(updates)], **limit)
        return json.loads(result["output"])[clock + "_seconds"] / updates
    return min(seconds(*setting) for setting in settings)


def race_mlp(python, library, assay, files, args, clock, threads):
    settings = [(omp, blas) for omp in range(1, threads + 1) for blas in range(1, threads + 1)]
    rows = []
    for n in SIZES:
        runs = [{"peer": peer_seconds(python, library, files, n, args.updates, clock, settings),
                 "assay": mlp_seconds(assay, files, n, args.updates, clock, threads)} for _ in range(args.repeat)]
        rows.append({"n": n, "peer": median(runs, "peer"), "assay": median(runs, "assay"), "runs": runs})
    print(f"mlp probes, {clock} milliseconds an update, {threads} thread{'s' * (threads > 1)} ({library} is the peer)")
    print_table(["rows", library, "Assay", "ratio"],
                [[str(r["n"]), f"{1e3 * r['peer']:.2f}", f"{1e3 * r['assay']:.2f}", f"{r['peer'] / r['assay']:.1f}"]
                 for r in rows])
    # The 20 sizes from 10 to 10,000: cost between the sizes measured is taken as linear in log n.
    sizes = np.geomspace(10, 10000, 20)
    total = {side: 4000 * 8 * np.interp(np.log(sizes), np.log(SIZES), [r[side] for r in rows]).sum()
             for side in ("peer", "assay")}
    print(f"20 sizes x 8 seeds x 4000 updates, from these: {library} {total['peer'] / 3600:.2f} h, "
          f"Assay {total['assay'] / 3600:.2f} h, ratio {total['peer'] / total['assay']:.2f}\n")
    return {"sizes": rows, "total": total}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", default="build/assay")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("build/bench-data"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    files = data(args.data)
    python = python_with("numpy", "torch")
    library = "torch" if python else "numpy"
    python = python or python_with("numpy")
    linear = [curve(args.assay, files, "--sizes", "20", "--seeds", "8", "--threads", "2") for _ in range(args.repeat)]
    print(f"linear probes, 20 sizes x 8 seeds, two threads: {median(linear, 'wall'):.1f} s wall, "
          f"{median(linear, 'cpu'):.1f} s CPU, {median(linear, 'mb'):.0f} MB\n")
    mlp = {clock: race_mlp(python, library, args.assay, files, args, clock, threads)
           for clock, threads in (("cpu", 1), ("wall", 2))}
    if args.json:
        for one in linear:
            del one["output"]
        args.json.write_text(json.dumps({"linear": linear, "mlp": mlp, "peer": library}, indent=1))


if __name__ == "__main__":
    main()
