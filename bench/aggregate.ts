/**
 * jb-aggregate against jq and DuckDB: its npm package (BENCH_DUCKDB names a folder where @duckdb/node-api is installed),
 * on all cores for long rows and on one for short ones, and its Python package (BENCH_DUCKDB_PYTHON names its folder)
 * on one.
 */
import { writeFileSync } from 'node:fs'
import { available, DATA, megabytes, race } from './_bench.ts'
import { judged, smallVerdicts } from './_rows.ts'

const QUERY = `select source, avg(case when jb.verdict.decision = label then 1 else 0 end), count(*) from read_json('FILE', format='newline_delimited', columns={source: 'VARCHAR', label: 'VARCHAR', jb: 'STRUCT(verdict STRUCT(decision VARCHAR))'}) group by source order by source`

writeFileSync(
  `${DATA}/duck.mjs`,
  `import { createRequire } from 'node:module'
const { DuckDBInstance } = createRequire(process.argv[2] + '/')('@duckdb/node-api')
const [, , , file, threads] = process.argv
const duck = await (await DuckDBInstance.create(':memory:', threads ? { threads } : {})).connect()
const found = await duck.runAndReadAll(${JSON.stringify(QUERY)}.replace('FILE', file))
console.log(found.getRows().map(String).join('\\n'))
`,
)
writeFileSync(
  `${DATA}/duck.py`,
  `import sys
sys.path.insert(0, sys.argv[1])
import duckdb
c = duckdb.connect(); c.execute('set threads=1')
print(c.execute(${JSON.stringify(QUERY)}.replace('FILE', sys.argv[2])).fetchall())
`,
)
const { BENCH_DUCKDB, BENCH_DUCKDB_PYTHON, BENCH_PYTHON = 'python3' } = process.env
const duck = (path: string, threads: string) => `node ${DATA}/duck.mjs ${BENCH_DUCKDB} ${path} ${threads}`
const python = (path: string) => `${BENCH_PYTHON} ${DATA}/duck.py ${BENCH_DUCKDB_PYTHON} ${path}`
const few = await smallVerdicts(10)
const here = await available('DuckDB (npm)', duck(few, '1'))
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
      ...(here && { duckdb: duck(path, threads) }),
      ...(pythonHere && { 'duckdb in Python, one thread': python(path) }),
      jq: `jq -n '${JQ}' ${path}`,
    },
    goals,
    3,
  )
}
