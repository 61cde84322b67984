/** What is sent, and what stands in the row afterwards. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowOf, rowsOf } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { callOnce, privateEnv, trial, trials } from './rows.ts'
import { chatBody, chatServer, reply } from './server.ts'

test('a chat request goes out with the model in front and nothing else changed', async (t) => {
  const server = await chatServer(t)
  const request =
    '{"messages":[{"role":"system","content":"s"},{"content":"é \\u00e9 \\n 😀","role":"user"}],"temperature":0.0,"seed":1234567890123456,"top_p":1.0}'
  const line = `{"id": 12345678901234567890, "x":1.0,"jb":{"judge":"vanilla","item":"i","trial":{"n":0,"of":1},"request":${request}}}`
  const ran = await callOnce(server.url, ['-q'], `${line}\n`)
  assert.equal(server.calls[0]!.raw, JSON.stringify({ model: 'm', ...JSON.parse(request) }))
  assert.ok(ran.stdout.startsWith(line.slice(0, -2)), 'the row is untouched but for what was added')
})

test('the reply: text, reasoning apart, the served model where it differs, usage, ms and tries', async (t) => {
  const server = await chatServer(t, ({ text }) => {
    const message = { role: 'assistant', content: `on ${text}`, reasoning_content: 'thinking' }
    const choice = { index: 0, message, finish_reason: 'length', logprobs: { content: [] } }
    return { body: { ...chatBody('x', 'm-2026-01-01'), choices: [choice] } }
  })
  const { jb: own } = rowOf(fine(await callOnce(server.url, ['-q'], trials(1))))
  const { ms, ...rest } = own.reply!
  assert.equal(typeof ms, 'number')
  assert.deepEqual(rest, {
    text: 'on question 0',
    reasoning: 'thinking',
    finish_reason: 'length',
    model: 'm',
    served_model: 'm-2026-01-01',
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    logprobs: { content: [] },
    tries: 1,
  })
})

test('forms of content: parts, a tool call, a refusal, nothing but reasoning, a content filter', async (t) => {
  const answers: Record<string, object> = {
    parts: {
      message: {
        content: [
          { type: 'text', text: 'one ' },
          { type: 'text', text: 'two' },
        ],
      },
      finish_reason: 'stop',
    },
    tool: {
      message: { content: '', tool_calls: [{ function: { name: 'f', arguments: '{"score":3}' } }] },
      finish_reason: 'tool_calls',
    },
    refusal: { message: { content: null, refusal: 'I will not' }, finish_reason: 'stop' },
    reasoning: { message: { content: '', reasoning_content: 'long thoughts' }, finish_reason: 'length' },
    filter: { message: { content: null }, finish_reason: 'content_filter' },
  }
  const server = await chatServer(t, ({ text }) => ({
    body: { choices: [answers[text]], usage: { prompt_tokens: 1, completion_tokens: 2 } },
  }))
  const request = (content: string) => ({
    messages: [{ role: 'user', content }],
    tools: [{ type: 'function' }],
  })
  const stdin = ndjson(Object.keys(answers).map((name) => trial(name, name, { request: request(name) })))
  const ran = await callOnce(server.url, ['--max-error-rate', '1', '--price', '1,2'], stdin)
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply?.cost ?? jb.error!.cost),
    new Array(5).fill(0.000005),
  )
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply?.text ?? `${jb.error!.code}: ${jb.error!.message}`),
    [
      'one two',
      '{"score":3}',
      'refused: the model refused: I will not',
      'truncated: no words within the token limit, all went into reasoning: raise --max-tokens',
      "refused: the endpoint's content filter withheld the reply",
    ],
  )
  assert.equal(server.calls.length, 5, 'none of these is tried again')
  assert.match(ran.stderr, /5 \+ 10 tokens/, 'refusals are paid for as well')
})

test('however a server writes its JSON, the text in the row and in the cache is what it said', async (t) => {
  const around = (content: string) =>
    `{"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant",${content}}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
  const bodies: [body: string, text: string][] = [
    [around('"content":"plain"'), 'plain'],
    [around('"content" :\n "spaced"'), 'spaced'],
    [around('"content":   "spaced too"'), 'spaced too'],
    [around('"content":"caf\\u00e9 \\ud83d\\ude00 a\\/b \\"q\\" \\\\"'), 'café 😀 a/b "q" \\'],
    [around('"content":"caf\u00e9 → 😀 \u2028"'), 'café → 😀 \u2028'],
    [around('"content":"{\\"content\\":\\"no\\"}"'), '{"content":"no"}'],
    [around('"content":"twice","x":{"content":"no"}'), 'twice'],
    [around('"content":"first","content":"last"'), 'last'],
    [around('"content":[{"type":"text","text":"part"}]'), 'part'],
    [around(`"content":"${'long '.repeat(1000)}→"`), `${'long '.repeat(1000)}→`],
  ]
  const server = await chatServer(t, ({ text }) => ({ body: bodies[Number(text.split(' ')[1])]![0] }))
  const env = privateEnv(t)
  const stdin = trials(bodies.length)
  for (const args of [[], ['--no-cache', '--price', '1,1'], ['--price', '1,1']]) {
    const ran = await jb('call', ['-m', 'm', '--base-url', server.url, '-q', ...args], { stdin, env })
    const replies = rowsOf(fine(ran)).map(({ jb }) => jb.reply!)
    assert.deepEqual(
      replies.map(({ text }) => text),
      bodies.map(([, text]) => text),
    )
    for (const { model, usage, cost } of replies)
      assert.deepEqual([model, usage?.prompt_tokens, cost], ['m', 1, args.length > 0 ? 0.000002 : undefined])
  }
  assert.equal(server.calls.length, 2 * bodies.length, 'the third run was answered from the cache')
})

test('however a server escapes the text, a run from the cache and a replay give the same bytes', async (t) => {
  const texts = [
    'caf\\u00e9 \\/',
    '\\u0007 \\u000A \\n \\b',
    '\\ud83d',
    'a \\\\/ b \\\\u00e9',
    '\\u003cb\\u003E',
    '\u00e9\x7f',
  ]
  const server = await chatServer(t, ({ text }) => ({
    body: `{"choices":[{"message":{"content":"${texts[Number(text.split(' ')[1])]}"}}]}`,
  }))
  const env = privateEnv(t)
  const record = `${env.XDG_CACHE_HOME}/recording`
  const args = ['-q', '-m', 'm', '--base-url', server.url]
  const stdin = trials(texts.length)
  const live = fine(await jb('call', [...args, '--record', record], { stdin, env }))
  const said = texts.map((text) => JSON.parse(`"${text}"`))
  assert.deepEqual(
    rowsOf(live).map(({ jb }) => jb.reply!.text),
    said,
  )
  assert.ok(live.stdout.includes(JSON.stringify(said[0])))
  assert.equal(fine(await jb('call', args, { stdin, env })).stdout, live.stdout)
  assert.equal(fine(await jb('call', [...args, '--replay', record], { stdin, env })).stdout, live.stdout)
})

test('a prompt goes to completions, by itself or with --api, and each can be put to the other', async (t) => {
  const server = await chatServer(t, ({ path, text }) =>
    path.endsWith('/chat/completions')
      ? undefined
      : { body: { choices: [{ text: ` and on: ${text}`, finish_reason: 'stop' }] } },
  )
  const prompt = trial(0, 'x', { request: { prompt: 'Once', max_tokens: 16 } })
  const chat = trial(1, 'Hello')
  const ran = fine(await callOnce(server.url, ['-q'], ndjson([prompt, chat])))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.text),
    [' and on: Once', reply('Hello')],
  )
  assert.deepEqual(server.calls.map(({ path }) => path).sort(), ['/v1/chat/completions', '/v1/completions'])
  await callOnce(server.url, ['-q', '--api', 'chat'], ndjson([prompt]))
  assert.deepEqual(server.calls[2]!.body, {
    model: 'm',
    max_tokens: 16,
    messages: [{ role: 'user', content: 'Once' }],
  })
  await callOnce(server.url, ['-q', '--api', 'completions'], ndjson([chat]))
  assert.deepEqual(server.calls[3]!.body, { model: 'm', temperature: 0, prompt: 'Hello' })
})
