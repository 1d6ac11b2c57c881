"""Results: the command's JSON with a face."""
import html
import json
import os
import warnings

from . import _core, _html
from ._inputs import outside


class FailedModelWarning(UserWarning):
    """A model could not be used; the others were."""


class Result:
    """The JSON of the command, read by name: ``result["models"]`` or ``result["resnet"]``, ``result.data``.

    ``for model in result`` goes through the models, as ``result.models`` does.
    """

    command = None  # what the JSON calls itself

    def __init__(self, found):
        self.data = json.loads(found["json"])
        self._text = found.get("text")
        self._csv = found.get("csv")
        if self.failed:
            warnings.warn(self.failures, FailedModelWarning, stacklevel=outside())

    @classmethod
    def from_json(cls, source):
        """The result that ``to_json`` or the command's ``--json`` wrote: its text, or a path."""
        result = load(source)
        if not isinstance(result, cls):
            raise ValueError(f"this is a {type(result).__name__}, not a {cls.__name__}")
        return result

    def __getitem__(self, key):
        """A part of the JSON by its key, or a model by its name: one dict, or a list where it has several rows."""
        if key in self.data:
            return self.data[key]
        found = [model for model in self.data.get("models", []) if model.get("name") == key]
        if found:
            return found[0] if len(found) == 1 else found
        failed = [f"it failed: {one['error']}" for one in self.failed if one["name"] == key]
        names = ", ".join(dict.fromkeys(str(model.get("name")) for model in self.data.get("models", [])))
        raise KeyError(f"'{key}': {failed[0]}" if failed else f"'{key}' is neither a model ({names}) nor a part of the result")

    def __contains__(self, key):
        return key in self.data or any(model.get("name") == key for model in self.data.get("models", []))

    def __iter__(self):
        return iter(self.data.get("models", []))

    def __len__(self):
        return len(self.data.get("models", []))

    def __repr__(self):
        text = _plain_table(self.rows()) if self._text is None else self._text
        return f"{text}\n{self.verdict}" if self.verdict else text

    @property
    def models(self):
        """One dict per model, as in the command's JSON."""
        return self.data["models"]

    @property
    def verdict(self):
        """What was found, how sure that is, and what is missing from it: one paragraph; empty where the command has none."""
        words = self.data.get("verdict", "")
        unsaid = self.failed and not all(one["name"] in words for one in self.failed)
        return f"{words} {self.failures}".strip() if unsaid else words

    @property
    def failed(self):
        """Models that could not be used: dicts of name and error."""
        return self.data.get("failed", [])

    @property
    def failures(self):
        """The same as a paragraph; empty when all went well."""
        if not self.failed:
            return ""
        count = len(self.failed)
        reasons = [one["error"] if one["error"].startswith(one["name"]) else f"{one['name']}: {one['error']}" for one in self.failed]
        return f"{count} model{'s' if count > 1 else ''} failed and {'are' if count > 1 else 'is'} not among these: " + "; ".join(reasons)

    def to_json(self, **options):
        """The same text as the command's ``--json``."""
        return json.dumps(self.data, ensure_ascii=False, **{"indent": 2, **options})

    def rows(self):
        """One flat dict per model."""
        return [{key: value for key, value in model.items() if not isinstance(value, (dict, list))} for model in self]

    def table(self):
        """A pandas DataFrame of ``rows()`` where pandas is installed, else the rows themselves."""
        try:
            return self.to_pandas()
        except ImportError:
            return self.rows()

    def to_pandas(self):
        """A pandas DataFrame of ``rows()``."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_csv(self):
        """The text of the command's ``--csv`` where it has one, else ``rows()``."""
        return _rows_as_csv(self.rows()) if self._csv is None else self._csv

    def plot(self, **options):
        """A chart of this result with matplotlib; returns its Axes. See ``assay.plot``."""
        from . import _plot

        return _plot.plot(self, **options)

    def _repr_html_(self):
        words = self.data.get("verdict", "")
        return _html.table(self.rows()) + _html.failures(self.failed) + (f"<p>{html.escape(words)}</p>" if words else "")

    def to_html(self, path=None):
        """The page of the command's ``--html``: its text, or written to ``path``."""
        return report([self], path)


def load(source):
    """The result whose JSON is in ``source``: a path, or the text itself; of the command or of this module.

    Its tables are those of ``rows()``: the command's own tables are not part of the JSON.
    """
    if isinstance(source, os.PathLike) or not str(source).lstrip().startswith("{"):
        with open(source, encoding="utf-8") as file:
            source = file.read()
    try:
        data = json.loads(source)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON of a result: {error}") from None
    command = data.get("command", "evaluate" if "truth_column" in data else None) if isinstance(data, dict) else None
    kinds = {kind.command: kind for kind in _all_kinds(Result) if kind.command}
    if command not in kinds:
        raise ValueError(f"no result of assay that this module reads: command {command!r}; expected one of {', '.join(sorted(kinds))}")
    return kinds[command]({"json": source})


def _all_kinds(kind):
    for below in kind.__subclasses__():
        yield below
        yield from _all_kinds(below)


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


def _titles(rows):
    return list(dict.fromkeys(title for row in rows for title in row))


def _rows_as_csv(rows):
    import csv
    import io

    text = io.StringIO()
    writer = csv.DictWriter(text, _titles(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _plain_table(rows):
    if not rows:
        return "nothing"
    titles = [title for title in _titles(rows) if any(row.get(title) is not None for row in rows)]
    cells = [titles] + [[_html.number(row.get(title)) for title in titles] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)
