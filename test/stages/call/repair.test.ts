/** --repair: the judge is asked again as its file says, and every turn is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { callOnce, privateEnv, trial } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

/** A judge whose verdict is a line `VERDICT: A` or `VERDICT: B`. */
const judge = (again?: string) => `
export const kind = 'pairwise'
export const render = () => 'compare'
export const parse = (text) => {
  const last = [...text.matchAll(/VERDICT: ([AB])(?!\\w)/g)].at(-1)
  return last ? { decision: last[1] === 'A' ? 'A>B' : 'B>A' } : ''
}
${again ? `export const again = ${again}` : ''}
`

/** One row of that judge. */
const rowFor = (place: string, more: object = {}) =>
  ndjson([trial(0, 'compare', { judge: `${place}/judge.mjs`, ...more })])

test('a further turn: the conversation goes on, the texts add up, all turns and their usage are kept', async (t) => {
  const place = judgeFolder(t, { 'judge.mjs': judge(`{ ask: 'Say VERDICT: A or VERDICT: B.' }`) })
  const server = await chatServer(t, ({ body }) => ({
    body: chatBody(body.messages.length === 1 ? '<think>hm</think>I like both.' : 'VERDICT: B'),
  }))
  const { reply } = rowOf(
    fine(await callOnce(server.url, ['-q', '--repair', '2', '--price', '1,1'], rowFor(place))),
  ).jb
  assert.equal(server.calls.length, 2)
  assert.deepEqual(server.calls[1]!.body.messages, [
    { role: 'user', content: 'compare' },
    { role: 'assistant', content: 'I like both.' },
    { role: 'user', content: 'Say VERDICT: A or VERDICT: B.' },
  ])
  assert.equal(reply!.text, '<think>hm</think>I like both.\nVERDICT: B')
  assert.deepEqual(reply!.usage, { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 })
  assert.equal(reply!.tries, 2)
  assert.equal(reply!.cost, 0.00003)
  const turns = reply!.turns as Record<string, unknown>[]
  assert.deepEqual(
    turns.map(({ text, ask }) => [text, ask]),
    [
      ['<think>hm</think>I like both.', undefined],
      ['VERDICT: B', 'Say VERDICT: A or VERDICT: B.'],
    ],
  )
})

test('a turn whose cost is not known adds nothing to what the others cost', async (t) => {
  const place = judgeFolder(t, { 'judge.mjs': judge(`{ ask: 'Say it.' }`) })
  const server = await chatServer(t, ({ body }) => {
    const { usage, ...answer } = chatBody(body.messages.length === 1 ? 'Hm.' : 'VERDICT: B') as {
      usage: object
    }
    return { body: body.messages.length === 1 ? { ...answer, usage } : answer }
  })
  const args = ['-q', '--repair', '1', '--price', '1,1']
  const { reply } = rowOf(fine(await callOnce(server.url, args, rowFor(place)))).jb
  assert.deepEqual([reply!.tries, reply!.cost], [2, 0.000015])
})

test('no more often than --repair and the file allow, and not at all where there is a verdict', async (t) => {
  const place = judgeFolder(t, {
    'judge.mjs': judge(`{ ask: 'Well?', times: 2 }`),
    'free.mjs': judge(`{ ask: 'Well?' }`),
  })
  const server = await chatServer(t, () => ({ body: chatBody('no idea') }))
  const calls = async (times: string, file = 'judge.mjs') => {
    const before = server.calls.length
    const stdin = ndjson([trial(0, 'compare', { judge: `${place}/${file}` })])
    const { reply } = rowOf(fine(await callOnce(server.url, ['-q', '--repair', times], stdin))).jb
    return [server.calls.length - before, (reply!.turns as unknown[] | undefined)?.length]
  }
  assert.deepEqual(await calls('5'), [3, 3])
  assert.deepEqual(await calls('1'), [2, 2])
  assert.deepEqual(await calls('0'), [1, undefined])
  assert.deepEqual(await calls('4', 'free.mjs'), [5, 5])
  const good = await chatServer(t, () => ({ body: chatBody('VERDICT: A') }))
  const { reply } = rowOf(fine(await callOnce(good.url, ['-q', '--repair', '3'], rowFor(place)))).jb
  assert.equal(good.calls.length, 1)
  assert.equal(reply!.turns, undefined)
})

test('a judge file that says nothing is asked in plain words', async (t) => {
  const place = judgeFolder(t, { 'judge.mjs': judge() })
  const server = await chatServer(t, ({ body }) => ({
    body: chatBody(body.messages.length === 1 ? '?' : 'VERDICT: A'),
  }))
  const { reply } = rowOf(fine(await callOnce(server.url, ['-q', '--repair', '1'], rowFor(place)))).jb
  assert.equal(reply!.text, '?\nVERDICT: A')
  assert.match(server.calls[1]!.body.messages[2].content, /No verdict could be read/)
})

test('prefill in a chat: words put in its mouth, and the stop text put back', async (t) => {
  const place = judgeFolder(t, {
    'judge.mjs': judge(`{ prefill: '\\n\\nVERDICT: ', request: { stop: ['!', '\\n'] } }`),
  })
  const server = await chatServer(t, ({ body }) => ({
    body: chatBody(body.messages.length === 1 ? 'Both fine.' : 'B'),
  }))
  const { reply } = rowOf(fine(await callOnce(server.url, ['-q', '--repair', '1'], rowFor(place)))).jb
  const { messages, stop, add_generation_prompt, continue_final_message, temperature } = server.calls[1]!.body
  assert.deepEqual(messages, [
    { role: 'user', content: 'compare' },
    { role: 'assistant', content: 'Both fine.\n\nVERDICT: ' },
  ])
  assert.deepEqual(
    [stop, add_generation_prompt, continue_final_message, temperature],
    [['!', '\n'], false, true, 0],
  )
  assert.equal(reply!.text, 'Both fine.\n\nVERDICT: B!')
  assert.equal((reply!.turns as { prefill?: string }[])[1]!.prefill, '\n\nVERDICT: ')
})

test('prefill: the stop text the server names, one it left in, and a reply cut by length', async (t) => {
  const place = judgeFolder(t, {
    'judge.mjs': judge(`{ prefill: ' VERDICT: ', request: { stop: ['#', ';'] } }`),
  })
  for (const [choice, text] of [
    [{ text: 'A', finish_reason: 'stop', stop_reason: ';' }, 'A;'],
    [{ text: 'A;', finish_reason: 'stop' }, 'A;'],
    [{ text: 'A', finish_reason: 'length' }, 'A'],
    [{ text: 'A', finish_reason: 'stop', stop_reason: 128009 }, 'A#'],
  ] as const) {
    const server = await chatServer(t, ({ body }) => ({
      body: { choices: [body.prompt === 'Compare:' ? { text: ' same', finish_reason: 'stop' } : choice] },
    }))
    const stdin = rowFor(place, { request: { prompt: 'Compare:', max_tokens: 5 } })
    const { reply } = rowOf(fine(await callOnce(server.url, ['-q', '--repair', '1'], stdin))).jb
    assert.equal(server.calls[1]!.body.prompt, 'Compare: same VERDICT: ')
    assert.equal(reply!.text, ` same VERDICT: ${text}`)
  }
})

test('a JSON judge is given its reply, the error and the schema', async (t) => {
  const schema = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] }
  const place = judgeFolder(t, {
    'judge.mjs': `export const kind = 'grade'
export const render = () => 'grade'
export const parse = (text) => { try { return JSON.parse(text).score } catch { return undefined } }
export const again = { schema: true }`,
  })
  const server = await chatServer(t, ({ body }) => ({
    body: chatBody(body.messages.length === 1 ? 'It is a four' : '{"score":4}'),
  }))
  const request = {
    messages: [{ role: 'user', content: 'grade' }],
    response_format: { type: 'json_schema', json_schema: { name: 'r', schema } },
  }
  const { reply } = rowOf(
    fine(await callOnce(server.url, ['-q', '--repair', '1'], rowFor(place, { request }))),
  ).jb
  assert.equal(reply!.text, '{"score":4}', 'the last reply alone counts')
  const asked = server.calls[1]!.body.messages
  assert.equal(asked[1].content, 'It is a four')
  assert.ok(asked[2].content.includes(JSON.stringify(schema)), asked[2].content)
  assert.match(asked[2].content, /found no verdict/)
  assert.deepEqual(server.calls[1]!.body.response_format, request.response_format)
})

test('a file that gives nothing but times has the same request drawn again, cached draw by draw', async (t) => {
  const place = judgeFolder(t, { 'judge.mjs': judge('{ times: 10 }') })
  const env = privateEnv(t)
  const server = await chatServer(t, ({ n }) => ({ body: chatBody(n < 3 ? `draw ${n}` : 'VERDICT: A') }))
  const args = ['-q', '-m', 'm', '--base-url', server.url, '--repair', '10']
  const first = fine(await jb('call', args, { stdin: rowFor(place), env }))
  assert.equal(rowOf(first).jb.reply!.text, 'VERDICT: A')
  assert.equal(server.calls.length, 4)
  for (const { body } of server.calls) assert.deepEqual(body, server.calls[0]!.body)
  assert.equal(fine(await jb('call', args, { stdin: rowFor(place), env })).stdout, first.stdout)
  assert.equal(server.calls.length, 4)
})

test('repairs are cached turn by turn, and a failure that may pass leaves the row to be run again', async (t) => {
  const place = judgeFolder(t, { 'judge.mjs': judge(`{ ask: 'Well?' }`) })
  const env = privateEnv(t)
  let broken = true
  const server = await chatServer(t, ({ body }) => {
    if (body.messages.length === 1) return { body: chatBody('hm') }
    return broken ? { status: 500 } : { body: chatBody('VERDICT: A') }
  })
  const args = [
    '-m',
    'm',
    '--base-url',
    server.url,
    '--repair',
    '1',
    '--retries',
    '0',
    '--max-error-rate',
    '1',
  ]
  const first = await jb('call', args, { stdin: rowFor(place), env })
  assert.equal(rowOf(first).jb.error!.code, 'unavailable')
  broken = false
  const second = expect(await jb('call', args, { stdin: rowFor(place), env }), {})
  assert.equal(rowOf(second).jb.reply!.text, 'hm\nVERDICT: A')
  assert.equal(server.calls.length, 3, 'the first turn was not paid for again')
  const third = expect(await jb('call', args, { stdin: rowFor(place), env }), { err: /1 from the cache/ })
  assert.equal(third.stdout, second.stdout)
})

test('a server that cannot go on from its own words leaves the first reply as it was', async (t) => {
  const place = judgeFolder(t, { 'judge.mjs': judge(`{ prefill: 'VERDICT: ' }`) })
  const server = await chatServer(t, ({ body }) =>
    body.messages.length === 1
      ? { body: chatBody('hm') }
      : { status: 400, body: { error: { message: 'the last message must be from the user' } } },
  )
  const { reply } = rowOf(fine(await callOnce(server.url, ['-q', '--repair', '1'], rowFor(place)))).jb
  assert.equal(reply!.text, 'hm')
})

test('arena_hard’s second attempt, in a whole pipe: no verdict becomes one', async (t) => {
  const server = await chatServer(t, ({ body }) => ({
    body: chatBody(body.messages.length < 4 ? 'I am not done' : 'So: [[B>A]]'),
  }))
  const item = JSON.stringify({ pair_id: 'p', question: 'q', response_A: 'a', response_B: 'b', label: 'B>A' })
  const judged = (call: string) =>
    pipe(`jb-render arena_hard | jb-call -q -m m --no-cache --base-url ${server.url} ${call} | jb-parse -q`, {
      stdin: `${item}\n`,
    })
  assert.equal(rowOf(await judged('')).jb.error!.code, 'no_verdict')
  const repaired = rowsOf(await judged('--repair 1'))[0]!
  assert.equal(repaired.jb.verdict!.decision, 'B>A')
})

test('asked again and again: every turn stands in the conversation once', async (t) => {
  const place = judgeFolder(t, {
    'judge.mjs': judge(),
    'prefill.mjs': judge(`{ prefill: ' VERDICT: ' }`),
  })
  const server = await chatServer(t, () => ({ body: chatBody(`r${server.calls.length}`) }))
  const text = async (file: string) =>
    rowOf(
      fine(
        await callOnce(
          server.url,
          ['-q', '--repair', '3'],
          ndjson([trial(0, 'compare', { judge: `${place}/${file}` })]),
        ),
      ),
    ).jb.reply!.text
  assert.equal(await text('judge.mjs'), 'r1\nr2\nr3\nr4')
  const said = () =>
    server.calls
      .at(-1)!
      .body.messages.map(({ role, content }: { role: string; content: string }) =>
        role === 'assistant' ? content : role,
      )
  assert.deepEqual(said(), ['user', 'r1', 'user', 'r2', 'user', 'r3', 'user'])
  // The server answered the prefill: it is asked in words, and the answer to the prefill is in no text.
  assert.equal(await text('prefill.mjs'), 'r5\nr7\nr8')
  assert.deepEqual(said(), ['user', 'r5', 'user', 'r7', 'user'])
})

test('a server that returns the whole message that it continues: what follows counts, once', async (t) => {
  const place = judgeFolder(t, { 'judge.mjs': judge(`{ prefill: '\\n\\nVERDICT: ' }`) })
  const server = await chatServer(t, ({ body }) => ({
    body: chatBody(body.messages.length === 1 ? '<think>hm</think>Both.' : `${body.messages[1].content}B`),
  }))
  const { reply } = rowOf(fine(await callOnce(server.url, ['-q', '--repair', '1'], rowFor(place)))).jb
  assert.equal(reply!.text, '<think>hm</think>Both.\n\nVERDICT: B')
})
