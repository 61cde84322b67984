/** Typed questions: what is asked, and what is read of answers; values of a reference program. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { jsonText, type Params } from '../../src/providers/_params.ts'
import type { Provider } from '../../src/providers/_provider.ts'
import { askedInWords } from '../../src/providers/_questions.ts'
import { provider as chat } from '../../src/providers/chat.ts'
import { provider as decisions } from '../../src/providers/decisions.ts'
import { provider as systemone } from '../../src/providers/systemone.ts'
import { itemConfidence } from '../../src/scoring/confidence.ts'
import { lastingFolder } from '../helpers/folder.ts'
import { jb } from '../helpers/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: values as the file has them
type Any = any
const vectors: Any = JSON.parse(
  readFileSync(new URL('../../fixtures/vectors/decisions.json', import.meta.url), 'utf8'),
)
const folder = lastingFolder()
let files = 0

function fileOf(value: unknown): string {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, JSON.stringify(value))
  return path
}

const rowsOf = (stdout: string): Any[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).jb)

/** The same, with numbers to nine digits. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'number' ? Number(one.toPrecision(9)) : one))

test('requests are those of the reference program, for each API', async () => {
  for (const { name, judge, item, criteria, want } of vectors.requests) {
    const args = criteria ? ['--criteria', fileOf(criteria)] : []
    const stdin = `${JSON.stringify({ id: name, ...item })}\n`
    const made = rowsOf((await jb('render', [fileOf(judge), ...args], { stdin })).stdout)
    assert.equal(made.length, want.length, name)
    for (const [i, { trial: whole, request }] of made.entries()) {
      const { n: _, of: __, order: ___, ...trial } = whole
      assert.deepEqual(trial, want[i].trial, name)
      assert.equal(JSON.stringify(request), JSON.stringify(want[i].request), name)
      const params: Params = new Map(Object.entries(request).map(([key, value]) => [key, jsonText(value)]))
      const sent = (provider: Provider, asked: Params) =>
        JSON.parse(provider.body(provider.prepare(asked, {}), 'm').toString())
      assert.deepEqual(sent(decisions, params), want[i].decisions, name)
      assert.deepEqual(sent(systemone, params), want[i].systemone, name)
      assert.deepEqual(sent(chat, askedInWords(params)), want[i].chat, name)
    }
  }
})

test('answers become the replies and verdicts of the reference program', async () => {
  for (const { name, of, kind, api, trial, response, text, want } of vectors.answers) {
    const { judge, criteria, want: asked } = vectors.requests.find((one: Any) => one.name === of)
    const [{ request }] = asked
    let reply: Any = { text }
    if (kind === 'answer')
      try {
        const answer = (api === 'decisions' ? decisions : systemone).read(response, request.questions)
        reply = { text: answer.text, answers: answer.answers }
      } catch (error) {
        assert.deepEqual({ error: (error as { code?: string }).code }, want, name)
        continue
      }
    const path = fileOf(judge)
    const row = { judge: path, item: 'x', trial: { n: 0, of: 1, ...trial }, request, criteria, reply }
    const { stdout } = await jb('parse', ['--judge', path], { stdin: `${JSON.stringify({ jb: row })}\n` })
    const [{ verdict, error }] = rowsOf(stdout)
    // The reference keeps no reasons, and has the options in the judge alone.
    const { reason: _, options: _options, ...read } = verdict ?? { error: error.code }
    const got = kind === 'answer' ? { reply, verdict: read } : { verdict: read }
    assert.deepEqual(rounded(got), rounded(want), name)
  }
})

test('the confidence of an item is that of the reference program', () => {
  for (const { name, trials, result, want } of vectors.confidence) {
    const parts = trials.map(({ part, verdict }: Any) => ({
      trial: part ? { criterion: part } : {},
      verdict,
    }))
    const [{ verdict }] = trials
    const decided = result && Object.values(result)[0]
    const items = result && Object.entries(result).map(([criterion, option]) => ({ criterion, option }))
    const of =
      result === undefined
        ? {}
        : trials[0].part
          ? { items }
          : { [verdict.option === undefined ? 'decision' : 'option']: decided }
    assert.deepEqual(rounded(itemConfidence(of as Any, parts) ?? null), rounded(want.confidence), name)
  }
})
