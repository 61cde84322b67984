/**
 * Other releases of Node, Bun and Deno write the bytes that this Node writes. A part of `make test-long` with a `bun` or `deno` on
 * PATH; `make nodes` names all in RUNTIMES, a command each, with commas between them.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { BIN } from '../helpers/ran.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, has, pipefail, sh } from '../helpers/run.ts'
import { chatServer } from '../stages/call/server.ts'

const { RUNTIMES } = process.env
const runtimes = RUNTIMES
  ? RUNTIMES.split(',')
  : ['bun', 'deno run -A'].filter((name) => has(name.split(' ')[0]!))
const none = runtimes.length === 0 && 'NOT RUN: no bun or deno on PATH (npm i -g bun deno), no RUNTIMES'

/** What a run leaves: rows of each stage, reports, files. `jb NAME …` runs a filter. */
const RUN = `
jb read example > pairs.jsonl
jb render arena_hard --order both pairs.jsonl | jb call -q -m gpt-4o > replies.ndjson
jb render arena_hard --order both pairs.jsonl | jb call -q -m gpt-4o | cmp - replies.ndjson
sed -i 's/"ms":[0-9.]*/"ms":1/' replies.ndjson
jb parse replies.ndjson > verdicts.ndjson
jb score verdicts.ndjson > results.ndjson
jb parse replies.ndjson | jb aggregate --by source > report.json
jb aggregate --format table results.ndjson > report.txt
jb audit replies.ndjson > audit.json 2>&1 || echo $? >> audit.json
jb write parquet results.ndjson -o results.parquet
jb write csv results.ndjson | jb read csv > csv.ndjson
jb score verdicts.ndjson | jb compare a=results.ndjson b=- > compare.json 2>&1 || echo $? >> compare.json
jb read parquet results.parquet > parquet.ndjson
jb view --text results.ndjson > cards.txt
jb render arena_hard pairs.jsonl | head -1 > first.ndjson
printf '%s\\n' '{"a":1}' '[]' | jb parse > bad.txt 2>&1 || echo $? >> bad.txt
printf '{"a":"cut' | jb parse > cut.txt 2>&1 || echo $? >> cut.txt
jb render --help > help.txt
`

async function written(t: TestContext, runtime: string, env: Record<string, string>) {
  const cwd = folder(t)
  const jb = `jb() { local name=$1; shift; ${runtime} ${BIN}/jb-$name "$@"; }`
  const { code, stderr } = await pipefail(`set -e; ${jb}\n${RUN}`, {
    cwd,
    env: { ...env, XDG_CACHE_HOME: `${cwd}/cache` },
  })
  assert.equal(`${code} ${stderr}`, '0 ', runtime)
  const names = readdirSync(cwd).filter((name) => name !== 'cache')
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${cwd}/${name}`, 'latin1')]))
}

test('the same bytes', { skip: none }, async (t) => {
  const { url } = await chatServer(t)
  const env = { OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: url }
  const node = await written(t, process.execPath, env)
  assert.equal(node['results.ndjson']!.split('\n').length, 49)
  for (const runtime of runtimes)
    for (const [name, bytes] of Object.entries(await written(t, runtime, env)))
      assert.equal(bytes, node[name], `${runtime}: ${name}`)
})

test('many rows, from a pipe and a FIFO', { skip: none }, async (t) => {
  const row = (id: number) => ({ id: `x${id}`, question: '1+1?', response_A: '2', response_B: '3' })
  const cwd = folder(t, { pairs: ndjson(Array.from({ length: 2000 }, (_, id) => row(id))) })
  const pipe = (runtime: string) => {
    const [render, call] = ['render', 'call'].map((name) => `${runtime} ${BIN}/jb-${name}`)
    return `cat pairs | ${render} arena_hard | ${call} -q -m baseline:longer --no-cache | cat`
  }
  const node = expect(await sh(pipe(''), { cwd }), {})
  assert.equal(node.stdout.split('\n').length, 2001)
  for (const [i, runtime] of runtimes.entries()) {
    expect(await sh(pipe(runtime), { cwd }), { out: node.stdout, err: '' })
    const fifo = `mkfifo f${i}; cat pairs > f${i} & ${runtime} ${BIN}/jb-render arena_hard f${i} | wc -l`
    expect(await sh(fifo, { cwd }), { out: /^ *2000\n$/ })
  }
})
