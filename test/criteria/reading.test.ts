/** Replies of criteria judges: structured, closest option, places; strict by default, the original's way on request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyRow, ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'
import { criterion, golden } from './golden.ts'

const YES_NO = criterion('c', [
  { name: 'Yes', score: 1 },
  { name: 'No', score: 0 },
])

/** A trial with its reply. */
const trial = (judge: string, text: string, options: string[], more: object = {}, i = 0) => ({
  jb: {
    judge,
    item: `i${i}`,
    trial: { n: 0, of: 1, options, ...more },
    criterion: YES_NO,
    reply: { text, model: 'm' },
  },
})

async function read(rows: object[], args: string[] = []): Promise<AnyRow[]> {
  return rowsOf(await jb('parse', args, { stdin: ndjson(rows) }))
}

const said = (row: AnyRow) => row.jb.verdict?.option ?? row.jb.error!.code

test('a structured reply: strict, fenced, between words, mended; the option in any case', async () => {
  const cases: [text: string, expected: string][] = [
    ['{"explanation": "e", "selected_option": "Yes"}', 'Yes'],
    ['```json\n{"explanation": "e", "selected_option": "Yes"}\n```', 'Yes'],
    ['```JSON\n{"explanation": "e", "selected_option": "No"}\n```', 'No'],
    ['I think so: {"explanation": "e", "selected_option": "Yes"} That is all.', 'Yes'],
    [
      '<think>{"explanation": "x", "selected_option": "No"}</think>{"explanation": "e", "selected_option": "Yes"}',
      'Yes',
    ],
    ["{'explanation': 'e', 'selected_option': 'Yes',}", 'Yes'],
    ['{"selected_option": "Yes", "explanation": "cut off mid sen', 'Yes'],
    ['{"explanation": "e", "selected_option": "Yes", "confidence": 0.9}', 'Yes'],
    // Backticks, curly quotes and LaTeX are text like any other.
    [
      '{"explanation": "- `code` and ```a\\nblock```\\n- “quoted” ‘so’\\n- \\\\alpha \\\\frac{1}{2} {x}", "selected_option": "Yes"}',
      'Yes',
    ],
    ['{"explanation": "raw\nline\tand tab, \\alpha", "selected_option": "No"}', 'No'],
    ['{"explanation": "e", "selected_option": "yes"}', 'Yes'],
    ['{"explanation": "e", "selected_option": " Yes"}', 'Yes'],
    ['{"explanation": "e", "selected_option": "Maybe"}', 'no_verdict'],
    ['{"explanation": "e", "selected_option": ["Yes", "No"]}', 'no_verdict'],
    ['{"explanation": "e"}', 'no_verdict'],
    ['{"selected_option": "Yes"}', 'no_verdict'],
    ['"Yes"', 'Yes'],
    ['Yes', 'Yes'],
    ['It is polite.\n\n**Yes**', 'Yes'],
    [
      '{"explanation": "e", "selected_option": "Yes"}\n{"explanation": "e", "selected_option": "No"}',
      'conflict',
    ],
    ['{"arguments": {"explanation": "e", "selected_option": "Yes"}}', 'Yes'],
    ['', 'no_verdict'],
    ['I cannot answer that.', 'no_verdict'],
  ]
  const rows = await read(cases.map(([text], i) => trial('direct', text, ['Yes', 'No'], {}, i)))
  for (const [i, [text, expected]] of cases.entries()) assert.equal(said(rows[i]!), expected, text)
  assert.equal(
    rows[8]!.jb.verdict!.explanation,
    '- `code` and ```a\nblock```\n- “quoted” ‘so’\n- \\alpha \\frac{1}{2} {x}',
  )
  assert.match(rows[12]!.jb.error!.message, /"selected_option" is "Maybe", expected one of "Yes", "No"/)
})

test('options that differ in case only: letter by letter; without JSON none where feedback was asked for', async () => {
  const rows = await read([
    trial('direct', 'a', ['A', 'a']),
    trial('direct', '**a**', ['A', 'a']),
    trial('direct', 'Yes', ['Yes', 'No'], { feedback: true }),
  ])
  assert.deepEqual(rows.map(said), ['a', 'no_verdict', 'no_verdict'])
})

test('options called 1 to 5: by name, and a number is the name it is written as', async () => {
  const options = ['1', '2', '3', '4', '5']
  const replies = [
    '{"explanation":"e","selected_option":"4"}',
    '{"explanation":"e","selected_option":4}',
    '{"explanation":"e","selected_option":6}',
    '{"explanation":"e","selected_option":"4.0"}',
  ]
  const rows = await read(replies.map((text, i) => trial('direct', text, options, {}, i)))
  assert.deepEqual(rows.map(said), ['4', '4', 'no_verdict', 'no_verdict'])
  assert.equal(rows[0]!.jb.verdict!.score, 4, 'an option without a score is worth its name')
  const original = await read(
    replies.map((text, i) => trial('direct', text, options, {}, i)),
    ['--compat', 'evalassist'],
  )
  assert.deepEqual(
    original.map(({ jb }) => jb.verdict!.failure ?? 'read'),
    ['read', 'no_verdict', 'no_verdict', 'no_verdict'],
  )
})

test('feedback is part of the reply where it was asked for', async () => {
  const plain = '{"explanation":"e","selected_option":"Yes"}'
  const whole = '{"explanation":"e","selected_option":"Yes","feedback":""}'
  const rows = await read([
    trial('direct', plain, ['Yes', 'No'], { feedback: true }),
    trial('direct', whole, ['Yes', 'No'], { feedback: true }),
    trial('direct', whole, ['Yes', 'No']),
  ])
  assert.deepEqual(rows.map(said), ['no_verdict', 'Yes', 'Yes'])
  assert.deepEqual(
    rows.map(({ jb }) => jb.verdict?.feedback),
    [undefined, '', undefined],
  )
})

test('as the original reads: its clean-up, and a random option that is drawn by item and counted', async () => {
  const cases: [text: string, expected: string | null][] = [
    ['{"explanation": "e", "selected_option": "Yes"}', 'Yes'],
    ['{"explanation": "a `b`", "selected_option": "Yes"}', null],
    ['{"explanation": "\\\\alpha", "selected_option": "Yes"}', null],
    ['{"explanation": "e", "selected_option": "Yes", "more": 1}', null],
    ['{"explanation": "e", "selected_option": "No"} trailing', 'No'],
    ['bad', null],
  ]
  const rows = cases.map(([text], i) => trial('direct', text, ['Yes', 'No'], {}, i))
  const first = await read(rows, ['--compat', 'evalassist'])
  for (const [i, [text, expected]] of cases.entries()) {
    const { option, failure, explanation, score } = first[i]!.jb.verdict!
    assert.equal(failure, expected === null ? 'no_verdict' : undefined, text)
    assert.ok(expected === null ? ['Yes', 'No'].includes(option!) : option === expected, text)
    if (expected === null) assert.deepEqual([explanation, score], ['', option === 'Yes' ? 1 : 0])
  }
  const again = await read(rows.toReversed(), ['--compat', 'evalassist'])
  assert.deepEqual(again.toReversed().map(said), first.map(said), 'the order of the rows plays no part')
  const many = Array.from({ length: 40 }, (_, i) => trial('direct', 'bad', ['Yes', 'No'], {}, i))
  const drawn = (await read(many, ['--compat', 'evalassist'])).map(said)
  assert.deepEqual([...new Set(drawn)].sort(), ['No', 'Yes'])
  const report = JSON.parse((await jb('aggregate', [], { stdin: ndjson(first) })).stdout)
  assert.equal(report.unread, 4)
})

test('an empty reply crashes the original: here its row fails', async () => {
  const rows = [trial('direct', '', ['Yes', 'No'])]
  const ran = await jb('parse', ['--compat', 'evalassist'], { stdin: ndjson(rows) })
  assert.equal(rowsOf(expect(ran, { err: /no_verdict/ }))[0]!.jb.error!.code, 'no_verdict')
})

test('golden-closest-match: difflib’s choice, and which of them are told as none', async (_t) => {
  const cases = golden<{ text: string; options: string[]; expected: string }>('closest-match')
  const rows = cases.map(({ text, options }, i) => trial('unitxt_select', text, options, {}, i))
  const original = rowsOf(fine(await jb('parse', ['-q', '--compat', 'evalassist'], { stdin: ndjson(rows) })))
  for (const [i, { text, expected }] of cases.entries()) {
    assert.equal(original[i]!.jb.verdict!.option, expected, text)
    assert.equal(typeof original[i]!.jb.verdict!.ratio, 'number')
  }
  // Nothing like an option, or as much like one as like another.
  const none = new Set(['', 'Neither', 'tie', '3.5', '2', 'Response B'])
  const own = await read(rows)
  for (const [i, { text, options, expected }] of cases.entries()) {
    assert.equal(original[i]!.jb.verdict!.failure, none.has(text) ? 'no_verdict' : undefined, text)
    // Here an option is read that is one, letter case and marks aside.
    const alone = options.find((option) => option.toLowerCase() === text.toLowerCase().replace('.', ''))
    assert.equal(said(own[i]!), alone ?? 'no_verdict', text)
    if (alone !== undefined) assert.equal(alone, expected)
  }
})

interface Prometheus {
  mode: string
  text: string
  expected: number | string | null
}

test('golden-prometheus-parse: numbers and letters behind their marks', async (_t) => {
  const cases = golden<Prometheus>('prometheus-parse')
  for (const [mode, judge] of [
    ['absolute', 'm_prometheus'],
    ['relative', 'm_prometheus_pairwise'],
  ] as const) {
    const asked: Prometheus[] = cases.filter((one) => one.mode === mode)
    const stdin = ndjson(asked.map(({ text }, i) => ({ id: `i${i}`, text })))
    const args = ['--judge', judge, '--text', 'text']
    const original = rowsOf(await jb('parse', [...args, '--compat', 'evalassist'], { stdin }))
    for (const [i, { text, expected }] of asked.entries()) {
      const { verdict, error } = original[i]!.jb
      const found =
        mode === 'absolute'
          ? (verdict?.raw_score ?? null)
          : verdict?.failure
            ? null
            : ['A', 'B'][verdict!.winner as number]
      assert.equal(found, expected, JSON.stringify(text))
      if (mode === 'absolute' && expected === null) assert.ok(error)
      // The original takes what it can't read for B: counted as a failure here.
      if (mode === 'relative' && expected === null) assert.equal(verdict!.winner, 1)
    }
    const better = rowsOf(await jb('parse', args, { stdin }))
    for (const [i, { text, expected }] of asked.entries()) {
      const { verdict, error } = better[i]!.jb
      const found =
        mode === 'absolute'
          ? (verdict?.raw_score ?? error!.code)
          : verdict
            ? ['A', 'B'][verdict.winner as number]
            : error!.code
      assert.equal(found, BETTER[text] ?? expected ?? 'no_verdict', JSON.stringify(text))
    }
  }
})

/** What can be read though the original does not, and what is out of range rather than nothing. */
const BETTER: Record<string, number | string> = {
  'fb [RESULT] 4.': 4,
  'So the overall score is 4': 4,
  '[RESULT] 0': 'out_of_range',
  '[RESULT] 2 ... [RESULT] 5': 'conflict',
  '[RESULT] 6': 'out_of_range',
  '[RESULT] A.': 'A',
}

test('places are those of the options as shown; the number stays', async () => {
  const options = ['poor', 'weak', 'fair', 'good', 'best']
  const text = 'Feedback: well done. [RESULT] 4'
  const rows = await read([
    trial('m_prometheus', text, options),
    trial('m_prometheus', text, options.toReversed(), { order: 'BA' }),
  ])
  assert.deepEqual(
    rows.map(({ jb }) => [jb.verdict!.option, jb.verdict!.raw_score]),
    [
      ['good', 4],
      ['weak', 4],
    ],
  )
})
