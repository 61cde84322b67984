"""Records what SciPy and statsmodels say of the same data, for tests that need neither.

Run by `make oracles`, in an environment with scipy and statsmodels. Writes fixtures/statistics/oracle.json. With
SHARED naming the folder of recorded judgments it also compares the two judges recorded there.
"""

import json
import math
import os
import sys
from pathlib import Path

import numpy
import scipy
import statsmodels
from scipy import optimize, special, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

ROOT = Path(__file__).parents[2]


def wilson(count, total):
    return [float(x) for x in proportion_confint(count, total, method="wilson")]


def newcombe(both, only_a, only_b, neither):
    """Newcombe (1998), method 10, from statsmodels' Wilson bounds."""
    n = both + only_a + only_b + neither
    p1, p2 = (both + only_a) / n, (both + only_b) / n
    (l1, u1), (l2, u2) = wilson(both + only_a, n), wilson(both + only_b, n)
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    product = both * neither - only_a * only_b
    product = product - n / 2 if product > n / 2 else min(product, 0)
    phi = product / margins**0.5 if margins else 0
    d = p1 - p2
    low = d - ((p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2) ** 0.5
    high = d + ((p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u1 - p1) + (u1 - p1) ** 2) ** 0.5
    return [low, high]


def binary(a, b):
    """Two runs' outcomes, 1 right and 0 wrong; differences are b - a."""
    counts = [sum(1 for x, y in zip(a, b) if (x, y) == pair) for pair in ((1, 1), (1, 0), (0, 1), (0, 0))]
    both, only_a, only_b, neither = counts
    n = len(a)
    exact = float(mcnemar([[both, only_a], [only_b, neither]], exact=True).pvalue)
    seen = float(stats.binom.pmf(only_a, only_a + only_b, 0.5))
    table = numpy.array([[both, only_a], [only_b, neither]])
    return {
        "counts": counts,
        "difference": (only_b - only_a) / n,
        "ci": newcombe(both, only_b, only_a, neither),
        "p_exact": exact,
        "p": 1 - seen / 2 if only_a == only_b else exact - seen,
        "po": (both + neither) / n,
        "kappa": float(cohens_kappa(table).kappa),
    }


def scores(a, b):
    d = numpy.array(b) - numpy.array(a)
    t = stats.ttest_rel(b, a)
    ci = t.confidence_interval(0.95)
    return {
        "difference": float(d.mean()),
        "ci": [float(ci.low), float(ci.high)],
        "p": float(t.pvalue),
        "p_wilcoxon": float(
            stats.wilcoxon(a, b, zero_method="wilcox", correction=False, method="asymptotic").pvalue
        ),
    }


def signed_ranks(rng):
    """Wilcoxon's test of few differences with ties: all sign patterns."""
    cases = [[-1] * 6, [1, 1, 2, -1, 0, 3, 2], [2, -2, 1, -1]]
    cases += [rng.integers(-3, 6, n).tolist() for n in (5, 8, 11, 14, 16)]
    method = stats.PermutationMethod(n_resamples=numpy.inf)
    return [
        {"d": d, "p": float(stats.wilcoxon(d, zero_method="wilcox", method=method).pvalue)} for d in cases
    ]


def power():
    """Power of McNemar's tests by all counts, and of the paired t test by the noncentral F distribution."""

    def chance(n, only_a, only_b, exact):
        total, share = 0.0, only_a + only_b
        for flips in range(1, n + 1):
            k = numpy.arange(flips + 1)
            p = numpy.minimum(1, 2 * stats.binom.cdf(numpy.minimum(k, flips - k), flips, 0.5))
            if not exact:
                p = p - stats.binom.pmf(k, flips, 0.5) * numpy.where(2 * k == flips, 0.5, 1)
            hits = stats.binom.pmf(k, flips, only_a / share)[p <= 0.05 + 1e-12].sum()
            total += stats.binom.pmf(flips, n, share) * hits
        return float(total)

    shares = ((6, 0.4262, 0), (8, 0.5, 0), (12, 0.5, 0), (132, 0.15, 0.05), (300, 0.2, 0.12), (1437, 0.1, 0.07))
    t = ((3.5, 5), (2.0, 1), (4.0, 9), (2.9, 29), (0.1, 3))
    return {
        "mcnemar": [
            {"n": n, "a": a, "b": b, "mid_p": chance(n, a, b, False), "exact": chance(n, a, b, True)}
            for n, a, b in shares
        ],
        "t": [
            {
                "mean": mean,
                "freedom": f,
                "power": float(stats.ncf.sf(stats.t.ppf(0.975, f) ** 2, 1, f, mean**2)),
            }
            for mean, f in t
        ],
    }


def style_control(rng):
    """FastChat's contextual Bradley-Terry: half of squares, on ratings in units of ln 10 and on coefficients of z-scores."""
    truth = numpy.array([0.3, 0.1, -0.1, -0.3])
    games = []
    for _ in range(60):
        a, b = (int(i) for i in rng.choice(4, 2, replace=False))
        tokens = [int(n) for n in rng.integers(50, 800, 2)]
        chance = special.expit(math.log(10) * (truth[a] - truth[b]) + (tokens[0] - tokens[1]) / 400)
        games.append({"a": a, "b": b, "tokens": tokens, "y": float(rng.random() < chance)})
    x = numpy.array([(t[0] - t[1]) / (t[0] + t[1] + 1) for t in (g["tokens"] for g in games)])
    x = (x - x.mean()) / x.std()
    a, b, y = (numpy.array([g[key] for g in games]) for key in ("a", "b", "y"))

    def loss(p):
        logit = math.log(10) * (p[a] - p[b]) + p[4] * x
        return numpy.logaddexp(0, logit).sum() - y @ logit + 0.5 / 2 * p @ p

    def gradient(p):
        rest = special.expit(math.log(10) * (p[a] - p[b]) + p[4] * x) - y
        ratings = numpy.bincount(a, rest, 4) - numpy.bincount(b, rest, 4)
        return numpy.append(math.log(10) * ratings, rest @ x) + 0.5 * p

    p = optimize.minimize(loss, numpy.zeros(5), jac=gradient, method="BFGS", options={"gtol": 1e-10}).x
    elo = 400 * (p[:4] - p[:4].mean()) + 1000
    return {"games": games, "rating": elo.tolist(), "coefficient": float(p[4])}


def judges(folder):
    """The two recorded judges of JudgeBench's pairs: correct where both games together lean to the label."""

    def outcomes(name, lean):
        out = {}
        for line in open(folder / f"recorded-{name}.jsonl", encoding="utf-8"):
            row = json.loads(line)
            total = 0
            for n, game in enumerate(row["judgments"]):
                decision = lean(game)
                vote = {"A>B": 1, "A>>B": 1, "B>A": -1, "B>>A": -1}.get(decision, 0)
                total += -vote if n == 1 else vote
            wanted = 1 if row["label"] == "A>B" else -1
            out[row["pair_id"]] = int(total * wanted > 0)
        return out

    a = outcomes("arena_hard-o1-mini", lambda game: game["decision"])
    b = outcomes("reward-skywork-llama-8b", lambda game: game["decision"])
    ids = sorted(a)
    return binary([a[i] for i in ids], [b[i] for i in ids])


def main():
    rng = numpy.random.default_rng(7)
    right_a = rng.integers(0, 2, 60).tolist()
    right_b = [x if rng.random() < 0.7 else 1 - x for x in right_a]
    grades_a = rng.integers(1, 11, 40).tolist()
    grades_b = [int(min(10, max(1, x + rng.integers(-3, 3)))) for x in grades_a]
    p = [float(x) for x in rng.random(6) ** 3]
    record = {
        "versions": {
            "python": sys.version.split()[0],
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
            "statsmodels": statsmodels.__version__,
        },
        "binary": {"a": right_a, "b": right_b, "expect": binary(right_a, right_b)},
        "scores": {"a": grades_a, "b": grades_b, "expect": scores(grades_a, grades_b)},
        "multiple": {
            "p": p,
            "holm": [float(x) for x in multipletests(p, method="holm")[1]],
            "bh": [float(x) for x in multipletests(p, method="fdr_bh")[1]],
        },
        "t": [
            {"t": t, "freedom": f, "p": float(2 * stats.t.sf(t, f)), "q": float(stats.t.ppf(0.975, f))}
            for t, f in ((0.5, 1), (2.1, 3), (4.2, 17), (12.5, 200), (38.5, 804))
        ],
    }
    record["wilcoxon"] = signed_ranks(rng)
    record["power"] = power()
    record["style_control"] = style_control(rng)
    record["fisher"] = [
        {"counts": c, "p": float(stats.fisher_exact([[c[0], c[1] - c[0]], [c[2], c[3] - c[2]]]).pvalue)}
        for c in ([12, 40, 8, 310], [3, 10, 3, 10], [0, 5, 4, 400], [7, 7, 60, 73], [120, 4000, 700, 16000])
    ]
    record["welch"] = [
        {"x": x, "y": y, "p": float(stats.ttest_ind(x, y, equal_var=False).pvalue)}
        for x, y in (([1, 2, 4, 4, 5], [3, 5, 6]), ([0.1, 0.4], [0.2, 0.9, 0.3, 0.3]))
    ]
    shared = os.environ.get("SHARED")
    if shared:
        record["judges"] = judges(Path(shared) / "judgebench")
    (ROOT / "fixtures/statistics/oracle.json").write_text(json.dumps(record, indent=1) + "\n")


main()
