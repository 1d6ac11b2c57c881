"""Results as people use them: failures are seen, models are found by name, tables, charts, and JSON there and back."""
import importlib.util
import json
import pickle
import unittest
import warnings

import numpy as np

import assay
from support import Case, digits


class Failures(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        bad = models["good"].copy()
        bad[7, 0] = np.nan
        with self.assertWarnsRegex(assay.FailedModelWarning, "1 model failed.*bad.*row 7") as caught:
            self.result = assay.rank({"bad": bad, "good": models["good"]}, self.y, metric="logme")
        self.assertEqual(caught.filename, __file__)  # the caller's line

    def test_are_in_words_table_and_notebook(self):
        for text in (repr(self.result), self.result.verdict, self.result._repr_html_()):
            self.assertRegex(text, "1 model failed")
            self.assertIn("bad", text)
        self.assertEqual(repr(self.result).count("1 model failed"), 1)

    def test_are_named_where_they_are_asked_for(self):
        with self.assertRaisesRegex(KeyError, "it failed: .*row 7"):
            self.result["bad"]

    def test_survive_json(self):
        with self.assertWarns(assay.FailedModelWarning):
            again = assay.load(self.result.to_json())
        self.assertIn("1 model failed", again.verdict)

    def test_of_curves(self):
        models, y = digits()
        bad = models["good"].copy()
        bad[7, 0] = np.nan
        with self.assertWarnsRegex(assay.FailedModelWarning, "bad"):
            result = assay.loss_data_curve({"bad": bad, "good": models["good"]}, y, sizes=[20, 100], seeds=1)
        self.assertIn("bad", repr(result))
        self.assertIn("bad", result._repr_html_())


class Use(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        models["<b>"] = models.pop("noise")
        self.result = assay.rank(models, self.y, metric=["logme", "knn"])

    def test_iteration_and_names(self):
        self.assertEqual([model["name"] for model in self.result], ["good", "fair", "<b>"])
        self.assertEqual(len(self.result), 3)
        self.assertEqual(self.result["fair"]["rank"], 2)
        self.assertEqual(self.result["by"], self.result.by)
        self.assertTrue("fair" in self.result and "models" in self.result and "none" not in self.result)
        with self.assertRaisesRegex(KeyError, "neither a model .good, fair, <b>. nor a part"):
            self.result["none"]

    def test_several_rows_of_one_model(self):
        models, y = digits()
        found = assay.prior_score(models, assay.labels_prior(y), temperature=[0.1, 1.0], probe_r2=0)
        self.assertEqual([row["temperature"] for row in found["good"]], [0.1, 1.0])

    def test_metric_is_metrics(self):
        models, y = digits()
        one = assay.rank(models, y, metric="logme", ci=0)
        self.assertEqual(one.scores("logme"), assay.rank(models, y, metrics="logme", ci=0).scores("logme"))
        with self.assertRaisesRegex(TypeError, "the same option"):
            assay.rank(models, y, metric="logme", metrics="knn")

    def test_json_there_and_back(self):
        path = self.folder / "rank.json"
        path.write_text(self.result.to_json())
        for source in (self.result.to_json(), path, str(path)):
            again = assay.RankResult.from_json(source)
            self.assertEqual(again.data, self.result.data)
            self.assertEqual(again.rows(), self.result.rows())
            self.assertIn(again.verdict, repr(again))
            self.assertEqual(again.to_csv().splitlines()[0].split(",")[0], "name")
        with self.assertRaisesRegex(ValueError, "a RankResult, not a CurveResult"):
            assay.CurveResult.from_json(path)
        for text in ("{}", "{broken", json.dumps({"command": "doctor"})):
            with self.assertRaises(ValueError):
                assay.load(text)

    def test_every_result_comes_back(self):
        models, y = digits()
        for result in (assay.loss_data_curve(models, y, sizes=[20, 100], seeds=1),
                       assay.prior_score(models, assay.labels_prior(y), probe_r2=0),
                       assay.evaluate(self.result, {"good": 0.9, "fair": 0.5, "<b>": 0.2})):
            again = assay.load(result.to_json())
            self.assertIs(type(again), type(result))
            self.assertEqual(again.data, result.data)
            self.assertTrue(repr(again))

    def test_the_commands_json(self):
        self.needs_command()
        from support import run_command

        hub, file = self.save_hub({"a": digits()[0]["good"]}, self.y)
        found = run_command("rank", hub, "--labels", file, "--metric", "logme")
        self.assertEqual(assay.load(json.dumps(found)).best, "a")

    def test_pickles(self):
        self.assertEqual(repr(pickle.loads(pickle.dumps(self.result))), repr(self.result))

    def test_notebook_view_is_small_and_has_bars(self):
        view = self.result._repr_html_()
        self.assertEqual(view.count("<svg"), 3)
        self.assertEqual(view.count("<line"), 3)  # an interval each
        self.assertLess(len(view), 4000)
        self.assertNotIn("<b>", view)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_to_pandas(self):
        frame = self.result.to_pandas()
        self.assertEqual(frame["name"].tolist(), ["good", "fair", "<b>"])
        self.assertEqual(frame["logme"].tolist(), list(self.result.scores("logme").values()))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_plots(self):
        import matplotlib

        matplotlib.use("Agg")
        ax = self.result.plot(metric="knn")
        self.assertEqual([label.get_text() for label in ax.get_yticklabels()], ["good", "fair", "<b>"])
        self.assertEqual(ax.get_xlabel(), "knn")
        self.assertEqual([round(float(c.lines[0].get_xdata()[0]), 9) for c in ax.containers],
                         [round(value, 9) for value in self.result.scores("knn").values()])
        models, y = digits()
        curves = assay.loss_data_curve(models, y, sizes=[20, 100], seeds=1)
        self.assertEqual(list(curves.plot().lines[0].get_xdata()), curves.curve(curves.models[0]["name"])[0])
        priors = assay.prior_score(models, assay.labels_prior(y), temperature=[0.1, 1.0], probe_r2=0)
        self.assertEqual(len(priors.plot().lines), 3)
        with self.assertRaisesRegex(KeyError, "was not computed"):
            self.result.plot(metric="leep")
        with self.assertRaisesRegex(TypeError, "no chart"):
            assay.evaluate(self.result, {"good": 0.9, "fair": 0.5, "<b>": 0.2}).plot()

    def test_nothing_is_told_when_nothing_failed(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            models, y = digits()
            result = assay.rank(models, y, metric="logme", ci=0)
        self.assertEqual((result.failures, "failed" in repr(result), "failed" in result._repr_html_()), ("", False, False))
