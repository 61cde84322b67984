"""Prints `first` if a judge's module, or one of the user's that it imports, imports AutoJudge's first package:
python generation.py MODULE. No module is run."""

import ast
import os
import sys

FIRST = "trec_auto_judge"
INSTALLED = ("site-packages", "dist-packages")
STANDARD = getattr(sys, "stdlib_module_names", ())


def located(name):
    """The file of a module, and whether it is a package's; None if it has none on the path."""
    for folder in sys.path:
        path = os.path.join(folder, *name.split("."))
        if os.path.isfile(path + ".py"):
            return path + ".py", False
        if os.path.isfile(os.path.join(path, "__init__.py")):
            return os.path.join(path, "__init__.py"), True
    return None


def imported(tree, package):
    """Names of the modules that a file may import; those of relative imports by its package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = parts[: len(parts) - node.level + 1] if node.level else []
            name = ".".join(base + ([node.module] if node.module else []))
            yield name
            yield from (name + "." + alias.name for alias in node.names)


def is_first(judge):
    waiting, seen = [judge], set()
    while waiting:
        name = waiting.pop()
        if name.split(".")[0] == FIRST:
            return True
        if name in seen or name.split(".")[0] in STANDARD:
            continue
        seen.add(name)
        path, is_package = located(name) or (None, False)
        is_own = name.split(".")[0] == judge.split(".")[0]
        if path is None or (not is_own and any(part in path for part in INSTALLED)):
            continue
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
        waiting += imported(tree, name if is_package else name.rpartition(".")[0])
    return False


def main():
    # As in bridge.py.
    sys.path[0:1] = []
    sys.path.append(os.getcwd())
    if is_first(sys.argv[1]):
        print("first")


main()
