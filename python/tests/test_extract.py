"""Extraction: what every kind of data is read as, batches, failures, the cache; with functions in place of networks."""
import importlib.util
import os
import sys
import unittest
import warnings

import numpy as np

import assay
from assay import _extract, _extract_data
from assay._encoders import Encoder, split_layer
from support import COMMAND, Case, run_command


def lengths(texts):
    return np.array([[len(text), text.count("a")] for text in texts], dtype=np.float32)


class Data(Case):
    def kind(self, data, **options):
        return _extract_data.read(data, **options).kind

    def test_kinds_of_sequences(self):
        pixels = np.zeros((3, 4, 5), np.uint8)
        self.assertEqual(self.kind(["a b", "c"]), "text")
        self.assertEqual(self.kind([("a", "b"), ("c", "d")], pair="bi"), "pair")
        self.assertEqual(self.kind([["a", "b"], ["c"]]), "words")
        self.assertEqual(self.kind(["x/1.png", "x/2.JPG"]), "image")
        self.assertEqual(self.kind(["see 1.png", "no picture"]), "text")
        self.assertEqual(self.kind(pixels), "image")
        self.assertEqual(self.kind(list(pixels)), "image")
        self.assertEqual(self.kind(np.zeros((3, 4))), "other")

    def test_refuses(self):
        for data, words in (([], "no data"), (["a", 3], r"data\[1\] is 3"), ([["a"], []], r"data\[1\] is a sentence without words")):
            with self.assertRaisesRegex(ValueError, words):
                _extract_data.read(data)
        with self.assertRaisesRegex(ValueError, "labels: 1 for 2 items"):
            _extract_data.read(["a", "b"], [1])
        with self.assertRaisesRegex(ValueError, "pairs of texts"):
            _extract_data.read(["a", "b"], pair="cross")
        with self.assertRaisesRegex(FileNotFoundError, "no such folder"):
            _extract_data.read(str(self.folder / "none"))

    def test_words_have_labels_and_groups(self):
        items = _extract_data.read([["a", "b"], ["c"]], [["X", "Y"], ["Z"]])
        self.assertEqual((list(items.labels), items.groups.tolist(), items.rows), (["X", "Y", "Z"], [0, 0, 1], 3))
        with self.assertRaisesRegex(ValueError, "labels: 2 for 3 words"):
            _extract_data.read([["a", "b"], ["c"]], [["X"], ["Z"]])

    def test_folders_are_classes(self):
        for part in ("train", "test"):
            for name in ("rose/b.png", "rose/a/c.jpg", "Tulip/1.png", "rose/.hidden.png", "rose/notes.txt"):
                path = self.folder / "flowers" / part / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(f"{part}{name}".encode())
        items = _extract_data.read(self.folder / "flowers")
        self.assertEqual(items.labels, ["Tulip", "rose", "rose"])
        self.assertEqual([p.name for p in items.things], ["1.png", "c.jpg", "b.png"])
        digest = items.digest()
        (self.folder / "flowers/train/rose/b.png").write_bytes(b"other")
        self.assertNotEqual(_extract_data.read(self.folder / "flowers").digest(), digest)
        (self.folder / "flowers/train/empty").mkdir()
        with self.assertRaisesRegex(ValueError, "a class without images"):
            _extract_data.read(self.folder / "flowers")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_columns_of_pandas(self):
        import pandas

        frame = pandas.DataFrame({"text": ["a", "b"], "other": ["c", "d"], "label": [1, 0]})
        items = _extract_data.read(frame)
        self.assertEqual((items.kind, list(items.things), list(items.labels)), ("text", ["a", "b"], [1, 0]))
        self.assertEqual(_extract_data.read(frame, column=["text", "other"]).things, [("a", "c"), ("b", "d")])
        self.assertEqual(_extract_data.read(frame["other"]).things, ["c", "d"])
        with self.assertRaisesRegex(KeyError, "column 'none'"):
            _extract_data.read(frame, column="none")
        with self.assertRaisesRegex(ValueError, "which column"):
            _extract_data.read(frame.rename(columns={"text": "x"}))

    def test_digests_tell_texts_apart(self):
        digests = {_extract_data.read(data).digest() for data in (["ab", "c"], ["a", "bc"], ["c", "ab"], [("ab", "c")], [["ab", "c"]])}
        self.assertEqual(len(digests), 5)


class Functions(Case):
    def test_rows_keep_their_order_whatever_the_batches(self):
        texts = ["a" * (37 * i % 101) for i in range(2500)]
        found = assay.extract({"n": lengths}, texts, batch_size=7, cache=False)
        np.testing.assert_array_equal(found["n"], lengths(texts))

    def test_words_keep_their_order(self):
        sentences = [["w" * (1 + (i + k) % 9) for k in range(1 + i % 5)] for i in range(1500)]
        found = assay.extract({"n": lambda batch: lengths([w for s in batch for w in s])}, sentences, batch_size=4, cache=False)
        np.testing.assert_array_equal(found["n"], lengths([w for s in sentences for w in s]))
        self.assertEqual(found.groups.tolist(), [i for i, s in enumerate(sentences) for _ in s])

    def test_large_features_go_to_a_file(self):
        from assay import _feature_store

        usual = _feature_store.MAPPED_FROM
        self.addCleanup(setattr, _feature_store, "MAPPED_FROM", usual)
        _feature_store.MAPPED_FROM = 100
        found = assay.extract({"n": lengths}, ["aa"] * 50, cache=False)
        self.assertIsInstance(found["n"], np.memmap)
        self.assertEqual(found["n"].tolist(), [[2.0, 2.0]] * 50)

    def test_a_model_that_fails_is_seen_and_the_others_go_on(self):
        def breaks(texts):
            raise RuntimeError("out of luck\nsecond line")

        texts, y = ["a", "bb", "aaa", "b"] * 20, [0, 1, 0, 1] * 20
        with self.assertWarnsRegex(assay.FailedModelWarning, "breaks failed and is left out: RuntimeError: out of luck") as caught:
            result = assay.rank_models({"breaks": breaks, "n": lengths}, texts, y, metric="logme", cache=False)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual((result.best, [one["name"] for one in result.failed]), ("n", ["breaks"]))
        for text in (repr(result), result.verdict, result._repr_html_(), repr(result.extraction)):
            self.assertIn("out of luck", text)
        with self.assertWarns(assay.FailedModelWarning), self.assertRaisesRegex(ValueError, "no model could be run:\n  breaks: "):
            assay.rank_models({"breaks": breaks}, texts, y, cache=False)

    def test_wrong_shapes_fail_by_themselves(self):
        grows = iter(range(1, 99))
        models = {"short": lambda t: np.zeros((1, 2)), "flat": lambda t: np.zeros(len(t)), "grows": lambda t: np.zeros((len(t), next(grows)))}
        with self.assertWarns(assay.FailedModelWarning):
            found = assay.extract({**models, "n": lengths}, ["a", "b", "c"], batch_size=2, cache=False)
        self.assertEqual({one["name"] for one in found.failed}, set(models))
        self.assertEqual(list(found), ["n"])

    def test_names(self):
        found = assay.extract([lengths], ["a"], cache=False)
        self.assertEqual(list(found), ["lengths"])
        with self.assertRaisesRegex(ValueError, "two models are called 'lengths'"):
            assay.extract([lengths, lengths], ["a"], cache=False)
        with self.assertRaisesRegex(ValueError, "no models"):
            assay.extract([], ["a"])
        with self.assertRaisesRegex(ValueError, "needs labels"):
            assay.rank_models([lengths], ["a", "b"], cache=False)

    def test_features_may_stand_beside_models(self):
        texts, y = ["a", "bb", "aaa", "b"] * 20, [0, 1, 0, 1] * 20
        result = assay.rank_models({"n": lengths, "given": lengths(texts)}, texts, y, metric="logme", ci=0, cache=False)
        self.assertEqual(len(set(result.scores("logme").values())), 1)

    def test_progress_reaches_one(self):
        seen = []
        texts, y = ["a", "bb", "aaa", "b"] * 20, [0, 1, 0, 1] * 20
        assay.rank_models({"n": lengths, "m": lengths}, texts, y, metric="logme", cache=False, progress=lambda d, w: seen.append(d))
        self.assertEqual(seen, sorted(seen))
        self.assertAlmostEqual(seen[-1], 1.0)

    def test_interruption_is_no_failure_of_a_model(self):
        def stop(texts):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            assay.extract({"n": stop}, ["a"], cache=False)

    def test_saved_as_a_hub_of_the_command(self):
        texts, y = ["a", "bb", "aaa", "b"] * 20, [0, 1, 0, 1] * 20
        found = assay.extract({"org/n": lengths}, texts, y, cache=False)
        found.save(self.folder / "hub")
        self.assertEqual(sorted(os.listdir(self.folder / "hub")), ["labels.npy", "org--n.npy"])
        if COMMAND:
            theirs = run_command("rank", self.folder / "hub", "--labels", self.folder / "hub/labels.npy", "--metric", "logme")
            self.assertEqual(theirs["models"][0]["scores"]["logme"]["value"], assay.logme(found["org/n"], y))

    def test_names_with_layers(self):
        self.assertEqual(split_layer("bert-base@7"), ("bert-base", "7"))
        self.assertEqual(split_layer("resnet50"), ("resnet50", None))
        self.assertEqual(split_layer("/a@b/model"), ("/a@b/model", None))


class Counted(Encoder):
    """An encoder whose recipe is known, as a network's is; counts what it is asked."""

    asked = 0
    break_after = None

    def recipe(self):
        return "counted"

    def weights(self):
        return "xxh128:0"

    def length(self, item):
        return len(item)

    def encode(self, items):
        if Counted.break_after is not None and Counted.asked >= Counted.break_after:
            raise KeyboardInterrupt
        Counted.asked += len(items)
        return {"features": lengths(items)}


class Cache(Case):
    def setUp(self):
        super().setUp()
        Counted.asked, Counted.break_after = 0, None
        original = _extract.encoder_of
        self.addCleanup(setattr, _extract, "encoder_of", original)
        _extract.encoder_of = lambda model, name, items, options: Counted(name, options)
        self.texts = ["a" * (31 * i % 97) + "b" for i in range(1000)]

    def run_once(self, texts=None):
        return assay.extract({"n": object()}, texts or self.texts, cache=self.folder / "cache")["n"]

    def test_nothing_is_computed_twice(self):
        first = np.array(self.run_once())
        self.assertEqual(Counted.asked, 1000)
        np.testing.assert_array_equal(first, lengths(self.texts))
        np.testing.assert_array_equal(self.run_once(), first)
        self.assertEqual(Counted.asked, 1000)
        self.run_once(self.texts[::-1])
        self.assertEqual(Counted.asked, 2000)

    def test_goes_on_after_an_interruption(self):
        Counted.break_after = 700
        with self.assertRaises(KeyboardInterrupt):
            self.run_once()
        done, Counted.break_after = Counted.asked, None
        np.testing.assert_array_equal(self.run_once(), lengths(self.texts))
        self.assertEqual(Counted.asked - done, 1000 - 512)  # two shards of 256 were whole

    def test_damage_is_made_good(self):
        self.run_once()
        entry = next((self.folder / "cache/features").glob("*/features.00001.npy"))
        content = bytearray(entry.read_bytes())
        content[200] ^= 1
        entry.write_bytes(content)
        np.testing.assert_array_equal(self.run_once(), lengths(self.texts))
        self.assertEqual(Counted.asked, 1000 + 256)

    def test_is_the_commands(self):
        self.needs_command()
        self.run_once()
        os.environ["ASSAY_CACHE"] = str(self.folder / "cache")
        self.addCleanup(os.environ.pop, "ASSAY_CACHE")
        entries = run_command("cache", "list")["entries"]
        self.assertEqual([(e["name"], e["n"], e["dim"], e["complete"]) for e in entries], [("n", 1000, 2, True)])


class Libraries(Case):
    def test_absent_and_broken_are_told_apart(self):
        from assay._encoders import library

        with self.assertRaisesRegex(ImportError, "models need nothing_of_the_kind: pip install nothing-of-the-kind"):
            library("nothing_of_the_kind", "models need nothing_of_the_kind")
        (self.folder / "broken_library.py").write_text("import a_part_that_is_gone\n")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        with self.assertRaisesRegex(ImportError, "installed but cannot be imported: No module named 'a_part_that_is_gone'"):
            library("broken_library", "models need broken_library")


class WithoutTorch(Case):
    def test_names_say_what_to_install(self):
        if importlib.util.find_spec("transformers"):
            self.skipTest("transformers is here")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = assay.extract(["bert-base-uncased"], ["a"], cache=False)
        self.assertIn("pip install transformers", found.failed[0]["error"])
        self.assertEqual(len(caught), 1)
