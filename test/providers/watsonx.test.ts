/** IBM watsonx.ai: an API key is exchanged for a token, which is kept until it is about to end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../stages/call/server.ts'
import { ask, FORMAT } from './_ask.ts'

const KEY = 'ibm-cloud-key-1'
const env = (url: string) => ({
  WATSONX_URL: url,
  WATSONX_IAM_URL: url,
  WATSONX_APIKEY: KEY,
  WATSONX_PROJECT_ID: 'project-1',
})
const MODEL = 'watsonx/ibm/granite-3-8b-instruct'

const answer = (content: string, more: object = {}) => ({
  body: {
    id: 'chat-1',
    model_id: 'ibm/granite-3-8b-instruct',
    model_version: '1.1.0',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', ...more }],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  },
})
const token = (name: string, seconds: number) => ({
  body: { access_token: name, token_type: 'Bearer', expires_in: seconds },
})
const isToken = ({ path }: Call) => path === '/identity/token'

test('one token for many requests, the model and the project in the body', async (t) => {
  const { calls, reply, ran } = await ask(
    t,
    MODEL,
    env,
    [{ temperature: 0, response_format: FORMAT }, {}],
    (call) => (isToken(call) ? token('iam-token-abcdef', 3600) : answer('A, says iam-token-abcdef')),
  )
  assert.deepEqual(
    calls.map(({ path }) => path),
    ['/identity/token', ...Array(2).fill('/ml/v1/text/chat?version=2025-02-06')],
  )
  assert.equal(calls[0]!.body, `grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey&apikey=${KEY}`)
  assert.equal(calls[1]!.headers.authorization, 'Bearer iam-token-abcdef')
  assert.deepEqual(calls[1]!.body, {
    model_id: 'ibm/granite-3-8b-instruct',
    messages: [
      { role: 'system', content: 'be fair' },
      { role: 'user', content: 'compare' },
    ],
    temperature: 0,
    response_format: FORMAT,
    project_id: 'project-1',
  })
  assert.deepEqual(reply, {
    text: 'A, says [key]',
    finish_reason: 'stop',
    model: MODEL,
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    tries: 1,
  })
  assert.doesNotMatch(ran.stdout + ran.stderr, /iam-token/)
})

test('a token about to end is exchanged for a new one; a key that is refused ends the run', async (t) => {
  let tokens = 0
  const renewed = await ask(
    t,
    MODEL,
    env,
    // Rows one after another: the first token ends a second after it was given.
    [{}, {}],
    (call) => (isToken(call) ? token(`iam-token-${++tokens}`, 121) : { ...answer('A'), delay: 1050 }),
  )
  assert.deepEqual(
    renewed.calls.filter((call) => !isToken(call)).map(({ headers }) => headers.authorization),
    ['Bearer iam-token-1', 'Bearer iam-token-2'],
  )
  const refused = await ask(t, MODEL, env, [{}, {}], () => ({
    status: 400,
    body: { errorCode: 'BXNIM0415E', errorMessage: 'Provided API key could not be found.' },
  }))
  assert.equal(refused.ran.code, 77)
  assert.match(refused.ran.stderr, /API key could not be found/)
  assert.equal(refused.calls.length, 1)
})

test('a token of one’s own; errors in a list; a project is needed', async (t) => {
  const own = (url: string) => ({ ...env(url), WATSONX_APIKEY: '', WATSONX_TOKEN: 'my-own-token-1' })
  const { calls } = await ask(t, MODEL, own, [{}], () => answer('A'))
  assert.deepEqual(
    calls.map(({ headers }) => headers.authorization),
    ['Bearer my-own-token-1'],
  )
  const errors = [{ code: 'model_not_supported', message: 'Model is not supported' }]
  const { ran } = await ask(t, MODEL, own, [{}], () => ({ status: 404, body: { errors, status_code: 404 } }))
  assert.match(ran.stderr, /Model is not supported/)
  const bare = (url: string) => ({ WATSONX_URL: url, WATSONX_TOKEN: 'my-own-token-1' })
  const none = await ask(t, MODEL, bare, [{}], () => undefined)
  assert.equal(none.ran.code, 78)
  assert.match(none.ran.stderr, /set WATSONX_PROJECT_ID or WATSONX_SPACE_ID/)
})

test('a rate limit passes, a moderated reply is withheld, a busy token service is asked again', async (t) => {
  let tokens = 0
  const deeds = [
    {
      status: 429,
      headers: { 'retry-after': '0' },
      body: { errors: [{ code: 'rate_limit_reached_requests' }] },
    },
    answer('fine'),
    answer('', { finish_reason: 'content_filter' }),
  ]
  const { rows } = await ask(t, MODEL, env, [{}, {}], (call) =>
    isToken(call) ? (++tokens === 1 ? { status: 503 } : token('iam-token-busy', 3600)) : deeds.shift(),
  )
  assert.deepEqual(
    rows.map(({ jb }) => jb.reply?.tries ?? jb.error!.code),
    [3, 'refused'],
  )
})
