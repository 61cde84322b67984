"""The first generation's package, as its guide shows it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _stub import Board, LlmConfig, mean, package


class Leaderboard(Board):
    def write(self, output):
        Path(output).write_text(self.text("{run}\t{measure}\t{topic}\t{value}"), encoding="utf-8")


@dataclass
class MeasureSpec:
    name: str
    aggregate: Any
    cast: Any = float
    default: Any = None


def mean_of_floats(values):
    return mean(float(value) for value in values)


class MinimaLlmConfig(LlmConfig):
    @classmethod
    def from_env(cls):
        return super().from_env(model=None)


globals().update(
    package(
        __name__,
        Leaderboard,
        dict(MeasureSpec=MeasureSpec, mean_of_floats=mean_of_floats),
        llm=dict(MinimaLlmConfig=MinimaLlmConfig),
    )
)
