"""The present package: leaderboards have a format and types of measures."""

from dataclasses import dataclass
from pathlib import Path

from _stub import Board, LlmConfig, package

COLUMNS = {"ir_measures": "{run}\t{topic}\t{measure}\t{value}", "tot": "{run}\t{measure}\t{topic}\t{value}"}


@dataclass
class MeasureSpec:
    name: str
    dtype: type = float


class Spec:
    def __init__(self, measures):
        self.measures = measures

    def write_measures_yaml(self, path):
        lines = [f"- name: {one.name}\n  dtype: {one.dtype.__name__}\n" for one in self.measures]
        Path(path).write_text("measures:\n" + "".join(lines), encoding="utf-8")


class Leaderboard(Board):
    def __init__(self, measures, entries, spec):
        super().__init__(measures, entries)
        self.spec = Spec(spec.measures)

    def write(self, output, format="ir_measures"):
        Path(output).write_text(self.text(COLUMNS[format]), encoding="utf-8")


globals().update(
    package(__name__, Leaderboard, dict(MeasureSpec=MeasureSpec), llm_config=dict(LlmConfigBase=LlmConfig))
)
