"""Writes fixtures/statistics/judge_agreement.json: a judge against people, by statsmodels and SciPy.

Run by `make oracles`. Random cases of two labels and of grades, some of few items, of one class, or of judges who say one
thing only: sensitivity and specificity with Wilson's interval, kappa and weighted kappa with the interval of Fleiss, Cohen
and Everitt's error. The arguments, a number of cases and a file, take the place of the fixture.
"""

import json
import sys
from pathlib import Path

import numpy
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

ROOT = Path(__file__).parents[2]
Z = stats.norm.ppf(0.975)


def share(hits, total):
    """A share with Wilson's interval; none of none."""
    if total == 0:
        return None, None
    return hits / total, [float(x) for x in proportion_confint(hits, total, method="wilson")]


def kappa(table, weights):
    """Kappa with its interval; without spread from Wilson's bounds of the share that agrees."""
    n = table.sum()
    rows, columns = table.sum(1), table.sum(0)
    if numpy.count_nonzero(rows) < 2 or numpy.count_nonzero(columns) < 2:
        return (0.0 if numpy.count_nonzero(rows + columns) > 1 else None), None
    found = cohens_kappa(table, wt=weights)
    error = float(found.std_kappa)
    value = float(found.kappa)
    # Its variance is a difference of sums: without spread it is rounding, even below 0.
    if error > 1e-6:
        return value, [max(-1.0, value - Z * error), min(1.0, value + Z * error)]
    same, bounds = share(int(numpy.trace(table)), int(n))
    if 0 < same < 1:
        return value, None
    chance = float(rows @ columns) / float(n) ** 2
    return value, [max(-1.0, 1 - (1 - one) / (1 - chance)) for one in bounds]


def case(rng):
    labels = int(rng.choice([2, 2, 3, 5, 7]))
    n = int(rng.choice([2, 5, 12, 30, 80, 200]))
    shares = rng.dirichlet(numpy.full(labels, rng.choice([0.2, 1.0, 5.0])))
    truth = rng.choice(labels, n, p=shares)
    kind = rng.choice(["noisy", "noisy", "noisy", "near", "constant", "turned", "right"])
    judged = truth.copy()
    if kind == "noisy":
        judged = numpy.where(rng.random(n) < rng.uniform(0.1, 0.9), rng.choice(labels, n), truth)
    elif kind == "near":
        judged = numpy.clip(truth + rng.integers(-1, 2, n), 0, labels - 1)
    elif kind == "constant":
        judged[:] = rng.integers(labels)
    elif kind == "turned":
        judged = labels - 1 - truth
    # Grades have gaps: weights go by a label's place among those that occur.
    names = numpy.cumsum(rng.integers(1, 3, labels)) if labels > 2 else numpy.array([0, 1])
    truth, judged = names[truth], names[judged]
    there = numpy.unique(numpy.concatenate([truth, judged]))
    table = numpy.array([[numpy.sum((truth == x) & (judged == y)) for y in there] for x in there])
    out = {"truth": truth.tolist(), "judged": judged.tolist()}
    if len(there) == 2:
        (tn, fp), (fn, tp) = table.tolist()
        out["sensitivity"], out["sensitivity_ci"] = share(tp, tp + fn)
        out["specificity"], out["specificity_ci"] = share(tn, tn + fp)
        out |= {"positives": tp + fn, "negatives": tn + fp}
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        out[name], out[f"{name}_ci"] = kappa(table, weights)
    return out


count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
file = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "fixtures/statistics/judge_agreement.json"
rng = numpy.random.default_rng(58)
cases = [case(rng) for _ in range(count)]
versions = {"numpy": numpy.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__}
lines = ",\n  ".join(json.dumps(one) for one in cases)
file.write_text(f'{{\n "versions": {json.dumps(versions)},\n "cases": [\n  {lines}\n ]\n}}\n')
