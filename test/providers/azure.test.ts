/** Azure's OpenAI service: deployments in the URL, a version of the API, a key in a header of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatBody } from '../stages/call/server.ts'
import { ask } from './_ask.ts'

const env = (url: string) => ({ AZURE_OPENAI_ENDPOINT: url, AZURE_OPENAI_API_KEY: 'azure-key-1' })

test('a deployment is asked by its URL, with the version that the environment names or the last stable one', async (t) => {
  const model = 'azure/my-gpt-4o'
  const one = await ask(t, model, env, [{ temperature: 0 }], () => undefined)
  assert.equal(one.calls[0]!.path, '/openai/deployments/my-gpt-4o/chat/completions?api-version=2024-10-21')
  assert.equal(one.calls[0]!.headers['api-key'], 'azure-key-1')
  assert.equal(one.calls[0]!.headers.authorization, undefined)
  assert.deepEqual([one.calls[0]!.body.model, one.reply.model], ['my-gpt-4o', model])
  const named = (url: string) => ({ ...env(url), AZURE_API_VERSION: '2025-04-01-preview' })
  const two = await ask(t, model, named, [{}], () => undefined)
  assert.match(two.calls[0]!.path, /api-version=2025-04-01-preview$/)
  const v1 = (url: string) => ({ ...env(url), AZURE_OPENAI_ENDPOINT: `${url}/openai/v1/` })
  const three = await ask(t, model, v1, [{}], () => undefined)
  assert.equal(three.calls[0]!.path, '/openai/v1/chat/completions')
})

test('its filter refuses prompts with a 400 and withholds replies; a rate limit passes', async (t) => {
  const filtered = { error: { code: 'content_filter', message: 'The response was filtered', status: 400 } }
  const deeds = [
    {
      status: 429,
      headers: { 'retry-after': '0' },
      body: { error: { code: '429', message: 'call rate limit' } },
    },
    { body: chatBody('fine') },
    { status: 400, body: filtered },
    { body: { ...chatBody(''), choices: [{ message: { content: null }, finish_reason: 'content_filter' }] } },
  ]
  const { rows } = await ask(t, 'azure/d', env, [{}, {}, {}], ({ n }) => deeds[n])
  assert.deepEqual(
    rows.map(({ jb }) => jb.reply?.tries ?? jb.error!.code),
    [2, 'refused', 'refused'],
  )
  const none = await ask(
    t,
    'azure/d',
    () => ({}),
    [{}],
    () => undefined,
  )
  assert.match(none.ran.stderr, /azure: set AZURE_OPENAI_ENDPOINT or AZURE_API_BASE/)
})

test('batches stand beside the deployments, with the same version', async () => {
  const { provider } = await import('../../src/providers/azure.ts')
  const { jobs } = provider.batch!
  const at = async (base: string) => {
    const seen: string[] = []
    const file = { name: 'b-001.jsonl', size: 0, open: async function* () {} }
    const url = provider.url(new URL(base), 'd', {})
    const send = async ({ url }: { url: URL }) => {
      seen.push(url.href)
      return { id: 'batch_1', status: 'validating' }
    }
    await jobs.state('batch_1', file, { url, model: 'd', env: {}, send })
    return seen[0]
  }
  assert.equal(
    await at('https://x.openai.azure.com'),
    'https://x.openai.azure.com/openai/batches/batch_1?api-version=2024-10-21',
  )
  assert.equal(
    await at('https://x.openai.azure.com/openai/v1'),
    'https://x.openai.azure.com/openai/v1/batches/batch_1',
  )
})
