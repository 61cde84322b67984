/**
 * jb-aggregate against jq and DuckDB's npm package (BENCH_DUCKDB names a folder where @duckdb/node-api is installed), on
 * all cores for long rows and on one for short ones: asked plainly, as one would, which the goals are for, and told
 * which columns there are, which saves it finding out (on long rows it is faster than jb-aggregate then); and its
 * Python package (BENCH_DUCKDB_PYTHON names its folder), on one core and told.
 */
import { writeFileSync } from 'node:fs'
import { available, DATA, megabytes, race } from './_bench.ts'
import { judged, smallVerdicts } from './_rows.ts'

const query = (from: string) =>
  `select source, avg(case when jb.verdict.decision = label then 1 else 0 end), count(*) from ${from} group by source order by source`
const PLAIN = query("read_ndjson('FILE')")
const TOLD = query(
  "read_json('FILE', format='newline_delimited', columns={source: 'VARCHAR', label: 'VARCHAR', jb: 'STRUCT(verdict STRUCT(decision VARCHAR))'})",
)

writeFileSync(
  `${DATA}/duck.mjs`,
  `import { createRequire } from 'node:module'
const [, , folder, query, file, threads] = process.argv
const { DuckDBInstance } = createRequire(folder + '/')('@duckdb/node-api')
const duck = await (await DuckDBInstance.create(':memory:', threads ? { threads } : {})).connect()
const found = await duck.runAndReadAll(query.replace('FILE', file))
console.log(found.getRows().map(String).join('\\n'))
`,
)
writeFileSync(
  `${DATA}/duck.py`,
  `import sys
sys.path.insert(0, sys.argv[1])
import duckdb
c = duckdb.connect(); c.execute('set threads=1')
print(c.execute(sys.argv[2].replace('FILE', sys.argv[3])).fetchall())
`,
)
const { BENCH_DUCKDB, BENCH_DUCKDB_PYTHON, BENCH_PYTHON = 'python3' } = process.env
const duck = (query: string, path: string, threads: string) =>
  `node ${DATA}/duck.mjs ${BENCH_DUCKDB} "${query}" ${path} ${threads}`
const python = (path: string) => `${BENCH_PYTHON} ${DATA}/duck.py ${BENCH_DUCKDB_PYTHON} "${TOLD}" ${path}`
const few = await smallVerdicts(10)
const here = await available('DuckDB (npm)', duck(PLAIN, few, '1'))
const pythonHere = await available('DuckDB (Python)', python(few))
const small = await smallVerdicts()
const big = await judged()
const JQ =
  'reduce inputs as $r ({}; .[$r.source] |= {n: ((.n // 0) + 1), c: ((.c // 0) + (if $r.jb.verdict.decision == $r.label then 1 else 0 end))})'

for (const [path, threads, goals] of [
  [big, '', { duckdb: '>= 1.3' }],
  [small, '1', { duckdb: '>= 0.6', jq: '>= 6' }],
] as const) {
  await race(
    `jb-aggregate: ${path}, ${megabytes(path).toFixed(0)} MB`,
    {
      'jb-aggregate': `bin/jb-aggregate ${path}`,
      ...(here && { duckdb: duck(PLAIN, path, threads), 'duckdb, told': duck(TOLD, path, threads) }),
      ...(pythonHere && { 'duckdb in Python, told': python(path) }),
      jq: `jq -n '${JQ}' ${path}`,
    },
    goals,
  )
}
