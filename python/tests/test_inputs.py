"""Inputs as people hold them: tensors, batches, tokens, sparse matrices, columns, files; and how labels were read."""
import importlib.util
import json
import unittest
import warnings

import numpy as np

import assay
from assay import _arrays, _files
from support import Case, digits


def installed(name):
    return importlib.util.find_spec(name) is not None


def bits_of(x):
    """bfloat16 by truncation of float32, as raw bits, and the float32 those bits stand for."""
    raw = (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    exact = np.array([np.frombuffer(np.array([0, int(v)], np.uint16).tobytes(), np.float32)[0] for v in raw.ravel()])
    return raw, exact.reshape(raw.shape)


class Inputs(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        self.x = models["good"]
        self.expected = assay.logme(self.x, self.y)


class Arrays(Inputs):
    def test_batches_end_to_end(self):
        self.assertEqual(assay.logme([self.x[:100], self.x[100:]], self.y), self.expected)
        self.assertEqual(assay.logme(list(self.x), self.y), self.expected)
        with self.assertRaisesRegex(ValueError, "different widths: 12 and 7|different widths: 7 and 12"):
            assay.logme([self.x, digits()[0]["fair"]], self.y)
        with self.assertRaisesRegex(ValueError, "1 and 2 axes"):
            assay.logme([self.x, self.x[0]], self.y)

    def test_tokens_are_pooled(self):
        tokens = np.stack([self.x, 3 * self.x, -self.x], axis=1)
        for how, expected in (("mean", self.x), ("cls", self.x), ("last", -self.x), (lambda t: t[:, 1], 3 * self.x)):
            self.assertAlmostEqual(assay.logme(tokens, self.y, pool=how), assay.logme(expected, self.y), places=5)
        self.assertEqual(assay.rank({"t": tokens}, self.y, pool="last", metric="logme", ci=0).models[0]["dim"], 12)
        batches = [tokens[:50], tokens[50:]]
        self.assertAlmostEqual(assay.logme(batches, self.y, pool="cls"), self.expected, places=9)
        samples = [t[: 1 + i % 3] for i, t in enumerate(tokens)]  # sentences of unequal length
        self.assertAlmostEqual(assay.logme(samples, self.y, pool="cls"), self.expected, places=9)
        with self.assertRaisesRegex(ValueError, "pool="):
            assay.logme(tokens, self.y)
        with self.assertRaisesRegex(ValueError, "pool 'median' is unknown"):
            assay.logme(tokens, self.y, pool="median")

    def test_pool_with_a_mask(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(4, 5, 3)).astype(np.float16)
        mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [0, 1, 0, 0, 0]])
        for i in range(4):
            kept = x[i][mask[i] == 1].astype(np.float64)
            np.testing.assert_allclose(assay.pool(x, "mean", mask)[i], kept.mean(axis=0), atol=1e-6)
            np.testing.assert_array_equal(assay.pool(x, "cls", mask)[i], kept[0])
            np.testing.assert_array_equal(assay.pool(x, "last", mask)[i], kept[-1])
            np.testing.assert_array_equal(assay.pool(x, "max", mask)[i], kept.max(axis=0))
        with self.assertRaisesRegex(ValueError, "sample 1 has no tokens"):
            assay.pool(x, "mean", np.array([[1] * 5, [0] * 5, [1] * 5, [1] * 5]))
        with self.assertRaisesRegex(ValueError, "mask has shape"):
            assay.pool(x, "mean", mask[:, :3])

    def test_raw_bfloat16(self):
        raw, exact = bits_of(self.x)
        np.testing.assert_array_equal(assay.from_bfloat16(raw), exact)
        with self.assertRaisesRegex(ValueError, "expected raw bits"):
            assay.from_bfloat16(self.x)

    @unittest.skipUnless(installed("ml_dtypes"), "no ml_dtypes")
    def test_bfloat16_of_ml_dtypes(self):
        import ml_dtypes

        half = self.x.astype(ml_dtypes.bfloat16)
        self.assertEqual(assay.logme(half, self.y), assay.logme(half.astype(np.float32), self.y))

    @unittest.skipUnless(installed("scipy"), "no SciPy")
    def test_sparse_matrices(self):
        from scipy import sparse

        x = np.where(self.x > 0, self.x, 0)
        for kind in (sparse.csr_matrix, sparse.coo_matrix):
            with self.assertWarnsRegex(assay.InputNote, "made dense"):
                result = assay.rank({"s": kind(x)}, self.y, metric="logme", ci=0)
            self.assertEqual(result.scores("logme")["s"], assay.logme(x, self.y))
            self.assertIn("made dense", " ".join(result.notes))
        with self.assertRaisesRegex(ValueError, "takes 40,000,000,000 bytes as a dense one, the limit is"):
            assay.logme(sparse.csr_matrix((100_000, 50_000)), np.zeros(100_000), memory_limit="1GB")

    @unittest.skipUnless(installed("pandas"), "no pandas")
    def test_columns_of_pandas(self):
        import pandas

        frame = pandas.DataFrame({"features": list(self.x), "label": self.y})
        self.assertEqual(assay.logme(frame["features"], frame["label"]), self.expected)
        typed = pandas.DataFrame(self.x.astype(np.float64)).astype("Float64")
        self.assertEqual(assay.logme(typed, pandas.Series(self.y, dtype="Int64")), self.expected)
        typed.iloc[3, 2] = pandas.NA
        with self.assertRaisesRegex(ValueError, "row 3"):
            assay.logme(typed, self.y)

    @unittest.skipUnless(installed("pyarrow"), "no pyarrow")
    def test_columns_of_arrow(self):
        import pyarrow

        fixed = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(self.x.ravel()), 12)
        table = pyarrow.table({"x": fixed, "lists": [list(map(float, row)) for row in self.x], "y": [str(v) for v in self.y]})
        self.assertEqual(assay.logme(table["x"], table["y"]), self.expected)
        self.assertEqual(assay.logme(table["lists"], table["y"]), self.expected)
        self.assertEqual(assay.logme(table["x"].slice(100), table["y"].slice(100)), assay.logme(self.x[100:], self.y[100:]))
        with self.assertRaisesRegex(ValueError, "not equally long"):
            assay.logme(pyarrow.array([[1.0, 2.0], [3.0]]), [0, 1])
        with self.assertRaisesRegex(ValueError, "1 of 2 entries are null"):
            assay.logme(pyarrow.array([[1.0, 2.0], None]), [0, 1])


class Tensors(Inputs):
    def setUp(self):
        super().setUp()
        if not installed("torch"):
            self.skipTest("no torch")
        import torch

        self.torch = torch
        self.t = torch.from_numpy(self.x.copy())

    def test_with_gradients(self):
        self.assertEqual(assay.logme(self.t.requires_grad_(), self.torch.from_numpy(self.y)), self.expected)
        self.assertEqual(assay.logme([self.t[:9], self.t[9:] * 1.0], list(self.torch.from_numpy(self.y))), self.expected)

    def test_bfloat16(self):
        half = self.t.bfloat16()
        self.assertEqual(assay.logme(half, self.y), assay.logme(half.float().numpy(), self.y))

    def test_sparse(self):
        self.assertEqual(assay.logme(self.t.to_sparse(), self.y), self.expected)

    def test_on_a_device(self):
        if not self.torch.cuda.is_available():
            self.skipTest("no GPU")
        self.assertEqual(assay.logme(self.t.cuda(), self.y), self.expected)

    def test_saved(self):
        self.torch.save(self.t, self.folder / "x.pt")
        self.assertEqual(assay.logme(self.folder / "x.pt", self.y), self.expected)
        self.torch.save({"weights": self.t, "bias": self.t}, self.folder / "two.pth")
        with self.assertRaisesRegex(ValueError, "holds 2 arrays"):
            assay.logme(self.folder / "two.pth", self.y)
        self.torch.save(Inputs, self.folder / "code.pt")  # a pickle that names code
        with self.assertRaisesRegex(ValueError, "cannot load it as tensors alone"):
            assay.logme(self.folder / "code.pt", self.y)


class Files(Inputs):
    def safetensors(self, entries, values=b"", name="x.safetensors"):
        header = json.dumps(entries).encode()
        path = self.folder / name
        path.write_bytes(len(header).to_bytes(8, "little") + header + values)
        return path

    def test_npy_and_npz(self):
        np.save(self.folder / "x.npy", self.x)
        np.savez(self.folder / "x.npz", x=self.x)
        self.assertIsInstance(_files.load(self.folder / "x.npy", "x").base, np.memmap)
        result = assay.rank({"a": self.folder / "x.npy", "b": str(self.folder / "x.npz")}, self.y, metric="logme", ci=0)
        self.assertEqual(set(result.scores("logme").values()), {self.expected})
        with self.assertRaisesRegex(ValueError, "expected one of .npy"):
            assay.rank({"a": "x.parquet"}, self.y)
        with self.assertRaisesRegex(FileNotFoundError, "none.npy"):
            assay.rank({"a": self.folder / "none.npy"}, self.y)

    def test_safetensors(self):
        raw, exact = bits_of(self.x)
        for kind, values, same in (("F32", self.x, self.x), ("BF16", raw, exact)):
            end = values.nbytes
            path = self.safetensors({"__metadata__": {"a": "b"}, "x": {"dtype": kind, "shape": [240, 12], "data_offsets": [0, end]}},
                                    values.tobytes())
            np.testing.assert_array_equal(_files.load(path, "x"), same)

    def test_safetensors_that_lie(self):
        entry = {"dtype": "F32", "shape": [240, 12], "data_offsets": [0, 11520]}
        for entries, values, words in (
                ({"x": entry}, b"short", "cut short"), ({"x": {**entry, "shape": [2**40, 12]}}, bytes(11520), "another size"),
                ({"x": {**entry, "dtype": "I8"}}, bytes(11520), "values of type I8"), ({}, b"", "holds 0 arrays"),
                ({"x": {**entry, "data_offsets": [-4, 11516]}}, bytes(11520), "another size"), ({"x": 3}, b"", "no safetensors")):
            with self.assertRaisesRegex(ValueError, words):
                _files.load(self.safetensors(entries, values), "x")
        (self.folder / "y.safetensors").write_bytes(b"\xff" * 8)
        with self.assertRaisesRegex(ValueError, "no safetensors"):
            _files.load(self.folder / "y.safetensors", "y")

    def test_saved_by_torch_without_torch(self):
        if installed("torch"):
            self.skipTest("torch is here")
        (self.folder / "x.pt").write_bytes(b"PK")
        with self.assertRaisesRegex(ValueError, "torch is not installed"):
            assay.logme(self.folder / "x.pt", self.y)


class Labels(Inputs):
    def test_whole_numbers_as_floats_are_told(self):
        with self.assertWarnsRegex(assay.InputNote, r"read as numbers to predict.*labels.astype\(int\)"):
            result = assay.rank({"x": self.x}, self.y.astype(float), metric="logme", ci=0)
        self.assertIn("not as classes", " ".join(result.notes))

    def test_other_labels_are_not(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for y in (self.y, self.y + 0.5, self.y.astype(str), np.eye(4)[self.y]):
                _arrays.labels(y)
            assay.rank({"x": self.x}, np.eye(4)[self.y], soft_labels=True, metric="logme", ci=0)
