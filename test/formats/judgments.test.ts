/** Formats with a line for each judgment, of the rows of jb-score. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'
import { timeless } from '../helpers/timeless.ts'

const rating = (n: number, score: number | undefined) => ({
  question_id: 7,
  jb: {
    ...{ judge: 'j', item: 'a', trial: { n, of: 3, sample: n }, reply: { text: `${score}`, model: 'm' } },
    ...(score === undefined
      ? { error: { stage: 'parse', code: 'no_verdict', message: 'none' } }
      : { verdict: { label: `${score}`, score, range: [1, 10] } }),
  },
})

test('the ratings of results are those of their trials; that their replies are gone is told', async (t) => {
  for (const [ratings, found] of [
    [
      [3, 8, 9],
      ['3', '8', '9'],
    ],
    [
      [3, undefined, 9],
      ['3', '', '9'],
    ],
  ] as const) {
    const stdin = ndjson(ratings.map((score, n) => rating(n, score)))
    const results = { stdin: (await jb('score', [], { stdin })).stdout }
    const csv = await jb('write', ['mt-bench-csv'], results)
    assert.match(csv.stderr, /a result has no replies/)
    assert.deepEqual(
      csv.stdout.split('\r\n').slice(1, -1),
      found.map((score) => `7,unknown,${score},,m`),
    )
    const details = await jb('write', ['lm-eval-details'], results)
    const place = folder(t)
    await jb('write', ['lm-eval', '--save', place], results)
    timeless(place)
    const saved = readFileSync(`${place}/llm_judge_task_m_now.jsonl`, 'utf8')
    for (const lines of [details.stdout, saved])
      assert.deepEqual(
        objects(lines).map(({ score }) => score),
        ratings.map((score) => score ?? null),
      )
  }
})
