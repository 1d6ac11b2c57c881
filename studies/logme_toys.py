#!/usr/bin/env python3
"""Figure 6 of the LogME paper: evidence of toy data as noise is added, beside the Laplace approximation.

    logme_toys.py ASSAY FIGURE.svg [DRAWS]        needs NumPy

Classes: three clusters in the plane (means on a circle of radius 4, unit spread), Gaussian noise of growing deviation added; `logme` and `laplace`.
Numbers: x uniform in [0, 1], y = 2 x + N(0, 0.1^2), features x + N(0, t^2) and a constant; `logme`, and the evidence with the noise of y taken as 1
(beta = 1) and the best alpha, which is what a Laplace approximation with a loss of unit variance gives. 300 rows, means over DRAWS (10) draws.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROWS = 300
CLASS_NOISE = [0.5 * k for k in range(13)]
NUMBER_NOISE = [0.05 * k for k in range(13)]


def unit_noise_evidence(features, y):
    """max over alpha of 1/n log N(y; 0, I + F F' / alpha)."""
    u, s, _ = np.linalg.svd(features, full_matrices=False)
    z = (u.T @ y) ** 2
    rest = (y**2).sum() - z.sum()
    n = len(y)
    best = -math.inf
    for alpha in np.exp(np.linspace(-12, 12, 4001)):
        spread = 1 + s**2 / alpha
        best = max(best, -0.5 * (np.log(spread).sum() + (z / spread).sum() + rest + n * math.log(2 * math.pi)) / n)
    return best


def scored(assay, folder, models, labels, metrics):
    hub = folder / "hub"
    hub.mkdir(parents=True, exist_ok=True)
    for name, features in models.items():
        np.save(hub / f"{name}.npy", features)
    np.save(folder / "labels.npy", labels)
    done = subprocess.run([assay, "rank", hub, "--labels", folder / "labels.npy", "--metric", metrics, "--center", "no", "--ci", "0", "--threads", "1",
                           "--json", "-", "--quiet"], capture_output=True, text=True, check=True)
    return {m["name"]: {k: v["value"] for k, v in m["scores"].items()} for m in json.loads(done.stdout)["models"]}


def curves(assay, draws):
    rng = np.random.default_rng(6)
    out = {name: np.zeros(len(CLASS_NOISE)) for name in ("classes, LogME", "classes, Laplace", "numbers, LogME", "numbers, unit noise")}
    for _ in range(draws):
        with tempfile.TemporaryDirectory() as scratch:
            labels = np.arange(ROWS) % 3
            angle = 2 * math.pi * labels / 3
            plane = 4 * np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(size=(ROWS, 2))
            noise = rng.normal(size=(ROWS, 2))
            models = {f"t{k:02}": np.hstack([plane + t * noise, np.ones((ROWS, 1))]) for k, t in enumerate(CLASS_NOISE)}
            found = scored(assay, pathlib.Path(scratch) / "c", models, labels, "logme,laplace")
            for k in range(len(CLASS_NOISE)):
                out["classes, LogME"][k] += found[f"t{k:02}"]["logme"] / draws
                out["classes, Laplace"][k] += found[f"t{k:02}"]["laplace"] / draws
            x = rng.uniform(size=ROWS)
            y = 2 * x + 0.1 * rng.normal(size=ROWS)
            noise = rng.normal(size=ROWS)
            models = {f"t{k:02}": np.stack([x + t * noise, np.ones(ROWS)], axis=1) for k, t in enumerate(NUMBER_NOISE)}
            found = scored(assay, pathlib.Path(scratch) / "n", models, y, "logme")
            for k in range(len(NUMBER_NOISE)):
                out["numbers, LogME"][k] += found[f"t{k:02}"]["logme"] / draws
                out["numbers, unit noise"][k] += unit_noise_evidence(models[f"t{k:02}"], y) / draws
    return out


def polyline(x, y, box, colour, dash):
    left, top, width, height = box
    low, high = min(map(min, y)), max(map(max, y))
    lines = []
    for values, c, d in zip(y, colour, dash):
        points = " ".join(f"{left + width * (a - x[0]) / (x[-1] - x[0]):.1f},{top + height * (high - b) / (high - low):.1f}" for a, b in zip(x, values))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{c}" stroke-width="2" stroke-dasharray="{d}"/>')
    lines.append(f'<text x="{left - 6}" y="{top + 5}" text-anchor="end">{high:.2f}</text><text x="{left - 6}" y="{top + height}" text-anchor="end">{low:.2f}</text>')
    lines.append(f'<text x="{left}" y="{top + height + 18}">{x[0]:g}</text><text x="{left + width}" y="{top + height + 18}" text-anchor="end">{x[-1]:g}</text>')
    lines.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#999"/>')
    return "".join(lines)


def figure(found):
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 280" font-family="sans-serif" font-size="12"><rect width="760" height="280" fill="white"/>']
    for left, title, x, names in ((70, "three classes", CLASS_NOISE, ("classes, LogME", "classes, Laplace")),
                                  (450, "numbers", NUMBER_NOISE, ("numbers, LogME", "numbers, unit noise"))):
        parts.append(f'<text x="{left}" y="22" font-weight="bold">{title}: nats per sample against the noise added</text>')
        parts.append(polyline(x, [found[name] for name in names], (left, 40, 280, 180), ("#1c6fb8", "#c2571a"), ("", "6 4")))
        for k, (name, colour) in enumerate(zip(names, ("#1c6fb8", "#c2571a"))):
            parts.append(f'<text x="{left + 150 * k}" y="262" fill="{colour}">{name.split(", ")[1]}</text>')
    return "".join(parts) + "</svg>\n"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    found = curves(sys.argv[1], int(sys.argv[3]) if len(sys.argv) == 4 else 10)
    pathlib.Path(sys.argv[2]).write_text(figure(found))
    print("| noise of classes | LogME | Laplace | noise of numbers | LogME | evidence with unit noise |\n|---|---|---|---|---|---|")
    for k in range(0, len(CLASS_NOISE), 2):
        print(f"| {CLASS_NOISE[k]:g} | {found['classes, LogME'][k]:.3f} | {found['classes, Laplace'][k]:.3f} | {NUMBER_NOISE[k]:g} | "
              f"{found['numbers, LogME'][k]:.3f} | {found['numbers, unit noise'][k]:.3f} |")


if __name__ == "__main__":
    main()
