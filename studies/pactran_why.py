#!/usr/bin/env python3
"""Why does pactran_gauss do poorly on some hubs? Feature scale, centring, and the balance of its two terms.

    pactran_why.py run ASSAY OUT HUB...       HUB/DATASET/MODEL.npy, HUB/DATASET_labels.npy, HUB/DATASET_truth.csv; needs NumPy
    pactran_why.py tables OUT

Every data set of classes is scored by `pactran_gauss_grid` four times: features as they are, centred (`--center`), divided by the root of their mean
square (`unit`), and standardised per column. What is there already is not run again. Eq. 14's flatness is proportional to sigma0^2 at a given
beta, so that one run tells the order under any sigma0^2: `tables` shows the weighted tau with the measured accuracy of the paper's fixed setting
(beta = 10 N, sigma0^2 = 100 / D), of the setting that the hub chooses, and of sigma0^2 chosen so that flatness and risk vary alike over the hub
(balance 1, the paper's own diagnostic: no truth is used), at each beta.
"""
import csv
import json
import pathlib
import resource
import subprocess
import sys

FORMS = ("as is", "centred", "unit", "standardised")
BETAS = ("0.1 N", "1 N", "10 N")


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def transformed(folder, form, target):
    import numpy

    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.npy")):
        x = numpy.load(path).astype(numpy.float32)
        if form == "unit":
            x = x / (numpy.sqrt((x.astype(float) ** 2).mean()) or 1.0)
        else:
            sd = x.std(axis=0)
            x = (x - x.mean(axis=0)) / numpy.where(sd > 0, sd, 1.0)
        numpy.save(target / path.name, x.astype(numpy.float32))
    return target


def run(assay, out, hubs):
    out.mkdir(parents=True, exist_ok=True)
    for hub in map(pathlib.Path, hubs):
        for folder in sorted(path for path in hub.iterdir() if path.is_dir()):
            truth = hub / f"{folder.name}_truth.csv"
            if not truth.exists() or folder.name == "stsb":
                continue
            for form in FORMS:
                target = out / f"{folder.name}.{form.replace(' ', '_')}.json"
                if target.exists():
                    continue
                features = folder if form in FORMS[:2] else transformed(folder, form, out / "features" / folder.name / form)
                before = children_seconds()
                done = subprocess.run(
                    [assay, "rank", str(features), "--labels", str(hub / f"{folder.name}_labels.npy"), "--truth", str(truth), "--metric",
                     "pactran_gauss_grid,pactran_gauss", "--ci", "0", "--threads", "1", "--quiet", "--json", str(target) + ".part"]
                    + (["--center"] if form == "centred" else []), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                if not pathlib.Path(str(target) + ".part").exists():
                    sys.exit(f"{folder.name}: {done.stderr}")
                result = json.loads(pathlib.Path(str(target) + ".part").read_text())
                result["cpu_seconds"] = children_seconds() - before
                result["truth"] = {row["name"]: float(row["accuracy"]) for row in csv.DictReader(open(truth))}
                target.write_text(json.dumps(result))
                pathlib.Path(str(target) + ".part").unlink()
                print(f"{folder.name}, {form}: {result['cpu_seconds']:.1f} CPU s", flush=True)


def weighted_tau(score, truth):
    """SciPy's weightedtau(rank=True): the mean over both rankings of additive hyperbolic weights."""
    score, truth = [float(v) for v in score], [float(v) for v in truth]

    def one(first):
        order = sorted(range(len(score)), key=lambda i: (first[i], (truth if first is score else score)[i]), reverse=True)
        rank = {i: r for r, i in enumerate(order)}
        total = agree = left = right = 0.0
        for i in range(len(score)):
            for j in range(i):
                weight = 1.0 / (rank[i] + 1) + 1.0 / (rank[j] + 1)
                a, b = score[i] - score[j], truth[i] - truth[j]
                total += weight
                left += weight * (a != 0)
                right += weight * (b != 0)
                agree += weight * ((a * b > 0) - (a * b < 0))
        return agree / (left * right) ** 0.5 if left and right else float("nan")

    return 0.5 * (one(score) + one(truth))


def spread(values):
    def median(x):
        x = sorted(x)
        return 0.5 * (x[(len(x) - 1) // 2] + x[len(x) // 2])

    middle = median(values)
    return median([abs(v - middle) for v in values])


def correlation(a, b):
    rank = lambda x: [sorted(x).index(v) for v in x]
    a, b = rank(a), rank(b)
    n = len(a)
    ma, mb = sum(a) / n, sum(b) / n
    top = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    return top / (sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)) ** 0.5


def analysed(result):
    models = [m for m in result["models"] if m["name"] in result["truth"]]
    truth = [result["truth"][m["name"]] for m in models]
    cells = {m["name"]: m["scores"]["pactran_gauss_grid"]["settings"] for m in models}
    part = lambda k, name: [cells[m["name"]][k][name] for m in models]
    tau = lambda values: weighted_tau([-v for v in values], truth)
    fixed = next(k for k, one in enumerate(cells[models[0]["name"]]) if one["setting"] == "beta = 10 N, sigma0^2 = 100/D")
    out = {"fixed": tau(part(fixed, "value")), "grid": tau([m["scores"]["pactran_gauss_grid"]["value"] for m in models]),
           "balance": spread(part(fixed, "fr")) / spread(part(fixed, "rer")), "rer": tau(part(fixed, "rer")), "fr": tau(part(fixed, "fr")),
           "fr and D": correlation(part(fixed, "fr"), [m["dim"] for m in models])}
    for b, name in enumerate(BETAS):
        fr, rer = part(4 * b, "fr"), part(4 * b, "rer")  # sigma0^2 = 1 / D
        weight = spread(rer) / spread(fr) if spread(fr) > 0 else 0.0
        out[f"balanced, {name}"] = tau([weight * f + r for f, r in zip(fr, rer)])
        out[f"sigma0^2, {name}"] = weight
    return out


def tables(out):
    results = {}
    for path in sorted(out.glob("*.json")):
        name, form = path.stem.split(".")
        results[name, form.replace("_", " ")] = json.loads(path.read_text())
    names = sorted({name for name, _ in results})
    rows = {key: analysed(result) for key, result in results.items()}
    print("| data set | features | spread FR / RER | FR with D (Spearman) | RER alone | FR alone | fixed | grid | "
          + " | ".join(f"balanced, {b}" for b in BETAS) + " | sigma0^2 D at balance, " + ", ".join(BETAS) + " |\n" + "|---" * 12 + "|")
    for name in names:
        for form in FORMS:
            one = rows.get((name, form))
            if one:
                print(f"| {name} | {form} | {one['balance']:.2g} | {one['fr and D']:.2f} | {one['rer']:.2f} | {one['fr']:.2f} | {one['fixed']:.2f} | {one['grid']:.2f} | "
                      + " | ".join(f"{one[f'balanced, {b}']:.2f}" for b in BETAS) + " | "
                      + ", ".join(f"{one[f'sigma0^2, {b}']:.2g}" for b in BETAS) + " |")
    for form in FORMS:
        known = [rows[name, form] for name in names if (name, form) in rows]
        if known:
            mean = lambda key: sum(one[key] for one in known) / len(known)
            print(f"| mean of {len(known)} | {form} | | | {mean('rer'):.2f} | {mean('fr'):.2f} | **{mean('fixed'):.2f}** | **{mean('grid'):.2f}** | "
                  + " | ".join(f"**{mean(f'balanced, {b}'):.2f}**" for b in BETAS) + " | |")
    print(f"\nCPU seconds: {sum(result['cpu_seconds'] for result in results.values()):.0f}, runs: {len(results)}")


def main():
    if len(sys.argv) > 4 and sys.argv[1] == "run":
        run(sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:])
    elif len(sys.argv) == 3 and sys.argv[1] == "tables":
        tables(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
