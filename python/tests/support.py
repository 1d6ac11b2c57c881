"""What the tests share: small hubs, the command beside the module."""
import ctypes
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np

COMMAND = os.environ.get("ASSAY_COMMAND", "")


def digits(n=240, seed=0):
    """Three models of unlike worth and dimension, and four classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    signal = np.eye(4)[y]
    return {
        "good": (signal @ rng.normal(size=(4, 12)) + 0.7 * rng.normal(size=(n, 12))).astype(np.float32),
        "fair": signal @ rng.normal(size=(4, 7)) + 2.0 * rng.normal(size=(n, 7)),
        "noise": rng.normal(size=(n, 9)).astype(np.float16),
    }, y


def blas_kernels():
    """What this process's OpenBLAS runs. The command may choose others for itself, with other last digits."""
    try:
        library = ctypes.CDLL("libopenblas.so.0")
    except OSError:
        return {}
    library.openblas_get_corename.restype = ctypes.c_char_p
    return {"OPENBLAS_CORETYPE": library.openblas_get_corename().decode()}


def run_command(*arguments):
    """The JSON that the command prints, computed with the kernels that the module uses."""
    done = subprocess.run([COMMAND, *map(str, arguments), "--json", "-"], capture_output=True, text=True, check=True,
                          env={**os.environ, **blas_kernels()})
    return json.loads(done.stdout)


def without(value, *keys):
    """The same JSON without what differs between any two runs."""
    if isinstance(value, dict):
        return {k: without(v, *keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [without(v, *keys) for v in value]
    if isinstance(value, str):  # the module names keywords where the command names options
        return re.sub(r"`([a-z][a-z_]*)`", lambda word: "--" + word[1].replace("_", "-"), value)
    return value


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def save_hub(self, models, labels):
        hub = self.folder / "hub"
        hub.mkdir()
        for name, features in models.items():
            np.save(hub / f"{name}.npy", features)
        np.save(self.folder / "labels.npy", labels)
        return hub, self.folder / "labels.npy"

    def needs_command(self):
        if not COMMAND:
            self.skipTest("ASSAY_COMMAND does not name the command")
