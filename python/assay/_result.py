"""Results: the command's JSON with a face."""
import html
import json


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


def html_page(title, body):
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.2em .8em;text-align:right}"
        "tbody tr:nth-child(odd){background:#f4f4f4}</style></head>"
        f"<body>{body}</body></html>"
    )
