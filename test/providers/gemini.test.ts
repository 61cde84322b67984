/** Google's Gemini API, as its REST reference has it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, FORMAT, SCHEMA } from './_ask.ts'

const env = (url: string) => ({ GEMINI_BASE_URL: url, GEMINI_API_KEY: 'gem-key-123456' })
const MODEL = 'gemini/gemini-2.5-flash'

const answer = (parts: object[], more: object = {}, usage: object = {}) => ({
  body: {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...more }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 15, ...usage },
    modelVersion: 'gemini-2.5-flash-001',
  },
})

test('the model in the URL, the key in its header, everything else in generationConfig', async (t) => {
  const { calls, reply } = await ask(
    t,
    MODEL,
    env,
    [
      {
        temperature: 0,
        max_tokens: 50,
        top_p: 0.9,
        stop: 'END',
        seed: 7,
        n: 1,
        logprobs: true,
        top_logprobs: 2,
        response_format: FORMAT,
        reasoning_effort: 'low',
        service_tier: 'flex',
        safetySettings: [],
      },
    ],
    () =>
      answer(
        [{ text: 'hm', thought: true }, { text: '{"score":' }, { text: '4}' }],
        {
          logprobsResult: {
            chosenCandidates: [{ token: '4', logProbability: -0.1 }],
            topCandidates: [{ candidates: [{ token: '4', logProbability: -0.1 }] }],
          },
        },
        { thoughtsTokenCount: 20, cachedContentTokenCount: 5, serviceTier: 'flex' },
      ),
  )
  const [made] = calls
  assert.equal(made!.path, '/v1beta/models/gemini-2.5-flash:generateContent')
  assert.equal(made!.headers['x-goog-api-key'], 'gem-key-123456')
  assert.equal(made!.headers.authorization, undefined)
  assert.deepEqual(made!.body, {
    systemInstruction: { parts: [{ text: 'be fair' }] },
    contents: [{ role: 'user', parts: [{ text: 'compare' }] }],
    generationConfig: {
      temperature: 0,
      topP: 0.9,
      maxOutputTokens: 50,
      stopSequences: ['END'],
      seed: 7,
      responseLogprobs: true,
      logprobs: 2,
      responseMimeType: 'application/json',
      responseJsonSchema: SCHEMA,
      thinkingConfig: { thinkingBudget: 1024 },
    },
    serviceTier: 'flex',
    safetySettings: [],
  })
  assert.deepEqual(reply, {
    text: '{"score":4}',
    reasoning: 'hm',
    finish_reason: 'stop',
    model: MODEL,
    served_model: 'gemini-2.5-flash-001',
    usage: {
      prompt_tokens: 12,
      completion_tokens: 23,
      total_tokens: 35,
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 20 },
      service_tier: 'flex',
    },
    logprobs: {
      content: [{ token: '4', logprob: -0.1, top_logprobs: [{ token: '4', logprob: -0.1 }] }],
    },
    tries: 1,
  })
})

test('newer models think in levels; what it has no word for is refused by name, and nothing is sent', async (t) => {
  const { calls, rows } = await ask(
    t,
    'gemini/gemini-3-pro-preview',
    env,
    [{ reasoning_effort: 'high' }, { logit_bias: { 1: 2 } }, { service_tier: 'scale' }],
    () => answer([{ text: 'A' }]),
  )
  assert.deepEqual(
    calls.map(({ body }) => body.generationConfig),
    [{ thinkingConfig: { thinkingLevel: 'high' } }],
  )
  assert.deepEqual(
    rows.slice(1).map(({ jb }) => [jb.error!.code, jb.error!.message]),
    [
      ['bad_request', 'the Gemini API has no "logit_bias" (--param logit_bias= leaves it out)'],
      ['bad_request', 'the Gemini API has no "service_tier": "scale" (--param service_tier= leaves it out)'],
    ],
  )
})

test('a quota says in the body how long to wait; blocked prompts, withheld replies and cut ones are told apart', async (t) => {
  const deeds = [
    {
      status: 429,
      body: {
        error: {
          code: 429,
          message: 'Resource has been exhausted',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.02s' }],
        },
      },
    },
    answer([{ text: 'fine' }]),
    { body: { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } } },
    answer([], { finishReason: 'SAFETY' }),
    answer([], { finishReason: 'MAX_TOKENS' }, { thoughtsTokenCount: 9 }),
    { body: {} },
  ]
  const { rows } = await ask(t, MODEL, env, [{}, {}, {}, {}, {}], ({ n }) => deeds[n], ['--retries', '1'])
  assert.deepEqual(
    rows.map(({ jb }) => jb.reply?.tries ?? jb.error!.code),
    [2, 'refused', 'refused', 'truncated', 'bad_response'],
  )
  assert.match(rows[1]!.jb.error!.message, /the prompt is blocked: SAFETY/)
})

test('a key that is not valid is a 400 there, and ends the run as a 401 does', async (t) => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
  const { ran, calls } = await ask(t, MODEL, env, [{}, {}], () => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
        details,
      },
    },
  }))
  assert.equal(ran.code, 77)
  assert.match(ran.stderr, /refuses the key in GEMINI_API_KEY \(HTTP 400: API key not valid/)
  assert.equal(calls.length, 1)
})

test('a model that it has not got: those that it lists', async (t) => {
  const { ran, calls } = await ask(t, 'gemini/gemini-0', env, [{}], ({ method }) =>
    method === 'GET'
      ? { body: { models: [{ name: 'models/gemini-2.5-pro' }] } }
      : {
          status: 404,
          body: { error: { code: 404, message: 'models/gemini-0 is not found for API version v1beta' } },
        },
  )
  assert.equal(ran.code, 78)
  assert.match(ran.stderr, /it has gemini-2\.5-pro/)
  assert.equal(calls[1]!.path, '/v1beta/models')
})
