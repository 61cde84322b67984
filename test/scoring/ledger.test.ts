/** The ledger against its definition: any order of rows, any shards, and through jb-score. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { spec as rankSpec } from '../../src/stages/rank/options.ts'
import { rank } from '../../src/stages/rank/rank.ts'
import { spec as scoreSpec } from '../../src/stages/score/options.ts'
import { score } from '../../src/stages/score/score.ts'
import { Choices } from '../helpers/random.ts'
import { game, ndjson } from '../helpers/rows.ts'
import { objects, staged } from '../helpers/stage.ts'
import { checkStream, report, streamsIn } from './_ledger.ts'

test('random rows count as defined: in any order, from any shards, through jb-score, and mixed', async () => {
  for (const [place, stream] of streamsIn(readFileSync('fixtures/ledger.ndjson', 'utf8')).entries())
    await checkStream(stream, new Choices(place))
})

test('a reply of two verdicts fails its trial alone: its row or result may come before another try, or after', async () => {
  const models = { model_a: 'gpt-4-0314', model_b: 'new' }
  const of = (n: number, more: object) =>
    game('x', n, 2, 'A>B', { ...models, jb: { reply: { text: `${n}`, model: 'm', cost: 1 }, ...more } })
  const failed = of(1, {
    verdict: undefined,
    error: { stage: 'parse', code: 'conflict', message: 'two verdicts' },
  })
  const scored = async (rows: object[]) => (await staged(scoreSpec, score, [], ndjson(rows))).text
  for (const text of [
    (await scored([of(0, {}), failed])) + ndjson([of(1, {})]),
    ndjson([of(1, {})]) + (await scored([of(0, {}), failed])),
    await scored([of(0, {}), of(1, {}), failed]),
  ]) {
    const [{ valid, failures, cost }] = objects(await report(text))
    assert.deepEqual({ valid, failures, cost }, { valid: 1, failures: {}, cost: 3 }, text)
  }
  // With --compat arena-hard the other game counts, of rows of jb-score, too.
  const [best] = objects(
    (await staged(rankSpec, rank, ['--compat', 'arena-hard'], await scored([of(0, {}), failed]))).text,
  )
  assert.deepEqual([best.battles, best.failed], [1, 1])
})

test('replies that contradict each other stay a conflict in a row of jb-score that lacks trials', async () => {
  const models = { model_a: 'gpt-4-0314', model_b: 'new' }
  const [one, other] = ['A>B', 'B>A'].map((decision) => game('x', 1, 2, decision, models))
  const first = game('x', 0, 2, 'A>B', models)
  const scored = (await staged(scoreSpec, score, [], ndjson([one, other]))).text
  const [{ jb }] = objects(scored)
  assert.equal(jb.error.code, 'incomplete')
  assert.match(jb.error.conflict, /trial 1 has two replies that differ/)
  for (const late of [first, { pair_id: 'x', jb: { judge: 'arena_hard', item: 'x', error: failure } }])
    for (const text of [scored + ndjson([late]), ndjson([late]) + scored, ndjson([one, late, other])]) {
      const [{ valid, failures }] = objects(await report(text))
      assert.deepEqual({ valid, failures }, { valid: 0, failures: { conflict: 1 } }, text)
    }
  const [best] = objects((await staged(rankSpec, rank, [], scored)).text)
  assert.equal(best?.battles ?? 0, 0, 'neither reply is a battle')
})

const failure = { stage: 'render', code: 'missing_field', message: 'no question' }

const grade = (id: string, score: number, more: object = {}, jb: object = {}) => ({
  id,
  ...more,
  jb: {
    judge: 'j',
    item: id,
    trial: { n: 0, of: 1 },
    reply: { text: String(score), model: 'm' },
    verdict: { label: String(score), score, range: [1, 5] },
    ...jb,
  },
})

test('a grade without a label is valid beside --label: only what needs the label leaves it out', async () => {
  const rows = Array.from({ length: 12 }, (_, i) => grade(`i${i}`, (i % 5) + 1, i % 2 ? { human: 3 } : {}))
  const [plain] = objects(await report(ndjson(rows)))
  const [labelled] = objects(await report(ndjson(rows), '--label', 'human'))
  assert.deepEqual([labelled.valid, labelled.score], [12, plain.score])
})

test('groups are as written: two long numbers are two groups', async () => {
  const rows = ['12345678901234567890', '12345678901234567891'].map((user, i) =>
    JSON.stringify(grade(`i${i}`, 3, { user: 'USER' })).replace('"USER"', user),
  )
  const [{ by }] = objects(await report(`${rows.join('\n')}\n`, '--by', 'user'))
  assert.deepEqual(Object.keys(by.user), ['12345678901234567890', '12345678901234567891'])
})

test('a trial with a number that is none is a bad row, and told', async () => {
  for (const n of [-1, 0.5]) {
    const rows = ndjson([grade('a', 3, {}, { trial: { n, of: 2 } })])
    const { notes } = await staged(scoreSpec, score, [], rows)
    assert.match(notes.join(), /bad_record: jb\.trial\.n is/)
  }
})

test('what thrown-away tries of a call used counts, of trials and of results', async () => {
  const usage = { total_tokens: 8 }
  const paid = [0, 1, 2].map(() => ({ usage, cost: 1.5 }))
  const rows = ndjson([grade('a', 3, {}, { reply: { text: '3', model: 'm', usage, cost: 1.5, paid } })])
  const results = (await staged(scoreSpec, score, [], rows)).text
  for (const text of [rows, results, rows + results]) {
    const [{ cost, usage }] = objects(await report(text))
    assert.deepEqual([cost, usage.total_tokens], [6, 32])
  }
})

test('an item of 12,000 trials takes as long for each as one of few', async () => {
  const rows = Array.from({ length: 12_000 }, (_, n) => grade('a', 3, {}, { trial: { n, of: 12_000 } }))
  const [{ valid }] = objects(await report((await staged(scoreSpec, score, [], ndjson(rows))).text))
  assert.equal(valid, 1)
})
