"""Records what TREC AutoJudge's own evaluation says of random leaderboards and qrels.

Run by hand in an environment with autojudge-evaluate (`make oracles`). Writes fixtures/autojudge/evaluate.json:
leaderboards as texts, the settings, and the figures of each pair of measures, or the word "error" where the original
ends with one; rows as its commands leaderboard and qrel-evaluate print them. NaN is written as null.
"""

import importlib.metadata
import io
import json
import math
import os
import random
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

# This folder has a statistics.py, which is not Python's own.
sys.path.pop(0)
from click.testing import CliRunner  # noqa: E402

# The package looks for a list of stop words at import and would fetch it: a few words of our own stand in.
WORDS = Path(tempfile.mkdtemp()) / "corpora" / "stopwords"
WORDS.mkdir(parents=True)
(WORDS / "english").write_text("the\na\nof\n")
os.environ["NLTK_DATA"] = str(WORDS.parent.parent)

with redirect_stderr(io.StringIO()):
    from autojudge_evaluate import main
    from autojudge_base.qrels.qrels import QrelRow, Qrels
    from autojudge_evaluate.evaluation import LeaderboardEvaluator
    from autojudge_evaluate.nugget_doc_eval import grade_agreement, set_overlap

ROOT = Path(__file__).parents[2]
BASE = ["kendall", "pearson", "spearman", "tauap_b", "tau_gap"]
SETTINGS = [
    {"on_missing": "default"},
    {"on_missing": "warn"},
    {"on_missing": "error"},
    {"on_missing": "default", "correlation": BASE},
    {"on_missing": "skip", "correlation": [*BASE, "spearman@3"]},
    {"on_missing": "skip", "correlation": BASE, "only_shared_topics": True},
    {"on_missing": "default", "correlation": BASE, "drop_aggregate": True},
    {"on_missing": "skip", "correlation": ["tauap_b", "tau_gap"], "run": ["a", "b", "c", "e"]},
    {"on_missing": "default", "correlation": BASE, "only_shared_runs": True},
]


def number(value):
    return None if value is None or math.isnan(value) else value


def board(rng, runs, topics, measures, nan, aggregate):
    """Text of a leaderboard in the ir_measures format; every value is drawn from few, so that there are ties."""
    grid = rng.choice([[0, 1], [0, 0.5, 1], [0.1 * i for i in range(10)], [rng.random() for _ in range(30)]])
    lines = []
    for measure in measures:
        sums = {}
        for run in runs:
            for topic in topics:
                value = float("nan") if rng.random() < nan else rng.choice(grid)
                sums.setdefault(run, []).append(value)
                lines.append(f"{run}\t{topic}\t{measure}\t{value}")
        if aggregate:
            for run in runs:
                lines.append(f"{run}\tall\t{measure}\t{sum(sums[run]) / len(sums[run])}")
    return "\n".join(lines) + "\n"


def evaluated(folder, settings, truth_topics, judge_topics):
    options = dict(settings)
    options.setdefault("correlation", None)
    shared = set(truth_topics) & set(judge_topics)
    drop = options.get("drop_aggregate", False)
    try:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            result = LeaderboardEvaluator(
                folder / "truth.txt",
                on_missing=options["on_missing"],
                truth_drop_aggregate=drop,
                eval_drop_aggregate=drop,
                correlation_methods=options["correlation"],
                topic_ids=shared if options.get("only_shared_topics") else None,
                run_ids=set(options["run"]) if "run" in options else None,
                only_shared_runs=options.get("only_shared_runs", False),
            ).evaluate(folder / "judge.txt")
    except ValueError:
        return "error"
    return [
        [truth, judge, {method: number(float(value)) for method, value in values.items()}]
        for (truth, judge), values in result.items()
    ]


def printed(folder, *args):
    """The rows that a command writes; null for one that ends with an error."""
    out = folder / "out.jsonl"
    out.unlink(missing_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran = CliRunner().invoke(main, [*map(str, args), "--output", str(out)])
    return [json.loads(line) for line in out.read_text().splitlines()] if ran.exit_code == 0 else None


def leaderboards(rng, folder, count):
    cases = []
    for n in range(count):
        runs = list("abcdefgh")[: rng.randint(4, 8)]
        topics = ["1", "2", "3"][: rng.randint(1, 3)]
        nan = 0 if n % 3 else 0.12
        judged = [run for run in runs if rng.random() > (0 if n % 4 else 0.15)] + (["z"] if n % 5 == 0 else [])
        rng.shuffle(judged)
        judge_topics = topics[1:] if n % 6 == 5 and len(topics) > 1 else topics
        truth = board(rng, runs, topics, ["T"], 0 if n % 2 else nan, n % 11 > 0)
        judge = board(rng, judged, judge_topics, ["M", "N"][: 1 + (n % 8 == 0)], nan, n % 13 > 0)
        (folder / "truth.txt").write_text(truth)
        (folder / "judge.txt").write_text(judge)
        figures = [evaluated(folder, settings, topics, judge_topics) for settings in SETTINGS]
        case = {"truth": truth, "judge": judge, "figures": figures}
        if n < 20:
            case["spread"] = printed(
                folder, "leaderboard", "--eval-format", "ir_measures", "-i", folder / "judge.txt", "--sort", "--no-eval-header"
            )
        cases.append(case)
    return cases


def mean_row(folder, sides, options):
    """The row MEAN of qrel-evaluate, without its empty columns."""
    paths = [folder / "truth.qrels", folder / "judge.qrels"]
    for path, rows in zip(paths, sides):
        path.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in rows))
    given = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", value)]
    rows = printed(folder, "qrel-evaluate", "--truth-qrels", paths[0], "--predict-qrels", paths[1], *given)
    return rows and {name: value for name, value in rows[-1].items() if value not in ("", "MEAN")}


def qrels(rng, folder, count):
    cases = []
    for n in range(count):
        top, docs = rng.choice([1, 2, 3]), [f"d{i}" for i in range(rng.randint(2, 7))]
        sides = []
        for side in range(2):
            rows = []
            for topic in ["1", "2"] if n % 4 or side else ["1"]:
                kept = [doc for doc in docs if rng.random() > 0.2]
                rows += [[topic, doc, rng.randint(0, top) if n % 5 else 1] for doc in kept]
            sides.append(rows)
        options = {
            "truth_max_grade": top,
            "predict_max_grade": rng.choice([top, top, 1]),
            "truth_relevance_threshold": rng.randint(1, top),
            "predict_relevance_threshold": 1,
            "default_grade": int(n % 7 == 3),
            "on_missing": ["default", "skip"][n % 2],
        }
        truth, judge = (Qrels(rows=[QrelRow(*row) for row in rows]) for rows in sides)
        thresholds = {key: options[key] for key in options if key.endswith("threshold")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            overlap = {
                one.topic_id: [one.precision, one.recall, one.f1, one.tp, one.fp, one.fn]
                for one in set_overlap(truth, judge, on_missing=options["on_missing"], **thresholds)
            }
            agreement = {
                one.topic_id: {
                    "Jaccard": number(one.jaccard),
                    "Kappa": {f"{t}v{p}": number(value) for (t, p), value in one.kappa_binary.items()},
                    "Kappa_w": number(one.kappa_weighted),
                    "Kripp_a": number(one.kripp_alpha),
                    "ARI": number(one.ari),
                }
                for one in grade_agreement(truth, judge, **options)
            }
        case = {"truth": sides[0], "judge": sides[1], "options": options, "overlap": overlap, "agreement": agreement}
        cases.append({**case, "mean": mean_row(folder, sides, options)})
    return cases


def record():
    rng = random.Random(21)
    names = ["autojudge-base", "autojudge-evaluate", "scipy", "pandas", "numpy", "scikit-learn", "krippendorff"]
    with tempfile.TemporaryDirectory() as folder:
        made = {
            "versions": {name: importlib.metadata.version(name) for name in names},
            "settings": SETTINGS,
            "leaderboards": leaderboards(rng, Path(folder), 120),
            "qrels": qrels(rng, Path(folder), 60),
        }
    path = ROOT / "fixtures" / "autojudge" / "evaluate.json"
    path.write_text(json.dumps(made, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    record()
