/** Mistral: OpenAI's chat completions, with other names for two parameters (its API reference). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, MESSAGES } from './_ask.ts'

const env = (url: string) => ({ MISTRAL_API_KEY: 'mis-key-1234', MISTRAL_BASE_URL: `${url}/v1` })

test('a request and an answer as Mistral documents them', async (t) => {
  const requests = [{ temperature: 0, max_completion_tokens: 9, seed: 3 }]
  const { calls, reply } = await ask(t, 'mistral/mistral-small-latest', env, requests, () => ({
    body: {
      id: 'cmpl-e5cc70bb28c444948073e77776eb30ef',
      object: 'chat.completion',
      model: 'mistral-small-latest',
      usage: { prompt_tokens: 16, completion_tokens: 34, total_tokens: 50 },
      created: 1702256327,
      choices: [
        {
          index: 0,
          message: { content: '[[A]]', tool_calls: null, role: 'assistant' },
          finish_reason: 'stop',
        },
      ],
    },
  }))
  assert.equal(calls[0]!.path, '/v1/chat/completions')
  assert.equal(calls[0]!.headers.authorization, 'Bearer mis-key-1234')
  assert.deepEqual(calls[0]!.body, {
    model: 'mistral-small-latest',
    messages: MESSAGES,
    temperature: 0,
    max_tokens: 9,
    random_seed: 3,
  })
  const begun = [...MESSAGES, { role: 'assistant', content: 'So:' }]
  const more = await ask(t, 'mistral/m', env, [{ messages: begun }], () => undefined)
  assert.deepEqual(more.calls[0]!.body, {
    model: 'm',
    messages: [...MESSAGES, { role: 'assistant', content: 'So:', prefix: true }],
  })
  assert.deepEqual([reply.text, reply.usage.completion_tokens], ['[[A]]', 34])
})

test('a refused parameter is left out and named, a rate limit is waited for, a wrong key ends the run', async (t) => {
  let calls = 0
  const limited = await ask(t, 'mistral/m', env, [{}], () =>
    ++calls === 1
      ? {
          status: 429,
          body: { object: 'error', message: 'Rate limit exceeded', type: 'rate_limited', code: '1300' },
        }
      : undefined,
  )
  assert.equal(limited.reply.tries, 2)
  const { ran } = await ask(t, 'mistral/m', env, [{}], () => ({
    status: 401,
    body: { message: 'Unauthorized' },
  }))
  assert.equal(ran.code, 77)
  const refused = await ask(t, 'mistral/m', env, [{ logprobs: true }], ({ body }) =>
    'logprobs' in body
      ? {
          status: 422,
          body: {
            object: 'error',
            message: {
              detail: [
                { type: 'extra_forbidden', loc: ['body', 'logprobs'], msg: 'Extra inputs are not permitted' },
              ],
            },
            type: 'invalid_request_error',
          },
        }
      : undefined,
  )
  assert.equal(refused.error, undefined)
})
