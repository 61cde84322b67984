"""Writes fixtures/statistics/reference.json: what SciPy, scikit-learn and krippendorff say of some lists.

Run by `make oracles`.
"""
import json, math, random, warnings
from pathlib import Path
import krippendorff, numpy, scipy, scipy.stats as st, sklearn
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score

warnings.filterwarnings("ignore")
random.seed(7)
clean = lambda v: None if v is None or math.isnan(v) else float(v)

lists = {
    "no ties": ([1, 5, 2, 8, 7, 3], [2, 6, 1, 9, 5, 4]),
    "ties in both": ([1, 2, 2, 3, 3, 3, 4], [1, 1, 2, 2, 3, 4, 4]),
    "reversed": ([1, 2, 3, 4], [9, 7, 5, 1]),
    "two": ([0, 1], [1, 0]),
    "constant": ([1, 1, 1], [1, 2, 3]),
    "floats": ([0.1, 0.25, 0.75, 0.5, 1, 0], [0.2, 0.2, 0.9, 0.4, 0.7, 0.1]),
    "negative, large": ([-1e6, 3, 1e6, 12, -5], [2, 4, 1, -3, 0]),
    "scale of five": ([random.randint(1, 5) for _ in range(200)], None),
    "two values": ([random.randint(0, 1) for _ in range(60)], [random.randint(0, 1) for _ in range(60)]),
    "real": ([random.gauss(0, 1) for _ in range(50)], None),
}
for name, (x, y) in lists.items():
    if y is None:
        y = [min(5, max(1, v + random.choice([-1, 0, 0, 1]))) for v in x] if name == "scale of five" else [v + random.gauss(0, 1) for v in x]
        lists[name] = (x, y)
correlation = [
    {"case": name, "x": x, "y": y, "pearson": clean(st.pearsonr(x, y)[0]), "spearman": clean(st.spearmanr(x, y)[0]), "kendall": clean(st.kendalltau(x, y)[0])}
    for name, (x, y) in lists.items()
]

def labelled(name, truth, judged):
    return {
        "case": name, "truth": truth, "judged": judged,
        "accuracy": accuracy_score(truth, judged),
        "macro_f1": f1_score(truth, judged, labels=sorted(set(truth)), average="macro", zero_division=0),
        "kappa": clean(cohen_kappa_score(truth, judged)),
        "linear": clean(cohen_kappa_score(truth, judged, weights="linear")),
        "quadratic": clean(cohen_kappa_score(truth, judged, weights="quadratic")),
    }
five = lists["scale of five"]
agreement = [
    labelled("yes no", list("YYNNYNYN"), list("YNNNYNYY")),
    labelled("three", [0, 1, 2, 2, 1, 0, 2], [0, 2, 2, 2, 1, 1, 0]),
    labelled("a class only the judge names", ["a", "b", "a", "b"], ["a", "c", "a", "b"]),
    labelled("a class never judged", ["a", "b", "c", "a"], ["a", "b", "b", "a"]),
    labelled("perfect", [1, 2, 3], [1, 2, 3]),
    labelled("one class", [1, 1, 1], [1, 1, 1]),
    labelled("opposed", [0, 1, 0, 1], [1, 0, 1, 0]),
    labelled("ten and two", [0, 1, 10, 2, 10], [0, 10, 10, 2, 2]),
    labelled("scale of five", *five),
]

nan = float("nan")
units = {
    "two raters": [[1, 1], [2, 2], [3, 2], [1, 3], [2, 2]],
    "a missing rating": [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None]],
    "all the same": [[1, 1], [1, 1]],
    "three samples": [[random.randint(1, 5) for _ in range(3)] for _ in range(40)],
    "uneven steps": [[0, 0.25], [0.25, 1], [1, 1], [0.5, 0.25], [0, 0]],
}
alpha = []
for name, rows in units.items():
    matrix = numpy.array([[nan if v is None else v for v in row] for row in rows], dtype=float).T
    one = {"case": name, "units": rows}
    for level in ("nominal", "ordinal", "interval"):
        try:
            one[level] = clean(krippendorff.alpha(reliability_data=matrix, level_of_measurement=level))
        except ValueError:
            one[level] = None  # "There has to be more than one value in the domain."
    alpha.append(one)

from importlib.metadata import version
place = Path(__file__).resolve().parents[2] / "fixtures/statistics/reference.json"
place.write_text(json.dumps({"made with": {name: version(name) for name in ("scipy", "scikit-learn", "krippendorff")}, "correlation": correlation, "agreement": agreement, "alpha": alpha}, indent=1) + "\n")
