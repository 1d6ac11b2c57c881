import threading

import numpy as np

import assay
from support import Case, digits, run_command, without


class SameAsTheCommand(Case):
    """Equal to the last bit: JSON has the shortest digits that give the double back."""

    def same(self, models, labels, *arguments, **options):
        self.needs_command()
        hub, file = self.save_hub(models, labels)
        theirs = run_command("rank", hub, "--labels", file, *arguments)
        ours = assay.rank(models, labels, **options)
        self.assertEqual(without(ours.data, "provenance", "seconds"), without(theirs, "provenance", "seconds"))

    def test_default_metrics_with_intervals_and_controls(self):
        self.same(*digits(), "--controls", controls=True)

    def test_all_metrics_without_intervals(self):
        self.same(*digits(), "--metric", "all", "--ci", "0", metrics="all", ci=0)

    def test_draws(self):
        self.same(*digits(), "--subsample", "10/class:3", "--seed", "5", subsample="10/class:3", seed=5)

    def test_text_labels(self):
        models, y = digits()
        self.same(models, np.array(["ant", "bee", "cat", "dög"])[y], "--metric", "logme", metrics="logme")

    def test_regression_and_by(self):
        models, y = digits()
        self.same(models, y + 0.5, "--metric", "logme", "--by", "logme", "--center", metrics="logme", by="logme",
                  center=True)

    def test_multi_label(self):
        models, y = digits()
        self.same(models, np.stack([y % 2, y // 2], axis=1), "--metric", "logme", metrics="logme")

    def test_accuracy_with_the_users_own_test_set(self):
        models, y = digits()
        self.same(models, y, "--accuracy", "--test-rows", "300", accuracy=True, test_rows=300)
        result = assay.rank(models, y, accuracy=True, test_rows=300)
        self.assertEqual(next(iter(result.models[0]["scores"])), "accuracy")
        self.assertEqual(result.data["by"], "consensus")
        with self.assertRaises(ValueError):
            assay.rank(models, y, accuracy=True, test_rows=-1)

    def test_neighbours_of_a_share_of_many_rows(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 2000)
        models = {"a": rng.normal(size=(2000, 4)) + y[:, None]}
        self.same(models, y, "--metric", "knn", "--knn-exact-rows", "1000", metric="knn", knn_exact_rows=1000)
        found = assay.rank(models, y, metric="knn", knn_exact_rows=1000)
        self.assertEqual(found.models[0]["scores"]["knn"]["queries"], 500)
        with self.assertRaises(ValueError):
            assay.rank(models, y, knn_exact_rows=10)

    def test_soft_labels(self):
        models, y = digits()
        certain = np.eye(y.max() + 1)[y]
        self.same(models, certain, "--soft-labels", "--metric", "logme", soft_labels=True, metrics="logme")
        soft = assay.rank(models, certain, soft_labels=True, metrics="logme").scores("logme")
        classes = assay.rank(models, y, metrics="logme").scores("logme")
        for name, value in classes.items():
            self.assertAlmostEqual(soft[name], value, places=9)

    def test_more_dimensions_than_samples(self):
        rng = np.random.default_rng(3)
        self.same({"wide": rng.normal(size=(60, 90))}, np.arange(60) % 3, "--metric", "logme,hscore",
                  metrics=["logme", "hscore"])

    def test_groups(self):
        self.needs_command()
        models, y = digits()
        hub, file = self.save_hub(models, y)
        groups = np.arange(len(y)) // 6
        np.save(self.folder / "groups.npy", groups)
        theirs = run_command("rank", hub, "--labels", file, "--groups", self.folder / "groups.npy", "--metric", "logme")
        ours = assay.rank(models, y, groups=groups, metrics="logme")
        self.assertEqual(without(ours.data, "provenance", "seconds"), without(theirs, "provenance", "seconds"))

    def test_probabilities(self):
        self.needs_command()
        models, y = digits()
        rng = np.random.default_rng(1)
        probs = rng.dirichlet(np.ones(5), len(y))
        folder = self.folder / "hub" / "good"
        folder.mkdir(parents=True)
        np.save(folder / "features.npy", models["good"])
        np.save(folder / "probs.npy", probs)
        np.save(self.folder / "labels.npy", y)
        theirs = run_command("rank", self.folder / "hub", "--labels", self.folder / "labels.npy", "--metric", "leep,nce")
        ours = assay.rank({"good": models["good"]}, y, probabilities={"good": probs}, metrics="leep,nce")
        self.assertEqual(without(ours.data, "provenance", "seconds"), without(theirs, "provenance", "seconds"))

    def test_paths_of_a_hub(self):
        models, y = digits()
        hub, file = self.save_hub(models, y)
        drop = ("provenance", "seconds")
        self.assertEqual(without(assay.rank(hub, file, metrics="logme").data, *drop),
                         without(assay.rank(models, y, metrics="logme").data, *drop))
        self.assertEqual(without(assay.rank(hub, y, metrics="logme").data, *drop),
                         without(assay.rank(models, y, metrics="logme").data, *drop))


class TheResult(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        models["<b>"] = models.pop("noise")
        self.result = assay.rank(models, self.y, metrics=["logme", "knn"])

    def test_orders_the_models(self):
        self.assertEqual(self.result.best, "good")
        self.assertEqual([model["rank"] for model in self.result.models], [1, 2, 3])

    def test_has_a_row_per_model(self):
        rows = self.result.rows()
        self.assertEqual(len(rows), 3)
        self.assertLess(rows[0]["logme_low"], rows[0]["logme"])
        self.assertEqual(len(self.result.table()), 3)

    def test_escapes_names_in_html(self):
        self.assertIn("&lt;b&gt;", self.result._repr_html_())

    def test_is_the_commands_page(self):
        if not assay._core.has_html_page():
            with self.assertRaisesRegex(ValueError, "make web"):
                self.result.to_html()
            self.skipTest("built without the page")
        page = self.result.to_html()
        self.assertNotIn('"<b>"', page)
        self.assertIn(self.result.verdict.split(".")[0], page)
        self.result.to_html(self.folder / "page.html")
        self.assertEqual((self.folder / "page.html").read_text(), page)
        curve = assay.loss_data_curve({"pixels": digits()[0]["good"]}, self.y, sizes=[20, 80], seeds=1)
        both = assay.report([self.result, curve])
        self.assertGreater(len(both), len(page))
        self.assertIn('"kind":"curve"', both)

    def test_shows_the_commands_table(self):
        self.assertIn("logme", repr(self.result))
        self.assertTrue(self.result.to_csv().startswith("name,rank,"))


class Calls(Case):
    def test_eight_threads_at_once_agree(self):
        models, y = digits()
        expected = [assay.score(x, y, "logme") for x in models.values()]
        found = [None] * 8

        def work(k):
            found[k] = [assay.score(x, y, "logme", threads=1) for x in models.values() for _ in range(5)][::5]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 8)

    def test_progress_reaches_one(self):
        seen = []
        models, y = digits()
        assay.rank(models, y, metrics="logme", progress=lambda done, what: seen.append((done, what)))
        self.assertEqual(seen[-1][0], 1.0)
        self.assertEqual(sorted(done for done, _ in seen), [done for done, _ in seen])

    def test_an_error_in_progress_ends_the_call(self):
        def fail(done, what):
            raise RuntimeError("enough")

        models, y = digits()
        with self.assertRaisesRegex(RuntimeError, "enough"):
            assay.rank(models, y, progress=fail)
        self.assertEqual(assay.rank(models, y, metrics="logme").best, "good")

    def test_several_metrics_are_a_dict(self):
        models, y = digits()
        found = assay.score(models["good"], y, ["logme", "knn"])
        self.assertEqual(sorted(found), ["knn", "logme"])
        self.assertEqual(found["logme"], assay.logme(models["good"], y))
