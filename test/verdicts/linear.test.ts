/** Replies are read in linear time, whatever is in them: the steps of each pattern are counted. See linear.check.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Judge } from '../../src/judges/_judge.ts'
import { RowFailure } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { attacks, stepsOf } from '../helpers/regexp_steps.ts'
import { context, OTHERS, readings, readOnce, watched } from './_readings.ts'

const SAMPLES = [
  ...['', 'x', 'Rating: [[8]]', 'Rating: 8', 'Score: 8/10\nbecause', '8', '8 3', 'a: 1, b: 2', 'Grade: 2'],
  ...['{"score": "1e5"}', '```json\n{"a": 1,}\n```', '{"items": ["a"]}', "{'a': True}", '“{`', '{"a": NaN'],
  ...[
    '[\'a\', "b"]',
    '- a\n- b',
    '<think>a</think>[[A>B]]',
    '[RESULT] 4',
    'final decision is Tie',
    'Better: 1',
  ],
]

test('no pattern that reads replies takes more than linear time', async () => {
  const patterns = new Map<string, RegExp>()
  const words = ' word'.repeat(2 * SHORT)
  for (const { read } of await readings())
    for (const sample of SAMPLES)
      for (const text of [sample, sample + words, words + sample])
        watched(
          // What is only ever asked of a few words has no more work with a longer reply.
          (pattern, _, length) => length <= SHORT || patterns.set(String(pattern), pattern),
          () => readOnce(read, text),
        )
  assert.ok(patterns.size > 40, 'no pattern was seen')
  const slow = [...patterns.values()].flatMap((pattern) => worst(pattern) ?? [])
  assert.deepEqual(slow, [])
})

/** The first text with which four times the length is more than six times the work. */
function worst(pattern: RegExp): string | undefined {
  const [short, long] = [[...attacks(pattern, SHORT)], [...attacks(pattern, 4 * SHORT)]]
  for (const [i, text] of short.entries()) {
    const few = stepsOf(pattern, text, 1e5) + SHORT
    if (stepsOf(pattern, long[i]!, 6 * few) > 6 * few)
      return `${pattern} ${JSON.stringify(text.slice(0, 40))}`
  }
  return undefined
}
/** Longer than the runs that patterns bound. */
const SHORT = 120

test('a pattern that takes more than linear time is seen', () => {
  for (const pattern of [
    /^\s*x|\s+$/g,
    /(a+)+b/,
    /a.*b.*c/,
    /"(?:[^"\\]|\\.)*"/g,
    /^(?:\W*[^\w.+-])?([01])\W*$/gm,
  ])
    assert.ok(worst(pattern), String(pattern))
  for (const pattern of [/\[\[(\d+)\]\]/g, /^\s*x/g, /a\s{0,40}$/]) assert.equal(worst(pattern), undefined)
})

test('a reply nested 8,000 deep fails its row, and the others are read', async () => {
  const deep = (n: number) => `{"score": 3, "more": ${'['.repeat(n)}${']'.repeat(n)}}`
  const replies = [deep(10), deep(8000), `Here: ${deep(8000)}`, `${deep(8000)}]`, deep(100_000)]
  for (const verdict of [
    { rule: 'json' },
    { rule: 'json', like: { score: 1, more: [] } },
    { rule: 'list', at: 'more' },
  ]) {
    const kind = verdict.rule === 'list' ? 'list' : 'grade'
    const judge = { name: 'j', where: 'j', builtin: true, about: '', fields: {}, kind, verdict } as Judge
    const read = await readerOf(judge)
    const [shallow, ...rest] = replies.map((reply) => {
      try {
        return JSON.stringify(read(reply, context)).length
      } catch (error) {
        assert.ok(error instanceof RowFailure, String(error))
        return error.code
      }
    })
    assert.equal(typeof shallow, 'number')
    assert.deepEqual(rest, Array(4).fill('no_verdict'))
  }
})

test('a schema’s patterns are RE2, and its lists may be long', async () => {
  const reader = (schema: object) =>
    readerOf({
      ...OTHERS['json, numbers'],
      kind: 'grade',
      name: 'j',
      where: 'j.yaml',
      verdict: { rule: 'json', schema },
    } as Judge)
  const read = await reader({
    properties: {
      score: {},
      note: { type: 'string', pattern: '^(\\w+\\s?)*$' },
      list: { uniqueItems: true },
    },
  })
  assert.equal(read('{"score": 1, "note": "a b", "list": [1, "1", {"a": 1, "b": 2}]}', context).score, 1)
  assert.throws(() => read(`{"score": 1, "note": "${'a'.repeat(50)}!"}`, context), /note must match pattern/)
  assert.throws(
    () => read('{"score": 1, "list": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}', context),
    /list must NOT have duplicate items/,
  )
  await assert.rejects(reader({ properties: { a: { pattern: '(?=a)' } } }), /j\.yaml: verdict\.schema: .*RE2/)
})
