/** OpenAI's older completions, where log probabilities are asked for by their number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from './_ask.ts'

test('log probabilities are asked for by their number, 5 at most', async (t) => {
  const env = (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-test-1234' })
  const { calls, reply } = await ask(
    t,
    'davinci',
    env,
    [{ prompt: 'Rate it:', logprobs: true, top_logprobs: 20 }],
    () => ({
      body: {
        choices: [
          {
            text: ' 4',
            finish_reason: 'stop',
            logprobs: { tokens: [' 4'], token_logprobs: [-0.1], top_logprobs: [{ ' 4': -0.1, ' 5': -2.5 }] },
          },
        ],
      },
    }),
  )
  assert.deepEqual(calls[0]!.body, { model: 'davinci', prompt: 'Rate it:', logprobs: 5 })
  assert.deepEqual(reply.logprobs.tokens, [' 4'])
})
