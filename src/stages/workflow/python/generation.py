"""Prints `first` if a judge's module imports AutoJudge's first package: python generation.py MODULE. The judge is not run."""

import ast
import importlib.util
import os
import sys

FIRST = "trec_auto_judge"


def imported(tree):
    """Names of the modules that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def main():
    # As in bridge.py.
    sys.path[0:1] = []
    sys.path.append(os.getcwd())
    spec = importlib.util.find_spec(sys.argv[1])
    with open(spec.origin, "rb") as file:
        names = imported(ast.parse(file.read()))
    if any(name.split(".")[0] == FIRST for name in names):
        print("first")


main()
