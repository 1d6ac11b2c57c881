import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np

import assay
from support import Case, digits, run_command, without

DROP = ("provenance", "seconds", "resumed")


class SameAsTheCommand(Case):
    def test_classes(self):
        self.needs_command()
        models, y = digits()
        hub, file = self.save_hub(models, y)
        theirs = run_command("curve", hub, "--labels", file, "--sizes", "4", "--seeds", "2", "--target-accuracy", "0.6",
                             "--epsilon", "0.9", "--no-journal")
        ours = assay.loss_data_curve(models, y, sizes=4, seeds=2, target_accuracy=0.6, epsilon=0.9)
        self.assertEqual(without(ours.data, *DROP), without(theirs, *DROP))
        self.assertIn("labels", ours.answer)

    def test_values_and_refinement(self):
        self.needs_command()
        models, y = digits()
        target = models["fair"][:, 0] + 0.1 * y
        hub, file = self.save_hub(models, target)
        theirs = run_command("curve", hub, "--labels", file, "--sizes", "20,60,150", "--seeds", "1", "--refine=1",
                             "--no-journal", "--rule", "linear", "--seed", "3")
        ours = assay.loss_data_curve(models, target, sizes=[150, 20, 60], seeds=1, refine=1, rule="linear", seed=3)
        self.assertEqual(without(ours.data, *DROP), without(theirs, *DROP))

    def test_validation_data_of_their_own(self):
        self.needs_command()
        models, y = digits()
        hub, file = self.save_hub({k: v[:160] for k, v in models.items()}, y[:160])
        held = self.folder / "held"
        held.mkdir()
        for name, x in models.items():
            np.save(held / f"{name}.npy", x[160:])
        np.save(self.folder / "held_labels.npy", y[160:])
        theirs = run_command("curve", hub, "--labels", file, "--validation", held, "--validation-labels",
                             self.folder / "held_labels.npy", "--sizes", "3", "--seeds", "1", "--no-journal")
        ours = assay.loss_data_curve({k: v[:160] for k, v in models.items()}, y[:160], sizes=3, seeds=1,
                                     validation={k: v[160:] for k, v in models.items()}, validation_labels=y[160:])
        self.assertEqual(without(ours.data, *DROP), without(theirs, *DROP))


class BeyondTheData(Case):
    def test_a_target_out_of_reach_is_foretold_or_said_to_be(self):
        models, y = digits()
        result = assay.loss_data_curve(models, y, sizes=5, seeds=3, target_loss=0.01)
        needed = result.models[0]["target_loss"]
        self.assertIn(needed["reach"], ("extrapolated", "far", "not_reachable"))
        n, loss, low, high = result.forecast(result.models[0]["name"])
        self.assertEqual(len(n), 10)
        self.assertTrue(all(a <= b <= c for a, b, c in zip(low, loss, high)))

    def test_groups_and_penalties(self):
        models, y = digits()
        groups = np.arange(len(y)) // 4
        result = assay.loss_data_curve(models, y, sizes=3, seeds=2, groups=groups, l2=3.0)
        self.assertEqual(result.data["groups"], len(np.unique(groups)))
        self.assertEqual(result.data["probe"]["l2"], 3.0)
        with self.assertRaisesRegex(ValueError, "no penalty"):
            assay.loss_data_curve(models, y, l2="strong")


class Learners(Case):
    def test_are_given_the_rows_that_the_engine_draws(self):
        """The rows are those of `--export-subsets`."""
        self.needs_command()
        models, y = digits()
        hub, file = self.save_hub(models, y)
        run_command("curve", hub, "--labels", file, "--sizes", "20,50", "--seeds", "2", "--no-journal",
                    "--export-subsets", self.folder / "subsets")
        asked = []

        def learner(train, validation):
            asked.append((train, validation))
            return 1.0 / len(train)

        assay.loss_data_curve({"mine": learner}, y, sizes=[20, 50], seeds=2)
        self.assertEqual(len(asked), 4)
        for k, (train, held) in enumerate(asked):
            order = np.load(self.folder / "subsets" / f"order_seed_{k // 2}.npy")
            np.testing.assert_array_equal(train, order[: (20, 50)[k % 2]])
            np.testing.assert_array_equal(
                held, np.load(self.folder / "subsets" / f"validation_rows_seed_{k // 2}.npy"))

    def test_stand_beside_features(self):
        models, y = digits()
        result = assay.loss_data_curve({"mine": lambda t, v: (2.0 / len(t), 0.25), "good": models["good"]}, y,
                                       sizes=[20, 100], seeds=2, epsilon=0.05, target_accuracy=0.2)
        self.assertEqual([model["name"] for model in result.models], ["good", "mine"])
        mine = result.models[1]
        self.assertEqual([(p["n"], p["loss"], p["accuracy"]) for p in mine["curve"]], [(20, 0.1, 0.25), (100, 0.02, 0.25)])
        self.assertEqual(mine["va"], 0.02)
        self.assertEqual(mine["esc"][0]["value"], 100)
        # The left rule: 20 rows at chance, ln 4, then 80 at the loss of 20 rows.
        self.assertAlmostEqual(mine["mdl"], 20 * np.log(4) + 80 * 0.1, places=12)
        self.assertIsNone(mine["dim"])

    def test_are_refined(self):
        result = assay.loss_data_curve(lambda t, v: 1.0 / len(t), np.arange(500) % 2, sizes=[10, 400], seeds=1,
                                       epsilon=1 / 123, refine=3)
        found = result.models[0]["refined"][0]
        self.assertTrue(found["above"] < 123 <= found["reached"] <= 125, found)

    def test_run_on_the_thread_that_calls(self):
        seen = set()

        def learner(train, validation):
            seen.add(threading.get_ident())
            return 1.0

        assay.loss_data_curve(learner, np.arange(100) % 2, sizes=3, seeds=2)
        self.assertEqual(seen, {threading.get_ident()})

    def test_errors_come_out_as_they_are(self):
        def learner(train, validation):
            raise ZeroDivisionError("mine")

        y = np.arange(100) % 2
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            assay.loss_data_curve(learner, y)
        with self.assertRaisesRegex(TypeError, "must return its loss"):
            assay.loss_data_curve(lambda t, v: "low", y)
        with self.assertRaisesRegex(ValueError, "the loss is nan"):
            assay.loss_data_curve(lambda t, v: float("nan"), y)
        with self.assertRaisesRegex(ValueError, "accuracy is 3"):
            assay.loss_data_curve(lambda t, v: (1.0, 3.0), y)
        with self.assertRaisesRegex(ValueError, "needs the accuracy"):
            assay.loss_data_curve(lambda t, v: 1.0, y, target_accuracy=0.5)
        with self.assertRaisesRegex(ValueError, '`certify`'):
            assay.loss_data_curve(lambda t, v: 1.0, y, certify=0.1)

    def test_wrong_probe(self):
        models, y = digits()
        with self.assertRaisesRegex(ValueError, '`probe` ridge is for regression'):
            assay.loss_data_curve(models, y, probe="ridge")
        with self.assertRaises((KeyError, ValueError)):
            assay.loss_data_curve(models, y, probe="forest")


class Interruption(Case):
    def test_ctrl_c_ends_a_long_call(self):
        code = """
            import signal, numpy as np, assay
            # A shell that was started in the background has it ignored.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            x = np.random.default_rng(0).normal(size=(4000, 64))
            print("ready", flush=True)
            try:
                assay.loss_data_curve({"x": x}, np.arange(4000) % 5, probe="mlp", sizes=10, seeds=20)
                print("finished")
            except KeyboardInterrupt:
                print("interrupted")
        """
        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(1.0)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        self.assertEqual(out, "interrupted\n")
