"""Calls the judge classes of a workflow as TREC AutoJudge's runner does: what jb-workflow starts for Python judges.

One JSON object a line comes in on stdin, what is to be done, and one goes out, {"ok": true} or {"error": {...}}. What a
judge prints goes to stderr. It needs the judge's own packages alone, autojudge_base among them.
"""

import contextlib
import importlib
import json
import os
import sys
import traceback
from pathlib import Path


class Refused(Exception):
    """Something that the user can mend: shown without a traceback."""


class Judges:
    """The judges of one run: a class is made once, inputs are read once, and what a phase made the next one gets."""

    def __init__(self):
        self.made = {}
        self.topics = {}
        self.reports = {}
        self.banks = {}
        self.qrels = {}

    def judge(self, name):
        if name not in self.made:
            module, _, attribute = name.rpartition(":" if ":" in name else ".")
            try:
                found = getattr(importlib.import_module(module), attribute)
            except (ImportError, AttributeError, ValueError) as error:
                if not isinstance(error, ImportError) or error.name is None or not module.startswith(error.name):
                    traceback.print_exc()
                raise Refused(f"{name} cannot be imported by {sys.executable}: {error}") from error
            self.made[name] = found()
        return self.made[name]

    def method(self, class_name, method):
        judge = self.judge(class_name)
        if not hasattr(judge, method):
            raise Refused(f"{class_name} has no {method}(): name another class for it, or set the phase's flag to false")
        return getattr(judge, method)

    def inputs(self, ask):
        """Topics and responses, those left out that the run is not about."""
        from autojudge_base.io import load_runs_failsave
        from autojudge_base.request import load_requests_from_file

        path = ask["topics"]
        if path not in self.topics:
            self.topics[path] = load_requests_from_file(Path(path))
        topics = self.topics[path]
        if ask.get("limit_topics"):
            topics = topics[: ask["limit_topics"]]
        if ask.get("topic"):
            topics = [topic for topic in topics if topic.request_id in ask["topic"]]
        folder = ask.get("responses")
        if folder is None:
            return topics, None
        if folder not in self.reports:
            self.reports[folder] = load_runs_failsave(Path(folder))
        reports = self.reports[folder]
        if ask.get("limit_topics") or ask.get("topic"):
            known = {topic.request_id for topic in topics}
            reports = [report for report in reports if report.metadata.topic_id in known]
        if ask.get("limit_runs"):
            first = list(dict.fromkeys(report.metadata.run_id for report in reports))[: ask["limit_runs"]]
            reports = [report for report in reports if report.metadata.run_id in first]
        if ask.get("run"):
            reports = [report for report in reports if report.metadata.run_id in ask["run"]]
        return topics, reports

    def bank(self, ask):
        """The bank of this path: the very object, where a phase before made it."""
        path = ask.get("nuggets")
        if path is None or path in self.banks or not os.path.exists(path):
            return self.banks.get(path)
        from autojudge_base.nugget_data import NuggetBanks, io

        names = [name for name in (ask.get("nugget_class"), ask["class"]) if name]
        types = [getattr(self.judge(name), "nugget_banks_type", None) for name in names]
        kind = next((one for one in types if one is not None), NuggetBanks)
        load = io.load_nugget_banks_from_directory_generic if os.path.isdir(path) else io.load_nugget_banks_generic
        try:
            return load(Path(path), kind)
        except ValueError as error:
            hint = "" if any(types) else f": {' and '.join(names)} has no nugget_banks_type that says otherwise"
            raise Refused(f"{path} cannot be read as {kind.__name__}{hint}: {error}") from error

    def grades(self, ask):
        path = ask.get("qrels")
        if path is None or path in self.qrels or not os.path.exists(path):
            return self.qrels.get(path)
        from autojudge_base.qrels.qrels import read_qrel_file

        return read_qrel_file(Path(path))

    def run(self, ask):
        try:
            from autojudge_base.llm_config import LlmConfigBase
        except ModuleNotFoundError as error:
            if error.name != "autojudge_base":
                raise
            why = "which runs judges of Python: install autojudge-base there, or name another Python with --python"
            raise Refused(f"{sys.executable} has no package autojudge_base, {why}") from error

        if ask.get("model"):
            os.environ["OPENAI_MODEL"] = os.environ["LLM_MODEL"] = ask["model"]
        topics, reports = self.inputs(ask)
        arguments = {
            **ask["settings"],
            "outdir": Path(ask["outdir"]),
            "rag_topics": topics,
            "rag_responses": reports,
            "llm_config": LlmConfigBase.from_env(),
            "nugget_banks": self.bank(ask),
            "corpus": ask.get("corpus"),
        }
        return {"nugget": self.make_bank, "qrels": self.make_qrels, "judge": self.make_leaderboard}[ask["phase"]](
            ask, topics, arguments
        )

    def make_bank(self, ask, topics, arguments):
        bank = self.method(ask["class"], "create_nuggets")(**arguments)
        self.banks[ask["to"]] = bank
        if bank is None:
            return {"nothing": True}
        from autojudge_base.nugget_data import write_nugget_banks_generic

        bank.verify([topic.request_id for topic in topics])
        with whole(ask["to"]) as part:
            write_nugget_banks_generic(bank, part)
        return {}

    def make_qrels(self, ask, topics, arguments):
        qrels = self.method(ask["class"], "create_qrels")(**arguments)
        self.qrels[ask["to"]] = qrels
        if qrels is None:
            return {"nothing": True}
        from autojudge_base.qrels.qrels import write_qrel_file

        qrels.verify(expected_topic_ids=[topic.request_id for topic in topics])
        with whole(ask["to"]) as part:
            write_qrel_file(qrel_out_file=part, qrels=qrels)
        return {}

    def make_leaderboard(self, ask, topics, arguments):
        board = self.method(ask["class"], "judge")(**arguments, qrels=self.grades(ask))
        board.verify(expected_topic_ids=[topic.request_id for topic in topics], on_missing="fix_aggregate")
        # What make looks at comes last.
        with whole(Path(ask["to"]).with_suffix(".measures.yml")) as part:
            board.spec.write_measures_yaml(part)
        if ask.get("reports_to"):
            from autojudge_base.report import JsonlWriter

            with whole(ask["reports_to"]) as part, JsonlWriter(part) as writer:
                writer.write_many(arguments["rag_responses"])
        with whole(ask["to"]) as part:
            board.write(part, format=ask["format"])
        return {}


@contextlib.contextmanager
def whole(path):
    """A file beside the one that is wanted, with its ending, which takes its place when it is written."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part-{os.getpid()}-{path.name}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def answer(judges, line):
    try:
        return {"ok": True, **judges.run(json.loads(line))}
    except Refused as error:
        return {"error": {"kind": "refused", "message": str(error)}}
    except BaseException as error:  # a judge may call sys.exit
        if isinstance(error, KeyboardInterrupt):
            raise
        traceback.print_exc()
        return {"error": {"kind": "failed", "message": f"{type(error).__name__}: {error}"}}


def main():
    # Descriptor 1 is the judge's, and goes to stderr: no print of its own gets between the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # Modules are looked for where the run was started, behind all others.
    sys.path[0:1] = []
    sys.path.append(os.getcwd())
    judges = Judges()
    for line in sys.stdin:
        out.write(json.dumps(answer(judges, line)) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
