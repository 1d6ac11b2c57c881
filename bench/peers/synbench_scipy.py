#!/usr/bin/env python3
"""SynBench on saved representations with NumPy and SciPy's general solver: the peer Assay is raced against.

    synbench_scipy.py FILE.npz [SCALES]      prints {"value": {...}, "cpu_seconds", "solver_seconds", ...}

The step that the SynBench paper (Ko et al.) leaves to a convex solver, min (mu - z)' L^-1 (mu - z) over |z| <= eps,
goes to scipy.optimize.minimize with exact derivatives; the rest is NumPy in float64. SCALES takes that many of the
file's scales, evenly spread: the solver is slow.
"""
import json
import resource
import sys
import time

import numpy as np
from scipy import sparse
from scipy.optimize import NonlinearConstraint, minimize
from scipy.stats import norm

EPSILONS = (0.0, 0.2, 0.4, 0.6, 0.8)
THRESHOLDS = (0.7, 0.75, 0.8, 0.85, 0.9)


def robust_shift(mu, lam, radius, method):
    """argmin of the quadratic form over the ball, started at the multiple of mu on its surface."""
    if radius == 0.0:
        return np.zeros_like(mu)
    weight = 1.0 / lam

    def objective(z):
        return 0.5 * np.sum(weight * (mu - z) ** 2)

    def gradient(z):
        return weight * (z - mu)

    start = mu * (radius / np.linalg.norm(mu))
    if method == "SLSQP":
        ball = {"type": "ineq", "fun": lambda z: radius**2 - z @ z, "jac": lambda z: -2.0 * z}
        options = {"maxiter": 1000, "ftol": 1e-12}
        return minimize(objective, start, jac=gradient, constraints=[ball], method=method, options=options).x
    hessian = sparse.diags(weight)
    ball = NonlinearConstraint(lambda z: z @ z, -np.inf, radius**2, jac=lambda z: sparse.csr_matrix(2.0 * z),
                               hess=lambda z, v: 2.0 * v[0] * sparse.eye(len(z)))
    options = {"maxiter": 1000, "gtol": 1e-9, "xtol": 1e-10}
    return minimize(objective, start, jac=gradient, hess=lambda z: hessian, constraints=[ball], method="trust-constr",
                    options=options).x


def measure(train, train_labels, test, test_labels, method):
    """Accuracy and bound for every epsilon, and the seconds spent in the solver."""
    x, y = train.astype(np.float64), train_labels == 1
    one, zero = x[y].mean(axis=0), x[~y].mean(axis=0)
    x -= np.where(y[:, None], one, zero)
    lam, basis = np.linalg.eigh(x.T @ x / (len(x) - 2))
    kept = lam > max(x.shape) * np.finfo(float).eps * lam[-1]
    lam, basis = lam[kept], basis[:, kept]
    mu = basis.T @ (one - zero) / 2
    projected = (test.astype(np.float64) - (one + zero) / 2) @ basis
    points, spent = [], 0.0
    for epsilon in EPSILONS:
        begun = cpu_seconds()
        z = robust_shift(mu, lam, epsilon * np.linalg.norm(mu), method)
        spent += cpu_seconds() - begun
        w = (mu - z) / lam
        u = projected @ w
        right = (u > 0) == (test_labels == 1)
        points.append((right.mean(), np.abs(u[right]).mean() / (mu @ w)))
    return points, spent


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit("usage: synbench_scipy.py FILE.npz [SCALES [METHOD]]")
    method = sys.argv[3] if len(sys.argv) > 3 else "trust-constr"
    begun_cpu, begun_wall = cpu_seconds(), time.perf_counter()
    with np.load(sys.argv[1]) as file:
        data = {name: file[name] for name in file.files}
    scales = data["scales"]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else len(scales)
    chosen = np.unique(np.linspace(0, len(scales) - 1, count).round().astype(int))
    read_cpu = cpu_seconds() - begun_cpu
    points, solver = [], 0.0
    for s in chosen:
        at, spent = measure(data["train"][s], data["train_labels"][s], data["test"][s], data["test_labels"][s], method)
        points.append(at)
        solver += spent
    points = np.array(points)  # scales x epsilons x (accuracy, bound)
    t = scales[chosen]
    raw = np.stack([norm.cdf(t), norm.pdf(t) / (t * norm.cdf(t)) + 1], axis=1)
    value = {}
    for e, epsilon in enumerate(EPSILONS):
        for a in THRESHOLDS:
            area = (points[:, e, 1] * np.maximum(0, points[:, e, 0] - a)).mean()
            value[f"{epsilon:g},{a:g}"] = float(area / (raw[:, 1] * np.maximum(0, raw[:, 0] - a)).mean())
    print(json.dumps({"value": value, "scales": len(chosen), "read_seconds": read_cpu, "solver_seconds": solver,
                      "accuracy": points[:, :, 0].tolist(), "bound": points[:, :, 1].tolist(),
                      "chosen": t.tolist(), "cpu_seconds": cpu_seconds() - begun_cpu,
                      "wall_seconds": time.perf_counter() - begun_wall}))


if __name__ == "__main__":
    main()
