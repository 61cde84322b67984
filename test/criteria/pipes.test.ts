/** Whole pipes against a local endpoint: the README's examples, personas, two chained calls. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { judgeServer, lastOf } from '../helpers/judge_server.ts'
import { type AnyRow, ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, pipe } from '../helpers/run.ts'
import { chose, criterion } from './golden.ts'

const TEXT =
  'Use the API client to fetch data from the server and the cache to store frequently accessed results for faster performance.'

const CALL = (base: string) => `jb-call -q -m judge --base-url ${base} --no-cache --retry-min 0`

test('EvalAssist’s first example: in schema, out of schema, in schema', async (t) => {
  const replies = [
    chose('Yes', { explanation: '- it says what to use', feedback: '' }),
    chose('Maybe', { feedback: 'name the API' }),
    chose('No', { explanation: '- “the API” is not named', feedback: 'Name the API.' }),
  ]
  const server = await judgeServer(t, (_, n) => replies[n]!)
  const ran = await pipe(
    `jb-read evalassist |
     jb-render direct --criteria 'Is the text self-explanatory and self-contained?' --set feedback=true |
     ${CALL(server.url)} -j 1 --repair 3 | jb-parse | jb-score`,
    { stdin: JSON.stringify(['A text that stands alone.', TEXT]) },
  )
  assert.deepEqual(
    rowsOf(fine(ran)).map(({ jb: { result } }) => [
      result!.option,
      result!.score,
      result!.explanation,
      result!.feedback,
    ]),
    [
      ['Yes', 1, '- it says what to use', ''],
      ['No', 0, '- “the API” is not named', 'Name the API.'],
    ],
  )
  assert.equal(server.asked.length, 3)
  assert.match(server.asked[1]!.messages[1]!.content, /the cache to store frequently/)
  const again = lastOf(server.asked[2]!)
  assert.match(again, /"selected_option" is "Maybe", expected one of "Yes", "No"/)
  assert.match(again, /"enum":\["Yes","No"\]/, 'the schema is given back')
})

test('EvalAssist’s second example: two questions that weigh the same', async (t) => {
  const server = await judgeServer(t, (asked) => chose(/consistent/.test(lastOf(asked)) ? 'Yes' : 'No'))
  const ran = await pipe(
    `jb-render direct --criteria 'Is the text self-explanatory and self-contained?' --criteria 'Is the text consistent?' |
     ${CALL(server.url)} --repair 3 | jb-parse | jb-score`,
    { stdin: ndjson([{ response: TEXT }]) },
  )
  const result = rowOf(fine(ran)).jb.result as { score: number; items: Record<string, unknown>[] }
  assert.equal(result.score, 0.5)
  assert.deepEqual(
    result.items.map(({ criterion, score, weighted_score }) => [criterion, score, weighted_score]),
    [
      ['criteria_1', 0, 0],
      ['criteria_2', 1, 0.5],
    ],
  )
})

test('a persona for each criterion, then the judge who is that persona', async (t) => {
  const server = await judgeServer(t, (asked) => {
    const kind = /cast judges/.test(asked.messages[0]!.content)
    if (!kind) return chose('Yes')
    const who = /brief/.test(lastOf(asked)) ? 'Ada, an editor' : 'Bob, a chemist'
    return JSON.stringify({ personas: [{ name: who, description: 'You look closely.' }] })
  })
  const dir = folder(t, {
    'items.ndjson': ndjson([1, 2, 3].map((i) => ({ id: `i${i}`, response: `text ${i}` }))),
    // Both are called the same: what they ask tells them apart.
    'c.json': JSON.stringify([
      criterion(
        '',
        [
          { name: 'Yes', score: 1 },
          { name: 'No', score: 0 },
        ],
        { description: 'Is it brief?' },
      ),
      criterion(
        '',
        [
          { name: 'Yes', score: 1 },
          { name: 'No', score: 0 },
        ],
        { description: 'Is it right?' },
      ),
    ]),
  })
  fine(
    await pipe(
      `jb-render persona --criteria '${dir}/c.json' '${dir}/items.ndjson' | ${CALL(server.url)} | jb-parse > '${dir}/personas.ndjson'`,
    ),
  )
  assert.equal(server.asked.length, 2, 'one call a criterion, however many items')
  const ran = await pipe(
    `jb-render direct --criteria '${dir}/c.json' --personas '${dir}/personas.ndjson' '${dir}/items.ndjson' | ${CALL(server.url)} | jb-parse | jb-score`,
  )
  assert.equal(rowsOf(fine(ran)).length, 3)
  assert.equal(server.asked.length, 8)
  for (const { messages } of server.asked.slice(2)) {
    const who = /Is it brief/.test(messages[1]!.content) ? 'Ada, an editor' : 'Bob, a chemist'
    assert.ok(messages[0]!.content.startsWith(`You are ${who}. You look closely.`))
  }
  expect(
    await pipe(
      `jb-render direct --criteria 'Is it?' --personas '${dir}/personas.ndjson' --set judge_description_prompt=X '${dir}/items.ndjson'`,
    ),
    { code: 2, err: /exclude each other/ },
  )
})

test('unitxt: an assessment in free words, then the option, as one pipe', async (t) => {
  const server = await judgeServer(t, ({ messages }) =>
    messages.length === 1
      ? `Thinking about ${/text-\d/.exec(messages[0]!.content)![0]}.`
      : /text-1/.test(messages[0]!.content)
        ? 'Yes.'
        : 'perhaps',
  )
  const command = (compat: string) =>
    `jb-render unitxt --criteria 'Is it good?' | ${CALL(server.url)} | jb-render unitxt_select | ${CALL(server.url)} | jb-parse ${compat} | jb-score`
  const stdin = ndjson([1, 2].map((i) => ({ id: `i${i}`, response: `text-${i}` })))
  const [first, second] = rowsOf(await pipe(command(''), { stdin })) as [AnyRow, AnyRow]
  assert.equal(first.jb.result!.option, 'Yes')
  assert.equal(first.jb.result!.score, 1)
  assert.equal(first.jb.result!.explanation, 'Thinking about text-1.')
  assert.equal(first.jb.trials![0]!.usage!.total_tokens, 30, 'the tokens of both calls')
  assert.equal(second.jb.error!.code, 'no_verdict')
  const chained = server.asked.find(({ messages }) => messages.length === 3)!
  assert.deepEqual(
    chained.messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
  const original = rowsOf(await pipe(command('--compat evalassist'), { stdin }))[1]!
  assert.equal(original.jb.result!.option, 'Yes', 'difflib’s closest, counted as unread')
})

test('unitxt_pairwise: all contests, two calls each', async (t) => {
  const server = await judgeServer(t, ({ messages }) => {
    if (messages.length === 1) return 'Weighing.'
    const labels = [...messages[2]!.content.matchAll(/Response \d/g)].map(([label]) => label)
    return labels.includes('Response 3') ? 'Response 3' : labels[0]!
  })
  const ran = await pipe(
    `jb-render unitxt_pairwise --criteria better_answer | ${CALL(server.url)} | jb-render unitxt_pairwise_select | ${CALL(server.url)} | jb-parse | jb-write evalassist`,
    { stdin: ndjson([{ id: 'a', question: 'q', response: ['x', 'y', 'z'] }]) },
  )
  const told = rowOf(fine(ran))
  assert.equal(server.asked.length, 6)
  assert.equal(told.selected_option, 2)
  assert.deepEqual(told.per_system_results[2], {
    contest_results: [true, true],
    compared_to: [0, 1],
    explanations: ['Weighing.', 'Weighing.'],
    positional_bias: null,
    winrate: 1,
    ranking: 0,
    selections: [2, 2],
  })
})

test('M-Prometheus: the rubric from worst to best, the score an option', async (t) => {
  const server = await judgeServer(t, () => 'Feedback: it covers nearly all. [RESULT] 4')
  const ran = await pipe(
    `jb-render m_prometheus --criteria completeness --order both | ${CALL(server.url)} -j 1 | jb-parse | jb-score`,
    { stdin: ndjson([{ fields: { instruction: 'Say hi', question: 'q', response: 'hi' } }]) },
  )
  const { result } = rowOf(fine(ran)).jb
  assert.equal(result!.option, '4')
  assert.equal(result!.raw_score, 4)
  assert.equal((result!.positional_bias as { result: { option: string } }).result.option, '2')
  assert.match(lastOf(server.asked[0]!), /Score 1: None[\s\S]*Score 5: Every part, with/)
  const missing = await pipe(`jb-render m_prometheus --criteria completeness`, {
    stdin: ndjson([{ question: 'q', response: 'hi' }]),
  })
  assert.match(rowOf(missing).jb.error!.message, /"instruction" is missing/)
})

test('the catalogue, and each judge with criteria, run on a baseline', async (t) => {
  const listed = await pipe('jb-render --list-criteria')
  const names = fine(listed)
    .stdout.trim()
    .split('\n')
    .map((line) => line.split(' ')[0]!)
  assert.ok(names.length >= 12)
  const dir = folder(t, {})
  for (const judge of [
    'direct',
    'unitxt',
    'm_prometheus',
    'pairwise',
    'unitxt_pairwise',
    'm_prometheus_pairwise',
  ]) {
    const several = /pairwise/.test(judge)
    const response = several ? ['short', 'a longer answer', 'mid one'] : 'short'
    const ran = await pipe(
      `jb-render ${judge} --criteria ${several ? 'better_answer' : 'completeness'} --order both --samples 2 |
       tee '${dir}/trials.ndjson' | jb-call -m baseline:longer | jb-parse | jb-aggregate`,
      { stdin: ndjson([{ question: 'q', instruction: 'i', response }]) },
    )
    const { stdout } = expect(ran, {})
    const report = JSON.parse(stdout)
    assert.equal(report.valid, 1, judge)
    if (several) assert.deepEqual(report.winners, { 1: 1 }, judge)
    assert.equal(report.positional_bias, 0, judge)
    assert.doesNotMatch(readFileSync(`${dir}/trials.ndjson`, 'utf8'), /\{%|\{\{|undefined/, judge)
  }
})
