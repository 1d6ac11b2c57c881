"""Run inside a fresh virtual environment that holds the wheel and NumPy: is everything there, and does it come from there?"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import assay

ALLOWED = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1",
           "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libz.so.1"}  # what every system has, by the manylinux policy
MOST_IMPORT = 0.050  # seconds beyond NumPy's own


def check(good, words):
    if not good:
        sys.exit(f"wheel: {words}")


def loaded_libraries():
    """Files this process mapped that are neither the environment's nor the system's basic ones."""
    paths = {line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if ".so" in line and "/" in line}
    inside = (sys.prefix, sys.base_prefix, os.path.dirname(np.__file__))
    return sorted(path for path in paths if not path.startswith(inside) and os.path.basename(path) not in ALLOWED
                  and "/lib-dynload/" not in path and "libpython" not in path and not path.startswith("/usr/lib/locale"))


def import_seconds(statement):
    code = f"import time; import numpy; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(7)]
    return statistics.median(times)


def main():
    check(assay.__file__.startswith(sys.prefix), f"assay comes from {assay.__file__}")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 400)
    models = {"good": (np.eye(4)[y] + 0.5 * rng.normal(size=(400, 4))).astype(np.float32), "noise": rng.normal(size=(400, 9))}
    np.linalg.svd(models["noise"] @ models["noise"].T)  # NumPy's own BLAS is at work beside ours
    result = assay.rank(models, y, metric="logme,knn")
    check(result.best == "good", f"ranked {result.best} first")
    strays = [path for path in loaded_libraries() if "libcrypto" not in path and "libssl" not in path]
    check(not strays, f"libraries from outside: {strays}")

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
