import subprocess
import sys
import textwrap
import warnings

import numpy as np

import assay
from assay import _arrays
from support import Case, digits


class Features(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        self.x = models["good"]
        self.expected = assay.logme(self.x, self.y)

    def quiet(self, x):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return assay.logme(x, self.y)

    def noted(self, x, words):
        with self.assertWarnsRegex(assay.CopyWarning, words):
            return assay.logme(x, self.y)

    def test_fortran_order_is_read_in_place(self):
        x = np.asfortranarray(self.x)
        self.assertIs(_arrays.features(x), x)
        self.assertEqual(self.quiet(x), self.expected)

    def test_c_order_is_read_in_place(self):
        for kind in (np.float16, np.float32, np.float64):
            x = self.x.astype(kind)
            self.assertIs(_arrays.features(x), x)

    def test_wider_floats_give_the_same(self):
        self.assertEqual(self.quiet(self.x.astype(np.float64)), self.expected)

    def test_half_precision_is_its_own_value(self):
        half = self.x.astype(np.float16)
        self.assertEqual(self.quiet(half), assay.logme(half.astype(np.float64), self.y))

    def test_strided_arrays_are_copied_with_a_note(self):
        wide = np.zeros((len(self.x), 24), np.float32)
        wide[:, ::2] = self.x
        self.assertEqual(self.noted(wide[:, ::2], "not contiguous"), self.expected)
        self.assertEqual(self.noted(self.x[::-1][::-1][:, ::-1][:, ::-1][::1].repeat(2, axis=1)[:, ::2],
                                    "not contiguous"), self.expected)

    def test_big_endian_arrays_are_copied_with_a_note(self):
        self.assertEqual(self.noted(self.x.astype(">f4"), "byte order"), self.expected)

    def test_memory_maps_are_read_in_place(self):
        np.save(self.folder / "x.npy", self.x)
        x = np.load(self.folder / "x.npy", mmap_mode="r")
        self.assertTrue(np.shares_memory(_arrays.features(x), x))
        self.assertEqual(self.quiet(x), self.expected)

    def test_lists_are_taken(self):
        self.assertEqual(assay.logme(self.x.astype(np.float64).tolist(), self.y.tolist()), self.expected)

    def test_large_arrays_take_no_memory_of_their_size(self):
        """Peak memory grows by blocks of at most 32 MiB, not by the 256 MB of the array."""
        code = """
            import resource, numpy as np, assay
            x = np.random.default_rng(0).random((1_000_000, 64), dtype=np.float32)
            y = np.arange(len(x)) % 2
            assay.logme(x[:1000], y[:1000])
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            assay.logme(x, y)
            print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / x.nbytes)
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
        self.assertLess(float(done.stdout), 0.6)


class Labels(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        self.x = models["good"]
        self.expected = assay.logme(self.x, self.y)

    def test_kinds_of_classes(self):
        words = np.array(["a", "b", "c", "d"])[self.y]
        for y in (self.y.astype(np.int8), self.y.astype(np.uint64), self.y.astype(">i4"), self.y[:, None],
                  self.y.tolist(), words, words.astype("S"), words.astype(object), words.tolist(),
                  self.y.astype(object), self.y * 1000 - 7):
            self.assertEqual(assay.logme(self.x, y), self.expected)

    def test_booleans_are_two_classes(self):
        self.assertEqual(assay.logme(self.x, self.y > 1), assay.logme(self.x, (self.y > 1).astype(int)))

    def test_floats_are_values(self):
        values = self.y.astype(np.float32)
        self.assertEqual(assay.logme(self.x, values), assay.logme(self.x, values.astype(np.longdouble)[:, None]))
        self.assertNotEqual(assay.logme(self.x, values), self.expected)


class Errors(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        self.x = models["good"]

    def refused(self, kind, words, x, y, **options):
        with self.assertRaisesRegex(kind, words):
            assay.score(x, y, **options)

    def test_shapes(self):
        self.refused(ValueError, r"must be a 2-D array .*got shape \(240\)|\(240,\)", self.x[:, 0].copy(), self.y)
        self.refused(ValueError, "2-D array", self.x[None], self.y)
        self.refused(ValueError, "the array is empty", self.x[:, :0], self.y)
        self.refused(ValueError, "240 rows, but labels has 239 labels", self.x, self.y[1:])
        self.refused(ValueError, "holds no labels", self.x, [])

    def test_values(self):
        x = self.x.copy()
        x[17, 3] = np.nan
        self.refused(ValueError, "row 17", x, self.y)
        x[17, 3] = np.inf
        self.refused(ValueError, "row 17", x, self.y)
        self.refused(ValueError, "labels: row 0, column 0 is NaN", self.x, np.full(240, np.nan))
        self.refused(ValueError, "only one class", self.x, np.zeros(240, int))

    def test_types(self):
        self.refused(ValueError, "float16, float32 or float64, got int64", self.x.astype(int), self.y)
        self.refused(ValueError, "got object", self.x.astype(object), self.y)
        self.refused(ValueError, "got complex64", self.x.astype(complex).astype(np.complex64), self.y)
        self.refused(ValueError, "entry 1 is None", self.x[:2], np.array(["a", None], dtype=object))
        self.refused(ValueError, "masked", np.ma.masked_less(self.x, 0), self.y)
        self.refused(ValueError, "got datetime64", self.x, np.zeros(240, "datetime64[s]"))

    def test_names(self):
        self.refused(KeyError, "did you mean", self.x, self.y, metric="logm")
        with self.assertRaisesRegex(KeyError, "which is no model"):
            assay.rank({"a": self.x}, self.y, probabilities={"b": self.x})

    def test_files(self):
        with self.assertRaisesRegex(OSError, "no such file or directory"):
            assay.rank(self.folder / "none", self.y)

    def test_settings(self):
        with self.assertRaisesRegex(ValueError, '`ci` must be'):
            assay.rank({"a": self.x}, self.y, ci=2)
        with self.assertRaisesRegex(ValueError, "threads"):
            assay.logme(self.x, self.y, threads=-1)
        with self.assertRaisesRegex(ValueError, "expected a dict"):
            assay.rank({}, self.y)
        self.refused(ValueError, "the limit is", self.x, self.y, memory_limit="1MB")

    def test_a_bad_model_is_listed_and_the_others_ranked(self):
        bad = self.x.copy()
        bad[0, 0] = np.nan
        result = assay.rank({"bad": bad, "x": self.x}, self.y, metrics="logme", ci=0)
        self.assertEqual([failed["name"] for failed in result.failed], ["bad"])
        self.assertEqual(result.best, "x")
