/** RewardBench's judges as its code reads replies (rewardbench 0.1.4): labels in the order of the alphabet, a number at the end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, jb } from '../helpers/run.ts'

const CASES: [judge: string, compat: string, reply: string, own: unknown, original: unknown][] = [
  ['rewardbench', 'rewardbench', 'Not [[A]] but [[B]]', 'conflict', 'A>B'],
  ['rewardbench', 'rewardbench', 'Assistant B is better.', 'no_verdict', 'no_verdict'],
  ['rewardbench_four', 'rewardbench2', '[[C]] at first.\n[[D]]', 3, 2],
  ['rewardbench_four', 'rewardbench2', '[[a]]', 'no_verdict', 'no_verdict'],
  ['rewardbench_ratings', 'rewardbench2', '8/10', 8, 10],
  ['rewardbench_ratings', 'rewardbench2', '8.5', 8.5, 5],
  ['rewardbench_ratings', 'rewardbench2', 'Rating: **8**', 8, 'no_verdict'],
  ['rewardbench_ratings', 'rewardbench2', 'é9\x1c', 'no_verdict', 'no_verdict'],
]

test('RewardBench’s judges: their own rules, and the originals’', async () => {
  for (const [judge, compat, reply, own, original] of CASES)
    for (const [args, said] of [
      [[], own],
      [['--compat', compat], original],
    ] as const) {
      const ran = await jb('parse', ['-q', ...args], { stdin: ndjson([replied(judge, reply)]) })
      const [{ jb: row }] = rowsOf(expect(ran, {})) as [ReturnType<typeof rowsOf>[number]]
      const { decision, winner, score } = row.verdict ?? {}
      assert.equal(decision ?? winner ?? score ?? row.error?.code, said, `${judge} ${compat}: ${reply}`)
    }
})
