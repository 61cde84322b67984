"""A run on Ray: a task for each part of the pairs, states merged in a tree.

    python scripts/engines/ray_run.py pairs.jsonl 4 > report.json
"""
import subprocess
import sys

import ray

PIPE = "jb-render arena_hard --order both | jb-call -q -m baseline:longer | jb-parse | jb-aggregate --partial"


def pipe(command: str, rows: str) -> str:
    """What a pipe of filters writes; a failure of any of them is the task's."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], input=rows, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


@ray.remote(max_retries=2)
def judge(rows: list[str]) -> str:
    return pipe(PIPE, "".join(rows))


@ray.remote
def merge(one: str, other: str) -> str:
    return pipe("jb-aggregate --merge --partial", one + other)


source, parts = sys.argv[1], int(sys.argv[2])
ray.init(include_dashboard=False, log_to_driver=False)
with open(source) as file:
    rows = file.readlines()
states = [judge.remote(rows[part::parts]) for part in range(parts)]
while len(states) > 1:
    states.append(merge.remote(states.pop(0), states.pop(0)))
sys.stdout.write(pipe("jb-aggregate --merge", ray.get(states[0])))
