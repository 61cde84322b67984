/** Self-consistency over a file of recorded samples. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sharedData } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { fine, pipe } from '../helpers/run.ts'
import { criterion } from './golden.ts'

test('three samples of 640 items: 340 unanimous, 17 of three minds, a mean of 3.8171875', async (t) => {
  const path = sharedData(t, 'evalassist/prometheus-gpt4-three-samples.jsonl')
  if (!path) return
  const five = criterion(
    'quality',
    [1, 2, 3, 4, 5].map((n) => ({ name: String(n), score: null })),
  )
  const trials = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line, i) => {
      const { scores, ...item } = JSON.parse(line) as { scores: number[] }
      return scores.map((score, sample) => ({
        ...item,
        jb: {
          judge: 'm_prometheus',
          item: `i${i}`,
          trial: { n: sample, of: 3, criterion: 'quality', sample, options: ['1', '2', '3', '4', '5'] },
          criterion: five,
          reply: { text: `Feedback: so. [RESULT] ${score}`, model: 'gpt-4' },
        },
      }))
    })
  const ran = await pipe('jb-parse | jb-aggregate --by source', { stdin: ndjson(trials) })
  const found = JSON.parse(fine(ran).stdout)
  assert.equal(found.items, 640)
  assert.equal(found.valid, 640)
  assert.equal(found.unanimous, 340)
  assert.deepEqual(found.distinct, { 1: 340, 2: 283, 3: 17 })
  assert.ok(Math.abs(found.score - 3.8171875) < 1e-12, String(found.score))
  const parts = Object.values(found.by.source) as { items: number; unanimous: number }[]
  assert.equal(
    parts.reduce((sum, part) => sum + part.unanimous, 0),
    340,
  )
})
