/** The six rules by which a reply is read (docs/judges.md), of built-in judges and of a user's own. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { checkJudge } from '../../src/judges/_check.ts'
import type { Judge } from '../../src/judges/_judge.ts'
import { loadJudge } from '../../src/judges/_load.ts'
import { RowFailure, type Trial } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { ROOT } from '../helpers/run.ts'

/** What a judge makes of a reply: the main value of its verdict, or the code of its failure. */
async function said(judge: Judge | string, reply: string, finish = 'stop', trial?: Partial<Trial>) {
  const read = await readerOf(typeof judge === 'string' ? await loadJudge(judge) : judge)
  try {
    const context = { item: () => ({}), finish, trial: { n: 0, of: 1, ...trial } }
    const { decision, score, option, winner } = read(reply, context)
    return decision ?? score ?? option ?? winner
  } catch (error) {
    if (error instanceof RowFailure) return error.code
    throw error
  }
}

/** A judge of the user's own, as docs/judges.md has one. */
const own = (verdict: object = {}, prompt = 'x'): Judge =>
  checkJudge(
    {
      kind: 'pairwise',
      fields: { a: 'a', b: 'b' },
      messages: [{ role: 'user', content: prompt }],
      verdict: { rule: 'label', pattern: '\\[\\[(A|B)\\]\\]', labels: { A: 'A>B', B: 'B>A' }, ...verdict },
    },
    { name: 'own.yaml', where: 'own.yaml', builtin: false },
  )

const BOTH: [name: string, judge: Judge | string][] = [
  ['built in', 'skywork_critic'],
  ['own', own()],
]

for (const [name, judge] of BOTH)
  describe(`a ${name} judge`, () => {
    const cases: [rule: string, reply: string, expected: string][] = [
      ['thinking is left out', '<think>[[A]]</think>[[B]]', 'B>A'],
      ['thinking that the prompt began', 'so [[A]]</think>[[B]]', 'B>A'],
      ['unseen characters', 'First [[A]].\n[[\u200bB\u2060]]\u00ad', 'B>A'],
      ['escaped brackets', '[[A]]\n\\[\\[B\\]\\]', 'B>A'],
      ['full-width brackets', '[[A]]\n【B】', 'B>A'],
      ['twice', '[[A]]\n【【B】】\n', 'B>A'],
      ['a block quote', '[[B]]\n> My verdict is [[A]]', 'B>A'],
      ['fenced code', '[[B]]\n```\n[[A]]\n```\nThat is all.', 'B>A'],
      ['a fence with another inside', '[[B]]\n~~~md\n```\n[[A]]\n```\n~~~', 'B>A'],
      ['a fence that never closes is none', '[[A]]\n```js\nx\n\n[[B]]', 'B>A'],
      ['inline code is the judge’s own', '[[A]]\n```[[B]]```\n`[[B]]`', 'B>A'],
      ['only in other people’s words', '> My verdict is [[A]]', 'A>B'],
      ['the last match', '[[A]]\nor no:\n[[B]]', 'B>A'],
      ['after a list of the labels', 'One of [[A]], [[B]].\n\n[[A]]', 'A>B'],
      ['not, on one line', '[[A]], not [[B]]', 'conflict'],
      ['either, on one line', 'either [[A]] or [[B]]', 'conflict'],
      ['the same twice on one line', '[[A]], that is [[A]]', 'A>B'],
      ['words without a label', 'Assistant A is better.', 'no_verdict'],
      ['a later sentence without a label', '[[A]]\nWait. B is better after all.', 'A>B'],
    ]
    for (const [what, reply, expected] of cases)
      test(what, async () => assert.equal(await said(judge, reply), expected))
    test('a reply that was cut short', async () => {
      for (const finish of ['length', 'max_tokens', 'MAX_TOKENS'])
        assert.equal(await said(judge, 'I say [[A]], but', finish), 'truncated')
      assert.equal(await said(judge, 'I cannot', 'content_filter'), 'refused')
    })
  })

test('elements that the prompt has around a value are other people’s words', async () => {
  const judge = own({}, '<answer_a>\n{{ a }}\n</answer_a>\n<b>{{ b }}</b> <c>fixed</c>')
  assert.equal(await said(judge, '[[A]] <answer_a>\nso [[B]]</answer_a><b>[[B]]</b>'), 'A>B')
  assert.equal(await said(judge, '[[A]]\n<c>[[B]]</c>'), 'B>A')
  assert.equal(await said(judge, '[[A]]\n<b>[[B]]'), 'B>A')
})

test('patterns in order: the first that matches anywhere decides', async () => {
  const judge = own({ pattern: undefined, patterns: ['final: ([AB])', '\\[\\[([AB])\\]\\]'] })
  assert.equal(await said(judge, 'final: A\n[[B]]'), 'A>B')
  assert.equal(await said(judge, '[[B]]'), 'B>A')
})

test('one line: another match of a pattern, and one of a later pattern behind it, are a conflict', async () => {
  const judge = own({ pattern: undefined, patterns: ['final: ([AB])', '\\[\\[([AB])\\]\\]'] })
  assert.equal(await said(judge, '[[B]] at first, final: A'), 'A>B')
  assert.equal(await said(judge, 'final: A, or [[B]]'), 'conflict')
  assert.equal(await said(own({ pick: 'first' }), '[[A]], then [[B]]\n[[B]]'), 'A>B')
  for (const name of ['prometheus_2', 'm_prometheus_pairwise'])
    for (const reply of ['[RESULT] A [RESULT] B', '[RESULT: A] [RESULT: B]', '[Response A] [Response B]'])
      assert.equal(await said(name, reply), 'conflict', reply)
  assert.equal(await said('prometheus_2', '[RESULT] A [RESULT] A'), 'A>B')
  for (const reply of ['Rating: [[4]], [[1]]', 'Rating: [8], [7]', 'Rating: [[7-8]]', '[[7 to 8]]'])
    assert.equal(await said('mt_bench', reply), 'conflict', reply)
})

test('pick: first, only; first: true is also read in a reply that was cut short after it', async () => {
  assert.equal(await said(own({ pick: 'first' }), '[[A]]\n[[B]]'), 'A>B')
  assert.equal(await said(own({ pick: 'only' }), '[[A]]\n[[B]]'), 'conflict')
  const first = own({ first: true })
  assert.equal(await said(first, '[[A]]\n[[B]]'), 'A>B')
  assert.equal(await said(first, '[[A]] It is', 'length'), 'A>B')
  assert.equal(await said(first, '[[A]]，因为', 'length'), 'A>B')
  for (const reply of ['[[A]]', '[[A]].', '[[A]]\n'])
    assert.equal(await said(first, reply, 'length'), 'truncated')
  assert.equal(await said(own({ pick: 'first' }), '[[A]] It is', 'length'), 'truncated')
})

test('a judge of one token is whole also where the limit is one token', async () => {
  assert.equal(await said('alpaca_eval', 'm', 'length'), 'A>B')
  assert.equal(await said('rating_weighted', '4', 'length'), 'truncated')
})

test('cut short: JSON, lists and a judge’s own function have no verdict either', async () => {
  const trial = { options: ['Yes', 'No'] }
  const whole = '{"explanation": "e", "selected_option": "Yes"}'
  assert.equal(await said('direct', whole, 'stop', trial), 'Yes')
  assert.equal(await said('direct', whole, 'length', trial), 'truncated')
  assert.equal(await said('nuggetize', '["a", "b"]', 'length'), 'truncated')
  const parsed = { ...own(), parse: () => 'A>B' }
  assert.equal(await said(parsed, 'x', 'length'), 'truncated')
  // An original reads what there is.
  const read = await readerOf(await loadJudge('arena_hard'), { compat: 'rm-gallery' })
  assert.equal(read('[[A>B]]', { item: () => ({}), finish: 'length' }).decision, 'A>B')
})

test('options: letter case and marks aside, alone on the last line, two that differ a conflict', async () => {
  const trial = { options: ['Very good', 'No'] }
  const json = (option: string) => JSON.stringify({ explanation: 'e', selected_option: option })
  const cases: [reply: string, expected: string][] = [
    [json('very GOOD'), 'Very good'],
    [`\`\`\`json\n${json('**No**')}\n\`\`\``, 'No'],
    [`The form is ${json('<option>')}.\n${json('No')}`, 'No'],
    [`${json('No')}\n${json('Very good')}`, 'conflict'],
    [`> ${json('No')}\n\n${json('Very good')}`, 'Very good'],
    [json('Maybe'), 'no_verdict'],
    ['It is rude.\n\n**No.**', 'No'],
    [`${json('No')}\n${json('Maybe')}`, 'no_verdict'],
    [`${json('Maybe')}\nNo`, 'no_verdict'],
    ['No, it is not very good.', 'no_verdict'],
    ['No\nIt is rude.', 'no_verdict'],
  ]
  for (const [reply, expected] of cases)
    assert.equal(await said('direct', reply, 'stop', trial), expected, reply)
})

test('two scores are read whole, where a pattern catches a part of them', async () => {
  const judge = own({ rule: 'pair', pattern: 'A: (\\d).*B: (\\d)', labels: undefined })
  assert.equal(await said(judge, 'A: 8.9, B: 8.1'), 'A>B')
  assert.equal(await said(judge, 'A: 9, B: 10'), 'B>A')
})

test('the examples of docs/judges.md', async () => {
  const [, table] = /\| reply to \|.*\n\|.*\n((?:\|.*\n)+)/.exec(
    readFileSync(`${ROOT}docs/judges.md`, 'utf8'),
  )!
  const rows = table!.trim().split('\n')
  assert.equal(rows.length, 10)
  for (const row of rows) {
    const [, about, expected] = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
    const [, judge, finish] = /^(\w+)(?:.*`finish_reason: (\w+)`)?/.exec(about!)!
    const pieces = [...about!.slice(about!.indexOf(': `') + 2).matchAll(/`([^`]*)`/g)].map(
      ([, text]) => text!,
    )
    const found = await said(judge!, pieces.join('\n'), finish)
    assert.equal(String(found), expected!.replaceAll('`', ''), row)
  }
})
