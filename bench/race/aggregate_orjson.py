"""jb-aggregate's question with orjson: by source, the items, how many are right, in how many the games agree. Argument: FILE."""

import json, sys
import orjson

worth = {"A>B": 1, "B>A": -1, "A=B": 0}
items = {}
with open(sys.argv[1], "rb") as rows:
    for line in rows:
        row = orjson.loads(line)
        jb = row["jb"]
        decision = jb["verdict"]["decision"]
        item = items.get(jb["item"])
        if item is None:
            items[jb["item"]] = [row["source"], worth[row["label"]], worth[decision], decision, True]
        else:
            item[2] += worth[decision]
            item[4] = item[4] and decision == item[3]
report = {}
for source, label, votes, _, agree in items.values():
    sums = report.setdefault(source, [0, 0, 0])
    sums[0] += 1
    sums[1] += (votes > 0) - (votes < 0) == label
    sums[2] += agree
print(json.dumps(report))
