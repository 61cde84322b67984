/** OpenAI's responses API, as its reference has it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, FORMAT, SCHEMA } from './_ask.ts'

const env = (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-test-123456' })

const answer = (output: object[], more: object = {}) => ({
  body: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'gpt-5-2026-01-01',
    output,
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 6 },
      total_tokens: 29,
    },
    service_tier: 'default',
    ...more,
  },
})
const message = (content: object[]) => ({ type: 'message', role: 'assistant', status: 'completed', content })
const text = (words: string, more: object = {}) => ({
  type: 'output_text',
  text: words,
  annotations: [],
  ...more,
})

test('messages are its input, a schema its text format, an effort its reasoning; nothing is stored', async (t) => {
  const logprobs = [{ token: 'A', logprob: -0.2, bytes: [65], top_logprobs: [] }]
  const { calls, reply } = await ask(
    t,
    'gpt-5',
    env,
    [
      {
        max_tokens: 100,
        response_format: FORMAT,
        reasoning_effort: 'low',
        logprobs: true,
        top_logprobs: 3,
        temperature: 1,
        service_tier: 'flex',
        prompt_cache_key: 'rubric',
      },
    ],
    () =>
      answer(
        [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
          message([text('A ', { logprobs }), text('wins')]),
        ],
        { service_tier: 'flex' },
      ),
    ['--api', 'responses'],
  )
  assert.equal(calls[0]!.path, '/v1/responses')
  assert.equal(calls[0]!.headers.authorization, 'Bearer sk-test-123456')
  assert.deepEqual(calls[0]!.body, {
    model: 'gpt-5',
    temperature: 1,
    service_tier: 'flex',
    prompt_cache_key: 'rubric',
    input: [
      { role: 'system', content: 'be fair' },
      { role: 'user', content: 'compare' },
    ],
    max_output_tokens: 100,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', name: 'verdict', strict: false, schema: SCHEMA } },
    include: ['message.output_text.logprobs'],
    top_logprobs: 3,
    store: false,
  })
  assert.deepEqual(reply, {
    text: 'A wins',
    reasoning: 'hm',
    finish_reason: 'stop',
    model: 'gpt-5',
    served_model: 'gpt-5-2026-01-01',
    usage: {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 6 },
      service_tier: 'flex',
    },
    logprobs: { content: logprobs },
    tries: 1,
  })
})

test('refusals, replies cut short, failures and what it has no word for', async (t) => {
  const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  const deeds = [
    answer([message([{ type: 'refusal', refusal: 'I would rather not' }])]),
    answer([{ type: 'reasoning', summary: [] }], cut),
    answer([message([text('half')])], cut),
    answer([], { status: 'failed', error: { code: 'server_error', message: 'try later' } }),
    answer([message([text('at last')])]),
  ]
  const { rows, calls } = await ask(
    t,
    'responses/gpt-5',
    env,
    [{}, {}, {}, {}, { seed: 1 }, { frequency_penalty: 0 }],
    ({ n }) => deeds[n] ?? answer([message([text('on')])]),
    ['--retries', '1'],
  )
  assert.deepEqual(
    rows.map(({ jb }) => jb.reply?.finish_reason ?? jb.error!.code),
    ['refused', 'truncated', 'length', 'stop', 'bad_request', 'stop'],
  )
  assert.match(rows[1]!.jb.error!.message, /all went into reasoning/)
  assert.match(rows[4]!.jb.error!.message, /the responses API has no "seed"/)
  assert.equal(calls.length, 6)
})
