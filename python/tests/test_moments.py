import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

import assay


def data(rows=600, dim=12, classes=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    x = rng.normal(size=(rows, dim)) + 5.0
    x[:, :classes] += np.eye(classes)[y]
    return x, y


class MomentsTest(unittest.TestCase):
    def test_batches_say_what_all_rows_say(self):
        x, y = data()
        moments = assay.Moments()
        for first in range(0, 600, 70):
            moments.update(x[first:first + 70], y[first:first + 70])
        self.assertEqual((moments.rows, moments.dim), (600, 12))
        found = assay.rank({"x": moments}, metrics="logme,hscore,hscore_shrunk")
        whole = assay.rank({"x": x}, y, metrics="logme,hscore,hscore_shrunk")
        for metric in ("logme", "hscore", "hscore_shrunk"):
            self.assertAlmostEqual(found.scores(metric)["x"], whole.scores(metric)["x"], delta=1e-9)
        score = found.models[0]["scores"]["logme"]
        self.assertLess(score["low"], score["value"])
        self.assertGreater(score["high"], score["value"])

    def test_sums_do_not_hang_on_the_order(self):
        x, y = data()
        x += 1e3  # far from zero: the shift matters
        parts = [assay.Moments().update(x[k::3], y[k::3]) for k in range(3)]
        one = assay.rank({"x": parts[0] + parts[1] + parts[2]}).scores("logme")["x"]
        other = assay.rank({"x": sum(reversed(parts))}).scores("logme")["x"]
        whole = assay.logme(x, y)
        self.assertAlmostEqual(one, other, delta=1e-7)
        self.assertAlmostEqual(one, whole, delta=1e-6)
        self.assertEqual(parts[0].rows, 200)  # + leaves its operands as they were

    def test_a_class_may_come_late(self):
        x, y = data()
        order = np.argsort(y, kind="stable")
        moments = assay.Moments()
        for rows in np.array_split(order, 5):
            moments.update(x[rows], y[rows])
        self.assertEqual(moments.columns, ["0", "1", "2", "3"])
        self.assertAlmostEqual(assay.rank({"x": moments}).scores("logme")["x"], assay.logme(x, y), delta=1e-9)

    def test_pickles_and_files_are_the_same(self):
        x, y = data()
        moments = assay.Moments().update(x, y)
        again = pickle.loads(pickle.dumps(moments))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.am"
            moments.save(path)
            loaded = assay.Moments.load(path)
            value = assay.rank({"x": moments}).scores("logme")["x"]
            self.assertEqual(assay.rank({"x": again}).scores("logme")["x"], value)
            self.assertEqual(assay.rank({"x": loaded}).scores("logme")["x"], value)
            whole = path.read_bytes()
            for damaged in (whole[:-1], whole[:100], b"", whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]):
                path.write_bytes(damaged)
                with self.assertRaises(ValueError):
                    assay.Moments.load(path)

    def test_what_does_not_add_is_refused(self):
        x, y = data()
        moments = assay.Moments().update(x, y)
        with self.assertRaisesRegex(ValueError, "dimensions"):
            moments + assay.Moments().update(x[:, :5], y)
        with self.assertRaisesRegex(ValueError, "classes"):
            moments + assay.Moments().update(x, y.astype(float))
        with self.assertRaisesRegex(ValueError, "nothing was summed"):
            assay.rank({"x": assay.Moments()})
        with self.assertRaisesRegex(ValueError, "same rows"):
            assay.rank({"a": moments, "b": assay.Moments().update(x[:300], y[:300])})
        with self.assertRaises(ValueError):
            moments.update(np.full((3, 12), np.nan), [0, 1, 2])
        self.assertEqual(moments.rows, 600)
        with self.assertRaises(TypeError):
            assay.rank({"a": moments, "b": x})
        with self.assertRaises(TypeError):
            moments + 1


if __name__ == "__main__":
    unittest.main()
