/** Replies that cannot be read are asked for again (--repair): rounds, requests, and what is left after them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeServer } from '../helpers/judge_server.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, pipe } from '../helpers/run.ts'
import { golden } from './golden.ts'

const CALL = (base: string) => `jb-call -q -m judge --base-url ${base} --no-cache --retry-min 0`

interface Repair {
  case: string
  responses_per_round: string[][]
  on_generation_failure: string
  generate_feedback: boolean
  requests: number
  expected?: {
    selected_option: string
    explanation: string
    feedback: string | null
    generation_failed: boolean
    repair_attempts: number | null
    unparsed_response: string
  }[]
  error?: string
}

const YES = '{"explanation": "e", "selected_option": "Yes"}'

const one = (name: string, rounds: string[], more: Partial<Repair>): Repair => ({
  case: name,
  responses_per_round: rounds.map((text) => [text]),
  on_generation_failure: 'random',
  generate_feedback: false,
  requests: rounds.length,
  ...more,
})

const drawn = (text: string, attempts: number | null) => ({
  selected_option: '<random>',
  explanation: '',
  feedback: null,
  generation_failed: true,
  repair_attempts: attempts,
  unparsed_response: text,
})

const EXTRA = '{"explanation": "e", "selected_option": "Yes", "why": ""}'

/** By the original's code (eval-assist 5a1bd42), beside its recorded cases. */
const MORE_REPAIRS: Repair[] = [
  one('extra key then fixed', [EXTRA, YES], {
    expected: [
      {
        selected_option: 'Yes',
        explanation: 'e',
        feedback: null,
        generation_failed: false,
        repair_attempts: 1,
        unparsed_response: EXTRA,
      },
    ],
  }),
  one('never, raise', ['bad', 'bad', 'bad', 'bad'], { on_generation_failure: 'raise', error: 'ValueError' }),
  // There the repairing stops for the whole batch, here for its row.
  one('empty repair reply', ['bad', ''], { expected: [drawn('bad', null)] }),
  one('blank second repair reply', ['bad', 'bad', ' \n'], { expected: [drawn('bad', 1)] }),
]

/** What each instance is answered, call after call: from the second round on only the failed ones are asked. */
function byInstance({ responses_per_round: rounds, generate_feedback: feedback }: Repair): string[][] {
  const read = (text: string) => {
    try {
      const {
        explanation,
        selected_option,
        feedback: advice,
        ...more
      } = JSON.parse(text.replace(/^```json\n|\n```$/g, ''))
      return (
        explanation !== undefined &&
        Object.keys(more).length === 0 &&
        ['Yes', 'No'].includes(selected_option) &&
        (!feedback || advice !== undefined)
      )
    } catch {
      return false
    }
  }
  const calls = rounds[0]!.map((text) => [text])
  for (const round of rounds.slice(1)) {
    const open = calls.filter((of) => !read(of.at(-1)!))
    for (const [i, of] of open.entries()) of.push(round[i]!)
  }
  return calls
}

test('golden-repair: rounds, requests and what is left after them', async (t) => {
  for (const one of [...golden<Repair>('repair'), ...MORE_REPAIRS]) {
    const calls = byInstance(one)
    const counts = calls.map(() => 0)
    const server = await judgeServer(t, ({ messages }) => {
      const i = Number(/instance-(\d+)/.exec(messages[1]!.content)![1])
      return calls[i]![counts[i]!++] ?? calls[i]!.at(-1)!
    })
    const items = calls.map((_, i) => ({ id: `i${i}`, response: `instance-${i}` }))
    const ran = await pipe(
      `jb-render direct --compat evalassist --criteria 'Is it good?' --set feedback=${one.generate_feedback} --set on_generation_failure=${one.on_generation_failure} |
       ${CALL(server.url)} --repair 3 --retries 0 --max-error-rate 1 | jb-parse | jb-write evalassist --compat evalassist`,
      { stdin: ndjson(items) },
    )
    const told = rowsOf(ran)
    if (one.error) {
      // There the whole batch crashes; here the row says that it failed.
      assert.equal(told[0]!.selected_option, null, one.case)
      assert.ok(told[0]!.metadata.error, one.case)
      assert.equal(server.asked.length, one.requests, one.case)
      continue
    }
    assert.equal(server.asked.length, one.requests, one.case)
    for (const [i, expected] of one.expected!.entries()) {
      const { selected_option, explanation, feedback, metadata } = told[i]!
      if (expected.selected_option === '<random>')
        assert.ok(['Yes', 'No'].includes(selected_option), one.case)
      else assert.equal(selected_option, expected.selected_option, one.case)
      assert.deepEqual(
        {
          explanation,
          feedback,
          generation_failed: metadata.generation_failed,
          repair_attempts: metadata.repair_attempts ?? null,
          unparsed_response: metadata.unparsed_response,
        },
        {
          explanation: expected.explanation,
          feedback: expected.feedback,
          generation_failed: expected.generation_failed,
          repair_attempts: expected.repair_attempts,
          unparsed_response: expected.unparsed_response,
        },
        one.case,
      )
      // In the original's words it is its parser's exception; here it is there whenever it is there.
      const wasUnread = expected.generation_failed || expected.repair_attempts !== null
      assert.equal(typeof metadata.parsing_error, wasUnread ? 'string' : 'undefined', one.case)
    }
  }
})

test('jb-call and jb-parse --compat read rows of jb-render --compat alike', async (t) => {
  const server = await judgeServer(t, (_, n) => (n === 0 ? EXTRA : YES))
  const ran = await pipe(
    `jb-render direct --compat evalassist --criteria 'Is it good?' | ${CALL(server.url)} --repair 3 | jb-parse --compat evalassist`,
    { stdin: ndjson([{ id: 'a', response: 'x' }]) },
  )
  const { verdict, reply } = rowOf(fine(ran)).jb
  assert.deepEqual([verdict!.failure, reply!.turns?.length], [undefined, 2])
  expect(
    await pipe(`jb-render direct --set on_generation_failure=maybe --criteria 'Is it good?'`, {
      stdin: '{}',
    }),
    {
      code: 2,
      err: /expected random or raise/,
    },
  )
})

test('no valid option after all repairs is no verdict: failed, counted, never drawn', async (t) => {
  const server = await judgeServer(t, () => 'bad')
  const ran = await pipe(
    `jb-render direct --criteria 'Is it good?' | ${CALL(server.url)} --repair 3 --max-error-rate 1 | jb-parse 2>/dev/null | jb-aggregate`,
    { stdin: ndjson([{ id: 'a', response: 'x' }]) },
  )
  const report = JSON.parse(ran.stdout)
  assert.equal(server.asked.length, 4)
  assert.deepEqual([report.items, report.valid, report.failures], [1, 0, { no_verdict: 1 }])
})
