#!/usr/bin/env python3
"""The standard error of LogME in closed form against its deviation over fresh draws, by several rules for the variance.

    deviation.py OUT.json [DRAWS [SCENARIO...]]

Independent of the engine: evidence by eigenvalues, what rows, pairs and triples add by sub-blocks of the precision matrix. Every
scenario's sums are kept in OUT.json and not computed again. Rules, from J, P and T (the sums of squares of first, second and third
differences): the jackknife J; J - P; Poisson: sqrt(J^2 + P^2) - P; Panjer: the total of the binomial, Poisson or negative binomial
law that has all three factorial moments.
"""
import json
import math
import pathlib
import sys
import time

import numpy as np

LADDER = (0.1, 0.1, 0.15, 0.2, 0.3)
# name: rows, dimensions, class shares, strengths, noise, share of noise in common
SCENARIOS = {
    # those on which the rule of decision 0016 was chosen
    "500 x 32, 5 classes": (500, 32, (0.2,) * 5, (0.2, 0.2, 0.26, 0.4), "normal", 0.5),
    "120 x 16, 3 classes": (120, 16, (0.34, 0.33, 0.33), (0.2, 0.2, 0.26, 0.4), "normal", 0.5),
    "150 x 300, 3 classes": (150, 300, (0.34, 0.33, 0.33), LADDER, "normal", 0.5),
    "120 x 60, 3 classes": (120, 60, (0.34, 0.33, 0.33), (0.2, 0.2, 0.3, 0.4), "normal", 0.5),
    "200 x 200, 4 classes": (200, 200, (0.25,) * 4, LADDER, "normal", 0.5),
    "100 x 250, regression": (100, 250, None, (0.5, 0.5, 1.0, 2.0), "normal", 0.5),
    "100 x 1000, 2 classes": (100, 1000, (0.5, 0.5), (0.05, 0.05, 0.1, 0.2), "normal", 0.5),
    # new ones
    "new: 80 x 2000, 4 classes": (80, 2000, (0.25,) * 4, (0.05, 0.05, 0.1, 0.2), "normal", 0.2),
    "new: 60 x 600, 2 classes": (60, 600, (0.5, 0.5), (0.05, 0.1, 0.15, 0.3), "normal", 0.0),
    "new: 160 x 800, 8 classes": (160, 800, (0.125,) * 8, (0.1, 0.1, 0.2, 0.3), "heavy", 0.5),
    "new: 240 x 160, 6 classes, unequal": (240, 160, (0.4, 0.2, 0.15, 0.1, 0.1, 0.05), (0.15, 0.2, 0.3), "normal", 0.3),
    "new: 250 x 100, 2 classes": (250, 100, (0.7, 0.3), (0.05, 0.1, 0.2), "normal", 0.8),
    "new: 90 x 400, spectrum": (90, 400, (0.34, 0.33, 0.33), (0.3, 0.3, 0.5, 1.0), "spectrum", 0.5),
    "new: 200 x 500, spectrum, 10 classes": (200, 500, (0.1,) * 10, (0.3, 0.5, 1.0), "spectrum", 0.5),
    "new: 70 x 140, regression": (70, 140, None, (0.5, 1.0, 2.0), "heavy", 0.5),
    "new: 300 x 30, regression": (300, 30, None, (0.3, 0.6, 1.2), "normal", 0.2),
    "new: 50 x 5000, 2 classes": (50, 5000, (0.5, 0.5), (0.03, 0.06, 0.1), "normal", 0.5),
}


def noise(rng, n, dim, kind):
    values = rng.standard_normal((n, dim))
    if kind == "heavy":
        values /= np.sqrt(rng.chisquare(3, (n, dim)))
    if kind == "spectrum":
        values *= np.arange(1, dim + 1) ** -0.7 * 3.0
    return values


def draw(scenario, seed):
    n, dim, shares, strengths, kind, common = scenario
    population, rng = np.random.default_rng(4242), np.random.default_rng(seed)
    if shares is None:
        signal = rng.standard_normal((n, dim))
        weights = population.standard_normal((dim, 2))
        targets = signal @ weights + 2.0 * rng.standard_normal((n, 2))
        labels = np.zeros(n, int)
    else:
        labels = np.searchsorted(np.cumsum(shares) * n - 0.5, np.arange(n), side="right").clip(0, len(shares) - 1)
        signal = population.standard_normal((len(shares), dim))[labels]
        targets = np.eye(len(shares))[labels]
    shared = math.sqrt(common) * noise(rng, n, dim, kind)
    return [s * signal + shared + math.sqrt(1 - common) * noise(rng, n, dim, kind) for s in strengths], targets, labels


def logme(features, targets):
    """(score, per column: precision matrix of the targets, precision times y)"""
    n = len(features)
    values, vectors = np.linalg.eigh(features @ features.T)
    rank = np.sum(values > 1e-10 * values[-1])
    values = np.where(values > 1e-10 * values[-1], values, 0.0)
    z2 = (vectors.T @ targets) ** 2  # n x C

    def evidence(t):  # t per column
        share = t / (t + values[:, None])
        q = np.sum(z2 * share, axis=0)
        return -0.5 * np.log(2 * np.pi * q / n) - 0.5 + 0.5 / n * np.sum(np.log(share), axis=0)

    top = math.log(values[-1])
    grid = np.linspace(top - (30 if rank < n else 16), top + 12, 120)
    all_t = np.array([evidence(np.full(targets.shape[1], math.exp(g))) for g in grid])
    best = np.argmax(all_t, axis=0)
    low, high = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, len(grid) - 1)]
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(40):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        left = evidence(np.exp(a)) > evidence(np.exp(b))
        high, low = np.where(left, b, high), np.where(left, low, a)
    t = np.exp(0.5 * (low + high))
    columns = []
    for c in range(targets.shape[1]):
        q = np.sum(z2[:, c] * t[c] / (t[c] + values))
        beta = n / q
        omega = (vectors * (beta * t[c] / (t[c] + values))) @ vectors.T
        columns.append((omega, omega @ targets[:, c]))
    return float(np.mean(evidence(t))), columns


def without(columns, sets):
    """L - L_-g of sets of rows (m x size), mean over columns."""
    size = sets.shape[1]
    total = np.zeros(len(sets))
    for omega, a in columns:
        blocks = omega[sets[:, :, None], sets[:, None, :]]
        of = a[sets]
        solved = np.linalg.solve(blocks, of[:, :, None])[:, :, 0]
        total += 0.5 * np.linalg.slogdet(blocks)[1] - 0.5 * np.sum(of * solved, axis=1) - 0.5 * size * math.log(2 * math.pi)
    return total / len(columns)


def centred(values, strata):
    out = np.zeros_like(values)
    for stratum in np.unique(strata):
        at = strata == stratum
        count = at.sum()
        if count > 1:
            out[:, at] = (values[:, at] - values[:, at].mean(axis=1, keepdims=True)) * math.sqrt(count / (count - 1))
    return out


def index_sets(n):
    """As the engine samples them: some rows in a circle, each with the next four; triples among those pairs."""
    order = np.random.default_rng(1).permutation(n)[:512]
    count = len(order)
    at = np.arange(count)
    pairs = np.concatenate([np.stack([at, (at + k) % count], 1) for k in range(1, 5)])
    triples = np.concatenate([np.stack([at, (at + a) % count, (at + a + b) % count], 1)
                              for a, b in ((1, 2), (1, 3))])
    return order[pairs], order[triples]


def differences(columns, n, pairs, triples):
    ones = without(columns, np.arange(n)[:, None])
    def two(a, b):
        return without(columns, np.stack([a, b], 1))
    i, j = pairs.T
    second = ones[i] + ones[j] - two(i, j)
    i, j, k = triples.T
    third = ones[i] + ones[j] + ones[k] - two(i, j) - two(i, k) - two(j, k) + without(columns, triples)
    return ones, second, third


def one_draw(scenario, seed):
    features, targets, labels = draw(scenario, seed)
    n = len(labels)
    pairs, triples = index_sets(n)
    scores, ones, seconds, thirds = [], [], [], []
    for f in features:
        score, columns = logme(f, targets)
        first, second, third = differences(columns, n, pairs, triples)
        scores.append(score)
        ones.append(first), seconds.append(second), thirds.append(third)
    ones = centred(np.array(ones), labels) / n
    same = np.sort(labels[pairs], axis=1)
    seconds = centred(np.array(seconds), (same[:, 0] == same[:, 1]).astype(int))
    kinds = np.array([len(set(t)) for t in labels[triples]])
    thirds = centred(np.array(thirds), kinds)
    seconds *= math.sqrt(n * (n - 1) / 2 / len(pairs)) / n
    thirds *= math.sqrt(n * (n - 1) * (n - 2) / 6 / len(triples)) / n
    sums = {}
    models = len(features)
    for a in range(models):
        sums[f"{a}"] = [scores[a]] + [float(np.sum(x[a] ** 2)) for x in (ones, seconds, thirds)]
        for b in range(a):
            sums[f"{a}-{b}"] = [scores[a] - scores[b]] + [float(np.sum((x[a] - x[b]) ** 2)) for x in (ones, seconds, thirds)]
    return sums


def poisson(j, p, _):
    return math.hypot(j, p) - p


def panjer(j, p, t):
    """V (1 + mu) = J, V (mu + mu^2 a / 2) = P, V (mu^2 a / 2 + mu^3 a (2 a - 1) / 6) = T: a = 1 is Poisson's law, 0 no parts
    beyond the second, 2 the geometric law."""
    if p <= 0.0:
        return j

    def third(a):  # with mu from J and P
        x = p / j
        # mu + mu^2 a / 2 = x (1 + mu)
        if a == 0.0:
            mu = x / (1 - x) if x < 1 else math.inf
        else:
            mu = ((x - 1) + math.sqrt((x - 1) ** 2 + 2 * a * x)) / a
        if not math.isfinite(mu):
            return math.inf, mu
        return j / (1 + mu) * (mu * mu * a / 2 + mu ** 3 * a * (2 * a - 1) / 6), mu
    low, high = 1e-9, 2.0
    if third(high)[0] < t:
        return j / (1 + third(high)[1])
    for _ in range(60):
        middle = 0.5 * (low + high)
        if third(middle)[0] < t:
            low = middle
        else:
            high = middle
    return j / (1 + third(high)[1])


RULES = {
    "jackknife": lambda j, p, t: j,
    "J - P": lambda j, p, t: max(j - p, 0.0),
    "J - P + T": lambda j, p, t: max(j - p + t, 0.0),
    "Poisson": poisson,
    "Pade": lambda j, p, t: j - p * p / (p + t) if p > 0 else j,
    "Panjer": panjer,
}


def summary(draws):
    out = {}
    for key in draws[0]:
        values = np.array([d[key] for d in draws])
        sd = values[:, 0].std(ddof=1)
        out[key] = {name: math.sqrt(np.mean([rule(*row[1:]) for row in values])) / sd for name, rule in RULES.items()}
        out[key]["P/J"] = float(values[:, 2].mean() / values[:, 1].mean())
        out[key]["T/P"] = float(values[:, 3].mean() / values[:, 2].mean())
    return out


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    wanted = sys.argv[3:] or list(SCENARIOS)
    kept = json.loads(path.read_text()) if path.exists() else {}
    for name in wanted:
        if len(kept.get(name, [])) >= count:
            continue
        begun = time.process_time()
        kept[name] = [one_draw(SCENARIOS[name], seed) for seed in range(count)]
        path.write_text(json.dumps(kept))
        print(f"{name}: {time.process_time() - begun:.0f} CPU s", file=sys.stderr)
    columns = [*RULES, "P/J", "T/P"]
    for title, pairs in (("one score", False), ("difference of two models", True)):
        print(f"\n{title}, standard error / deviation over {count} draws, root mean square over models or pairs\n")
        print("| scenario | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
        for name in wanted:
            of = [v for k, v in summary(kept[name][:count]).items() if ("-" in k) == pairs]
            print(f"| {name} | " + " | ".join(f"{np.mean([o[c] for o in of]):.2f}" for c in columns) + " |")


if __name__ == "__main__":
    main()
