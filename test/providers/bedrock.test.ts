/** Amazon Bedrock's Converse API, as its reference has it, and how its requests are signed. */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { Call } from '../stages/call/server.ts'
import { ask, FORMAT, SCHEMA } from './_ask.ts'

const MODEL = 'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0'
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const env = (url: string) => ({
  AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE123456',
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: 'session-token-example',
})

const answer = (content: object[], more: object = {}) => ({
  body: {
    output: { message: { role: 'assistant', content } },
    stopReason: 'end_turn',
    usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 },
    metrics: { latencyMs: 5 },
    ...more,
  },
})

/** The signature as AWS's documentation builds it (Signature Version 4), by other code than the provider's. */
function signatureOf({ method, path, headers, body }: Call): string {
  const [, scope = '', signed = ''] =
    /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=/.exec(headers.authorization ?? '') ?? []
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  // Each part of the path is encoded once more.
  const uri = path.split('/').map(encodeURIComponent).join('/')
  const named = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const payload = String(headers['x-amz-content-sha256'] ?? hash(JSON.stringify(body)))
  const canonical = [method, uri, '', named.join(''), signed, payload].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n')
  const hmac = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest()
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`)
  return createHmac('sha256', key).update(text).digest('hex')
}

test('blocks for everything, the model in the URL, each request signed with the environment’s keys', async (t) => {
  const { calls, reply, ran } = await ask(
    t,
    MODEL,
    env,
    [
      {
        temperature: 0,
        top_p: 1,
        max_tokens: 50,
        stop: ['END'],
        response_format: FORMAT,
        service_tier: 'flex',
        cache_control: { type: 'ephemeral' },
        additionalModelRequestFields: { top_k: 5 },
      },
    ],
    () =>
      answer(
        [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
          { toolUse: { toolUseId: 'u', name: 'verdict', input: { score: 4 } } },
        ],
        {
          stopReason: 'tool_use',
          usage: {
            inputTokens: 2,
            outputTokens: 3,
            totalTokens: 115,
            cacheReadInputTokens: 100,
            cacheWriteInputTokens: 10,
          },
          serviceTier: { type: 'flex' },
        },
      ),
  )
  const [made] = calls
  assert.equal(made!.path, '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse')
  assert.deepEqual(made!.body, {
    additionalModelRequestFields: { top_k: 5 },
    system: [{ text: 'be fair' }, { cachePoint: { type: 'default' } }],
    messages: [{ role: 'user', content: [{ text: 'compare' }] }],
    inferenceConfig: { maxTokens: 50, temperature: 0, stopSequences: ['END'] },
    toolConfig: {
      tools: [{ toolSpec: { name: 'verdict', inputSchema: { json: SCHEMA } } }],
      toolChoice: { tool: { name: 'verdict' } },
    },
    serviceTier: { type: 'flex' },
  })
  const { authorization = '' } = made!.headers
  assert.match(
    authorization,
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE123456\/\d{8}\/eu-west-1\/bedrock\/aws4_request/,
  )
  assert.match(authorization, /x-amz-security-token/)
  assert.equal(/Signature=(\w+)/.exec(authorization)![1], signatureOf(made!))
  assert.deepEqual(reply, {
    text: '{"score":4}',
    reasoning: 'hm',
    finish_reason: 'stop',
    model: MODEL,
    usage: {
      prompt_tokens: 112,
      completion_tokens: 3,
      total_tokens: 115,
      prompt_tokens_details: { cached_tokens: 100, cache_creation_tokens: 10 },
      service_tier: 'flex',
    },
    tries: 1,
  })
  assert.doesNotMatch(ran.stdout + ran.stderr, /wJalrX|session-token/)
})

test('throttling passes; guardrails and token limits do not; a word it has not got is refused by name', async (t) => {
  const deeds = [
    {
      status: 429,
      body: { message: 'Too many requests, please wait' },
      headers: { 'x-amzn-errortype': 'ThrottlingException' },
    },
    {
      status: 400,
      body: {
        message:
          'The model returned the following errors: `temperature` and `top_p` cannot both be specified',
      },
    },
    answer([{ text: 'A ' }, { text: 'wins' }]),
    answer([], { stopReason: 'guardrail_intervened' }),
    answer([], { stopReason: 'max_tokens' }),
  ]
  const { rows, calls } = await ask(
    t,
    MODEL,
    env,
    [{ temperature: 1, top_p: 0.9 }, {}, {}, { seed: 1 }, { response_format: { type: 'json_object' } }],
    ({ n }) => deeds[n],
  )
  assert.deepEqual(
    rows.map(({ jb }) => jb.reply?.text ?? jb.error!.code),
    ['A wins', 'refused', 'truncated', 'bad_request', 'bad_request'],
  )
  assert.deepEqual(calls[2]!.body.inferenceConfig, { temperature: 1 }, 'top_p goes')
  assert.match(rows[3]!.jb.error!.message, /the Converse API has no "seed"/)
})

test('a Bedrock API key is a bearer’s; secrets that a server sends back stay hidden; without keys nothing is sent', async (t) => {
  const bearer = (url: string) => ({
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-api-key-1',
  })
  const plain = await ask(t, MODEL, bearer, [{}], () => answer([{ text: 'A' }]))
  assert.equal(plain.calls[0]!.headers.authorization, 'Bearer bedrock-api-key-1')

  const told = await ask(t, MODEL, env, [{}], ({ headers }) => ({
    status: 403,
    body: { message: `signed with ${SECRET} and ${headers['x-amz-security-token']}` },
  }))
  assert.equal(told.ran.code, 77)
  assert.match(told.ran.stderr, /signed with \[key\] and \[key\]/)

  const half = await ask(
    t,
    MODEL,
    (url) => ({ ...env(url), AWS_SECRET_ACCESS_KEY: '' }),
    [{}],
    () => undefined,
  )
  assert.equal(half.ran.code, 77)
  assert.match(half.ran.stderr, /AWS_SECRET_ACCESS_KEY is not/)
  assert.equal(half.calls.length, 0)
  const none = await ask(
    t,
    MODEL,
    () => ({}),
    [{}],
    () => undefined,
  )
  assert.equal(none.ran.code, 78)
  assert.match(none.ran.stderr, /bedrock: set AWS_REGION or AWS_DEFAULT_REGION, or give --base-url/)
})
