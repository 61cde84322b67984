/** jb-write junit, github and otel: what CI and a trace's backend are told. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { jb, ROOT } from '../helpers/run.ts'

interface Told {
  score?: number
  option?: string
  reason?: string
  error?: string
  ms?: number
  label?: string
}

/** A row of jb-parse about an item, by the judge task_completion and gpt-4o. */
const judged = (
  item: string,
  { score, option = 'x', reason, error, ms = 0, ...fields }: Told,
  more = {},
) => ({
  ...fields,
  ...more,
  jb: {
    judge: 'task_completion',
    item,
    trial: { n: 0, of: 1 },
    reply: { text: 'r', model: 'gpt-4o', ms, tries: 1 },
    ...(error
      ? { error: { stage: 'parse', code: 'no_verdict', message: error, model: 'gpt-4o' } }
      : { verdict: { label: option, option, score: score ?? null, explanation: reason } }),
  },
})

const write = (rows: object[], ...args: string[]) => jb('write', args, { stdin: ndjson(rows) })

test('junit: the given file, byte for byte', async (_t) => {
  const path = `${ROOT}fixtures/traces/given/junit.xml`
  const rows = [
    judged('c1', { score: 1, ms: 1204 }),
    judged('c2', { score: 0, ms: 1100, reason: 'The refund was announced and never made: [6].' }),
    judged('c3', { error: 'looked for Verdict: and found none', ms: 1108 }),
    judged('c4', {}),
  ]
  const { stdout, code } = await write(rows, 'junit', '--pass', '0.5', '--fail-under', '0.8')
  assert.equal(stdout, readFileSync(path, 'utf8'))
  assert.equal(code, 1)
})

test('junit: labels, groups, missing items, names that occur again, characters that XML does not have', async (t) => {
  const cwd = folder(t, { 'all.jsonl': ndjson([{ id: 'a' }, { id: 'b' }, { id: 'c' }]) })
  const rows = [
    judged('a', { option: 'x', label: 'y', reason: 'says "<&>\u0001\ud800"\r\n' }, { topic: 'A&B' }),
    judged('b', { option: 'x', label: 'x' }, { topic: 'C' }),
  ]
  const { stdout, code, stderr } = await jb(
    'write',
    ['junit', '--by', 'topic', '--expect', 'all.jsonl', '--id', 'id'],
    { stdin: ndjson(rows), cwd },
  )
  assert.match(stdout, /<testsuite name="task_completion gpt-4o topic=A&amp;B" tests="1" failures="1"/)
  assert.match(
    stdout,
    /<failure type="wrong" message="x, the label is y">x, the label is y\nsays "?&quot;&lt;&amp;&gt;\ufffd\ufffd&quot;&#13;\n<\/failure>/,
  )
  assert.match(stdout, /name="c" time="0">\n {6}<error type="missing"/)
  assert.deepEqual([code, /1 items are missing/.test(stderr)], [1, true])
})

test('junit: an error that others wrote, without a message and with any code', async () => {
  const row = { id: 'a', jb: { judge: 'vanilla', item: 'a', error: { stage: 'call', code: '"<a>' } } }
  const { stdout, code } = await jb('write', ['-q', 'junit'], { stdin: ndjson([row]) })
  assert.match(stdout, /<error type="&quot;&lt;a&gt;" message=""><\/error>/)
  assert.equal(code, 1)
})

test('junit: at most 20,000 cases, those that failed first; totals are of all', async () => {
  const rows = Array.from({ length: 20_010 }, (_, i) => judged(String(i), { score: i < 20_005 ? 1 : 0 }))
  const { stdout } = await write(rows, 'junit', '--pass', '1')
  assert.match(stdout, /<testsuite name="task_completion gpt-4o" tests="20010" failures="5"/)
  assert.match(stdout, /<property name="left_out" value="10"\/>/)
  assert.equal(stdout.split('<testcase ').length - 1, 20_000)
  assert.equal(stdout.split('<failure ').length - 1, 5)
})

test('github: nine items and how many more, the missed gates; line ends and marks are escaped', async () => {
  const rows = Array.from({ length: 12 }, (_, i) => judged(`${i}%`, { score: 0, reason: 'a\nb' }))
  const { stdout, code } = await write(rows, 'github', '--pass', '1', '--fail-under', '1')
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines[0], '::warning title=task_completion gpt-4o::0%25: score 0 is below 1%0Aa%0Ab')
  assert.deepEqual(lines.slice(9), [
    '::warning title=jb::… and 3 more',
    '::error title=task_completion gpt-4o::score 0 is below --fail-under 1',
  ])
  assert.equal(code, 1)
})

test('otel: the given attributes, then judge, version and model; errors have their code, other ids no trace', async (_t) => {
  const trace = { id: 'a'.repeat(32), span: '1'.repeat(16) }
  const reason = 'The order was found and its state given: [4], [5].'
  const done = judged('c1', { score: 1, option: 'complete', reason }, trace)
  const { stdout } = await write([done], 'otel')
  const path = `${ROOT}fixtures/traces/given/otel-evaluation.jsonl`
  const written = JSON.parse(stdout)
  const more = recordOf(written).attributes.splice(4)
  assert.deepEqual(written, JSON.parse(readFileSync(path, 'utf8')))
  assert.deepEqual(more, [
    { key: 'gen_ai.evaluation.evaluator.id', value: { stringValue: 'task_completion' } },
    { key: 'gen_ai.evaluation.evaluator.type', value: { stringValue: 'llm_judge' } },
    { key: 'jb.judge.model', value: { stringValue: 'gpt-4o' } },
  ])
  const failed = await write([judged('c2', { error: 'none' }, { id: 'x' }), done], 'otel')
  const record = recordOf(JSON.parse(failed.stdout.split('\n')[0]!))
  assert.deepEqual(record.attributes[1], { key: 'error.type', value: { stringValue: 'no_verdict' } })
  assert.equal('traceId' in record, false)
})

test('otel: the range of the score and the version of the judge; a baseline is no LLM', async () => {
  const grade = (model: string) => ({
    id: 'a'.repeat(32),
    jb: {
      ...{ judge: 'rating', judge_digest: '0123456789ab.cdef', name: 'tone', item: model },
      trial: { n: 0, of: 1 },
      reply: { text: '4', model },
      verdict: { label: '4', score: 4, range: [1, 5] },
    },
  })
  const { stdout } = await write([grade('m'), grade('baseline:longer')], 'otel')
  const attributes = stdout
    .trimEnd()
    .split('\n')
    .map((line) => recordOf(JSON.parse(line)).attributes)
  assert.deepEqual(attributes[0], [
    { key: 'gen_ai.evaluation.name', value: { stringValue: 'tone' } },
    { key: 'gen_ai.evaluation.score.value', value: { doubleValue: 4 } },
    { key: 'gen_ai.evaluation.evaluator.id', value: { stringValue: 'rating' } },
    { key: 'gen_ai.evaluation.evaluator.version', value: { stringValue: '0123456789ab.cdef' } },
    { key: 'gen_ai.evaluation.evaluator.type', value: { stringValue: 'llm_judge' } },
    { key: 'jb.judge.model', value: { stringValue: 'm' } },
    { key: 'jb.score.range', value: { arrayValue: { values: [{ doubleValue: 1 }, { doubleValue: 5 }] } } },
  ])
  const keys = attributes[1].map(({ key }: { key: string }) => key)
  assert.equal(keys.includes('gen_ai.evaluation.evaluator.type'), false)
})

// biome-ignore lint/suspicious/noExplicitAny: a line of OTLP JSON
const recordOf = (line: any) => line.resourceLogs[0].scopeLogs[0].logRecords[0]
