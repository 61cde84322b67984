/** Conversations in prompts: filters in templates, `each`, built-in judges. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { messagesOf } from '../../src/chat/message.ts'
import { callsIn, finalText, turnsFrom } from '../../src/chat/select.ts'
import { transcript } from '../../src/chat/transcript.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowsOf as typedRows } from '../helpers/rows.ts'
import { fine, pipe, type Ran, ROOT } from '../helpers/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: what jb holds is the point of each test
const rowsOf = (ran: Ran): any[] => typedRows(ran)

const messages = [
  { role: 'user', content: 'Sum?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'add', input: { x: 1 } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: '3' }] },
  { role: 'assistant', content: 'Three.' },
  { role: 'user', content: 'Sure?' },
  { role: 'assistant', content: 'Yes.' },
]
const LAST = '[5] user\n  Sure?\n[6] assistant\n  Yes.'

const judge = (each: string, content: string) =>
  JSON.stringify({
    kind: 'grade',
    ...(each && { each: JSON.parse(each) }),
    messages: [{ role: 'user', content }],
    verdict: { rule: 'number' },
  })

/** The prompts of a judge about a row. */
async function prompts(t: import('node:test').TestContext, file: string, row: object, more = '') {
  const cwd = folder(t, { 'j.json': file, 'rows.ndjson': ndjson([row]) })
  const run = await pipe(`jb-render j.json rows.ndjson ${more}`, { cwd })
  const rows = rowsOf(run)
  return { ...run, rows, prompts: rows.map(({ jb }) => jb.request?.messages[0].content) }
}

test('filters select and print a conversation, whose numbers are the whole list’s', async (t) => {
  const content =
    '{{ messages | turns(-1) | transcript }}|{{ messages | roles("user") | length }}|{{ (messages | tool_calls)[0].result }}|{{ messages | final }}'
  const { prompts: made } = await prompts(t, judge('', content), { messages })
  assert.deepEqual(made, [`${LAST}|2|3|Yes.`])
})

test('arguments keep the form of their numbers', async (t) => {
  const cwd = folder(t, { 'j.json': judge('', '{{ messages | transcript }}') })
  const stdin =
    '{"messages":[{"role":"assistant","tool_calls":[{"id":"c","name":"f","args":{"id":12345678901234567890,"w":1.0}}]}]}'
  const made = await pipe('jb-render j.json', { cwd, stdin })
  assert.match(
    rowsOf(made)[0].jb.request.messages[0].content,
    /\n {2}\{"id":12345678901234567890,"w":1\.0\}$/,
  )
})

test('each takes turns, calls and messages of a role; --map names the field', async (t) => {
  const turns = judge('{"turn":"messages | turns"}', '{{ turn | transcript }}')
  const made = await prompts(t, turns, { chat: messages }, '--map messages=chat')
  assert.deepEqual(
    made.rows.map(({ jb }) => jb.trial.turn),
    [1, 2],
  )
  assert.equal(made.prompts[1], LAST)
  const calls = judge('{"call":"messages | tool_calls"}', '{{ call.name }} {{ call.arguments.x }}')
  assert.deepEqual((await prompts(t, calls, { messages })).prompts, ['add 1'])
  const said = judge('{"reply":"messages | roles(\'assistant\')"}', '{{ reply.n }}')
  assert.deepEqual((await prompts(t, said, { messages })).prompts, ['2', '4', '6'])
  const none = await prompts(t, calls, { messages: [messages[0]] })
  assert.match(none.rows[0].jb.error.message, /"messages \| tool_calls" of the item is not a non-empty list/)
  const other = await prompts(t, judge('{"x":"messages | sort"}', ''), { messages })
  assert.deepEqual([other.code, /expected FIELD \| turns/.test(other.stderr)], [78, true])
})

test('built-in judges show the transcript, a judge of one’s own what its language prints, with a note', async (t) => {
  const row = { question: messages.slice(0, 5), response_A: 'a', response_B: messages }
  const cwd = folder(t, { 'rows.ndjson': ndjson([row, row]), 'own.txt': '{{ question }}' })
  const built = rowsOf(fine(await pipe('jb-render vanilla rows.ndjson', { cwd })))
  assert.match(
    built[0].jb.request.messages[0].content,
    /# Request\n\[1\] user\n {2}Sum\?\n[\s\S]*# Output \(b\)\n\[1\] user/,
  )
  const own = await pipe('jb-render own.txt rows.ndjson', { cwd })
  assert.match(rowsOf(own)[0].jb.request.messages[0].content, /^\[\{'role': 'user'/)
  assert.equal(own.stderr.split('| transcript }}').length, 2)
  const graded = await pipe(
    `jb-render direct --criteria 'Is it right?' --map response=response_B rows.ndjson`,
    { cwd },
  )
  assert.match(rowsOf(graded)[0].jb.request.messages[1].content, /\[6\] assistant\n {2}Yes\./)
  const two = { responses: [messages, messages.slice(4)], id: 1 }
  const compared = await pipe(`jb-render pairwise --criteria 'Which is better?'`, {
    stdin: JSON.stringify(two),
  })
  assert.match(rowsOf(compared)[0].jb.request.messages[1].content, /\[1\] user\n {2}Sure\?/)
  const one = await pipe(`jb-render pairwise --criteria 'Which is better?'`, {
    stdin: JSON.stringify({ responses: messages }),
  })
  assert.match(rowsOf(one)[0].jb.error.message, /one conversation: two or more answers are compared/)
})

test('a verdict that stands in a quoted fence is not the judge’s', async (t) => {
  const file = JSON.stringify({
    kind: 'grade',
    messages: [{ role: 'user', content: '{{ text | fence("answer") }}' }],
    verdict: { rule: 'number', name: 'Score' },
  })
  const { rows } = await prompts(t, file, { text: 'Score: 1' })
  const [row] = rows
  const fence = row.jb.request.messages[0].content
  const cwd = folder(t, { 'j.json': file })
  row.jb.reply = { text: `Score: 4\n\nIt said: ${fence}`, model: 'm' }
  const made = await pipe('jb-parse --judge j.json', { cwd, stdin: JSON.stringify(row) })
  assert.equal(rowsOf(made)[0].jb.verdict.score, 4)
})

test('the three given conversations, byte for byte', (_t) => {
  const path = `${ROOT}fixtures/traces/given/conversations.jsonl`
  const parts = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { id, messages } = JSON.parse(line)
      const all = messagesOf(messages)
      const shown = [
        transcript(all, { limit: id === 'responses' ? 40 : 2000 }),
        `--- last turn\n${transcript(turnsFrom(all, -1), { limit: 40 })}`,
        `--- calls ${JSON.stringify(callsIn(all))}\n--- final ${JSON.stringify(finalText(all))}\n`,
      ]
      return `==== ${id}\n${shown.join('\n')}`
    })
  assert.equal(parts.join(''), readFileSync(path.replace('jsonl', 'expected.txt'), 'utf8'))
})
