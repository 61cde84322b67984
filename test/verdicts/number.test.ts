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
  return (text: string, context: { reply?: Partial<Reply>; request?: Request } = {}): Verdict =>
    read(text, { ...context, item: () => ({}) })
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

test('a line that begins with Score: (lm-eval), as documented', async () => {
  const read = await reader({ name: 'Score', reason: 'after' })
  const cases: [string, unknown][] = [
    ['Score: 8.5', 8.5],
    ['score: 8.5\nGood.', 8.5],
    ['SCORE:\n 7', 7],
    ['Score: -3', -3],
    ['Score: .5', 0.5],
    ['Score: 10.', 10],
    ['Score: 8/10', 8],
    ['Score: 8 / 10', 8],
    ['Score: 8 out of 10', 8],
    ['**Score:** 9', 9],
    ['Score: **9**', 9],
    ['**Score: 9**', 9],
    ['**Score**: 9/10', 9],
    ['## Score: 9', 9],
    ['- Score: `9`', 9],
    ['> Score: [[9]]', 9],
    ['Score： 9', 9],
    ['Score: 1,000', 1000],
    ['Score: 8,5', 8.5],
    ['Score: 8, for it is good', 8],
    ['Score: 1e3', 1000],
    ['Score: 150', 150],
    ['Score: 85%', 85],
    ['Score: −2', -2],
    ['Score: 8.', 8],
    ['Well.\n\nScore: 6.25\nBecause.', 6.25],
    ['Score: 8\nScore: 3', 'conflict'],
    ['Score: X.XX\nScore: 4', 4],
    ['Score: 7\r\nWindows.', 7],
    ['underscore: 4', NONE],
    ['The Score: 4', 4],
    ['Score: eight', 8],
    ['Score: eightfold', NONE],
    ['Score: eight to nine', NONE],
    ['Score: N/A', NONE],
    ['Score: 7-8', NONE],
    ['Score: 7.5 – 8', NONE],
    ['Score: 8th', NONE],
    ['Score:', NONE],
    ['Scores: 4', NONE],
    ['8.5', 8.5],
    ['', NONE],
  ]
  for (const [text, expected] of cases) assert.equal(outcome(read, text), expected, JSON.stringify(text))
})

test('the explanation is everything behind the line of the score', async () => {
  const read = await reader({ name: 'Score', reason: 'after' })
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
  assert.equal(read(' 8/10', asked('Rate it.\nScore:')).score, 8)
  assert.equal(read('**8.5**\nGood', asked('Rate it.\n\nScore: \n')).score, 8.5)
  assert.equal(read(' 8 of 9 points\nGood', asked('Rate it.\nScore:')).score, 8)
  assert.throws(() => read('8 of 9 points', asked('Start with "Score: X.XX"')), /begins with "Score:"/)
  assert.throws(() => read('8 of 9 points', asked('Rate the underscore:')), /begins with "Score:"/)
})

test('ratings in double brackets: the last one, one behind Rating: first', async () => {
  const read = await reader({ brackets: true, range: [1, 10] })
  const cases: [string, unknown][] = [
    ['Rating: [[7]]', 7],
    ['Well.\n\nRating: [[8.5]]', 8.5],
    ['Rating: [[8.]]', 8],
    ['[[ 8 ]]', 8],
    ['[[8/10]]', 8],
    ['[[08]]', 8],
    ['Rating: [[10]] then Rating: [[3]]', 3],
    ['Rating: [[4]], as against [[9]]', 4],
    ['**Rating**: [[6]]', 6],
    ['Rating: **[[6]]**', 6],
    ['no word for it: [[5]]', 5],
    ['...Rating: [[7', 7],
    ['...Rating: [[7]', 7],
    ['Rating: [[10', 10],
    ['[[-1]]', 'out_of_range'],
    ['Rating: [[0]]', 'out_of_range'],
    ['Rating: [[11]]', 'out_of_range'],
    ['Rating: [[100]]', 'out_of_range'],
    ['see [1] so [9]', NONE],
    ['Rating: 7', 7],
    ['Rating: [[seven]]', 7],
    ['[[A]]', NONE],
    ['$ERROR$', NONE],
    ['[[7 is what I say', NONE],
    ['Rating: [[7 is what I say', 7],
  ]
  for (const [text, expected] of cases) assert.equal(outcome(read, text), expected, JSON.stringify(text))
})

test('an open bracket of a reply that was cut short is not read: [[1 may have become [[10]]', async () => {
  const read = await reader({ brackets: true, range: [1, 10] })
  assert.equal(read('Rating: [[1', { reply: { finish_reason: 'stop' } }).score, 1)
  assert.throws(() => read('Rating: [[1', { reply: { finish_reason: 'length' } }), /no score found/)
  assert.equal(read('Rating: [[1]]', { reply: { finish_reason: 'length' } }).score, 1)
  assert.throws(() => read('My rating is 1', { reply: { finish_reason: 'length' } }), /no score found/)
})

test('a pattern of the user’s own, the last, the first or the only match', async () => {
  const text = 'Grade=3, no: Grade=5'
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
  assert.equal(read('I say 4').score, 4)
  for (const text of ['4 of course', '4 5', 'I say 4 or 5']) assert.equal(outcome(read, text), NONE, text)
  assert.equal(outcome(read, '6'), 'out_of_range')
})

test('--fallback gives a number where there is none, and it still counts as a failure', async () => {
  const read = await reader({ brackets: true, range: [1, 10] }, { fallback: 1 })
  assert.deepEqual(read('no rating'), { label: null, score: 1, failure: 'no_verdict' })
  assert.deepEqual(read('Rating: [[11]]'), { label: null, score: 1, failure: 'out_of_range' })
  assert.equal(read('Rating: [[4]]').failure, undefined)
})

test('text that would stall a backtracking reader is read at once', async () => {
  const [score, rating] = [await reader({ name: 'Score' }), await reader({ brackets: true })]
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
  const read = await reader({ brackets: true, range: [1, 10], weighted: true })
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

test('a boxed score counts as one that is called final does, and more than one that is called neither', async () => {
  const read = await reader({})
  assert.equal(outcome(read, '\\boxed{4}\nFinal score: 5'), 'conflict')
  assert.equal(outcome(read, 'Final score: 4\n\\boxed{4}'), 4)
  assert.equal(outcome(read, '\\boxed{4}\nRating: 3'), 4)
})
