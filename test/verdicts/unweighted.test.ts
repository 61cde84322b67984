/** Verdicts whose judge weights by log probabilities, of replies that have none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'

test('a reply without alternatives to its number has the score that it says, marked and counted', async () => {
  const four = { token: '4', logprob: -0.1 }
  const weighted = { ...four, top_logprobs: [four, { token: '5', logprob: -2.4 }] }
  const logprobs = [
    undefined,
    { content: [weighted] },
    { content: [four] },
    { content: [{ ...four, top_logprobs: [] }] },
    { content: [{ ...four, top_logprobs: null }] },
    { content: [{ ...four, top_logprobs: [four] }] },
    { tokens: ['4'], top_logprobs: [{ 4: -0.1 }] },
    { tokens: ['4'], top_logprobs: null },
  ]
  const stdin = ndjson(
    logprobs.map((one, id) => ({
      jb: {
        judge: 'rating_weighted',
        item: String(id),
        trial: { n: 0, of: 1 },
        reply: { text: '4', model: 'm', ...(one && { logprobs: one }) },
      },
    })),
  )
  const read = await jb('parse', [], { stdin })
  const [p, q] = [Math.exp(-0.1), Math.exp(-2.4)]
  assert.deepEqual(
    rowsOf(read).map(({ jb }) => [jb.verdict!.score, jb.verdict!.unweighted]),
    logprobs.map((_, id) => (id === 1 ? [(4 * p + 5 * q) / (p + q), undefined] : [4, true])),
  )
  const report = JSON.parse((await jb('aggregate', [], { stdin: read.stdout })).stdout)
  assert.equal(report.unweighted, 7)
})
