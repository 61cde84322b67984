"""Records pass^k and pass@k by counting draws, and by the product of the HumanEval paper.

Run by hand (`make oracles`); needs the standard library alone. Writes fixtures/statistics/pass_k.json: for items with c of
n trials passed, the mean share of all draws of k trials in which all pass, and in which at least one does.
"""

import itertools
import json
import random
import sys
from fractions import Fraction
from pathlib import Path


def drawn(c, n, k):
    """The shares of all C(n, k) draws: all pass, at least one passes."""
    trials = [1] * c + [0] * (n - c)
    draws = list(itertools.combinations(trials, k))
    return Fraction(sum(all(d) for d in draws), len(draws)), Fraction(sum(any(d) for d in draws), len(draws))


def product(c, n, k):
    """1 - prod(1 - k / i for i in n-c+1 .. n), as the HumanEval paper computes pass@k."""
    if n - c < k:
        return 1.0
    miss = 1.0
    for i in range(n - c + 1, n + 1):
        miss *= 1.0 - k / i
    return 1.0 - miss


draw = random.Random(7)
cases = []
for items, n in [(3, 2), (20, 4), (12, 8), (5, 10)]:
    passed = [draw.randint(0, n) for _ in range(items)]
    figures = []
    for k in range(1, n + 1):
        shares = [drawn(c, n, k) for c in passed]
        for c, (_, some) in zip(passed, shares):
            assert abs(product(c, n, k) - float(some)) < 1e-12
        figures.append([float(sum(s[i] for s in shares) / items) for i in (0, 1)])
    cases.append({"n": n, "passed": passed, "all_any": figures})

path = Path(__file__).parents[2] / "fixtures/statistics/pass_k.json"
path.write_text(json.dumps({"python": sys.version.split()[0], "cases": cases}) + "\n")
