/** A row's own request is data: 10,000 forged ones, of each API, against servers that note what they are sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'
import { privateEnv, trial } from './rows.ts'
import { chatServer, seeded } from './server.ts'

const EVIL = 'http://169.254.169.254/latest'
const ADDRESSES = [
  EVIL,
  ` ${EVIL}`,
  'file:///etc/passwd',
  '//169.254.169.254/x',
  `https://evil.example/?u=${EVIL}`,
]
const APIS = [
  'chat',
  'completions',
  'responses',
  'anthropic',
  'gemini',
  'bedrock',
  'mistral',
  'ollama',
  'azure',
  'watsonx',
]
const NAMES = [
  ...[
    'api_base',
    'base_url',
    'api_key',
    'api_version',
    'fallbacks',
    'model_list',
    'mock_response',
    'mock_timeout',
  ],
  ...['server_url', 'extra_headers', 'mcp_servers', 'input', 'contents', 'system'],
]

test('no address, and no parameter that only --param may give, is sent', async (t) => {
  const env = {
    ...privateEnv(t),
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' },
    ...{ WATSONX_PROJECT_ID: 'p', WATSONX_TOKEN: 't' },
  }
  const random = seeded(Number(process.env.SEED ?? 7))
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const part = (address: string): object =>
    one([
      { type: 'image_url', image_url: { url: address } },
      { type: 'image_url', image_url: address },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: address } },
      { type: 'input_image', image_url: address },
      { type: 'image', source: { type: 'url', url: address } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' }, url: address },
      { type: 'video_url', video_url: { url: address } },
      { type: 'audio_url', audio_url: { url: address } },
      { type: 'input_file', file_url: address },
      { type: 'document', source: { type: 'url', url: address } },
      {
        type: 'tool_result',
        tool_use_id: 'x',
        content: [{ type: 'image', source: { type: 'url', url: address } }],
      },
      { type: 'text', text: 'x', image_url: address },
      { text: 'x', file_data: { file_uri: address } },
      { file_data: { file_uri: address } },
    ])
  const forged = (id: number) => {
    const address = one(ADDRESSES)
    const text = { type: 'text', text: 'Judge.' }
    const content: unknown =
      random() < 0.6 ? [text, part(address), text].slice(Number(random() < 0.5)) : 'Judge.'
    const request: Record<string, unknown> = {
      messages: [
        { role: one(['user', 'system', 'tool']), content },
        { role: 'user', content: 'x' },
      ],
    }
    const last: object = { role: 'user', content: one([part(address), 'x']), images: [address] }
    if (random() < 0.2) (request.messages as object[]).push(last)
    if (content === 'Judge.' || random() < 0.3) {
      const name = one(NAMES)
      const inside = one([name, 'api_base'])
      Object.assign(
        request,
        one([
          { [name]: address },
          { extra_body: { [inside]: address } },
          { tools: [{ type: 'mcp', server_url: address }] },
          { tools: [{ type: 'function', function: { name: 'f' }, server_url: address }] },
        ]),
      )
    }
    return trial(id, 'q', { request })
  }
  for (const api of APIS) {
    const server = await chatServer(t)
    const stdin = ndjson([trial(-1), ...Array.from({ length: 1000 }, (_, id) => forged(id))])
    const args = [
      '-q',
      '-m',
      'm',
      '--api',
      api,
      '--base-url',
      server.url,
      '--max-error-rate',
      '1',
      '--retries',
      '0',
    ]
    await jb('call', [...args, '--no-cache'], { stdin, env })
    assert.ok(server.calls.length > 0, api)
    for (const { raw } of server.calls) {
      assert.doesNotMatch(raw, /169\.254|evil\.example|etc\/passwd/, api)
      assert.doesNotMatch(
        raw,
        /"(?:api_base|base_url|api_key|fallbacks|model_list|mock_\w+|server_url|extra_headers)"/,
      )
    }
  }
})
