/** The share of an answer, which jb-aggregate, jb-compare, jb-rank and jb-view define alike. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addShare, itemShare, shareFigures, shareSums } from '../../src/scoring/share.ts'
import { folder } from '../helpers/folder.ts'
import { game, ndjson } from '../helpers/rows.ts'
import { expect, jb, pipe } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'
import { dataOf, madeOf } from '../stages/view/_page.ts'

/** Pairs of two models, by their decisions in both orders. */
const pairs = (judge: string, ...items: [string, string][]) =>
  items.flatMap((decisions, i) =>
    decisions.map((decision, n) =>
      game(`i${i}`, n, 2, decision, {
        label: null,
        model_a: 'gpt-4o',
        model_b: 'llama',
        jb: { reply: { text: `${n}${decision}`, model: judge } },
      }),
    ),
  )
const ITEMS: [string, string][] = [
  ['A>B', 'A>B'],
  ['A>B', 'A=B'],
  ['A=B', 'A=B'],
  ['A>B', 'B>A'],
  ['A>B', 'A>B'],
  ['B>A', 'A=B'],
]
/** 1, ¾, ½, ½, 1, ¼ */
const SHARE = 4 / 6

const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`)

test('the same file has the same share in jb-aggregate, jb-rank, jb-compare and jb-view', async (t) => {
  const rows = pairs('m', ...ITEMS)
  const [report] = objects((await pipe('jb-aggregate', { stdin: ndjson(rows) })).stdout)
  near(report.share, SHARE)
  const [best, other] = report.shares
  assert.deepEqual([best.name, best.items, other.name], ['gpt-4o', 6, 'llama'])
  near(best.share, SHARE)
  near(other.share, 1 - SHARE)
  assert.equal(best.p, other.p)
  near(best.ci[0], 1 - other.ci[1])

  const [ranked] = objects((await pipe('jb-rank --baseline llama', { stdin: ndjson(rows) })).stdout)
  assert.equal(ranked.model, 'gpt-4o')
  near(ranked.score / 100, SHARE)
  for (const i of [0, 1]) near(ranked.ci[i] / 100, best.ci[i])

  const dir = folder(t, { a: ndjson(rows), b: ndjson(pairs('n', ...ITEMS)) })
  const [pair] = objects((await jb('compare', [`${dir}/a`, `${dir}/b`, '--format', 'json'])).stdout)
  assert.equal(pair.value, 'share')
  near(pair.mean_a, SHARE)

  const { overview } = await dataOf(await madeOf(rows))
  const { what, value, ci } = overview.runs[0]!.estimate!
  assert.equal(what, 'preferred')
  near(value, SHARE)
  assert.deepEqual(ci, report.ci)
})

test('results, shards and the other order of the answers change no share', async () => {
  const rows = pairs('m', ...ITEMS)
  const shares = async (command: string, given: object[]) =>
    objects((await pipe(command, { stdin: ndjson(given) })).stdout)[0].shares
  const whole = await shares('jb-aggregate', rows)
  assert.deepEqual(await shares('jb-score | jb-aggregate', rows), whole)
  assert.deepEqual(await shares('jb-aggregate --partial | jb-aggregate --merge', rows), whole)
  const turned = rows.map((row, i) => {
    if (i > 5) return row
    const decision = { 'A>B': 'B>A', 'B>A': 'A>B' }[row.jb.verdict.decision as string] ?? 'A=B'
    const verdict = { ...row.jb.verdict, decision }
    return { ...row, model_a: 'llama', model_b: 'gpt-4o', jb: { ...row.jb, verdict } }
  })
  // Which answer is whose is then not the same in all rows.
  const either = whole.map(({ answer: _, ...share }: { answer: string }) => share)
  assert.deepEqual(await shares('jb-aggregate', turned), either)
  const bare = await shares(
    'jb-aggregate',
    rows.map(({ model_a: _a, model_b: _b, ...row }: Record<string, unknown>) => row),
  )
  assert.deepEqual(
    bare.map(({ name }: { name: string }) => name),
    ['A', 'B'],
  )
  near(bare[0].share, SHARE)
})

test('a sentence says which is better, only where p is below chance', async () => {
  const sentence = async (...items: [string, string][]) =>
    objects((await pipe('jb-aggregate', { stdin: ndjson(pairs('m', ...items)) })).stdout)[0].sentence
  assert.equal(
    await sentence(...ITEMS),
    'gpt-4o (A) and llama (B) cannot be told apart: gpt-4o has a share of 66.7 % (interval 34.6–88.3, p 0.3750, 6 items); 50.0 % of items have the same decision in all games',
  )
  const won = new Array<[string, string]>(6).fill(['B>A', 'B>A'])
  assert.match(
    await sentence(...won),
    /^llama \(B\) is better than gpt-4o \(A\): llama has a share of 100.0 % \(interval .*, p 0.0313, 6 items\); 100.0 % of/,
  )
  expect(await pipe('jb-aggregate --format table', { stdin: ndjson(pairs('m', ...won)) }), {
    out: /share of gpt-4o +interval +gpt-4o better +llama better(.|\n)*llama \(B\) is better than gpt-4o \(A\)/,
  })
})

test('of more than two models each has its line, and two judges theirs', async () => {
  const three = pairs('m', ...ITEMS).map((row, i) => (i < 6 ? row : { ...row, model_b: 'qwen' }))
  expect(await pipe('jb-aggregate --format table', { stdin: ndjson(three) }), {
    out: /gpt-4o has a share of 66.7 % (.|\n)*qwen has a share of 41.7 % (.|\n)*jb-rank ranks models/,
  })
  const two = [...pairs('m', ...ITEMS), ...pairs('n', ...ITEMS)]
  expect(await pipe('jb-aggregate --format markdown', { stdin: ndjson(two) }), {
    out: /· m: gpt-4o \(A\) and llama \(B\) cannot be told apart(.|\n)*· n: gpt-4o \(A\) and llama \(B\) cannot/,
  })
})

test('labelled pairs have an accuracy, and no share', async () => {
  const [report] = objects((await pipe('jb-aggregate', { stdin: ndjson([game('x', 0, 1, 'A>B')]) })).stdout)
  assert.deepEqual(
    [report.accuracy, report.share, report.shares, report.sentence],
    [1, ...Array(3).fill(undefined)],
  )
})

test('of one id two pairs of models: a conflict, also where the replies are the same', async () => {
  const row = (model_b: string) => game('x', 0, 1, 'A>B', { label: null, model_a: 'gpt-4o', model_b })
  const [one, other] = [row('llama'), row('qwen')]
  for (const rows of [
    [one, other],
    [other, one],
  ]) {
    const [report] = objects((await pipe('jb-aggregate', { stdin: ndjson(rows) })).stdout)
    assert.deepEqual(report.failures, { conflict: 1 })
  }
})

test('an item’s share: the mean of its games, by preference where there is one; unknown with a game that nobody won', () => {
  const of = (...verdicts: object[]) =>
    itemShare(
      { kind: 'pairwise', decision: 'A>B' } as never,
      verdicts.map((verdict) => ({ trial: {}, verdict })) as never,
    )
  assert.equal(of(), 1)
  assert.equal(of({ decision: 'A>B' }, { decision: 'A=B' }), 0.75)
  assert.equal(of({ decision: 'B>A', preference: 0.75 }, { decision: 'B>A' }), 0.125)
  assert.equal(of({ decision: 'A>B' }, { decision: null }), undefined)
})

const figures = (shares: number[]) => {
  const sums = shareSums()
  for (const share of shares) addShare(sums, share, undefined)
  return shareFigures(sums, 0.95)
}

test('p counts sign patterns where items are few; there is none for one item', () => {
  assert.equal(figures([1, 1, 1, 0.5]).p, 0.25)
  assert.equal(figures([0.5, 0.5, 0.5]).p, 1)
  const { share, ci } = figures([1])
  assert.deepEqual([share, ci], [1, null])
})
