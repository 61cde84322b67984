"""Stands in for AutoJudge's packages in tests: the names that its guide and judges use, with as little behind them as a run needs."""

import hashlib
import json
import os
import sys
import types
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any


def rows(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


# Inputs.


@dataclass
class Request:
    request_id: str
    title: str
    background: str = ""
    problem_statement: str = ""

    @classmethod
    def model_validate(cls, row):
        return cls(**{name: row[name] for name in cls.__dataclass_fields__ if name in row})


def load_requests_from_file(file):
    return [Request.model_validate(row) for row in rows(file)]


class Report:
    def __init__(self, row):
        self.row = row
        given = row["metadata"]
        self.metadata = types.SimpleNamespace(**{"topic_id": str(given.get("narrative_id")), **given})
        self.evaldata = None

    def get_report_text(self):
        return " ".join(sentence["text"] for sentence in self.row.get("responses") or self.row["answer"])

    def model_dump_json(self, **_):
        return json.dumps({**self.row, "evaldata": self.evaldata})


def load_runs_failsave(path):
    return [Report(row) for file in sorted(Path(path).rglob("*.jsonl")) for row in rows(file)]


# Outputs.


@dataclass
class LeaderboardEntry:
    run_id: str
    topic_id: str
    values: dict


@dataclass
class LeaderboardSpec:
    measures: tuple


class LeaderboardBuilder:
    board: type

    def __init__(self, spec):
        self.spec = spec
        self.entries = []

    def add(self, *, run_id, topic_id, values):
        self.entries.append(LeaderboardEntry(run_id, topic_id, values))

    def build(self, expected_topic_ids=None, on_missing="default"):
        runs = defaultdict(list)
        for entry in self.entries:
            runs[entry.run_id].append(entry.values)
        names = [measure.name for measure in self.spec.measures]

        def over(values):
            return values[0] if isinstance(values[0], str) else mean(values)

        every = [
            LeaderboardEntry(run, "all", {name: over([values[name] for values in of]) for name in names})
            for run, of in runs.items()
        ]
        return self.board(names, self.entries + every, self.spec)


class Board:
    def __init__(self, measures, entries, spec=None):
        self.measures, self.entries = measures, entries

    def verify(self, on_missing, expected_topic_ids, warn=False):
        extra = {entry.topic_id for entry in self.entries} - {"all", *expected_topic_ids}
        if extra:
            raise ValueError(f"topics that there are not: {extra}")

    def text(self, line):
        cells = [
            line.format(run=entry.run_id, measure=name, topic=entry.topic_id, value=entry.values[name])
            for entry in self.entries
            for name in self.measures
        ]
        return "".join(f"{cell}\n" for cell in cells)


@dataclass
class QrelRow:
    topic_id: str
    doc_id: str
    grade: int


@dataclass
class Qrels:
    rows: list

    def verify(self, expected_topic_ids, warn=False):
        pass


@dataclass
class QrelsSpec:
    topic_id: Any
    doc_id: Any
    grade: Any
    on_duplicate: str = "error"


def build_qrels(*, records, spec):
    grades = {(spec.topic_id(one), spec.doc_id(one)): int(spec.grade(one)) for one in records}
    return Qrels([QrelRow(*key, grade) for key, grade in grades.items()])


def doc_id_md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def write_qrel_file(*, qrel_out_file, qrels, system_id="0"):
    lines = sorted((row.topic_id, row.doc_id, row.grade) for row in qrels.rows)
    text = "".join(f"{topic} {system_id} {doc} {grade}\n" for topic, doc, grade in lines)
    Path(qrel_out_file).write_text(text, encoding="utf-8")


def read_qrel_file(path):
    cells = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return Qrels([QrelRow(topic, doc, int(grade)) for topic, _, doc, grade in cells])


class JsonlWriter:
    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.out = open(self.path, "w", encoding="utf-8")
        return self

    def __exit__(self, *_):
        self.out.close()

    def write_many(self, objects):
        for one in objects:
            self.out.write(one.model_dump_json(exclude_none=True) + "\n")


# Nugget banks.


class Model:
    """What banks need of pydantic's models."""

    @classmethod
    def model_validate(cls, row):
        return cls(**row)

    def model_dump_json(self, **_):
        return json.dumps(asdict(self))


class Banks:
    def __init__(self, banks=None):
        self.banks = banks or {}

    @classmethod
    def from_banks_list(cls, banks, overwrite=False):
        found = {}
        for bank in banks:
            if bank.query_id in found and not overwrite:
                raise ValueError(f"Duplicate query_id: {bank.query_id}")
            found[bank.query_id] = bank
        return cls(banks=found)

    @classmethod
    def get_bank_model(cls):
        return cls.model

    def verify(self, expected_topic_ids, warn=False):
        if set(self.banks) != set(expected_topic_ids):
            raise ValueError(f"banks of {sorted(self.banks)} for the topics {sorted(expected_topic_ids)}")


@dataclass
class NuggetQuestion(Model):
    query_id: str
    question: str

    @classmethod
    def from_lazy(cls, query_id, question, gold_answers):
        return cls(query_id, question)


@dataclass
class NuggetBank(Model):
    query_id: str
    title_query: str
    nugget_bank: dict = field(default_factory=dict)

    def add_nuggets(self, nuggets):
        self.nugget_bank.update({nugget.question: asdict(nugget) for nugget in nuggets})


class NuggetBanks(Banks):
    model = NuggetBank


@dataclass
class NuggetizerNugget(Model):
    text: str


@dataclass
class NuggetizerNuggetBank(Model):
    qid: str
    query: str
    nuggets: list = field(default_factory=list)

    @property
    def query_id(self):
        return self.qid


class NuggetizerNuggetBanks(Banks):
    model = NuggetizerNuggetBank


def load_nugget_banks_generic(path, kind):
    model = kind.get_bank_model()
    return kind.from_banks_list([model.model_validate(row) for row in rows(path)])


def write_nugget_banks_generic(banks, out, format="jsonl"):
    lines = [bank.model_dump_json(exclude_none=True) for bank in banks.banks.values()]
    Path(out).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


class NuggetBanksProtocol:
    pass


class NuggetBankProtocol:
    pass


def auto_judge_to_click_command(auto_judge, cmd_name):
    raise SystemExit(f"{cmd_name}: jb-workflow takes the place of this command")


# Configurations of a model.


@dataclass
class LlmConfig:
    base_url: str
    model: str
    api_key: str

    @classmethod
    def from_env(cls, model="gpt-4o-mini"):
        model = os.environ.get("OPENAI_MODEL") or model
        if model is None:
            raise RuntimeError("Missing required environment variable(s): OPENAI_MODEL")
        return cls(os.environ.get("OPENAI_BASE_URL", ""), model, os.environ.get("OPENAI_API_KEY", ""))

    def with_model(self, model):
        return LlmConfig(self.base_url, model, self.api_key)


NUGGETS = dict(
    NuggetBank=NuggetBank,
    NuggetBanks=NuggetBanks,
    NuggetQuestion=NuggetQuestion,
    NuggetBankProtocol=NuggetBankProtocol,
    NuggetBanksProtocol=NuggetBanksProtocol,
    NuggetizerNugget=NuggetizerNugget,
    NuggetizerNuggetBank=NuggetizerNuggetBank,
    NuggetizerNuggetBanks=NuggetizerNuggetBanks,
    write_nugget_banks_generic=write_nugget_banks_generic,
)


def package(name, board, own, **more):
    """Makes the modules of a package, with the names that both generations have and its own."""
    builder = type("LeaderboardBuilder", (LeaderboardBuilder,), {"board": board})
    names = dict(
        Leaderboard=board,
        LeaderboardBuilder=builder,
        LeaderboardSpec=LeaderboardSpec,
        NuggetBanks=NuggetBanks,
        Qrels=Qrels,
        QrelsSpec=QrelsSpec,
        Request=Request,
        Report=Report,
        auto_judge_to_click_command=auto_judge_to_click_command,
        build_qrels=build_qrels,
        doc_id_md5=doc_id_md5,
        **own,
    )
    modules = {
        "io": dict(load_runs_failsave=load_runs_failsave),
        "request": dict(Request=Request, load_requests_from_file=load_requests_from_file),
        "report": dict(JsonlWriter=JsonlWriter),
        "qrels": {},
        "qrels.qrels": dict(write_qrel_file=write_qrel_file, read_qrel_file=read_qrel_file),
        "nugget_data": NUGGETS,
        "nugget_data.io": dict(load_nugget_banks_generic=load_nugget_banks_generic),
        "nugget_data.protocols": NUGGETS,
        **more,
    }
    for part, content in modules.items():
        module = types.ModuleType(f"{name}.{part}")
        module.__dict__.update(content)
        sys.modules[module.__name__] = module
    # As a class's own module says it: a run looks for the package that a judge imports.
    for one in (board, builder, *own.values()):
        one.__module__ = name
    return names
