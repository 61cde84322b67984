"""A run on Spark: Parquet of pairs in, the filters as a pipe, states merged in a tree.

    python scripts/engines/spark.py pairs.jsonl 4 > report.json

A third argument is Spark's master: `local-cluster[2,1,1024]` starts two executors as processes of their own.
"""
import os
import subprocess
import sys
import tempfile

from pyspark.sql import SparkSession

PIPE = "bash -o pipefail -c 'jb-render arena_hard --order both | jb-call -q -m baseline:longer | jb-parse | jb-aggregate --partial'"


def merge(one: str, other: str) -> str:
    """Two states as one."""
    made = subprocess.run(
        ["jb-aggregate", "--merge", "--partial"], input=f"{one}\n{other}\n", capture_output=True, text=True, check=True
    )
    return made.stdout.strip()


os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
source, parts = sys.argv[1], int(sys.argv[2])
master = sys.argv[3] if len(sys.argv) > 3 else "local[2]"
spark = SparkSession.builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
with tempfile.TemporaryDirectory() as folder:
    spark.read.json(source).repartition(parts).write.parquet(f"{folder}/pairs")
    rows = spark.read.parquet(f"{folder}/pairs").toJSON().repartition(parts)
    states = rows.pipe(PIPE, env=dict(os.environ), checkCode=True).glom().map("\n".join).filter(bool)
    state = states.treeReduce(merge)
report = subprocess.run(["jb-aggregate", "--merge"], input=state + "\n", capture_output=True, text=True, check=True)
sys.stdout.write(report.stdout)
spark.stop()
