/** The pages’ examples for data frames, by the programs that are there. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from './helpers/folder.ts'
import { fine, pipefail, ROOT, sh } from './helpers/run.ts'

const page = readFileSync(`${ROOT}docs/dataframes.md`, 'utf8')
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code]) => code!)

/** DATAFRAMES_PYTHON has pandas, pyarrow, polars, duckdb and jb_filters, or some of them. */
const PYTHON = process.env.DATAFRAMES_PYTHON ?? 'python3'

test('pandas, polars, DuckDB and R read what jb writes', async (t) => {
  const cwd = folder(t, { 'pairs.jsonl': readFileSync(`${ROOT}fixtures/pairs.jsonl`) })
  const env = { ...process.env, PATH: `${ROOT}bin:${process.env.PATH}`, HOME: cwd } as Record<string, string>
  fine(await pipefail(blocks('sh')[0]!, { cwd, env }))
  const missing: string[] = []
  const python = async (name: string, code: string) => {
    const there = await sh(`${PYTHON} -c 'import ${name}'`, { cwd, env })
    if (there.code !== 0) return void missing.push(name)
    writeFileSync(`${cwd}/code.py`, code)
    const ran = await sh(`${PYTHON} code.py`, { cwd, env })
    assert.equal(ran.code, 0, `${name}: ${ran.stderr}`)
    return ran.stdout
  }
  for (const code of blocks('python')) {
    const name = /import (\w+)/.exec(code)![1]!
    const stdout = await python(name, code)
    // The mean of each source.
    if (stdout !== undefined && name !== 'jb_filters') assert.match(stdout, /arithmetic\W+0\.\d/)
  }
  const sql = blocks('sql')[0]!
  const sums = await python(
    'duckdb',
    `import duckdb\nfor query in ${JSON.stringify(sql.trim().split('\n'))}:\n    result = duckdb.sql(query)\n    if result: print(result.fetchall())\n`,
  )
  if (sums !== undefined) {
    // DuckDB took the first rows for integers once: the mean of NDJSON is that of the table.
    const [, mean] = /^\[\(([\d.]+),\)\]$/m.exec(sums)!
    const rows = readFileSync(`${cwd}/results.ndjson`, 'utf8').trim().split('\n')
    const scores = rows.map((row) => JSON.parse(row).jb.result.scores[0] as number)
    assert.equal(Number(mean), scores.reduce((sum, one) => sum + one, 0) / rows.length)
  }
  const r = await sh('Rscript -e "library(arrow)"', { cwd, env })
  if (r.code === 0) {
    writeFileSync(`${cwd}/code.R`, blocks('r')[0]!)
    fine(await sh('Rscript code.R > r.txt', { cwd, env }))
  } else missing.push('R')
  if (missing.length > 0)
    t.diagnostic(`NOT RUN: ${missing.join(', ')} (DATAFRAMES_PYTHON=path names a Python)`)
})
