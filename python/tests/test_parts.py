"""Entities of BIO tags, counted by hand; patches as rows."""
import numpy as np

import assay
from support import Case


class Entities(Case):
    def test_by_hand(self):
        truth = ["B-PER", "I-PER", "O", "B-LOC", "B-LOC", "I-ORG"]  # four: PER(0-1), LOC(3), LOC(4), ORG(5)
        for predicted, right, found in (
                (truth, 4, 4),
                (["B-PER", "O", "O", "B-LOC", "B-LOC", "I-ORG"], 3, 4),   # cut short: not found
                (["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "B-ORG"], 2, 3),  # two taken for one
                (["B-ORG", "I-ORG", "O", "O", "O", "O"], 0, 1),
                (["O"] * 6, 0, 0)):
            self.assertAlmostEqual(assay.entity_f1(truth, predicted), 2 * right / (4 + found))

    def test_end_with_their_sentence(self):
        tags = ["B-PER", "I-PER"]
        self.assertEqual(assay.entity_f1(tags, ["B-PER", "B-PER"], groups=[0, 1]), 1.0)  # two entities either way
        self.assertEqual(assay.entity_f1(tags, ["B-PER", "B-PER"]), 0.0)

    def test_nothing_and_nonsense(self):
        self.assertIsNone(assay.entity_f1(["O"], ["O"]))
        with self.assertRaisesRegex(ValueError, "tag 1 is 'PER'"):
            assay.entity_f1(["O", "PER"], ["O", "O"])
        with self.assertRaisesRegex(ValueError, "2 true tags, 1 predicted"):
            assay.entity_f1(["O", "O"], ["O"])


class Patches(Case):
    def test_are_ranked_with_their_images_together(self):
        rng = np.random.default_rng(0)
        maps = rng.integers(0, 3, (20, 4, 4))
        features = np.eye(3)[maps] + 0.3 * rng.normal(size=(20, 4, 4, 3))
        rows, y, groups = assay.patch_rows(features, maps)
        np.testing.assert_array_equal(rows[17], features[1, 0, 1])
        self.assertEqual((y[17], groups[17]), (maps[1, 0, 1], 1))
        result = assay.rank({"patches": rows}, y, groups=groups, metric="logme")
        self.assertEqual(result.models[0]["n"], 320)

    def test_refuses(self):
        with self.assertRaisesRegex(ValueError, "images x height x width x dimensions"):
            assay.patch_rows(np.zeros((2, 3, 3)), np.zeros((2, 3, 3)))
        with self.assertRaisesRegex(ValueError, "expected a map of"):
            assay.patch_rows(np.zeros((2, 3, 3, 4)), np.zeros((2, 6, 6)))
