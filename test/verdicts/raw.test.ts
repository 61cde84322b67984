/** A verdict read from a reply's JSON text is the one that reading the whole reply gives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { repliesOf } from '../../scripts/readings.ts'
import { loadJudge } from '../../src/judges/_load.ts'
import { encode } from '../../src/rows/bytes.ts'
import type { RowFailure, Verdict } from '../../src/rows/record.ts'
import { formOf } from '../../src/verdicts/_from_end.ts'
import { readerOf } from '../../src/verdicts/_read.ts'

const context = { item: () => ({}) }

/** JSON of pieces of replies, as several encoders would write it. */
const piece = fc.constantFrom(
  ...[
    '[[A>B]]',
    '[[B>>A]]',
    '[[A=B]]',
    '[[B]]',
    '[[C]]',
    '[[',
    ']]',
    '[',
    ']',
    'A',
    '>B',
    '[[A>B',
    '[[[A>B]]]',
  ],
  ...[
    '\\u005b[A>B]]',
    '[[\\u0041>B]]',
    '\\u003cthink>',
    '<think>',
    '</think>',
    '`<think>`',
    '<thinking>',
    '\\/think>',
    '<\\/think>',
    ' and ',
    '\\u0020or ',
    '\\u005d',
    '.',
    '**',
  ],
  ...[
    '\\n',
    '\\\\',
    '\\"',
    'é',
    '😀',
    '\\u00e9',
    ' I think that ',
    'So: ',
    '\\n',
    ' says ',
    ' ends:\\n> ',
    '.My verdict is ',
    '~~',
    '\\nI am not sure.',
    'Write ',
    ' not ',
    'e.g. ',
    '. ',
    '[[D]]',
    '[[A]]',
    `${'long '.repeat(60)}`,
  ],
)
const reply = fc.array(piece, { maxLength: 12 }).map((pieces) => `"${pieces.join('')}"`)

for (const name of ['arena_hard', 'mt_bench_pair', 'rewardbench'])
  test(name, async () => {
    const read = await readerOf(await loadJudge(name))
    assert.ok(read.raw)
    let known = 0
    fc.assert(
      fc.property(reply, (json) => {
        const verdict = read.raw!(encode(json), context)
        if (verdict === undefined) return
        known++
        assert.deepEqual(verdict, read(JSON.parse(json), context))
      }),
      { numRuns: 3000 },
    )
    // Some 40 to 120: replies are drawn anew each time.
    assert.ok(known > 15, `${known} were read so`)
    assert.equal(read.raw('"[[A>B]]"', { ...context, trial: { n: 0, of: 1, nuggets: ['1'] } }), undefined)
  })

test('two labels in one breath are a conflict wherever the end begins', async () => {
  const read = await readerOf(await loadJudge('arena_hard'))
  for (const joined of [' or ', ' and ', ' ', ' / ', '\\n\\n'])
    for (let length = 0; length < 300; length++) {
      const json = `"Well. [[A>B]]${joined}[[B>A]]${'.'.repeat(length)}"`
      assert.throws(() => read(JSON.parse(json), context), /different verdicts/)
      assert.equal(read.raw!(encode(json), context), undefined, `${length}`)
    }
})

test('patterns whose matches cannot overlap, and others', () => {
  const rule = (config: object) => formOf({ rule: 'label', ...config })
  for (const pattern of ['\\[\\[([AB<>=]+)\\]\\]', '\\[\\[([AB])\\]\\]', '<([ab]+)>', '\\(option ([12])\\)'])
    assert.ok(rule({ pattern }), pattern)
  const others = [
    '\\|([AB]+)\\|',
    '\\[([AB\\[]+)\\]',
    'Grade: ([0-9])',
    '\\[\\[([^A]+)\\]\\]',
    '\\[([A-C])\\]',
    '([AB])',
  ]
  for (const pattern of [
    ...others,
    '\\[([AB]+)',
    '^\\[([AB])\\]',
    '\\[([AB])\\]$',
    '\\[([AB])\\]?',
    '\\[(A|B)\\]',
    '\\[([AB]) A\\]',
  ])
    assert.ok(!rule({ pattern }), pattern)
  const pattern = '\\[\\[([AB])\\]\\]'
  for (const more of [
    { pick: 'first' },
    { pick: 'only' },
    { flags: 'i' },
    { after: 'x' },
    { line: 'last' },
    { strip: true },
    { weighted: true },
  ])
    assert.ok(!rule({ pattern, ...more }), JSON.stringify(more))
  assert.ok(!rule({ patterns: [pattern] }))
})

test('the replies of the corpus, short and at the end of a long one, are read as from the whole text', async () => {
  const otherwise: string[] = []
  for (const name of ['arena_hard', 'mt_bench_pair', 'rewardbench', 'skywork_critic']) {
    const read = await readerOf(await loadJudge(name))
    for (const { reply } of repliesOf(name))
      for (const text of [reply, `${'The answer is long. '.repeat(50)}${reply}`]) {
        const raw = read.raw!(Buffer.from(JSON.stringify(text)).toString('latin1'), context)
        if (raw && raw.decision !== decided(() => read(text, context))) otherwise.push(`${name}: ${reply}`)
      }
  }
  assert.deepEqual(otherwise, [])
})

function decided(read: () => Verdict) {
  try {
    return read().decision
  } catch (error) {
    return (error as RowFailure).code
  }
}
