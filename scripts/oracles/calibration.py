"""Records calibration figures and tests by a program of its own, for tests that need neither numpy nor SciPy.

Run by `make oracles`. Writes fixtures/statistics/calibration.json. The test is that of Cox's recalibration line: simulated p values
are of 200,000 draws.
"""

import json
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy import stats

ROOT = Path(__file__).parents[2]
rng = np.random.default_rng(20251129)


def score(p, outcomes):
    v = p * (1 - p)
    logit = np.clip(stats.logistic.ppf(np.clip(p, 1e-12, 1 - 1e-12)), -4, 4)
    design = np.column_stack([np.ones_like(p), logit])
    information = design.T @ (design * v[:, None])
    u = (outcomes - p) @ design
    return np.einsum("...i,ij,...j->...", u, np.linalg.pinv(information, rcond=1e-9), u)


def by_mass(p, y, bins=10):
    """Runs that are cut at a change of value only: the cuts of equal runs, each moved on to the next change."""
    order = np.argsort(p, kind="stable")
    p, y = p[order], y[order]
    sizes = [len(part) for part in np.array_split(p, bins)]
    cuts = {int(np.searchsorted(p, p[end - 1], side="right")) for end in np.cumsum(sizes) if end > 0}
    edges = [0, *sorted(cuts)]
    return sum(abs((p - y)[a:b].sum()) for a, b in zip(edges, edges[1:])) / len(p)


def case(name, p, y):
    p, y = np.asarray(p, float), np.asarray(y, float)
    n, v = len(p), p * (1 - p)
    seen = score(p, y)
    if v.sum() >= 100:
        found = float((1 + seen / (n - 2)) ** (-(n - 2) / 2))
    else:
        more = sum(int((score(p, rng.random((1000, n)) < p) >= seen - 1e-9).sum()) for _ in range(200))
        found = (more + 1) / 200_001
    place = np.clip(np.ceil(p * 10).astype(int) - 1, 0, 9)
    chance = sum(np.sqrt(v[place == b].sum()) for b in range(10)) * np.sqrt(2 / np.pi) / n
    wilson = stats.binomtest(int(y.sum()), n).proportion_ci(0.95, "wilson")
    return {
        "name": name,
        "p": p.tolist(),
        "y": y.astype(int).tolist(),
        "test": found,
        "simulated": bool(v.sum() < 100),
        "ece_by_chance": float(chance),
        "ece_equal_mass": float(by_mass(p, y)),
        "overconfidence_ci": [float(p.mean() - wilson.high), float(p.mean() - wilson.low)],
    }


def drawn(n, low, high, over):
    p = np.round(rng.uniform(low, high, n), 2)
    return p, rng.random(n) < np.clip(p - over, 0, 1)


record = {
    "versions": {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__},
    "cases": [
        case("fits", *drawn(40, 0.6, 0.99, 0)),
        case("too sure", *drawn(60, 0.6, 0.99, 0.2)),
        case("not sure enough", *drawn(60, 0.4, 0.8, -0.2)),
        case("stated in round numbers", rng.choice([0.7, 0.8, 0.9, 0.95], 50), rng.random(50) < 0.8),
        case("right on average, flat", *(lambda p: (p, rng.random(80) < 0.5))(np.round(rng.uniform(0.05, 0.95, 80), 2))),
        case("many", *drawn(600, 0.3, 0.9, 0.05)),
    ],
}
(ROOT / "fixtures/statistics/calibration.json").write_text(json.dumps(record) + "\n")
