/** Verdicts whose judge weights by log probabilities, of replies that have none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'

test('a reply without log probabilities is marked, counted, and with --strict-weights failed', async () => {
  const row = (id: number, logprobs?: object) => ({
    jb: {
      judge: 'rating_weighted',
      item: String(id),
      trial: { n: 0, of: 1 },
      reply: { text: '4', model: 'm', ...(logprobs && { logprobs }) },
    },
  })
  const top_logprobs = [{ token: '4', logprob: -0.1 }]
  const stdin = ndjson([row(1), row(2, { content: [{ token: '4', logprob: -0.1, top_logprobs }] })])
  const read = await jb('parse', [], { stdin })
  assert.deepEqual(
    rowsOf(read).map(({ jb }) => jb.verdict!.unweighted),
    [true, undefined],
  )
  const report = JSON.parse((await jb('aggregate', [], { stdin: read.stdout })).stdout)
  assert.equal(report.unweighted, 1)
  const strict = rowsOf(await jb('parse', ['--strict-weights'], { stdin }))
  assert.deepEqual(
    strict.map(({ jb }) => jb.error?.code),
    ['no_verdict', undefined],
  )
})
