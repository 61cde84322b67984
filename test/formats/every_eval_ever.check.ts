/** Files of `jb-write every_eval_ever` by the schemas of every_eval_ever 0.3.0, and by the package's own validator. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Ajv } from 'ajv'
import { folder } from '../helpers/folder.ts'
import { fine, pipe, ROOT, sh } from '../helpers/run.ts'

/** EVERY_EVAL_EVER_PYTHON has every_eval_ever 0.3.0. */
const PYTHON = process.env.EVERY_EVAL_EVER_PYTHON ?? 'python3.12'

const ajv = new Ajv({ strict: false })
const schema = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(`${ROOT}fixtures/every_eval_ever/${name}.schema.json`, 'utf8')))
const isAggregate = schema('eval')
const isInstance = schema('instance_level_eval')

const WRITE = 'jb-write every_eval_ever --dataset made/up --developer jb --save out'
const PAIRS = 'fixtures/pairs.jsonl'

/** A folder of files, one run of each kind. */
async function written(t: TestContext): Promise<string> {
  const pairs = readFileSync(`${ROOT}${PAIRS}`, 'utf8').trimEnd().split('\n')
  const without = pairs.map((line, i) => {
    const { label: _, ...pair } = JSON.parse(line)
    return JSON.stringify({ ...pair, model_a: `a/x${i % 2}`, model_b: 'b/y:z' })
  })
  const answers = pairs.map((line) => {
    const { pair_id: id, question, response_A: answer } = JSON.parse(line)
    return JSON.stringify({ id, question, answer, model: 'c/w' })
  })
  const cwd = folder(t, {
    'pairs.jsonl': `${pairs.join('\n')}\n`,
    'without.jsonl': `${without.join('\n')}\n`,
    'answers.jsonl': `${answers.join('\n')}\n`,
  })
  const judged = (judge: string, model: string, file: string, order = '') =>
    `jb-render ${judge} ${order} ${file} | jb-call -q -m baseline:${model} | jb-parse -q`
  const lines = [
    `${judged('arena_hard', 'longer', 'pairs.jsonl', '--order both')} | ${WRITE}`,
    `${judged('arena_hard', 'longer', 'without.jsonl')} | ${WRITE}`,
    `${judged('pass_fail --set criterion=short', 'random', 'answers.jsonl')} | ${WRITE}`,
    `${judged('rating', 'random', 'answers.jsonl')} | ${WRITE} --pass 3`,
    ...['first', 'longer', 'overlap'].map(
      (model) => `${judged('vanilla', model, 'pairs.jsonl')} > ${model}.ndjson`,
    ),
    `jb-score -q --jury majority first.ndjson longer.ndjson overlap.ndjson | ${WRITE}`,
  ]
  for (const line of lines) {
    const ran = await pipe(line, { cwd })
    assert.equal(ran.code, 0, `${line}\n${ran.stderr}`)
  }
  return cwd
}

test('the files hold by the recorded schemas, and the package’s validator takes them', async (t) => {
  const cwd = await written(t)
  const files = readdirSync(`${cwd}/out`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonl?$/.test(name))
    .map((name) => join(cwd, 'out', name))
  const aggregates = files.filter((file) => file.endsWith('.json'))
  // The pairs' judge, their three models, the writer twice, the jury.
  assert.equal(aggregates.length, 7)
  assert.equal(files.length, 7 + 4)
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const documents = file.endsWith('.json') ? [text] : text.trimEnd().split('\n')
    const holds = file.endsWith('.json') ? isAggregate : isInstance
    for (const one of documents) assert.ok(holds(JSON.parse(one)), JSON.stringify(holds.errors))
  }
  const version = `from importlib.metadata import version; print(version("every_eval_ever"))`
  const there = await sh(`${PYTHON} -c '${version}'`, { cwd })
  if (there.code !== 0 || there.stdout.trim() !== '0.3.0')
    return t.diagnostic(
      `NOT RUN: ${PYTHON} has no every_eval_ever 0.3.0 (EVERY_EVAL_EVER_PYTHON=path names one)`,
    )
  const names = `'${cwd}/out/data/*/*/*/*.json*'`
  const ran = fine(
    await sh(`${PYTHON} -m every_eval_ever validate --format json ${names} 2>/dev/null`, { cwd }),
  )
  const reports = JSON.parse(ran.stdout) as { valid: boolean; errors: unknown[]; warnings: unknown[] }[]
  assert.equal(reports.length, files.length)
  for (const one of reports) assert.deepEqual([one.valid, one.errors, one.warnings], [true, [], []])
})
