"""AutoJudge's packages of both generations, as bridge.py uses them."""

import importlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import sys
from pathlib import Path

INSTALL = "install autojudge-base there, or name another Python with --python"


class Refused(Exception):
    """Something that the user can mend: shown without a traceback."""


class StandIn:
    """Imports autojudge_base under the name of the first generation's package, where that is not installed."""

    def find_spec(self, name, path=None, target=None):
        root, _, rest = name.partition(".")
        if root != "trec_auto_judge" or importlib.util.find_spec("autojudge_base") is None:
            return None
        if not rest:
            print("trec_auto_judge is not installed: autojudge_base stands in for it", file=sys.stderr)
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        module = importlib.import_module(spec.name.replace("trec_auto_judge", "autojudge_base", 1))
        self.spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.spec
        if self.spec.name == "autojudge_base.nugget_data":
            # The first generation has Nuggetizer's classes here.
            for name, value in vars(importlib.import_module("autojudge_base.nugget_data.nuggetizer")).items():
                vars(module).setdefault(name, value)


class Package:
    """AutoJudge's package as one generation has it: where things are, and what a judge's methods are given."""

    NAMES = ("autojudge_base", "trec_auto_judge")

    def __init__(self, name):
        self.name = name
        # The first generation's methods know neither qrels nor a corpus nor an output directory.
        self.first = name == "trec_auto_judge"

    def get(self, module, name):
        return getattr(importlib.import_module(f"{self.name}.{module}"), name)

    @classmethod
    def of(cls, judge):
        """The package that the judge's module imports; else one that is installed."""
        module = sys.modules.get(type(judge).__module__)
        roots = {
            (getattr(value, "__module__", None) or getattr(value, "__name__", "")).split(".")[0]
            for value in vars(module).values()
        }
        named = [name for name in cls.NAMES if name in roots]
        for name in named or cls.NAMES:
            if importlib.util.find_spec(name) is not None:
                return cls(name)
        raise Refused(f"{sys.executable} has neither autojudge_base nor trec_auto_judge, which run judges: {INSTALL}")

    def topics(self, path):
        if not path.is_dir():
            return self.get("request", "load_requests_from_file")(path)
        # A data set's folder.
        request = self.get("request", "Request")
        lines = (path / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        return [request.model_validate({"request_id": row["qid"], "title": row["query"]}) for row in rows]

    def llm_config(self, model):
        """The configuration that judges get, from the environment. Without a model the first generation has none."""
        if model:
            os.environ["OPENAI_MODEL"] = os.environ["LLM_MODEL"] = model
        if not self.first:
            return self.get("llm_config", "LlmConfigBase").from_env()
        config = self.get("llm", "MinimaLlmConfig")
        if os.environ.get("OPENAI_MODEL"):
            return config.from_env()
        os.environ["OPENAI_MODEL"] = "none"
        try:
            return config.from_env().with_model("")
        finally:
            del os.environ["OPENAI_MODEL"]

    def load_banks(self, path, kind):
        if not hasattr(kind, "get_bank_model"):
            # As the first guide describes formats of one's own.
            kind.get_bank_model = classmethod(lambda cls: cls._bank_model)
        directory = "_from_directory" if os.path.isdir(path) else ""
        return self.get("nugget_data.io", f"load_nugget_banks{directory}_generic")(Path(path), kind)

    # Columns of the formats that the first generation's leaderboards can be written in.
    COLUMNS = {
        "tot": "{run}\t{measure}\t{topic}\t{value}",
        "ir_measures": "{run}\t{topic}\t{measure}\t{value}",
        "trec": "{run}\t{topic}\t{measure}\t{value}",
        "rag4reports": "{topic}\t{run}\t{measure}\t{value}",
    }

    def write_board(self, board, path, form):
        if "format" in inspect.signature(board.write).parameters:
            return board.write(path, format=form)
        if form not in self.COLUMNS:
            raise Refused(f"leaderboards of {self.name} are written as {', '.join(self.COLUMNS)}, not as {form}")
        lines = [
            self.COLUMNS[form].format(run=entry.run_id, measure=name, topic=entry.topic_id, value=entry.values[name])
            for entry in board.entries
            for name in board.measures
            if name in entry.values
        ]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
