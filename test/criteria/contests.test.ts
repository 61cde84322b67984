/** Answers against each other, every two: the original’s tally, circles, ties, bias by opponent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe } from '../helpers/run.ts'
import { chose, golden } from './golden.ts'

const answers = (n: number) => Array.from({ length: n }, (_, i) => `answer ${i}`)

interface AllPairs {
  case: string
  n: number
  contests: { pair: [number, number]; winner: number }[]
  expected: { selected_option: number; per_system_results: Record<string, unknown>[] }
}

/** Rows of contests as jb-parse leaves them. */
const contested = (n: number, contests: { pair: [number, number]; winner: number | 'tie' }[]) =>
  contests.map(({ pair, winner }, i) => ({
    jb: {
      judge: 'unitxt_pairwise_select',
      item: 'a',
      trial: { n: i, of: contests.length, answers: n, pair },
      verdict: { label: 'l', winner, explanation: `${pair.join(' against ')}` },
    },
  }))

test('golden-all-pairs: win rates, rankings and winners', async (_t) => {
  for (const one of golden<AllPairs>('all-pairs')) {
    for (const compat of ['', '--compat evalassist']) {
      const ran = await pipe(`jb-write evalassist ${compat}`, {
        stdin: ndjson(contested(one.n, one.contests)),
      })
      const told = rowOf(fine(ran))
      assert.equal(told.selected_option, one.expected.selected_option, one.case)
      const systems = (told.per_system_results as Record<string, unknown>[]).map(
        ({ explanations: _, positional_bias: __, ...rest }) => rest,
      )
      assert.deepEqual(
        systems,
        one.expected.per_system_results.map((of) => ({ ...of })),
        one.case,
      )
    }
  }
})

test('the worked example of four answers', async () => {
  const contests = [
    { pair: [0, 1], winner: 0 },
    { pair: [0, 2], winner: 0 },
    { pair: [0, 3], winner: 3 },
    { pair: [1, 2], winner: 1 },
    { pair: [1, 3], winner: 1 },
    { pair: [2, 3], winner: 2 },
  ] as { pair: [number, number]; winner: number }[]
  const { result } = rowOf(fine(await jb('score', [], { stdin: ndjson(contested(4, contests)) }))).jb
  const of = result!.answers as { winrate: number; ranking: number; explanations: string[] }[]
  assert.deepEqual(
    of.map(({ winrate }) => winrate),
    [2 / 3, 2 / 3, 1 / 3, 1 / 3],
  )
  assert.deepEqual(
    of.map(({ ranking }) => ranking),
    [0, 0, 2, 2],
  )
  assert.equal(result!.winner, 0, '0 and 1 share the best win rate, and 0 beat 1')
  assert.deepEqual(result!.tied, [0, 1])
  assert.deepEqual(
    of[1]!.explanations,
    ['0 against 1', '1 against 2', '1 against 3'],
    'the same text for both sides',
  )
})

test('a circle of three is told as such, and has no winner; the original names the first', async () => {
  const contests = [
    { pair: [0, 1], winner: 0 },
    { pair: [0, 2], winner: 2 },
    { pair: [1, 2], winner: 1 },
  ] as { pair: [number, number]; winner: number }[]
  const stdin = ndjson(contested(3, contests))
  const { result } = rowOf(fine(await jb('score', [], { stdin }))).jb
  assert.equal(result!.winner, 'tie')
  assert.deepEqual(result!.cycles, [[0, 1, 2]])
  assert.deepEqual(result!.tied, [0, 1, 2])
  const original = rowOf(fine(await jb('score', ['--compat', 'evalassist'], { stdin }))).jb
  assert.equal(original.result!.winner, 0)
  const report = JSON.parse((await jb('aggregate', [], { stdin })).stdout)
  assert.equal(report.cyclic, 1)
})

test('a contest that is a tie counts half for each', async () => {
  const { result } = rowOf(
    fine(await jb('score', [], { stdin: ndjson(contested(2, [{ pair: [0, 1], winner: 'tie' }])) })),
  ).jb
  assert.equal(result!.winner, 'tie')
  assert.deepEqual(
    (result!.answers as { winrate: number; contest_results: unknown }[]).map((one) => [
      one.winrate,
      one.contest_results,
    ]),
    [
      [0.5, ['tie']],
      [0.5, ['tie']],
    ],
  )
})

test('contests of any judge of answers, in both orders: bias for each opponent', async () => {
  // response_k is the k-th as shown: a judge that takes the first shown wins against itself turned round.
  const item = { id: 'a', response: answers(3) }
  const ran = await jb(
    'render',
    ['pairwise', '--criteria', 'Which is best?', '--contests', '--order', 'both'],
    {
      stdin: ndjson([item]),
    },
  )
  const rows = rowsOf(fine(ran))
  assert.deepEqual(
    rows.map(({ jb: { trial } }) => [trial!.pair, trial!.order, trial!.options!.slice(0, 2)]),
    [
      [[0, 1], 'AB', ['response_1', 'response_2']],
      [[0, 1], 'BA', ['response_2', 'response_3']],
      [[0, 2], 'AB', ['response_1', 'response_3']],
      [[0, 2], 'BA', ['response_1', 'response_3']],
      [[1, 2], 'AB', ['response_2', 'response_3']],
      [[1, 2], 'BA', ['response_1', 'response_2']],
    ],
  )
  assert.match(
    rows[1]!.jb.request!.messages![1]!.content,
    /## response_2\n\nanswer 1\n\n## response_3\n\nanswer 0\n/,
  )
  // Answer 2 beats both; 0 and 1 go by place.
  for (const row of rows) {
    const { options, pair, order } = row.jb.trial!
    const shown = order === 'BA' ? [...pair!].reverse() : pair!
    const place = shown.includes(2) ? shown.indexOf(2) : 0
    row.jb.reply = { text: chose(options![place]), model: 'm' }
  }
  const { result } = rowOf(fine(await pipe('jb-parse | jb-score', { stdin: ndjson(rows) }))).jb
  assert.equal(result!.winner, 2)
  const of = result!.answers as { positional_bias: boolean[]; winrate: number }[]
  assert.deepEqual(
    of.map(({ positional_bias }) => positional_bias),
    [
      [true, false],
      [true, false],
      [false, false],
    ],
  )
  assert.deepEqual(
    of.map(({ winrate }) => winrate),
    [0.25, 0.25, 1],
  )
  assert.equal((result!.positional_bias as { detected: boolean }).detected, false)
  assert.equal(result!.consistent, false)
})
