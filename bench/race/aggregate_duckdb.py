"""jb-aggregate's question to DuckDB. Arguments: FILE THREADS told|untold (whether it is told the columns)."""

import json, sys
import duckdb

file, threads, told = sys.argv[1:]
columns = (
    ", columns = {source: 'VARCHAR', label: 'VARCHAR', jb: 'STRUCT(item VARCHAR, verdict STRUCT(decision VARCHAR))'}"
)
duck = duckdb.connect(config={"threads": int(threads)})
found = duck.execute(
    f"""
    with games as (
      select jb.item as item, source, label,
        case jb.verdict.decision when 'A>B' then 1 when 'B>A' then -1 else 0 end as worth
      from read_json(?, format = 'newline_delimited'{columns if told == 'told' else ''})
    ), items as (
      select any_value(source) as source, any_value(label) as label, sum(worth) as votes, min(worth) = max(worth) as agree
      from games group by item
    )
    select source, count(*), count(*) filter (case when votes > 0 then 'A>B' when votes < 0 then 'B>A' else 'A=B' end = label),
      count(*) filter (agree)
    from items group by source
    """,
    [file],
).fetchall()
print(json.dumps({source: sums for source, *sums in found}))
