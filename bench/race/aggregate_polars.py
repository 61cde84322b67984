"""jb-aggregate's question to Polars (POLARS_MAX_THREADS). Arguments: FILE told|untold (whether it is told the columns)."""

import json, sys
import polars as pl

file, told = sys.argv[1:]
jb = pl.Struct({"item": pl.String, "verdict": pl.Struct({"decision": pl.String})})
columns = {"source": pl.String, "label": pl.String, "jb": jb}
worth = {"A>B": 1, "B>A": -1, "A=B": 0}
held = pl.col("jb").struct
found = (
    pl.scan_ndjson(file, schema=columns if told == "told" else None)
    .select(
        "source",
        held.field("item"),
        pl.col("label").replace_strict(worth, return_dtype=pl.Int8),
        held.field("verdict").struct.field("decision").replace_strict(worth, return_dtype=pl.Int8),
    )
    .group_by("item")
    .agg(
        pl.first("source", "label"),
        pl.sum("decision").sign().alias("votes"),
        (pl.min("decision") == pl.max("decision")).alias("agree"),
    )
    .group_by("source")
    .agg(pl.len(), (pl.col("votes") == pl.col("label")).sum().alias("right"), pl.sum("agree"))
    .collect()
)
print(json.dumps({source: sums for source, *sums in found.rows()}))
