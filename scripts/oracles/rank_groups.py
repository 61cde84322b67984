"""
Which models jb-rank tells apart, by numpy and SciPy: Bradley–Terry by Newton's method, the covariance of the ratings by
clusters (sandwich), and for each two models |difference| > quantile × √(v_ii + v_jj − 2 v_ij). Clusters of unequal sizes count as
(Σn)²/Σn²; below 50 of them the quantile is that of t, and the covariance has the factor G/(G−1).

    rank_groups.py JB_RANK [COUNT]     runs the command on COUNT random boards and counts the pairs that differ
    rank_groups.py                     (make oracles) writes fixtures/statistics/rank_groups.json, for the suite
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import norm, t as student

LEVEL, FEW, LEAST = 0.95, 50, 10
OUT = Path(__file__).parents[2] / 'fixtures/statistics/rank_groups.json'


def board(seed):
    """Random battles: 2 to 6 models, clusters of one question or several."""
    random = np.random.default_rng(seed)
    m, questions = int(random.integers(2, 7)), int(random.integers(12, 90))
    names, strength = [f'm{i}' for i in range(m)], random.normal(0, random.choice([0, 0.4]), m)
    rows = []
    for q in range(questions):
        for _ in range(int(random.integers(1, 1 + 2 * m))):
            a, b = random.choice(m, 2, replace=False)
            p = 1 / (1 + np.exp(strength[b] - strength[a]))
            winner = 'tie' if random.random() < 0.1 else 'model_a' if random.random() < p else 'model_b'
            rows.append([f'q{q}', names[a], names[b], winner])
    return rows


def apart(rows):
    """{(x, y): told apart}, of models with enough battles; None where ratings are not finite."""
    names = sorted({n for _, a, b, _ in rows for n in (a, b)})
    at = {n: i for i, n in enumerate(names)}
    m = len(names)
    games = [(q, at[a], at[b], {'model_a': 1.0, 'model_b': 0.0, 'tie': 0.5}[w]) for q, a, b, w in rows]
    r = np.zeros(m)
    flat = np.ones((m, m)) / m
    for _ in range(100):
        g, h = np.zeros(m), np.zeros((m, m))
        for _, i, j, x in games:
            p = 1 / (1 + np.exp(r[j] - r[i]))
            g[i] += x - p
            g[j] -= x - p
            v = p * (1 - p)
            h[i, i] += v; h[j, j] += v; h[i, j] -= v; h[j, i] -= v
        step = np.linalg.solve(h + flat, g)
        r = r + step - (r + step).mean()
        if np.abs(r).max() > 15:
            return None
        if np.abs(step).max() < 1e-12:
            break
    clusters = {}
    for q, i, j, x in games:
        s, n = clusters.get(q, (np.zeros(m), 0))
        s = s.copy()
        p = 1 / (1 + np.exp(r[j] - r[i]))
        s[i] += x - p
        s[j] -= x - p
        clusters[q] = (s, n + 1)
    middle = sum(np.outer(s, s) for s, _ in clusters.values())
    sizes = np.array([n for _, n in clusters.values()], float)
    count = max(2, sizes.sum() ** 2 / (sizes ** 2).sum())
    inverse = np.linalg.inv(h + flat)
    covariance = inverse @ middle @ inverse
    quantile = norm.ppf((1 + LEVEL) / 2)
    if count < FEW:
        covariance = covariance * count / (count - 1)
        quantile = student.ppf((1 + LEVEL) / 2, count - 1)
    battles = {n: sum(n in (a, b) for _, a, b, _ in rows) for n in names}
    out = {}
    for i in range(m):
        for j in range(i + 1, m):
            if min(battles[names[i]], battles[names[j]]) < LEAST:
                continue
            se = np.sqrt(max(0, covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]))
            out[names[i], names[j]] = bool(abs(r[i] - r[j]) > quantile * se)
    return out


def by_command(command, rows):
    text = ''.join(json.dumps(dict(zip(('question_id', 'model_a', 'model_b', 'winner'), row))) + '\n' for row in rows)
    ran = subprocess.run([command, '-q', '--method', 'bt', '--format', 'json'], input=text, capture_output=True, text=True)
    return {row['model']: set(row['groups']) for row in map(json.loads, ran.stdout.splitlines())}


if len(sys.argv) > 1:
    boards = pairs = differ = 0
    for seed in range(int(sys.argv[2]) if len(sys.argv) > 2 else 200):
        rows = board(10_000 + seed)
        expected = apart(rows)
        if expected is None:
            continue
        groups = by_command(sys.argv[1], rows)
        boards += 1
        for (x, y), is_apart in expected.items():
            pairs += 1
            differ += is_apart != (not groups[x] & groups[y])
    print(f'{boards} boards, {pairs} pairs, {differ} differ')
else:
    cases = []
    for seed in range(40):
        rows = board(seed)
        expected = apart(rows)
        if expected is not None and len(cases) < 12 and len(rows) < 260:
            cases.append({'battles': rows, 'apart': [[x, y] for (x, y), is_apart in expected.items() if is_apart]})
    about = f'Models told apart by Bradley–Terry: numpy {np.__version__}, SciPy {scipy.__version__}'
    OUT.write_text(json.dumps({'about': about, 'cases': cases}, ensure_ascii=False, separators=(',', ':')) + '\n')
