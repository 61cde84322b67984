/** Parameters that a server refuses: left out, replaced, or told. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ndjson, rowOf, rowsOf } from '../../helpers/rows.ts'
import { expect, fine } from '../../helpers/run.ts'
import { callOnce, inOrder, trial, trials } from './rows.ts'
import { chatServer, reply } from './server.ts'

describe('parameters a server refuses', { concurrency: 2 }, () => {
  const refuse = (message: string, param?: string | null, code?: string) => ({
    status: 400,
    body: { error: { message, param, code } },
  })

  test('temperature and max_tokens, as reasoning models do: told once, learnt for good', async (t) => {
    const server = await chatServer(t, ({ body }) => {
      if ('max_tokens' in body)
        return refuse(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          'max_tokens',
          'unsupported_parameter',
        )
      if ('temperature' in body)
        return refuse(
          "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
          'temperature',
          'unsupported_value',
        )
      return undefined
    })
    const ran = await callOnce(server.url, ['--max-tokens', '50'], trials(40))
    inOrder(expect(ran, {}), 40)
    assert.equal(server.calls.length, 42)
    assert.equal(server.calls.at(-1)!.body.max_completion_tokens, 50)
    const notes = ran.stderr.split('\n').filter((line) => /sent as|no longer sent/.test(line))
    assert.equal(notes.length, 2, ran.stderr)
    assert.match(ran.stderr, /m at 127\.0\.0\.1:\d+: max_tokens is sent as max_completion_tokens/)
    assert.match(ran.stderr, /temperature is refused and no longer sent/)
  })

  test('a limit on tokens that is refused under both its names is left out', async (t) => {
    const server = await chatServer(t, ({ body }) => {
      if ('max_tokens' in body)
        return refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.")
      if ('max_completion_tokens' in body)
        return refuse("Unsupported parameter: 'max_completion_tokens'", 'max_completion_tokens')
      return undefined
    })
    const ran = await callOnce(server.url, ['--max-tokens', '50', '--max-requests', '60'], trials(10))
    inOrder(expect(ran, { err: /max_completion_tokens is refused and no longer sent/ }), 10)
    assert.equal(server.calls.length, 12)
  })

  test('a JSON schema that a server refuses is left out, and that is said once', async (t) => {
    const format = { type: 'json_schema', json_schema: { name: 'v', schema: { type: 'object' } } }
    const request = { messages: [{ role: 'user', content: 'q' }], response_format: format }
    const rows = ndjson([trial(0, 'q', { request }), trial(1, 'q', { request })])
    const words = [
      'response_format.type json_schema is not supported',
      'This response_format type is unavailable now',
      'This model does not support response format `json_schema`.',
      'unknown variant `json_schema`, expected one of `json_object`, `regex`',
      'failed to parse grammar',
    ]
    for (const message of words) {
      const server = await chatServer(t, ({ body }) =>
        body.response_format ? { status: 400, body: { error: { message } } } : undefined,
      )
      const ran = expect(await callOnce(server.url, ['-j', '1'], rows), { code: 0 })
      assert.equal(ran.stderr.split('the JSON schema of the reply is refused and no longer sent').length, 2)
      assert.deepEqual(
        server.calls.map(({ body }) => body.response_format?.type),
        ['json_schema', undefined, undefined],
      )
    }
  })

  test('a row whose request is refused anyway fails alone, whatever its refusal quotes', async (t) => {
    const format = { type: 'json_schema', json_schema: { name: 'v', schema: { type: 'object' } } }
    const request = (content: string) => ({ messages: [{ role: 'user', content }], response_format: format })
    const words = ['which response_format?', 'bad: the schema of a database', 'and which tools?', 'fine']
    const server = await chatServer(t, ({ text }) =>
      text.startsWith('bad') ? refuse(`Invalid request: "${text}" is too long`) : undefined,
    )
    const rows = ndjson(words.map((text, n) => trial(n, text, { request: request(text) })))
    const ran = await callOnce(server.url, ['-j', '1', '--max-error-rate', '1'], rows)
    assert.deepEqual(
      rowsOf(expect(ran, {})).map(({ jb }) => jb.error?.message ?? 'answered'),
      ['answered', `HTTP 400: Invalid request: "${words[1]}" is too long`, 'answered', 'answered'],
    )
    assert.deepEqual(
      server.calls.map(({ body }) => 'response_format' in body),
      [true, true, false, true, true],
    )
    assert.doesNotMatch(ran.stderr, /no longer sent/)
  })

  test('a schema is a tool for Anthropic: where that is refused, no schema is sent', async (t) => {
    const format = { type: 'json_schema', json_schema: { name: 'v', schema: { type: 'object' } } }
    const request = { messages: [{ role: 'user', content: 'q' }], response_format: format }
    const server = await chatServer(t, ({ body }) =>
      body.tools
        ? {
            status: 400,
            body: { error: { message: 'Thinking may not be enabled when tool_choice forces tool use.' } },
          }
        : { body: { content: [{ type: 'text', text: '{}' }], stop_reason: 'end_turn' } },
    )
    fine(await callOnce(server.url, ['--api', 'anthropic', '-q'], ndjson([trial(0, 'q', { request })])))
    assert.equal(server.calls.length, 2)
  })

  test('other servers’ words for it', async (t) => {
    const words: Record<string, unknown> = {
      vllm: {
        object: 'error',
        message:
          "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted'}]",
        code: 400,
      },
      fastapi: {
        detail: [{ loc: ['body', 'top_k'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }],
      },
      google: [
        {
          error: {
            code: 400,
            message: 'Invalid JSON payload received. Unknown name "top_k": Cannot find field.',
          },
        },
      ],
      plain: { error: 'unknown parameter: top_k' },
    }
    for (const [who, body] of Object.entries(words)) {
      const server = await chatServer(t, (call) =>
        'top_k' in call.body ? { status: who === 'fastapi' ? 422 : 400, body } : undefined,
      )
      const ran = await callOnce(server.url, ['--param', 'top_k=5'], trials(1))
      assert.equal(rowOf(ran).jb.reply?.text, reply('question 0'), `${who}: ${ran.stderr}`)
    }
  })

  test('a wrong value, or a message that is refused, is for the user to mend', async (t) => {
    const bodies = [
      refuse(
        'max_tokens is too large: 100000. This model supports at most 16384',
        'max_tokens',
        'invalid_value',
      ),
      refuse(
        "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
        'messages',
        'context_length_exceeded',
      ),
      refuse('Invalid content in messages', 'messages[0].content', 'invalid_type'),
    ]
    const server = await chatServer(t, ({ n }) => bodies[n])
    const ran = await callOnce(
      server.url,
      ['--max-tokens', '100000', '--max-error-rate', '1', '-j', '1'],
      trials(3),
    )
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => jb.error?.code),
      ['bad_request', 'bad_request', 'bad_request'],
    )
    assert.equal(server.calls.length, 3)
  })
})
