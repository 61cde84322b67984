/** What was paid for answers that could not be used: in the row, from the cache as well, and in the summary. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PaidTry } from '../../../src/rows/record.ts'
import { type AnyRow, ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { privateEnv, trial, trials } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

/** Each call: 1 dollar for the prompt, 0.50 for the completion. */
const USAGE = { prompt_tokens: 1_000_000, completion_tokens: 250_000, total_tokens: 1_250_000 }
const PAID = { usage: USAGE, cost: 1.5 }
const PRICE = ['--price', '1,2']
const whole = (text: string) => chatBody(text, 'm', { usage: USAGE })
const broken = {
  choices: [{ index: 0, message: { content: 'half an ans' }, finish_reason: 'error' }],
  usage: USAGE,
}
const refused = { choices: [{ message: { content: '' }, finish_reason: 'content_filter' }], usage: USAGE }

/** jb-call on a server that answers whole from the try on. */
async function calling(t: TestContext, from: number) {
  const env = privateEnv(t)
  const server = await chatServer(t, ({ attempt }) => ({ body: attempt >= from ? whole('[[A>B]]') : broken }))
  const args = ['-m', 'm', '--base-url', server.url, '--retry-min', '0.001', '--retry-max', '0.002', ...PRICE]
  return (stdin: string, more: string[] = []) =>
    jb('call', [...args, '--max-error-rate', '1', ...more], { stdin, env })
}

/** What a row's calls cost in all. */
const costs = ({ jb }: AnyRow) =>
  [jb.reply, jb.error].flatMap((call) => [
    call?.cost ?? 0,
    ...(call?.paid ?? []).map((one: PaidTry) => one.cost!),
  ])
const dollars = (row: AnyRow) => costs(row).reduce((sum, cost) => sum + cost, 0)

test('an answer in the fourth try: 6.00, in the row, the summary, and from the cache', async (t) => {
  const call = await calling(t, 4)
  const ran = await call(trials(1))
  expect(ran, { err: /4 calls, 3 of them retries, 4\.00M \+ 1\.00M tokens, \$6\.00\n/ })
  const [row] = rowsOf(ran)
  assert.deepEqual(row!.jb.reply!.usage, USAGE, 'of the reply alone')
  assert.deepEqual(row!.jb.reply!.paid, [PAID, PAID, PAID])
  assert.equal(dollars(row!), 6)
  const cached = await call(trials(1))
  expect(cached, { err: /1 from the cache\n/ })
  assert.equal(cached.stdout, ran.stdout)
})

test('a row that fails for good has what each try used, also after it is asked again', async (t) => {
  const call = await calling(t, 6)
  const failed = await call(trials(1), ['--retries', '3'])
  const [row] = rowsOf(failed)
  assert.deepEqual(row!.jb.error!.paid, [PAID, PAID, PAID])
  assert.equal(dollars(row!), 6)
  const again = await call(failed.stdout)
  expect(again, { err: /2 calls, 1 of them retries.*\$3\.00\n/ })
  assert.equal(dollars(rowsOf(again)[0]!), 9, 'both runs')
})

test('rows that share a call: the one that made it has what its failure used', async (t) => {
  const call = await calling(t, 9)
  const ran = await call(ndjson([trial(1, 'same'), trial(2, 'same')]), ['--retries', '1'])
  expect(ran, { err: /2 calls, 1 of them retries.*\$3\.00\n/ })
  const sums = rowsOf(ran).map(dollars)
  assert.deepEqual(sums, [3, 0])
})

test('a repair that fails: what its turns used is kept', async (t) => {
  const env = privateEnv(t)
  const later = [refused, broken]
  for (const [n, body] of later.entries()) {
    const server = await chatServer(t, (got) => ({
      body: got.body.messages.length === 1 ? whole('hm') : body,
    }))
    const args = ['-m', 'm', '--base-url', server.url, '--repair', '1', '--retries', '0', '--no-cache']
    const ran = await jb('call', [...args, ...PRICE, '--max-error-rate', '1'], { stdin: trials(1), env })
    expect(ran, { err: /2 calls.*\$3\.00\n/ })
    const [row] = rowsOf(ran)
    assert.equal(row!.jb.reply === undefined, n === 1)
    assert.equal(dollars(row!), 3)
  }
})

test('samples of one request: what was paid before stands in the first one', async (t) => {
  const [choice] = whole('[[A>B]]').choices
  const both = { ...whole(''), choices: [choice, { ...choice, index: 1 }] }
  const server = await chatServer(t, ({ attempt }) => ({ body: attempt > 1 ? both : broken }))
  const stdin = ndjson([0, 1].map((sample) => trial(1, 'q', { trial: { n: sample, of: 2, sample } })))
  const args = ['-m', 'm', '--base-url', server.url, '--samples-at-once', '--retry-min', '0.001', ...PRICE]
  const ran = await jb('call', args, { stdin, env: privateEnv(t) })
  assert.deepEqual(rowsOf(ran).map(dollars), [3, 0])
})

test('a row that fails before a model is known', async (t) => {
  const stdin = ndjson([trial(1, 'q', { own_endpoint: true, judge: 'a.yaml' })])
  const ran = await jb('call', ['-m', 'm', '--max-error-rate', '1'], { stdin, env: privateEnv(t) })
  assert.equal(rowsOf(ran)[0]!.jb.error!.code, 'unknown_judge')
})
