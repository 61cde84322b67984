/** Anthropic's messages API, spoken natively. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { fine, jb } from '../helpers/run.ts'
import { trial } from '../stages/call/rows.ts'
import { chatServer } from '../stages/call/server.ts'

const said = (content: object[], more: object = {}) => ({
  body: {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'claude-x-2026',
    content,
    stop_reason: 'end_turn',
    usage: { input_tokens: 12, output_tokens: 3 },
    ...more,
  },
})

const call = (url: string, stdin: string, args: string[] = [], env: object = {}) =>
  jb('call', ['-m', 'claude-x', '--api', 'anthropic', '--no-cache', '-q', '--retry-min', '0.01', ...args], {
    stdin,
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'ant-key', ...env },
  })

test('system apart, max_tokens always, stop and JSON schema in its own words', async (t) => {
  const server = await chatServer(t, () =>
    said([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'A ' },
      { type: 'text', text: 'wins' },
    ]),
  )
  const request = {
    messages: [
      { role: 'system', content: 'be fair' },
      { role: 'user', content: 'compare' },
    ],
    temperature: 0,
    top_p: 1,
    stop: 'END',
  }
  const { reply } = rowOf(
    fine(await call(`http://127.0.0.1:${server.port}`, ndjson([trial(0, 'x', { request })]))),
  ).jb
  const [made] = server.calls
  assert.equal(made!.path, '/v1/messages')
  assert.equal(made!.headers['x-api-key'], 'ant-key')
  assert.equal(made!.headers['anthropic-version'], '2023-06-01')
  assert.equal(made!.headers.authorization, undefined)
  assert.deepEqual(made!.body, {
    model: 'claude-x',
    temperature: 0,
    system: 'be fair',
    messages: [{ role: 'user', content: 'compare' }],
    max_tokens: 4096,
    stop_sequences: ['END'],
  })
  const { ms: _, ...rest } = reply!
  assert.deepEqual(rest, {
    text: 'A wins',
    reasoning: 'hm',
    finish_reason: 'stop',
    model: 'claude-x',
    served_model: 'claude-x-2026',
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    tries: 1,
  })
})

test('a JSON schema becomes a tool that must be called, and its input the text', async (t) => {
  const server = await chatServer(t, () =>
    said([{ type: 'tool_use', name: 'verdict', input: { score: 4 } }], { stop_reason: 'tool_use' }),
  )
  const schema = { type: 'object', properties: { score: { type: 'integer' } } }
  const request = {
    messages: [{ role: 'user', content: 'q' }],
    max_tokens: 10,
    response_format: { type: 'json_schema', json_schema: { name: 'verdict', schema } },
  }
  const { reply } = rowOf(fine(await call(server.url, ndjson([trial(0, 'x', { request })])))).jb
  assert.equal(reply!.text, '{"score":4}')
  const { tools, tool_choice, response_format, max_tokens } = server.calls[0]!.body
  assert.deepEqual(
    [tools[0].name, tools[0].input_schema, tool_choice, response_format, max_tokens],
    ['verdict', schema, { type: 'tool', name: 'verdict' }, undefined, 10],
  )
})

test('overload is tried again, refusals and cut replies are told, refused parameters left out', async (t) => {
  const server = await chatServer(t, ({ text, attempt, body }) => {
    if ('temperature' in body)
      return {
        status: 400,
        body: {
          type: 'error',
          error: { type: 'invalid_request_error', message: 'temperature: Extra inputs are not permitted' },
        },
      }
    if (text === 'busy' && attempt === 2)
      return {
        status: 529,
        body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      }
    if (text === 'no') return said([], { stop_reason: 'refusal' })
    if (text === 'cut') return said([], { stop_reason: 'max_tokens' })
    return said([{ type: 'text', text: 'yes' }], { stop_reason: 'max_tokens' })
  })
  const stdin = ndjson([trial(0, 'busy'), trial(1, 'no'), trial(2, 'cut')])
  const ran = await call(server.url, stdin, ['--max-error-rate', '1', '-j', '1'])
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply?.finish_reason ?? jb.error!.code),
    ['length', 'refused', 'truncated'],
  )
  assert.equal(rowsOf(ran)[0]!.jb.reply!.tries, 2)
})

test('words put in its mouth may not end in a space; a prompt is a user’s message; cached input is counted', async (t) => {
  const usage = {
    input_tokens: 2,
    output_tokens: 1,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 10,
  }
  const server = await chatServer(t, () => said([{ type: 'text', text: 'x' }], { usage }))
  const prefilled = {
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'So: ' },
    ],
  }
  const stdin = ndjson([trial(0, '', { request: prefilled }), trial(1, '', { request: { prompt: 'Once' } })])
  const rows = rowsOf(fine(await call(server.url, stdin, ['-j', '1'])))
  assert.deepEqual(
    server.calls.map(({ body }) => body.messages.at(-1)),
    [
      { role: 'assistant', content: 'So:' },
      { role: 'user', content: 'Once' },
    ],
  )
  assert.deepEqual(rows[0]!.jb.reply!.usage, {
    prompt_tokens: 112,
    completion_tokens: 1,
    total_tokens: 113,
    prompt_tokens_details: { cached_tokens: 100, cache_creation_tokens: 10 },
  })
})

test('a system prompt to be cached is a block with the mark; effort and tier in its own words; the rest is refused', async (t) => {
  const server = await chatServer(t, () => said([{ type: 'text', text: 'x' }]))
  const messages = [
    { role: 'system', content: 'a long rubric' },
    { role: 'user', content: 'q' },
  ]
  const cache_control = { type: 'ephemeral' }
  const marked = [{ type: 'text', text: 'mine', cache_control: { type: 'ephemeral', ttl: '1h' } }]
  const requests = [
    {
      messages,
      cache_control,
      reasoning_effort: 'high',
      service_tier: 'default',
      frequency_penalty: 0,
      top_k: 3,
    },
    { messages: [messages[1]], cache_control },
    { messages: [{ role: 'system', content: marked }, messages[1]] },
    { messages, seed: 1 },
    { messages, response_format: { type: 'json_object' } },
    { messages, service_tier: 'flex' },
  ]
  const stdin = ndjson(requests.map((request, i) => trial(i, 'q', { request })))
  const rows = rowsOf(await call(server.url, stdin, ['-j', '1', '--max-error-rate', '1']))
  assert.deepEqual(
    server.calls.map(({ body: { model: _, messages: __, max_tokens: ___, ...rest } }) => rest),
    [
      {
        system: [{ type: 'text', text: 'a long rubric', cache_control }],
        output_config: { effort: 'high' },
        service_tier: 'standard_only',
        top_k: 3,
      },
      { cache_control },
      { system: marked },
    ],
  )
  assert.deepEqual(
    rows.slice(3).map(({ jb }) => jb.error!.message.replace(/ \(.*/, '')),
    ['"seed"', '"response_format": "json_object"', '"service_tier": "flex"'].map(
      (what) => `the messages API has no ${what}`,
    ),
  )
})
