"""Run inside a fresh virtual environment that holds the wheel and NumPy: is everything there, and does it come from there?"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np


def mapped():
    """Shared libraries in this process."""
    return {line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if ".so" in line and "/" in line}


np.random.default_rng(0)  # newer NumPy loads parts of itself, and of Python, when they are first used
BEFORE = mapped()
import assay  # noqa: E402

# What every system has, by the manylinux policy; files may carry a longer version.
ALLOWED = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "libdl.so", "librt.so", "libz.so", "ld-linux")
MOST_IMPORT = 0.050  # seconds beyond NumPy's own


def check(good, words):
    if not good:
        sys.exit(f"wheel: {words}")


def strays():
    """Libraries that came with the module from outside its environment."""
    return sorted(path for path in mapped() - BEFORE
                  if not path.startswith((sys.prefix, sys.base_prefix)) and not os.path.basename(path).startswith(ALLOWED))


def import_seconds(statement):
    code = f"import time; import numpy; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(9)]
    return min(times)  # whatever else the machine does only adds to it


def main():
    check(assay.__file__.startswith(sys.prefix), f"assay comes from {assay.__file__}")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 400)
    models = {"good": (np.eye(4)[y] + 0.5 * rng.normal(size=(400, 4))).astype(np.float32), "noise": rng.normal(size=(400, 9))}
    np.linalg.svd(models["noise"] @ models["noise"].T)  # NumPy's own BLAS is at work beside ours
    result = assay.rank(models, y, metric="logme,knn")
    check(result.best == "good", f"ranked {result.best} first")
    check(not strays(), f"libraries from outside: {strays()}")

    command = os.path.join(os.path.dirname(sys.executable), "assay")
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    check(version == assay.__version__, f"the command is {version}, the module {assay.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        hub = pathlib.Path(folder)
        for name, x in models.items():
            np.save(hub / f"{name}.npy", x)
        np.save(hub / "labels.npy", y)
        done = subprocess.run([command, "rank", str(hub), "--labels", str(hub / "labels.npy"), "--metric", "logme,knn", "--json", "-",
                               "--html", str(hub / "page.html")], capture_output=True, text=True)
        check(done.returncode == 0, f"the command ended with {done.returncode}: {done.stderr}")
        check(json.loads(done.stdout)["models"][0]["name"] == "good", "the command ranks otherwise")
        check((hub / "page.html").stat().st_size > 100_000, "the page of --html is not there")
        bad = subprocess.run([command, "rank", str(hub / "none")], capture_output=True, text=True)
        check(bad.returncode == 2, f"bad input ended with {bad.returncode}")
    check(result.to_html().startswith("<!doctype html>") or "<html" in result.to_html(), "to_html() gives no page")
    seconds = import_seconds("import assay")
    check(seconds < MOST_IMPORT, f"import assay takes {1000 * seconds:.0f} ms beyond NumPy's")
    started = time.perf_counter()
    subprocess.run([command, "--version"], capture_output=True, check=True)
    print(f"wheel: Python {sys.version.split()[0]}, NumPy {np.__version__}: module, command and page work; import {1000 * seconds:.0f} ms "
          f"beyond NumPy's, `assay --version` {1000 * (time.perf_counter() - started):.0f} ms")


if __name__ == "__main__":
    main()
