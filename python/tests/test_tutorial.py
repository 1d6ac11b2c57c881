"""Runs the cells of the tutorial, without Jupyter."""
import contextlib
import io
import json
import os
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Tutorial(unittest.TestCase):
    def test_runs(self):
        cells = json.loads((ROOT / "examples/python/tutorial.ipynb").read_text())["cells"]
        here, names, shown = os.getcwd(), {}, io.StringIO()
        os.chdir(ROOT)
        self.addCleanup(os.chdir, here)
        with contextlib.redirect_stdout(shown):
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)  # noqa: S102
        self.assertIn("noise", shown.getvalue())
        self.assertEqual(names["result"].models[-1]["name"], "noise")
        self.assertIn("labels", names["curves"].answer)
