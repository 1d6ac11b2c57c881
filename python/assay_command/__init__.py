"""`assay` on the command line, as pip installs it: the compiled command beside this file takes the process over.

A package of its own, so that starting the command imports neither NumPy nor the module.
"""
import os
import sys


def path():
    """Where the command is; None where it was not built in."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assay")
    return command if os.access(command, os.X_OK) else None


def main():
    command = path()
    if command is None:
        sys.exit("assay: this installation holds the Python module without the command")
    os.execv(command, ["assay", *sys.argv[1:]])
