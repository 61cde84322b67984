import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkJudge } from '../../src/judges/_check.ts'
import type { JsonObject, Reply, Request, Verdict } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'

async function reader(verdict: JsonObject, settings: JsonObject = {}) {
  const judge = checkJudge(
    { kind: 'grade', messages: [{ role: 'user', content: 'x' }], verdict: { rule: 'number', ...verdict } },
    { name: 'j.yaml', where: 'j.yaml', builtin: false },
  )
  const read = await readerOf(judge, settings)
  return (
    text: string,
    context: { reply?: Partial<Reply>; finish?: string; request?: Request } = {},
  ): Verdict => read(text, { ...context, item: () => ({}) })
}

/** The score, or the code of the failure. */
function outcome(read: (text: string) => Verdict, text: string): unknown {
  try {
    return read(text).score
  } catch (error) {
    return (error as { code?: string }).code ?? error
  }
}

const NONE = 'no_verdict'

const BRACKETS = { pattern: '\\[\\[(-?\\d+)\\]\\]' }

test('Score: where a line or a sentence begins, and the number read whole', async () => {
  const read = await reader({ name: 'Score' })
  const cases: [string, unknown][] = [
    ['Score: 8.5', 8.5],
    ['score: 8.5\nGood.', 8.5],
    ['SCORE:\n 7', 7],
    ['Score: -3', -3],
    ['Score: .5', 0.5],
    ['Score: 10.', 10],
    // Of which scale the judge's file does not say.
    ['Score: 8/10', 'out_of_range'],
    ['Score: 8 out of 10', 'out_of_range'],
    ['**Score:** 9', 9],
    ['**Score: 9**', 9],
    ['## Score: 9', 9],
    ['- Score: `9`', 9],
    ['> Score: [[9]]', 9],
    ['Score： 9', 9],
    ['Score: 1,000', 1000],
    ['Score: 8,5', 8.5],
    ['Score: 8, for it is good', 8],
    ['Score: 85%', 'out_of_range'],
    ['Score: −2', -2],
    ['Score: 8\n- 3 errors', 8],
    ['It names the city. Score: 6.25\nBecause.', 6.25],
    ['Score: 8\nScore: 3', 3],
    ['Score: X.XX\nScore: 4', 4],
    ['Score: 7\r\nWindows.', 7],
    ['Score: \u200b8', 8],
    ['Score: 7-8', 'conflict'],
    ['Score: 8, Score: 7', 'conflict'],
    ['Score: 7.5 – 8', 'conflict'],
    ['Score: **7** to **8**', 'conflict'],
    ['Score: 8 -> 6', 'conflict'],
    ['underscore: 4', NONE],
    ['Score: eight', NONE],
    ['Score: N/A', NONE],
    ['Score: 8th', NONE],
    ['Score: 1.2.3', NONE],
    ['Score: 3½', NONE],
    ['Score:\n\n**1.** Clarity: good\n2. Style', NONE],
    ['Score:\n8.\n', 8],
    ['Score: 8. Good', 8],
    ['Score:', NONE],
    ['Scores: 4', NONE],
    ['8.5', NONE],
    ['', NONE],
  ]
  for (const [text, expected] of cases) assert.equal(outcome(read, text), expected, JSON.stringify(text))
})

test('a scale behind the number is the judge’s own, or the score is out of range', async () => {
  const read = await reader({ name: 'Score', range: [1, 10] })
  for (const text of ['8/10', '**8**/10', '[[8]]/10', '8 / **10**', '8 out of 10', '8 (of 10)'])
    assert.equal(read(`Score: ${text}`).score, 8, text)
  assert.equal(read('Score: 8.5/10').label, 'Score: 8.5')
  for (const text of [
    '4 (out of 5)',
    '4 out of 5',
    '4/5',
    '**4** / 5',
    '80/100',
    '8%',
    '11',
    '0',
    '-3',
    '8 of 20',
  ])
    assert.equal(outcome(read, `Score: ${text}`), 'out_of_range', text)
  // The pattern may catch a part of the number, or its scale.
  const last = await reader({ pattern: '(\\d)\\W*$', range: [1, 10] })
  assert.deepEqual(
    ['10', '8.5', 'It is 7.', '-3', '7-8', '8/10', '8 out of 10'].map((text) => outcome(last, text)),
    [10, 8.5, 7, 'out_of_range', 'conflict', NONE, NONE],
  )
})

test('the explanation is everything behind the line of the score', async () => {
  const read = await reader({ name: 'Score', first: true, reason: 'after' })
  assert.equal(
    read('Score: 8.5\n\nThe response is accurate.\nAnd short.\n').reason,
    'The response is accurate.\nAnd short.',
  )
  assert.equal(read('First words.\nScore: 8\nThen these.').reason, 'Then these.')
  assert.equal(read('Score: 8').reason, '')
})

test('where the question ends with "Score:", the reply goes on from it', async () => {
  const read = await reader({ name: 'Score' })
  const asked = (content: string) => ({ request: { messages: [{ role: 'user' as const, content }] } })
  assert.equal(read(' 8 for it is short', asked('Rate it.\nScore:')).score, 8)
  assert.equal(read('**8.5**\nGood', asked('Rate it.\n\nScore: \n')).score, 8.5)
  assert.equal(read(' 8 points\nGood', asked('Rate it.\nScore:')).score, 8)
  assert.throws(
    () => read('8 of 9 points', asked('Start with "Score: X.XX"')),
    /looked for "Score:" and a number/,
  )
  assert.throws(
    () => read('8 of 9 points', asked('Rate the underscore:')),
    /looked for "Score:" and a number/,
  )
})

test('a reply that was cut short has no score, unless that comes first and is whole', async () => {
  const [last, first] = [await reader({ name: 'Score' }), await reader({ name: 'Score', first: true })]
  const said = (read: typeof last, text: string, finish = 'length') =>
    outcome((reply) => read(reply, { finish }), text)
  assert.equal(said(last, 'Score: 8\nIt is', 'stop'), 8)
  for (const finish of ['length', 'max_tokens', 'MAX_TOKENS', 'model_length'])
    assert.equal(said(last, 'Score: 8\nIt is', finish), 'truncated')
  assert.equal(said(first, 'Score: 8\nIt is'), 8)
  assert.equal(said(first, 'Score: 8\nIt is. Score: 3'), 8)
  for (const text of ['Score: 1', 'Score: 8.', 'Score: 8/1', 'Score: ', 'It is'])
    assert.equal(said(first, text), 'truncated', text)
  assert.equal(said(first, 'I cannot', 'content_filter'), 'refused')
  assert.equal(said(first, 'Score: 8', 'content_filter'), 8)
})

test('a pattern of the user’s own, the last, the first or the only match', async () => {
  const text = 'Grade=3, no:\nGrade=5'
  assert.equal((await reader({ pattern: 'grade=(\\d+)', flags: 'i' }))(text).score, 5)
  assert.equal((await reader({ pattern: 'Grade=(\\d+)', pick: 'first' }))(text).score, 3)
  const only = await reader({ pattern: 'Grade=(\\d+)', pick: 'only' })
  assert.throws(() => only(text), { code: 'conflict' })
  assert.equal(only('Grade=5, I repeat Grade=5').score, 5)
  const several = await reader({ patterns: ['final (\\d+)', '(\\d+) points'] })
  assert.equal(several('7 points, final 8').score, 8)
  assert.equal(several('7 points').score, 7)
  assert.deepEqual(several('7 points'), { label: '7 points', score: 7 })
})

test('without a pattern the reply is a number and nothing else', async () => {
  const read = await reader({ range: [1, 5] })
  for (const text of ['4', ' 4\n', '**4**', '4/5', '4.']) assert.equal(read(text).score, 4, text)
  for (const text of ['4 of course', '4 5', 'I say 4']) assert.equal(outcome(read, text), NONE, text)
  assert.equal(outcome(read, '6'), 'out_of_range')
})

test('--fallback gives a number where there is none, and it still counts as a failure', async () => {
  const read = await reader({ ...BRACKETS, range: [1, 10] }, { fallback: 1 })
  assert.deepEqual(read('no rating'), { label: null, score: 1, failure: 'no_verdict' })
  assert.deepEqual(read('Rating: [[11]]'), { label: null, score: 1, failure: 'out_of_range' })
  assert.equal(read('Rating: [[4]]').failure, undefined)
})

test('text that would stall a backtracking reader is read at once', async () => {
  const [score, rating] = [await reader({ name: 'Score' }), await reader(BRACKETS)]
  for (const text of [
    `Score:${' '.repeat(100_000)}x`,
    `${'#'.repeat(50_000)}Score`,
    `Score: ${'1'.repeat(50_000)}x`,
    `${'*'.repeat(50_000)}Score:`,
    `Rating: ${'['.repeat(50_000)}`,
    `[[${' '.repeat(50_000)}`,
    '[[1,'.repeat(20_000),
  ])
    for (const read of [score, rating]) assert.equal(outcome(read, text), NONE)
})

test('scores weighted by the probabilities of the numbers the model might have said', async () => {
  const read = await reader({ ...BRACKETS, range: [1, 10], weighted: true })
  const token = (text: string, ...top: [string, number][]) => ({
    token: text,
    logprob: Math.log(top[0]?.[1] ?? 1),
    top_logprobs: top.map(([token, p]) => ({ token, logprob: Math.log(p) })),
  })
  const text = 'Rating: [[8]]'
  const content = [
    token('Rating'),
    token(': [['),
    token('8', ['8', 0.6], ['7', 0.2], ['9', 0.1], ['x', 0.05], ['20', 0.05]),
    token(']]'),
  ]
  const verdict = read(text, { reply: { text, logprobs: { content } } })
  assert.ok(Math.abs(verdict.score! - (0.6 * 8 + 0.2 * 7 + 0.1 * 9) / 0.9) < 1e-12)
  assert.equal(verdict.said, 8)
  assert.ok(Math.abs((verdict.mass as number) - 0.9) < 1e-12)
  // With the number inside a longer token, behind thinking, and from a completions endpoint.
  const joined = [token('<think>8?</think>Rating: '), token('[[8', ['[[8', 0.5], ['[[6', 0.5]), token(']]')]
  assert.equal(read(text, { reply: { logprobs: { content: joined } } }).score, 7)
  const completion = {
    tokens: ['Rating: [[', '8', ']]'],
    top_logprobs: [null, { '8': Math.log(0.5), '4': Math.log(0.5) }, null],
  }
  assert.equal(read(text, { reply: { logprobs: completion } }).score, 6)
  // Two tokens for one number, other words, or no probabilities: the number as it was said.
  for (const logprobs of [
    { content: [token('Rating: [['), token('1', ['1', 1]), token('0', ['0', 1]), token(']]')] },
    { content: [token('other words')] },
    undefined,
  ]) {
    const plain = read('Rating: [[10]]', { reply: { logprobs } })
    assert.equal(plain.score, 10)
    assert.equal(plain.mass, undefined)
  }
})

test('a wrong judge file says what is wrong', async () => {
  await assert.rejects(reader({ pattern: '(' }), /j\.yaml: verdict\.pattern \(/)
  await assert.rejects(reader({ nam: 'Score' }), /unknown key verdict\.nam.*did you mean name/)
  await assert.rejects(reader({ range: [1] }), /range must be/)
})

test('a draft and another final score are a conflict; one with words before the name counts where there is no other', async () => {
  const read = await reader({ name: 'Score', range: [1, 5] })
  const cases: [string, unknown][] = [
    ['Score: 3 at first sight.\nThe second source settles it.\nRevised Score: 4', 'conflict'],
    ['Score: 2\nFinal score: 5', 'conflict'],
    ['Score: 3\n**Final Score: 4**', 'conflict'],
    ['Score: 3\n**Overall Score:** 4', 'conflict'],
    ['Score: 3\nNote finale / Score: 4', 'conflict'],
    ['Score: 4\nFinal Score: 4', 4],
    // What comes before the last bare one is its draft, whatever it says.
    ['Clarity Score: 2\nDepth Score: 5\nScore: 3', 3],
    ['Maximum Score: 5\nScore: 3', 3],
    ['Final Score: 4', 4],
    ['**Overall Score:** 4', 4],
    ['Clarity Score: 4\nFinal Score: 4', 4],
    ['Clarity Score: 2\nFinal Score: 4', 'conflict'],
    ['Score: 3\n> Final Score: 5', 3],
    ['Underscore: 4', NONE],
    ['"Score: 4"', NONE],
    ['Final Score: 3-4', 'conflict'],
  ]
  for (const [text, score] of cases) assert.equal(outcome(read, text), score, text)
  const first = await reader({ name: 'Score', first: true })
  assert.equal(outcome(first, 'Score: 3\nIt is far from the maximum score: 5.'), 3)
  assert.throws(() => read('Final Score: 1', { finish: 'length' }), { code: 'truncated' })
})
