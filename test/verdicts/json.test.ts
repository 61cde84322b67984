import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkJudge } from '../../src/judges/_check.ts'
import { FloatText, inferSchema } from '../../src/judges/_example_schema.ts'
import type { JsonObject, Kind, Verdict } from '../../src/rows/record.ts'
import { valuesIn } from '../../src/verdicts/_json.ts'
import { readerOf } from '../../src/verdicts/_read.ts'

const context = { item: () => ({}) }

async function reader(verdict: JsonObject, kind: Kind = 'grade') {
  const judge = checkJudge(
    { kind, messages: [{ role: 'user', content: 'x' }], verdict: { rule: 'json', ...verdict } },
    { name: 'j.yaml', where: 'j.yaml', builtin: false },
  )
  const read = await readerOf(judge)
  return (text: string): Verdict => read(text, context)
}

const fails = (code: string, words: RegExp) => (error: unknown) => {
  assert.equal((error as { code: string }).code, code)
  assert.match((error as Error).message, words)
  return true
}

/** The first values that are found, and whether they were repaired. */
function found(text: string) {
  for (const values of valuesIn(text)) {
    const last = values.at(-1)
    if (last) return [last.value, last.repaired]
  }
  return undefined
}

test('JSON is found alone, in a fence, between words, and mended last of all', () => {
  const cases: [string, unknown, boolean][] = [
    ['{"score": 8}', { score: 8 }, false],
    ['  [1, 2]\n', [1, 2], false],
    ['Here:\n```json\n{"score": 8}\n```\nThat is all.', { score: 8 }, false],
    ['~~~json\n{"score": 8}\n~~~', { score: 8 }, false],
    ['A draft ```{"score": 2}``` then ```{"score": 9}```', { score: 9 }, false],
    ['I say {"score": 8} for a reason', { score: 8 }, false],
    ['\ufeff{"score": 8}', { score: 8 }, false],
    ['{"score": 2}\n\n{"score": 8}', { score: 8 }, false],
    [
      '{"why": "it has ```code``` and a } in it", "score": 3}',
      { why: 'it has ```code``` and a } in it', score: 3 },
      false,
    ],
    ["{'score': 8, 'why': 'it\\'s well',}", { score: 8, why: "it's well" }, true],
    ['{score: 8, why: "cut off in the mid', { score: 8, why: 'cut off in the mid…' }, true],
    ['```json\n{"score": 8, "why": “curly”}\n```', { score: 8, why: 'curly' }, true],
    ['{"why": "\\frac{1}{2}", "score": 4} and so', { why: '\frac{1}{2}', score: 4 }, false],
  ]
  for (const [text, value, repaired] of cases) assert.deepEqual(found(text), [value, repaired], text)
  for (const text of ['', 'no json', 'Score: 8', '[see above]']) assert.equal(found(text), undefined, text)
})

test('a value that the reply ends in has not ended', async () => {
  const score = await reader({})
  assert.throws(() => score('{"why": "w", "score": 1'), fails('no_verdict', /is "1…", not a number/))
  assert.deepEqual(score('{"why": "w", "score": 1\n').object, { why: 'w', score: 1 })
  const option = await reader({ option: 'verdict', options: ['good', 'good enough'] }, 'choice')
  assert.throws(() => option('{"verdict": "good'), fails('no_verdict', /expected one of/))
  assert.equal(option('{"verdict": "good"').option, 'good')
})

test('a reply of nothing but braces ends at once', () => {
  const many = '{'.repeat(200_000)
  assert.equal(found(many), undefined)
})

test('the last object with the key counts; two that differ in it are a conflict', async () => {
  const read = await reader({})
  assert.equal(read('{"score": 7} … {"score": 7, "why": "w"} … {"other": 1}').object!.why, 'w')
  assert.equal(read('In the form {"score": "<1 to 5>"}: {"score": 4}').score, 4)
  assert.equal(read('{"arguments": {"score": 4}}').score, 4)
  assert.equal(read('[{"score": 4}]').score, 4)
  assert.throws(() => read('{"style": {"score": 4}, "overall": 5}'), fails('no_verdict', /missing/))
  assert.throws(
    () => read('first {"score": 1}, no: {"score": 7}'),
    fails('conflict', /different things under "score"/),
  )
  assert.throws(
    () => read('[{"score": 4}, {"score": 5}]'),
    fails('conflict', /different things under "score"/),
  )
  assert.throws(() => read('a draft: {"score": 7}, and then {"score": 3,}'), fails('conflict', /"score"/))
  assert.equal(read('> {"score": 7}\n\n{"score": 3,}').score, 3)
  assert.equal(read('{"score": 4}\nThat is in the form {score}.').score, 4)
})

test('a score is a number in the field named, the object stands beside it', async () => {
  const read = await reader({ score: 'ratings.overall', reason: 'why' })
  assert.deepEqual(read('{"ratings": {"overall": 7.5, "style": 3}, "why": "short"}'), {
    label: '7.5',
    score: 7.5,
    reason: 'short',
    object: { ratings: { overall: 7.5, style: 3 }, why: 'short' },
  })
  assert.equal(read('{"ratings": {"overall": "7"}}').score, 7)
  assert.equal(read("{'ratings': {'overall': 7}}").repaired, true)
})

test('a missing, null or wordy score is no verdict, never a zero', async () => {
  const read = await reader({})
  assert.throws(() => read('nothing here'), fails('no_verdict', /holds no JSON object/))
  assert.throws(() => read('[1, 2]'), fails('no_verdict', /"score" is missing/))
  assert.throws(() => read('{"rating": 8}'), fails('no_verdict', /"score" is missing/))
  assert.throws(() => read('{"score": null}'), fails('no_verdict', /"score" is null/))
  assert.throws(() => read('{"score": "good"}'), fails('no_verdict', /not a number/))
  assert.throws(() => read('{"score": true}'), fails('no_verdict', /not a number/))
})

test('a range is checked and nothing is clamped', async () => {
  const read = await reader({ range: [0, 10] })
  assert.deepEqual(read('{"score": 10}').range, [0, 10])
  assert.throws(() => read('{"score": 11}'), fails('out_of_range', /11 is not within 0 to 10/))
})

test('a schema is checked, given or inferred from an example', async () => {
  const strict = await reader({
    schema: {
      type: 'object',
      properties: { score: { type: 'integer' } },
      required: ['score'],
      additionalProperties: false,
    },
  })
  assert.equal(strict('{"score": 3}').score, 3)
  assert.throws(() => strict('{"score": 3.5}'), fails('no_verdict', /score must be integer/))
  assert.throws(() => strict('{"score": 3, "more": 1}'), fails('no_verdict', /additional.*more/))
  const like = await reader({ like: { score: 8, why: 'text' } })
  assert.equal(like('{"score": 8.5, "why": "w", "more": 1}').score, 8.5)
  assert.throws(() => like('{"score": 8.5}'), fails('no_verdict', /required property 'why'/))
})

test('an option is one of those there are, whatever its case, with its score', async () => {
  const read = await reader({ option: 'pick', options: { Good: 1, Bad: 0 }, feedback: 'words' }, 'choice')
  const verdict = read('{"pick": "good", "words": "well done"}')
  assert.deepEqual(
    [verdict.option, verdict.score, verdict.feedback, verdict.label],
    ['Good', 1, 'well done', 'good'],
  )
  assert.throws(() => read('{"pick": "fine"}'), fails('no_verdict', /expected one of "Good", "Bad"/))
})

test('a decision and a list of items', async () => {
  const pair = await reader({ decision: 'winner', labels: { first: 'A>B', second: 'B>A' } }, 'pairwise')
  assert.equal(pair('{"winner": "second"}').decision, 'B>A')
  assert.throws(() => pair('{"winner": "both"}'), fails('no_verdict', /expected A>B, B>A or A=B/))
  const list = await reader({ items: 'nuggets' }, 'list')
  assert.deepEqual(list('{"nuggets": ["a", "b"]}').items, ['a', 'b'])
  assert.throws(() => list('{"nuggets": "a"}'), fails('no_verdict', /is not a list/))
})

test('a judge file that names a field wrongly says so', async () => {
  await assert.rejects(reader({ scor: 'x' }), /j\.yaml: unknown key verdict\.scor.*did you mean score/)
  await assert.rejects(reader({ score: 3 }), /verdict\.score must name a key/)
  await assert.rejects(reader({ range: [10, 1] }), /range must be \[lowest, highest\]/)
  await assert.rejects(reader({ schema: { type: 'nothing' } }), /verdict\.schema/)
})

test('a schema is inferred for OpenAI’s strict mode, closed at every level', () => {
  assert.deepEqual(
    inferSchema(
      { score: new FloatText('8.0'), n: 3, ok: true, none: null, tags: ['a'], in: { x: 0.5 } },
      'strict',
    ),
    {
      type: 'object',
      properties: {
        score: { type: 'number' },
        n: { type: 'integer' },
        ok: { type: 'boolean' },
        none: { type: 'null' },
        tags: { type: 'array', items: { type: 'string' } },
        in: {
          type: 'object',
          properties: { x: { type: 'number' } },
          required: ['x'],
          additionalProperties: false,
        },
      },
      required: ['score', 'n', 'ok', 'none', 'tags', 'in'],
      additionalProperties: false,
    },
  )
  assert.deepEqual(inferSchema([1, 2.5], 'strict'), { type: 'array', items: { type: 'number' } })
  assert.deepEqual(inferSchema([], 'strict'), { type: 'array' })
  assert.deepEqual(inferSchema([1, 'a', 1], 'strict'), {
    type: 'array',
    items: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
  })
  assert.deepEqual(inferSchema([{ a: 1, b: 2 }, { a: 0.5 }], 'strict'), {
    type: 'array',
    items: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    },
  })
})

test('a key twice in one JSON object is a conflict, as two objects are; the same value twice is a verdict', async () => {
  const score = await reader({})
  const conflicts = [
    '{"score": 3, "why": "so", "score": 5}',
    '```json\n{"score": 3, "score": 5}\n```',
    'It is {"why": "a \\"score\\": 1", "score": 3, "score": 5}.',
    '{"sc\\u006fre": 3, "score": 5}',
    '{"arguments": {"score": 3, "score": 5}}',
    "{'score': 3, 'score': 5}",
    '{"score": 3, "score": 5, "score": 3}',
  ]
  for (const text of conflicts)
    assert.throws(() => score(text), fails('conflict', /under "score": \{"score":\d\}, /), text)
  const agreed = [
    '{"score": 3, "score": 3}',
    '{"score": 3, "score": "3"}',
    '{"why": "the score, \\"score\\": 5", "score": 3}',
    '{"other": {"of": 1}, "score": 3, "list": [{"a": 5}]}',
    '{"score": "<1 to 5>", "score": 3}',
  ]
  for (const text of agreed) assert.equal(score(text).score, 3, text)
  const deep = await reader({ score: 'result.score' })
  for (const text of [
    '{"result": {"score": 3, "score": 5}}',
    '{"result": {"score": 3}, "result": {"score": 5}}',
  ])
    assert.throws(() => deep(text), fails('conflict', /under "result.score"/), text)
})

test('a value that counts for nothing is not replaced by a quoted one', async () => {
  const score = await reader({})
  assert.throws(
    () => score('{"score": "n/a"}\n\nThe answer says\n> {"score": 5}\n'),
    fails('no_verdict', /"score" is "n\/a", not a number/),
  )
  assert.equal(score('> {"score": 5}\n').score, 5)
  assert.equal(score('{"score": 4}\n\n> {"score": 5}\n').score, 4)
})
