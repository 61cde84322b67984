/** Ollama's own API, as its documentation has it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, FORMAT, SCHEMA } from './_ask.ts'

const env = (url: string) => ({ OLLAMA_API_BASE: url })
const MODEL = 'ollama/llama3.2:3b'

const answer = (message: object, more: object = {}) => ({
  body: {
    model: 'llama3.2:3b',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', ...message },
    done: true,
    done_reason: 'stop',
    total_duration: 5,
    prompt_eval_count: 12,
    eval_count: 3,
    ...more,
  },
})

test('no stream, a schema as its format, parameters in options, and no key', async (t) => {
  const logprobs = [{ token: 'A', logprob: -0.1, bytes: [65], top_logprobs: [] }]
  const { calls, reply } = await ask(
    t,
    MODEL,
    env,
    [
      {
        temperature: 0,
        max_tokens: 50,
        seed: 7,
        stop: 'END',
        response_format: FORMAT,
        reasoning_effort: 'medium',
        logprobs: true,
        top_logprobs: 2,
        options: { num_ctx: 8192 },
        keep_alive: '5m',
      },
    ],
    () => answer({ content: '{"score":4}', thinking: 'hm' }, { logprobs }),
  )
  assert.equal(calls[0]!.path, '/api/chat')
  assert.equal(calls[0]!.headers.authorization, undefined)
  assert.deepEqual(calls[0]!.body, {
    model: 'llama3.2:3b',
    keep_alive: '5m',
    messages: [
      { role: 'system', content: 'be fair' },
      { role: 'user', content: 'compare' },
    ],
    stream: false,
    format: SCHEMA,
    think: 'medium',
    logprobs: true,
    top_logprobs: 2,
    options: { num_ctx: 8192, temperature: 0, num_predict: 50, stop: ['END'], seed: 7 },
  })
  assert.deepEqual(reply, {
    text: '{"score":4}',
    reasoning: 'hm',
    finish_reason: 'stop',
    model: MODEL,
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    logprobs: { content: logprobs },
    tries: 1,
  })
})

test('its queue is full for a while; a reply cut in its thoughts; what it has no word for', async (t) => {
  const deeds = [
    { status: 503, body: { error: 'server busy, please try again. maximum pending requests exceeded' } },
    answer({ content: 'yes' }),
    answer({ content: '', thinking: 'on and on' }, { done_reason: 'length' }),
  ]
  const { rows } = await ask(t, MODEL, env, [{}, {}, { logit_bias: {} }], ({ n }) => deeds[n])
  assert.deepEqual(
    rows.map(({ jb }) => jb.reply?.tries ?? jb.error!.code),
    [2, 'truncated', 'bad_request'],
  )
  assert.match(rows[2]!.jb.error!.message, /Ollama’s API has no "logit_bias"/)
})

test('a model that was not pulled: those that were', async (t) => {
  const { ran, calls } = await ask(t, 'ollama/none', env, [{}], ({ method }) =>
    method === 'GET'
      ? { body: { models: [{ name: 'llama3.2:3b' }] } }
      : { status: 404, body: { error: "model 'none' not found" } },
  )
  assert.equal(ran.code, 78)
  assert.match(ran.stderr, /it has llama3\.2:3b/)
  assert.equal(calls[1]!.path, '/api/tags')
})
