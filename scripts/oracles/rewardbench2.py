"""Makes fixtures/rewardbench2.parquet: twelve made-up prompts in the columns of allenai/reward-bench-2, compressed with zstd.

The file names the version of pyarrow. Run by hand (`make oracles`).
"""

import pyarrow as pa
import pyarrow.parquet as pq

rows = []
for domain in ["Factuality", "Precise IF", "Math", "Safety", "Focus"]:
    for n in range(2):
        rows.append((f"{domain} {n}", f"A question of {domain}, {n}?", [f"the right answer {n}"],
                     [f"a wrong answer {n}{x}" for x in "abc"], domain))
rows.append(("ref:0", "Name the first month.", ["the right answer is January"], ["May", "June", "July"], "Ties"))
rows.append(("tied:0", "Name a primary colour.", ["the right answer is red", "the right answer is blue"], ["brown", "grey", "pink"], "Ties"))
table = pa.table({
    "id": [row[0] for row in rows],
    "prompt": [row[1] for row in rows],
    "chosen": [row[2] for row in rows],
    "rejected": [row[3] for row in rows],
    "num_correct": [len(row[2]) for row in rows],
    "num_incorrect": [len(row[3]) for row in rows],
    "total_completions": [len(row[2] + row[3]) for row in rows],
    "models": [["m"] * len(row[2] + row[3]) for row in rows],
    "subset": [row[4] for row in rows],
})
pq.write_table(table, "fixtures/rewardbench2.parquet", compression="zstd")
