#!/usr/bin/env python3
"""Runs the cells of a notebook in order, without Jupyter, and writes what they show back into it.

usage: tools/run_notebook.py NOTEBOOK.ipynb     (from the folder its paths are relative to)
"""
import ast
import contextlib
import io
import json
import os
import sys


def run_cell(source, names):
    """(what was printed, the value of the last line or None)"""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue(), value


def lines(text):
    return text.splitlines(keepends=True)


def outputs(printed, value, count):
    found = [{"output_type": "stream", "name": "stdout", "text": lines(printed)}] if printed else []
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        found.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return found


def run(notebook):
    """Runs every code cell, sets its outputs; the names the cells defined."""
    names, count = {}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        printed, value = run_cell("".join(cell["source"]), names)
        cell["execution_count"], cell["outputs"] = count, outputs(printed, value, count)
    return names


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        notebook = json.load(file)
    run(notebook)
    temporary = sys.argv[1] + ".tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(temporary, sys.argv[1])


if __name__ == "__main__":
    main()
