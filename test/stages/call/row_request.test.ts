/** What a row's own request may say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'
import { privateEnv, trial } from './rows.ts'
import { chatServer } from './server.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const asking = (...parts: unknown[]) => ({ messages: [{ role: 'user', content: parts }] })
const text = { type: 'text', text: 'see https://example.com' }

test('words, images and tool calls go out; other parts, addresses and parameters that a gateway obeys do not', async (t) => {
  const refused: [request: object, words: RegExp][] = [
    [asking({ type: 'video_url', video_url: { url: 'http://x/v' } }), /a message has "video_url"/],
    [asking({ type: 'document', source: { type: 'url', url: 'http://x' } }), /a message has "document"/],
    [asking({ type: 'input_audio', input_audio: { data: 'AA' } }), /a message has "input_audio"/],
    [asking({ type: 'image_url', image_url: { url: ' http://x/i' } }), /is an address: --media https:/],
    [asking({ ...text, url: 'http://x' }), /a part of type text has an address: \\?"http:\/\/x/],
    [
      asking({ type: 'tool_result', content: [{ type: 'image', source: { type: 'url', url: 'http://x' } }] }),
      /a tool_result has a part that is no text/,
    ],
    [
      { ...asking(text), api_base: 'http://x' },
      /may not have "api_base" \(--param api_base=VALUE sends it\)/,
    ],
    [{ ...asking(text), mock_response: 'A' }, /may not have "mock_response"/],
    [{ ...asking(text), tools: [{ type: 'mcp', server_url: 'http://x' }] }, /"server_url" in "tools"/],
    [{ ...asking(text), extra_body: { fallbacks: ['m2'] } }, /"fallbacks" in "extra_body"/],
    [{ ...asking(text), input: 'x' }, /may not have "input"/],
  ]
  const sent = [
    asking(text, { type: 'image_url', image_url: { url: PNG, detail: 'low' } }),
    asking({ type: 'tool_result', tool_use_id: '1', content: [text] }),
    { ...asking(text), chat_template_kwargs: { enable_thinking: false }, provider: { order: ['a'] } },
    { ...asking(text), tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] },
    {
      messages: [
        { role: 'assistant', tool_calls: [{ function: { name: 'get', arguments: '{"url":"http://x"}' } }] },
        { role: 'tool', tool_call_id: '1', content: 'http://x says so' },
      ],
    },
  ]
  const server = await chatServer(t)
  const requests = [...refused.map(([request]) => request), ...sent]
  const stdin = ndjson(requests.map((request, id) => trial(id, 'q', { request })))
  const args = ['-q', '-m', 'm', '--base-url', server.url, '--max-error-rate', '1', '-j', '1', '--no-cache']
  const rows = rowsOf(await jb('call', args, { stdin, env: privateEnv(t) }))
  for (const [n, [, words]] of refused.entries()) {
    assert.equal(rows[n]!.jb.error?.code, 'bad_request', String(words))
    assert.match(rows[n]!.jb.error!.message, words)
  }
  assert.deepEqual(
    server.calls.map(({ body: { model: _, ...body } }) => body),
    sent,
  )
  const given = await jb('call', [...args, '--param', 'api_base=http://mine'], {
    stdin: ndjson([trial(1, 'q', { request: refused[6]![0] })]),
    env: privateEnv(t),
  })
  assert.ok(rowsOf(given)[0]!.jb.reply)
  assert.equal(server.calls.at(-1)!.body.api_base, 'http://mine')
})
