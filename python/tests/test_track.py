"""Training followed from inside its loop."""
import unittest

import numpy as np

import assay


class Tracker(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(1)
        self.y = np.arange(150) % 3
        self.steps = [np.eye(3)[self.y] + noise * rng.normal(size=(150, 3)) for noise in (5.0, 1.0, 0.3)]

    def test_has_the_scores_of_rank(self):
        tracker = assay.Tracker(self.y)
        first = tracker.update(10, self.steps[1])
        expected = assay.rank({"x": self.steps[1]}, self.y, metrics="logme,knn")
        for metric in ("logme", "knn"):
            self.assertAlmostEqual(first["scores"][metric]["value"], expected["x"]["scores"][metric]["value"], places=12)
        self.assertIsNone(first["scores"]["logme"]["change"])

    def test_says_what_changed_and_what_is_best(self):
        tracker = assay.Tracker(self.y)
        for step, features in enumerate(self.steps):
            last = tracker.update(step, features)
        self.assertGreater(last["scores"]["logme"]["change_low"], 0)
        result = tracker.result()
        self.assertEqual(result["best_step"], 2.0)
        self.assertIsNone(result["no_longer_improving_since"])
        self.assertIn("still improving", result.verdict)
        self.assertEqual(len(result), 3)

    def test_needs_no_labels(self):
        tracker = assay.Tracker(prior=assay.views_prior(2))
        scores = tracker.update(0, self.steps[0])["scores"]
        self.assertEqual(set(scores), {"probe_r2", "rankme", "alpha_req", "lidar"})

    def test_refuses_what_does_not_fit(self):
        tracker = assay.Tracker(self.y)
        with self.assertRaisesRegex(ValueError, "no checkpoint yet"):
            tracker.result()
        tracker.update(1, self.steps[0])
        with self.assertRaisesRegex(ValueError, "steps ascend"):
            tracker.update(1, self.steps[1])
        with self.assertRaises(ValueError):
            tracker.update(2, self.steps[1][:-1])
        with self.assertRaisesRegex(ValueError, "expected one of: logme"):
            assay.Tracker(self.y, by="speed")


if __name__ == "__main__":
    unittest.main()
