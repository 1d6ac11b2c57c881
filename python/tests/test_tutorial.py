"""The tutorial runs, and shows what it showed when it was written."""
import json
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import run_notebook  # noqa: E402


class Tutorial(unittest.TestCase):
    def test_runs(self):
        here = os.getcwd()
        os.chdir(ROOT)
        self.addCleanup(os.chdir, here)
        notebook = json.loads((ROOT / "examples/python/tutorial.ipynb").read_text())
        names = run_notebook.run(notebook)
        self.assertEqual(names["result"].models[-1]["name"], "noise")
        self.assertIn("labels", names["curves"].answer)
        self.assertLess(max(names["targets"].weights.values()), 1.0)

    def test_shows_its_results(self):
        cells = json.loads((ROOT / "examples/python/tutorial.ipynb").read_text())["cells"]
        shown = [cell for cell in cells if cell["cell_type"] == "code" and cell["outputs"]]
        self.assertGreater(len(shown), 5)
