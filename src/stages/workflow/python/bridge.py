"""Calls the judge classes of a workflow as TREC AutoJudge's runner does: what jb-workflow starts for Python judges.

One JSON object a line comes in on stdin, what is to be done, and one goes out, {"ok": true} or {"error": {...}}. What a
judge prints goes to stderr. It needs the judge's own packages alone: autojudge_base, or trec_auto_judge, the package of
AutoJudge's first generation, whichever the judge imports.
"""

import contextlib
import datetime
import importlib
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path

# No file is written beside this one.
written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
from jb_packages import INSTALL, Package, Refused, StandIn  # noqa: E402

sys.dont_write_bytecode = written


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
            except Exception as error:
                missing = error.name if isinstance(error, ImportError) else None
                hint = f": {INSTALL}" if missing in Package.NAMES else ""
                # Where no package is missing, and the module is there, the fault is in its code.
                if not hint and (missing is None or not module.startswith(missing)):
                    traceback.print_exc()
                # Some errors' words are a page with a frame of stars.
                words = next((line.strip() for line in str(error).splitlines() if line.strip(" *")), "")
                said = words if isinstance(error, (ImportError, AttributeError)) else f"{type(error).__name__}: {words}"
                raise Refused(f"{name} cannot be imported by {sys.executable}: {said}{hint}") from error
            self.made[name] = found()
        return self.made[name]

    def method(self, ask, name):
        """The class's method for the phase; None if it has none and none was asked for."""
        judge = self.judge(ask["class"])
        if not hasattr(judge, name) and not ask.get("optional"):
            raise Refused(f"{ask['class']} has no {name}(): name another class for it, or set the phase's flag to false")
        return getattr(judge, name, None)

    def inputs(self, ask, package):
        """Topics and responses, those left out that the run is not about."""
        path = ask["topics"]
        if (package.name, path) not in self.topics:
            self.topics[package.name, path] = package.topics(Path(path))
        topics = self.topics[package.name, path]
        if ask.get("limit_topics"):
            topics = topics[: ask["limit_topics"]]
        if ask.get("topic"):
            topics = [topic for topic in topics if topic.request_id in ask["topic"]]
        folder = ask.get("responses")
        if folder is None:
            return topics, None
        if (package.name, folder) not in self.reports:
            self.reports[package.name, folder] = package.get("io", "load_runs_failsave")(Path(folder))
        reports = self.reports[package.name, folder]
        if ask.get("limit_topics") or ask.get("topic"):
            known = {topic.request_id for topic in topics}
            reports = [report for report in reports if report.metadata.topic_id in known]
        if ask.get("limit_runs"):
            first = list(dict.fromkeys(report.metadata.run_id for report in reports))[: ask["limit_runs"]]
            reports = [report for report in reports if report.metadata.run_id in first]
        if ask.get("run"):
            reports = [report for report in reports if report.metadata.run_id in ask["run"]]
        return topics, reports

    def bank(self, ask, package):
        """The bank of this path: the very object, where a phase before made it."""
        path = ask.get("nuggets")
        if path is None or path in self.banks or not os.path.exists(path):
            return self.banks.get(path)
        names = [name for name in (ask.get("nugget_class"), ask["class"]) if name]
        types = [getattr(self.judge(name), "nugget_banks_type", None) for name in names]
        kind = next((one for one in types if one is not None), None) or package.get("nugget_data", "NuggetBanks")
        try:
            return package.load_banks(path, kind)
        except ValueError as error:
            hint = "" if any(types) else f": {' and '.join(names)} has no nugget_banks_type that says otherwise"
            raise Refused(f"{path} cannot be read as {kind.__name__}{hint}: {error}") from error

    def grades(self, ask, package):
        path = ask.get("qrels")
        if path is None or path in self.qrels or not os.path.exists(path):
            return self.qrels.get(path)
        return package.get("qrels.qrels", "read_qrel_file")(Path(path))

    def run(self, ask):
        package = Package.of(self.judge(ask["class"]))
        topics, reports = self.inputs(ask, package)
        arguments = {
            **({} if package.first else {"corpus": None}),
            **ask.get("settings", {}),
            **({} if package.first else {"outdir": Path(ask["outdir"])}),
            "rag_topics": topics,
            "rag_responses": reports,
            "llm_config": package.llm_config(ask.get("model")),
            "nugget_banks": self.bank(ask, package),
        }
        phases = {"nugget": self.make_bank, "qrels": self.make_qrels, "judge": self.make_leaderboard}
        return phases[ask["phase"]](ask, package, arguments)

    def make_bank(self, ask, package, arguments):
        create = self.method(ask, "create_nuggets")
        bank = create(**arguments) if create else None
        self.banks[ask["to"]] = bank
        if bank is None:
            return nothing(ask, "create_nuggets", create)
        if hasattr(bank, "verify"):
            bank.verify(topic_ids(arguments))
        with whole(ask["to"]) as part:
            package.get("nugget_data", "write_nugget_banks_generic")(bank, part)
        return {}

    def make_qrels(self, ask, package, arguments):
        create = self.method(ask, "create_qrels")
        qrels = create(**arguments) if create else None
        if qrels is None:
            self.qrels[ask["to"]] = None
            return nothing(ask, "create_qrels", create)
        self.write_qrels(ask["to"], qrels, package, arguments)
        return {}

    def write_qrels(self, path, qrels, package, arguments):
        self.qrels[path] = qrels
        qrels.verify(expected_topic_ids=topic_ids(arguments))
        with whole(path) as part:
            package.get("qrels.qrels", "write_qrel_file")(qrel_out_file=part, qrels=qrels)

    def has_qrels(self, ask):
        """Whether the run has qrels that judge() did not return."""
        maker = ask.get("qrels_class")
        return "qrels_to" not in ask or (maker is not None and hasattr(self.judge(maker), "create_qrels"))

    def make_leaderboard(self, ask, package, arguments):
        if not package.first:
            arguments["qrels"] = self.grades(ask, package)
        judge = self.method(ask, "judge")
        made = judge(**arguments)
        # The first generation's judges return their qrels, too.
        board, qrels = made if isinstance(made, tuple) else (made, None)
        outcome = {}
        if qrels is not None and self.has_qrels(ask):
            outcome = {"note": f"{ask['class']}: the qrels of judge() are dropped, for another phase makes them"}
        elif qrels is not None:
            self.write_qrels(ask["qrels_to"], qrels, package, arguments)
        if board is None:
            return nothing(ask, "judge", judge)
        board.verify(expected_topic_ids=topic_ids(arguments), on_missing="fix_aggregate")
        # What make looks at comes last.
        if hasattr(getattr(board, "spec", None), "write_measures_yaml"):
            with whole(Path(ask["to"]).with_suffix(".measures.yml")) as part:
                board.spec.write_measures_yaml(part)
        if ask.get("reports_to"):
            writer = package.get("report", "JsonlWriter")
            with whole(ask["reports_to"]) as part, writer(part) as lines:
                lines.write_many(arguments["rag_responses"])
        with whole(ask["to"]) as part:
            package.write_board(board, part, ask["format"])
        return outcome


def topic_ids(arguments):
    return [topic.request_id for topic in arguments["rag_topics"]]


def nothing(ask, name, method):
    made = "returned None" if method else "is not there"
    return {"note": f"{ask['class']}: {name}() {made}: {ask['to']} is not written"}


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


def setting(mapping):
    """A value of a workflow file that JSON does not have: a time, or a mapping whose keys are not all strings."""
    if mapping.keys() == {"\0time"}:
        text = mapping["\0time"]
        return (datetime.date if len(text) == 10 else datetime.datetime).fromisoformat(text)
    return dict(mapping["\0pairs"]) if mapping.keys() == {"\0pairs"} else mapping


def answer(judges, line):
    try:
        return {"ok": True, **judges.run(json.loads(line, object_hook=setting))}
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
    if importlib.util.find_spec("trec_auto_judge") is None:
        # Before the path is searched, which would find the stand-in's submodules and load them twice.
        sys.meta_path.insert(0, StandIn())
    judges = Judges()
    for line in sys.stdin:
        out.write(json.dumps(answer(judges, line)) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
