/** Leaderboards of pairs of runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder } from '../trec/_cli.ts'

test('wins less losses, and the share won; a tie is half', async () => {
  const pair = (run_a: string, run_b: string, decision: string) => ({
    topic_id: 't',
    run_a,
    run_b,
    jb: {
      judge: 'arena_hard',
      item: `t/${run_a}/${run_b}`,
      trial: { n: 0, of: 1, order: 'AB' },
      ...(decision
        ? { verdict: { label: 'x', decision } }
        : { error: { stage: 'call', code: 'timeout', message: 'x' } }),
    },
  })
  const cwd = folder({ 'v.ndjson': [pair('a', 'b', 'A>B'), pair('a', 'c', 'A=B'), pair('b', 'c', '')] })
  const { stdout, stderr } = await pipe('jb-write trec v.ndjson', { cwd })
  assert.equal(
    stdout.split('\n').slice(0, 6).join('\n').replaceAll('\t', ' '),
    'a t BORDA 1.0\na t WIN_FRACTION 0.75\nb t BORDA -1.0\nb t WIN_FRACTION 0.0\nc t BORDA 0.0\nc t WIN_FRACTION 0.5',
  )
  assert.match(stderr, /runs b and c, topic t: not compared \(timeout\)/)
  assert.doesNotMatch(stderr, /added up/)
})

test('comparisons of several models in one input are added up, which is told', async () => {
  const pair = (model: string, decision: string) => ({
    topic_id: 't',
    run_a: 'a',
    run_b: 'b',
    jb: {
      judge: 'arena_hard',
      item: 't/a/b',
      trial: { n: 0, of: 1, order: 'AB' },
      reply: { text: 'x', model },
      verdict: { label: 'x', decision },
    },
  })
  const cwd = folder({ 'v.ndjson': [pair('m', 'A>B'), pair('n', 'A>B')] })
  const { stdout, stderr } = await pipe('jb-write trec v.ndjson', { cwd })
  assert.match(stdout, /^a\tt\tBORDA\t2\.0$/m)
  assert.match(stderr, /: comparisons of 2 judges or models are added up: arena_hard · m, arena_hard · n$/m)
})
