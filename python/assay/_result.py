"""Results: the command's JSON with a face."""
import html
import json
import os

from . import _core


class Result:
    """The JSON of the command, read by name: ``result["models"]``, ``result.data``."""

    def __init__(self, found):
        self.data = json.loads(found["json"])
        self._text = found["text"]

    def __getitem__(self, key):
        return self.data[key]

    def __repr__(self):
        return self._text

    @property
    def models(self):
        """One dict per model, as in the command's JSON."""
        return self.data["models"]

    @property
    def failed(self):
        """Models that could not be used: dicts of name and error."""
        return self.data.get("failed", [])

    def to_json(self, **options):
        """The same text as the command's ``--json``."""
        return json.dumps(self.data, ensure_ascii=False, **{"indent": 2, **options})

    def rows(self):
        """One flat dict per model."""
        return [{key: value for key, value in model.items() if not isinstance(value, (dict, list))} for model in self.models]

    def table(self):
        """A pandas DataFrame of ``rows()`` where pandas is installed, else the rows themselves."""
        try:
            import pandas
        except ImportError:
            return self.rows()
        return pandas.DataFrame(self.rows())

    def _repr_html_(self):
        return html_table(self.rows())

    def to_html(self, path=None):
        """The page of the command's ``--html``: its text, or written to ``path``."""
        return report([self], path)


def report(results, path=None):
    """One page of several results, as ``assay report`` writes it: its text, or written to ``path``."""
    page = _core.html_page([result.to_json() for result in results])
    if path is None:
        return page
    temporary = f"{os.fspath(path)}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(page)
    os.replace(temporary, path)
    return None


def cell(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return html.escape(str(value))


def html_table(rows):
    if not rows:
        return "<p>nothing</p>"
    titles = list(rows[0])
    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{cell(row.get(t))}</td>" for t in titles) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
