"""Estimators, evaluation, priors, SynBench; docstrings; what holds of the module as a whole."""
import doctest
import importlib
import pickle
import resource
import subprocess
import sys
import warnings

import numpy as np

import assay
from assay import _rank
from support import Case, digits, run_command, without


class Evaluation(Case):
    def test_same_as_the_command(self):
        self.needs_command()
        models, y = digits()
        hub, file = self.save_hub(models, y)
        result = assay.rank(models, y)
        (self.folder / "rank.json").write_text(result.to_json())
        truth = {"good": 0.9, "fair": 0.6, "noise": 0.25}
        params = {"good": 12, "fair": 7, "noise": 9}
        (self.folder / "data_truth.csv").write_text(
            "name,accuracy,params\n" + "".join(f"{k},{truth[k]},{params[k]}\n" for k in truth))
        theirs = run_command("evaluate", "--scores", self.folder / "rank.json", "--truth", self.folder / "data_truth.csv")
        ours = assay.evaluate(result, truth, static={"params": params})
        self.assertEqual(ours.data, without(theirs, "provenance"))
        self.assertEqual(ours.metrics["logme"]["kendall"], 1.0)
        self.assertIn("weighted tau", repr(ours))
        self.assertIn(ours.best["metric"], ours.verdict)
        for text in (repr(ours), ours._repr_html_()):
            self.assertIn(ours.verdict, text)

    def test_directions(self):
        scores = {"error": {"a": 0.1, "b": 0.2, "c": 0.3}}
        truth = {"a": 0.9, "b": 0.8, "c": None}
        self.assertEqual(assay.evaluate(scores, truth).metrics["error"]["kendall"], -1.0)
        self.assertEqual(assay.evaluate(scores, truth, lower_is_better="error").metrics["error"]["kendall"], 1.0)
        with self.assertRaisesRegex(KeyError, "eror"):
            assay.evaluate(scores, truth, lower_is_better="eror")
        with self.assertRaises(ValueError):
            assay.evaluate(scores, {"x": 1.0})

    def test_weighted_tau_is_scipys(self):
        # scipy.stats.weightedtau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]), as SciPy documents it.
        self.assertAlmostEqual(assay.weighted_tau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]), -0.56694968153682723, places=12)
        with self.assertRaises(ValueError):
            assay.weighted_tau([1, 2], [1])


class Estimator(Case):
    def setUp(self):
        super().setUp()
        models, self.y = digits()
        self.x = models["good"].astype(np.float64)

    def test_classes(self):
        words = np.array(["d", "c", "b", "a"])[self.y]
        model = assay.LogME().fit(self.x, words)
        self.assertEqual(model.classes_.tolist(), ["a", "b", "c", "d"])
        self.assertEqual(model.score_, assay.logme(self.x, words))
        found, std = model.predict(self.x, return_std=True)
        self.assertGreater(model.score(self.x, words), 0.8)
        self.assertEqual(found.shape, std.shape)
        self.assertEqual(model.decision_function(self.x).shape, (240, 4))
        self.assertTrue((std > 0).all())

    def test_is_the_closed_form(self):
        model = assay.LogME().fit(self.x[:200], self.y[:200].astype(float))
        mean, variance = model._distribution(self.x[200:])
        # f'm and f'A^-1 f + 1/beta, A = alpha I + beta F'F, solved directly.
        a = model.alpha_[0] * np.eye(12) + model.beta_[0] * self.x[:200].T @ self.x[:200]
        m = model.beta_[0] * np.linalg.solve(a, self.x[:200].T @ self.y[:200])
        np.testing.assert_allclose(model.coef_[0], m, rtol=1e-9)
        np.testing.assert_allclose(mean[:, 0], self.x[200:] @ m, rtol=1e-9)
        spread = np.einsum("ij,ij->i", self.x[200:], np.linalg.solve(a, self.x[200:].T).T) + 1 / model.beta_[0]
        np.testing.assert_allclose(variance[:, 0], spread, rtol=1e-9)

    def test_several_targets(self):
        targets = np.stack([self.y, -self.y], axis=1) * 1.0
        self.assertEqual(assay.LogME().fit(self.x, targets).predict(self.x[:5]).shape, (5, 2))

    def test_pickles(self):
        for x in (self.x, self.x[:8]):  # more and fewer samples than dimensions
            model = assay.LogME().fit(x, self.y[: len(x)])
            again = pickle.loads(pickle.dumps(model))
            for one, other in zip(model._distribution(self.x), again._distribution(self.x)):
                np.testing.assert_array_equal(one, other)

    def test_refuses(self):
        with self.assertRaisesRegex(ValueError, "not fitted"):
            assay.LogME().predict(self.x)
        with self.assertRaisesRegex(ValueError, "expecting 12 features"):
            assay.LogME().fit(self.x, self.y).predict(self.x[:, :3])
        with self.assertRaisesRegex(ValueError, "every target is constant"):
            assay.LogME().fit(self.x, np.ones(240))

    def test_scikit_learn(self):
        try:
            from sklearn.base import clone
            from sklearn.model_selection import cross_val_score
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler
        except ImportError:
            self.skipTest("no scikit-learn")
        model = make_pipeline(StandardScaler(), assay.LogME(threads=1))
        self.assertGreater(cross_val_score(model, self.x, self.y).mean(), 0.7)
        self.assertEqual(clone(assay.LogME(threads=1)).get_params()["threads"], 1)
        self.assertEqual(model.set_params(logme__threads=2).named_steps["logme"].threads, 2)

    def test_scikit_learns_own_checks(self):
        try:
            from sklearn.utils.estimator_checks import check_estimator
        except ImportError:
            self.skipTest("no scikit-learn")
        try:
            from sklearn.utils.estimator_checks import estimator_checks_generator as checks_of
        except ImportError:  # before 1.6
            def checks_of(estimator):
                return check_estimator(estimator, generate_only=True)
        for kind in (assay.LogME, assay.LogMEClassifier, assay.LogMERegressor):
            checks = list(checks_of(kind()))
            self.assertGreater(len(checks), 20)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for estimator, check in checks:
                    with self.subTest(kind=kind.__name__, check=getattr(check, "func", check).__name__):
                        check(estimator)

    def test_classifier_and_regressor(self):
        words = np.array(["d", "c", "b", "a"])[self.y]
        model = assay.LogMEClassifier().fit(self.x[:180], words[:180])
        chances = model.predict_proba(self.x[180:])
        np.testing.assert_allclose(chances.sum(axis=1), 1.0, atol=1e-12)
        self.assertEqual(chances.shape, (60, 4))
        self.assertGreater(np.mean(model.classes_[chances.argmax(axis=1)] == words[180:]), 0.8)
        np.testing.assert_array_equal(model.predict(self.x), assay.LogME().fit(self.x[:180], words[:180]).predict(self.x))
        # Independent: the share of draws of which a column is the largest.
        mean, variance = model._distribution(self.x[180:190])
        drawn = mean + np.sqrt(variance) * np.random.default_rng(0).normal(size=(20000, 10, 4))
        shares = np.stack([(drawn.argmax(axis=2) == c).mean(axis=0) for c in range(4)], axis=1)
        np.testing.assert_allclose(chances[:10], shares, atol=5 * 0.5 / np.sqrt(20000))
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(self.x), model.predict_proba(self.x))
        self.assertEqual(assay.LogMEClassifier().fit(self.x, self.y.astype(float)).classes_.tolist(), [0, 1, 2, 3])
        with self.assertRaisesRegex(ValueError, "Unknown label type"):
            assay.LogMEClassifier().fit(self.x, self.y + 0.5)
        numbers = assay.LogMERegressor().fit(self.x, self.y)
        np.testing.assert_array_equal(numbers.predict(self.x), assay.LogME().fit(self.x, self.y + 0.0).predict(self.x))
        self.assertFalse(hasattr(numbers, "predict_proba"))

    def test_scikit_learn_stratifies(self):
        try:
            from sklearn.base import is_classifier, is_regressor
            from sklearn.model_selection import check_cv, cross_val_predict
        except ImportError:
            self.skipTest("no scikit-learn")
        self.assertTrue(is_classifier(assay.LogMEClassifier()) and is_regressor(assay.LogMERegressor()))
        self.assertFalse(is_classifier(assay.LogME()) or is_regressor(assay.LogME()))
        splitter = check_cv(3, self.y, classifier=is_classifier(assay.LogMEClassifier()))
        self.assertEqual(type(splitter).__name__, "StratifiedKFold")
        rare = np.sort(self.y)  # plain folds of sorted labels would each lack classes
        order = np.argsort(self.y, kind="stable")
        found = cross_val_predict(assay.LogMEClassifier(), self.x[order], rare, cv=3, method="predict_proba")
        self.assertGreater(np.mean(found.argmax(axis=1) == rare), 0.8)

    def test_drop_in(self):
        model = assay.compat.LogME()
        self.assertEqual(model.fit(self.x, self.y), assay.logme(self.x, self.y))
        self.assertEqual(model.ms.shape, (4, 12))
        np.testing.assert_array_equal(model.predict(self.x), assay.LogME().fit(self.x, self.y).predict(self.x))
        with self.assertWarnsRegex(UserWarning, "re-fitting"):
            model.fit(self.x, self.y)
        gaps = assay.compat.LogME()
        gaps.fit(self.x, np.where(self.y == 1, 6, self.y))
        self.assertEqual((gaps.num_dim, set(gaps.predict(self.x))), (7, {0, 2, 3, 6}))
        values = assay.compat.LogME(regression=True)
        self.assertEqual(values.fit(self.x, self.y), assay.logme(self.x, self.y.astype(float), center=False))
        self.assertEqual(values.predict(self.x).shape, (240, 1))


class Priors(Case):
    def test_score_is_the_commands(self):
        self.needs_command()
        models, y = digits()
        hub, file = self.save_hub(models, y)
        np.save(self.folder / "prior.npy", models["good"])
        for prior, given in ((self.folder / "prior.npy", models["good"]), (f"labels:{file}", assay.labels_prior(y)),
                             ("views:2", assay.views_prior(2))):
            theirs = run_command("prior", "score", hub, "--labels", file, "--temperature", "0.1,1", "--prior", prior)
            ours = assay.prior_score(models, given, labels=y, temperature=[0.1, 1])
            self.assertEqual(without(ours.data, "provenance"), without(theirs, "provenance"))

    def test_products_and_choices(self):
        models, y = digits()
        both = assay.task_prior(models, (models["good"], assay.labels_prior(y)), temperature=1, graph="undirected",
                                kernel="linear")
        self.assertEqual(len(both.models), 3)
        several = assay.task_prior(models["good"], {"a": models["good"], "b": assay.views_prior(2)})
        self.assertEqual([row["prior"] for row in several.models], ["a", "views:2"])
        with self.assertRaisesRegex(ValueError, "`kernel` 'cubic'"):
            assay.task_prior(models, models["good"], kernel="cubic")
        with self.assertRaisesRegex(ValueError, "same samples"):
            assay.task_prior(models, models["good"][:-1])

    def test_sampled_tasks_are_the_commands(self):
        self.needs_command()
        models, _ = digits()
        np.save(self.folder / "x.npy", models["good"])
        run_command("prior", "sample", self.folder / "x.npy", "--classes", "3", "--tasks", "5", "--seed", "9",
                    "--sampler", "gibbs:2", "--out", self.folder / "tasks.npy")
        ours = assay.sample_tasks(models["good"], classes=3, tasks=5, seed=9, sampler="gibbs:2")
        np.testing.assert_array_equal(ours, np.load(self.folder / "tasks.npy"))
        drawn = assay.prior_sample(models["good"], classes=3, tasks=5, seed=9, sampler="gibbs:2")
        np.testing.assert_array_equal(drawn.labels, ours)
        self.assertEqual(drawn["tasks_compared"], 5)
        kernel = models["good"] @ models["good"].T
        self.assertEqual(assay.sample_tasks(kernel, from_kernel=True, tasks=3).shape, (3, len(kernel)))
        with self.assertRaisesRegex(ValueError, "`diversity` 2"):
            assay.prior_sample(models["good"], diversity=2)
        with self.assertRaisesRegex(ValueError, "`sampler` 'slice'"):
            assay.sample_tasks(models["good"], sampler="slice")

    def test_probes_are_the_commands(self):
        self.needs_command()
        models, y = digits()
        hub, _ = self.save_hub(models, y)
        tasks = assay.prior_sample(models["good"], classes=3, tasks=30).labels
        np.save(self.folder / "tasks.npy", tasks)
        np.save(self.folder / "prior.npy", models["good"])
        theirs = run_command("prior", "probe", hub, "--tasks", self.folder / "tasks.npy", "--prior",
                             self.folder / "prior.npy", "--model-kernel", "ridge")
        ours = assay.prior_probe(models, tasks, prior=models["good"], model_kernel="ridge")
        self.assertEqual(without(ours.data, "provenance"), without(theirs, "provenance"))
        self.assertEqual(ours.correlation["mean"]["models"], 3)
        with self.assertRaisesRegex(ValueError, "another number of rows"):
            assay.prior_probe(models, tasks[:, :-1])
        with self.assertRaisesRegex(ValueError, "expected integers"):
            assay.prior_probe(models, tasks.astype(float))

    def test_evaluate_reads_them(self):
        models, y = digits()
        scores = assay.prior_score(models, assay.labels_prior(y), probe_r2=0)
        probes = assay.prior_probe(models, assay.prior_sample(models["good"], tasks=20).labels)
        truth = {model["name"]: model["mean"] for model in probes.models}
        found = assay.evaluate(scores, truth)
        self.assertEqual(set(found.metrics) >= {"probe_r2", "expectation", "sd_per_pair", "rankme", "dim"}, True)
        self.assertEqual(assay.evaluate(probes, truth).metrics["mean"]["kendall"], 1.0)


class Teachers(Case):
    def test_mix_what_each_predicts(self):
        models, y = digits()
        found = assay.b_tuning_targets({"good": models["good"], "fair": models["fair"]}, models["noise"], y,
                                       temperature=0.05, teacher_fit="in-sample")
        fits = {name: assay.LogME().fit(models[name], y) for name in ("good", "fair", "noise")}
        self.assertEqual(found.logme, {name: fits[name].score_ for name in ("good", "fair")})
        share = 1 / (1 + np.exp((fits["fair"].score_ - fits["good"].score_) / 0.05))
        self.assertAlmostEqual(found.weights["good"], share, places=12)
        mixed = share * models["good"] @ fits["good"].coef_.T + (1 - share) * models["fair"] @ fits["fair"].coef_.T
        np.testing.assert_allclose(found.targets, mixed, atol=1e-3)  # half precision
        np.testing.assert_array_equal(found.m, fits["noise"].coef_.astype(np.float32))
        self.assertEqual(found.columns, ["0", "1", "2", "3"])

    def test_leave_one_out(self):
        models, y = digits()
        features = models["good"].astype(np.float64)
        fit = assay.LogME().fit(features, y)
        found = assay.b_tuning_targets({"good": features}, models["fair"], y)
        for row in (0, 7):
            kept = np.delete(np.arange(len(y)), row)
            for column, (alpha, beta) in enumerate(zip(fit.alpha_, fit.beta_)):
                gram = features[kept].T @ features[kept] + alpha / beta * np.eye(features.shape[1])
                m = np.linalg.solve(gram, features[kept].T @ (y[kept] == column))
                self.assertAlmostEqual(float(found.targets[row, column]), float(features[row] @ m), delta=2e-3)
        with self.assertRaisesRegex(ValueError, "teacher_fit"):
            assay.b_tuning_targets({"good": features}, models["fair"], y, teacher_fit="magic")

    def test_file(self):
        models, y = digits()
        found = assay.b_tuning_targets(models["good"], models["fair"], y)
        found.save(self.folder / "targets.npz")
        with np.load(self.folder / "targets.npz") as file:
            np.testing.assert_array_equal(file["targets"], found.targets)
            self.assertEqual(file["m"].shape, found.m.shape)

    def test_refuses(self):
        models, y = digits()
        with self.assertRaisesRegex(ValueError, '`temperature` 0'):
            assay.b_tuning_targets(models, models["good"], y, temperature=0)
        with self.assertRaisesRegex(ValueError, "rows"):
            assay.b_tuning_targets({"short": models["good"][:-1]}, models["good"], y)


class Synbench(Case):
    def test_same_as_the_command(self):
        self.needs_command()
        rng = np.random.default_rng(2)
        scales = np.array([0.5, 1.5, 3.0])
        y = np.tile(np.arange(60) % 2, (3, 1))
        x = [rng.normal(size=(3, 60, 4)) + scales[:, None, None] * (2 * y - 1)[..., None] / 2 for _ in range(2)]
        arrays = {"scales": scales, "train": x[0].astype(np.float32), "test": x[1].astype(np.float32),
                  "train_labels": y, "test_labels": y}
        np.savez(self.folder / "raw.npz", **arrays)
        theirs = run_command("robust", "score", "--representations", self.folder / "raw.npz", "--epsilon", "0,0.3")
        for given in ({"raw": arrays}, {"raw": {k: np.asfortranarray(v) for k, v in arrays.items()}},
                      self.folder / "raw.npz"):
            ours = assay.synbench(given, epsilon=[0, 0.3])
            self.assertEqual(without(ours.data, "provenance", "seconds"), without(theirs, "provenance", "seconds"))
        np.save(self.folder / "noise.npy", np.array([4.0, 1.0]))
        theirs = run_command("robust", "score", "--representations", self.folder / "raw.npz", "--covariance", self.folder / "noise.npy")
        for covariance in ([4.0, 1.0], np.diag([4.0, 1.0]), ([3.0, 1.0], [[1.0], [0.0]])):
            ours = assay.robust_score({"raw": arrays}, covariance=covariance)
            for mine, their in zip(ours.models[0]["scores"], theirs["models"][0]["scores"]):
                self.assertAlmostEqual(mine["calibrated"], their["calibrated"], 10)
        with self.assertRaisesRegex(KeyError, "no array 'test'"):
            assay.synbench({"raw": {k: v for k, v in arrays.items() if k != "test"}})
        with self.assertRaisesRegex(ValueError, "expected floats of shape"):
            assay.synbench({"raw": {**arrays, "train": x[0][0]}})


class Module(Case):
    def test_docstrings(self):
        for name in ("assay", "assay.compat", "assay._curve", "assay._evaluate", "assay._extract", "assay._inputs", "assay._logme", "assay._parts", "assay._prior",
                     "assay._rank", "assay._robust", "assay._teachers"):
            found = doctest.testmod(importlib.import_module(name))
            self.assertEqual(found.failed, 0, name)

    def test_metrics(self):
        self.assertIn("logme", [row["name"] for row in assay.metrics()])
        self.assertIn("LogME", _rank.logme.__doc__)

    def test_version_is_the_commands(self):
        self.needs_command()
        import support

        text = subprocess.run([support.COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(text.split()[-1], assay.__version__)

    def test_imports_neither_torch_nor_scikit_learn(self):
        code = "import sys, assay; print(sorted(m for m in ('torch', 'sklearn', 'pandas', 'tqdm', 'matplotlib', 'timm', 'transformers') if m in sys.modules))"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout, "[]\n")

    def test_leaks_nothing(self):
        """Resident memory after thousands of calls; a leak of the 40 kB array would take 120 MB."""
        x, y = np.random.default_rng(0).normal(size=(1000, 5)), np.arange(1000) % 2

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        def call(times):
            for _ in range(times):
                assay.score(x, y, "logme", threads=1)
                try:
                    assay.score(x, y[1:], "logme", threads=1)
                except ValueError:
                    pass

        call(300)
        before = peak()
        call(3000)
        self.assertLess(peak() - before, 8 * 1024)
