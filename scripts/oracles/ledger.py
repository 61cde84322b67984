"""What counts once of random rows, by the definition in docs/report.md and with all rows at hand.

Run by `make oracles`, it writes fixtures/ledger.ndjson; `ledger.py COUNT SEED` prints as many streams: a line has the rows, whether
they agree on the number of trials, and the figures of each run.
"""
import json, random, sys
from itertools import groupby
from pathlib import Path

CODES = ["missing_field", "rate_limited", "timeout", "refused", "no_verdict"]
MEANING = {"A": "A>B", "A>B": "A>B", "B>A": "B>A", "tie": "A=B", "A=B": "A=B"}
VOTES = {"A>B": 1, "B>A": -1, "A=B": 0}

dumped = lambda value: json.dumps(value, sort_keys=True)
last_if_absent = lambda value: (value is None, value or "")


def by(rows, key):
    return {k: list(some) for k, some in groupby(sorted(rows, key=key), key)}


def model(row):
    return row["jb"].get("reply", row["jb"].get("error", {})).get("model")


def trial(row):
    return row["jb"].get("trial", {}).get("n", 0)


def number_of_trials(row):
    """None where the row does not say it."""
    told = row["jb"].get("trial", {})
    if "of" not in told:
        return None
    return max(told["of"], told["n"] + 1) if told["of"] > 1 else 1


def reply(row):
    """What a reply says, as text; None for a failure."""
    jb = row["jb"]
    return None if "error" in jb else dumped([jb["verdict"], jb["reply"]["text"]])


def call(row):
    """What tells a call from others of its trial: what was sent is known of replies only."""
    jb = row["jb"]
    answer = jb.get("reply", {})
    source = answer or jb["error"]
    sent = {k: v for k, v in jb.get("request", {}).items() if k != "messages"} if reply(row) else None
    end = reply(row) or [answer.get("text"), jb["error"]["code"]]
    return dumped([end, answer.get("served_model"), source.get("usage"), source.get("cost"), sent])


def price(row):
    source = row["jb"].get("reply") or row["jb"].get("error")
    return source.get("usage"), source.get("cost")


def code_of(row):
    code = row["jb"]["error"]["code"]
    return (CODES.index(code) if code in CODES else len(CODES), code)


def label_of(row):
    """What it means; grades have none."""
    verdict = row["jb"].get("verdict", {})
    if "score" in verdict and "option" not in verdict:
        return None
    return MEANING.get(row.get("label"), row.get("label")) if "decision" in verdict else row.get("label")


def item_of(rows):
    trials = by(rows, trial)
    told = {of for of in map(number_of_trials, rows) if of is not None}
    conflict = len(told) > 1
    counting = []
    for some in trials.values():
        replies = by([row for row in some if reply(row)], reply)
        prompts = {dumped(row["jb"]["request"]["messages"]) for row in some if "request" in row["jb"]}
        conflict = conflict or len(replies) > 1 or len(prompts) > 1
        counting.append(next(iter(replies.values()))[0] if replies else min(some, key=code_of))
    first = trials[min(trials)]
    replied = [row for row in first if reply(row)]
    if len({(row.get("source"), label_of(row)) for row in replied}) > 1:
        conflict = True
    leads = sorted(replied or first, key=lambda row: (last_if_absent(row.get("source")), last_if_absent(row.get("label"))))
    failed = [row for row in counting if not reply(row)]
    code = None
    if len(trials) < max(told, default=1):
        code = "incomplete"
    elif conflict:
        code = "conflict"
    elif failed:
        code = failed[0]["jb"]["error"]["code"]
    paid = [row for some in trials.values() for row in {call(row): row for row in some}.values()]
    return code, [row["jb"].get("verdict") for row in counting], leads[0], [price(row) for row in paid]


def runs_of(rows):
    """A failure without a model is one of every run of its judge in which the trial has no other row."""
    key = lambda row: f'{row["jb"]["judge"]} {model(row) or "undefined"}'
    runs = by([row for row in rows if model(row)], key)
    known = {name: {(row["jb"]["item"], trial(row)) for row in some} for name, some in runs.items()}
    for row in rows:
        if model(row):
            continue
        homes = [name for name in known if name.split()[0] == row["jb"]["judge"]]
        for name in homes:
            if (row["jb"]["item"], trial(row)) not in known[name]:
                runs[name].append(row)
        if not homes:
            runs.setdefault(key(row), []).append(row)
    return runs


def figures(rows):
    found = {}
    for name, some in runs_of([row for row in rows if "probe" not in row["jb"]]).items():
        sums = dict(items=0, valid=0, failures={}, correct=0, score=0, tokens=0, cost=0, groups={})
        for mine in by(some, lambda row: row["jb"]["item"]).values():
            code, verdicts, lead, prices = item_of(mine)
            sums["items"] += 1
            group = sums["groups"].setdefault(lead["source"], [0, 0]) if "source" in lead else [0, 0]
            group[0] += 1
            for usage, cost in prices:
                sums["tokens"] += (usage or {}).get("total_tokens", 0)
                sums["cost"] += cost or 0
            if code:
                sums["failures"][code] = sums["failures"].get(code, 0) + 1
                continue
            sums["valid"] += 1
            group[1] += 1
            if "decision" in verdicts[0]:
                votes = sum(VOTES[one["decision"]] for one in verdicts)
                decision = "A>B" if votes > 0 else "B>A" if votes < 0 else "A=B"
                sums["correct"] += MEANING.get(lead.get("label")) == decision
            elif "option" not in verdicts[0]:
                sums["score"] += 12 * sum(one["score"] for one in verdicts) // len(verdicts)
        found[name] = sums
    return found


def stream(r):
    """Rows of a few items: some failed and were tried again, came again, say another thing, lack a model or a trial."""
    kind, agree, rows = r.choice(["pair", "grade", "choice", "criteria"]), r.random() < 0.7, []
    for i in range(r.randint(1, 4)):
        of, source = r.choice([1, 1, 2, 2, 3]), r.choice(["s", "s", "t", None])
        labels = ["A>B", "B>A", "A", "tie", None] if kind == "pair" else ["yes", "no", None]
        label = r.choice(labels)
        for judge in r.sample(["j", "h"], r.choice([1, 1, 1, 2])):
            for name in r.sample(["m", "k"], r.choice([1, 1, 2])):
                for n in range(of):
                    for _ in range(r.choice([0, 1, 1, 1, 1, 1, 2, 2, 3])):
                        row = {"id": f"i{i}"}
                        group = r.choice("st") if r.random() < 0.04 else source
                        mine = r.choice(labels[:2]) if r.random() < 0.04 else label
                        row.update({k: v for k, v in (("source", group), ("label", mine)) if v})
                        told = of if agree or r.random() < 0.9 else max(1, of + r.choice([1, -1]))
                        row["jb"] = row_of(r, kind, name, {"judge": judge, "item": f"i{i}", "trial": {"n": n, "of": told}})
                        rows += [row] * (2 if r.random() < 0.1 else 1)
    r.shuffle(rows)
    return {"agree": agree, "rows": rows, "figures": figures(rows)}


def row_of(r, kind, name, jb):
    n = jb["trial"]["n"]
    some = lambda key, values: {key: r.choice(values)} if r.random() < 0.4 else {}
    paid = {**some("usage", [{"total_tokens": 8}, {"total_tokens": 16}]), **some("cost", [0.25, 0.5])}
    if r.random() < 0.3:
        content = f'{jb["item"]} {n}' + (" of another" if r.random() < 0.1 else "")
        jb["request"] = {"messages": [{"role": "user", "content": content}], "temperature": r.choice([0, 0, 0, 1])}
    if r.random() < 0.03:
        jb["probe"] = {"kind": "length", "of": jb["item"]}
        jb["item"] += " length"
    if kind == "criteria":
        jb["trial"]["criterion"] = f"c{n}"
        options = [{"name": name, "description": "d", "score": score} for score, name in enumerate(["no", "yes"])]
        more = {"description": "d", "to_evaluate_field": "answer", "context_fields": None}
        jb["criterion"] = {"name": f"c{n}", **more, "options": options}
    value = n % 3 if r.random() < 0.85 else r.randrange(3)
    if r.random() < 0.72:
        text = str(value) + (" in other words" if r.random() < 0.04 else "")
        served = {"served_model": "snapshot"} if r.random() < 0.1 else {}
        verdict = {
            "pair": {"label": text, "decision": ["A>B", "B>A", "A=B"][value]},
            "grade": {"label": text, "score": value + 1, "range": [1, 5]},
            "choice": {"label": text, "option": ["yes", "no", "yes"][value], "score": int(value != 1)},
        }["choice" if kind == "criteria" else kind]
        return {**jb, "reply": {"text": text, "model": name, **served, **paid}, "verdict": verdict}
    if r.random() < 0.5:
        code = r.choice(["timeout", "rate_limited", "refused", "gone"])
        return {**jb, "error": {"stage": "call", "code": code, "message": "x", "model": name, **paid}}
    if r.random() < 0.3:
        error = {"stage": "render", "code": "missing_field", "message": "x"}
        if r.random() < 0.5:
            del jb["trial"]
        return {**jb, "error": error}
    answer = {"text": r.choice(["hm", "well"]), "model": name, **paid}
    return {**jb, "reply": answer, "error": {"stage": "parse", "code": "no_verdict", "message": "x"}}


def lines(count, seed):
    r = random.Random(seed)
    return "".join(json.dumps(stream(r)) + "\n" for _ in range(count))


if len(sys.argv) > 1:
    sys.stdout.write(lines(int(sys.argv[1]), int(sys.argv[2])))
else:
    Path("fixtures/ledger.ndjson").write_text(lines(40, 1))
