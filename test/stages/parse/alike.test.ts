/** Rows that are like one before get the verdict that each would get alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { spec } from '../../../src/stages/parse/options.ts'
import { parse } from '../../../src/stages/parse/parse.ts'
import { staged } from '../../helpers/stage.ts'

const run = async (args: string[], text: string) => (await staged(spec, parse, args, text)).text

const trial = fc.constantFrom(
  { n: 0, of: 2, order: 'AB' },
  { n: 1, of: 2, order: 'BA' },
  { n: 0, of: 1, nuggets: ['1', '2'] },
  { n: 'x', of: 1 },
  null,
)
const text = fc.constantFrom('[[A>B]]', 'So: [[B>>A]].', '[[A]]', 'none', '1: [[A=B]]', '<think>[[A>B]]', 7)
const reply = fc.oneof(
  { weight: 6, arbitrary: text.map((text) => ({ text, model: 'm' })) },
  {
    weight: 3,
    arbitrary: text.map((text) => ({ text, model: 'm', usage: { prompt_tokens: 9 }, ms: 40, tries: 1 })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(null, 'text', { model: 'm' }, { text: '[[A>B]]', ms: 'x' }),
  },
)
/** Of several makes, each of which comes often. */
const jb = fc
  .record({
    judge: fc.constantFrom('arena_hard', 'mt_bench_pair', 'pairwise', 7),
    judge_digest: fc.constantFrom<unknown>('abc', 'abc', 'def', 'abc+pick=first', undefined, 7),
    item: fc.constantFrom('i', 'j'),
    trial,
    reply,
  })
  .chain((jb) =>
    fc.constantFrom<object>(
      jb,
      jb,
      jb,
      { ...jb, verdict: { label: 'x' } },
      { ...jb, reply: undefined, verdict: { label: 'x' } },
      { ...jb, error: { stage: 'call', code: 'timeout' } },
      { ...jb, error: { stage: 'parse', code: 'no_verdict' } },
      { ...jb, chain: [{ reply: { text: 'because' } }] },
      { ...jb, compat: 'judgebench' },
    ),
  )

for (const args of [[], ['--pick', 'first'], ['--judge', 'arena_hard'], ['--compat', 'rm-gallery']])
  test(`with ${args.join(' ') || 'no option'}`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(jb, { minLength: 2, maxLength: 16 }), async (jbs) => {
        const lines = jbs.map((jb, i) => `${JSON.stringify({ i, jb })}\n`)
        const alone = await Promise.all(lines.map((line) => run(args, line)))
        assert.equal(await run(args, lines.join('')), alone.join(''))
      }),
      { numRuns: 6 },
    ))
