/** Which provider a model's name picks, where its requests go, and with which key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SERVERS } from '../../src/providers/_servers.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'
import { trial } from '../stages/call/rows.ts'
import { chatServer } from '../stages/call/server.ts'

const FLAGS = ['--no-cache', '-q', '--retries', '0', '--max-error-rate', '1']

const call = (model: string, env: object, args: string[] = [], row: object = trial(0)) =>
  jb('call', ['-m', model, ...FLAGS, ...args], { stdin: ndjson([row]), env: { ...env } })

test('every server of the table: its own key, the name without its prefix, the model as it was asked for in the row', async (t) => {
  const server = await chatServer(t)
  const keys = Object.fromEntries(Object.values(SERVERS).map(({ key }) => [key, `value-of-${key}`]))
  for (const [name, { key }] of Object.entries(SERVERS)) {
    if (name === 'openai') continue
    const env = { ...keys, [`${name.toUpperCase()}_BASE_URL`]: server.url, LLM_JUDGE_API_KEY: 'not-this-one' }
    const ran = await call(`${name}/vendor/model:free`, env)
    const made = server.calls.at(-1)!
    assert.deepEqual(
      [made.path, made.headers.authorization, made.body.model, rowsOf(ran)[0]!.jb.reply?.model],
      ['/v1/chat/completions', `Bearer value-of-${key}`, 'vendor/model:free', `${name}/vendor/model:free`],
    )
  }
})

test('with a base URL a name with a slash is sent as it stands', async (t) => {
  const server = await chatServer(t)
  const env = { ANTHROPIC_API_KEY: 'ant-key-1', OPENAI_API_KEY: 'sk-openai-1' }
  await call('anthropic/claude-x', env, ['--base-url', server.url])
  await call('anthropic/claude-x', { ...env, LLM_JUDGE_API_BASE: server.url })
  await call('openai/gpt-oss-20b', { ...env, OPENAI_BASE_URL: server.url })
  await call('meta-llama/Llama-3.1-8B', { ...env, OPENAI_BASE_URL: server.url })
  assert.deepEqual(
    server.calls.map(({ path, body, headers }) => [path, body.model, headers.authorization]),
    ['anthropic/claude-x', 'anthropic/claude-x', 'openai/gpt-oss-20b', 'meta-llama/Llama-3.1-8B'].map(
      (model) => ['/v1/chat/completions', model, 'Bearer sk-openai-1'],
    ),
  )
})

test('--api says how a provider of the table is spoken to', async (t) => {
  const server = await chatServer(t)
  await call('groq/m', { GROQ_API_KEY: 'gsk-key-1', GROQ_API_BASE: server.url }, ['--api', 'responses'])
  assert.deepEqual([server.calls[0]!.path, server.calls[0]!.body.model], ['/v1/responses', 'm'])
})

test('a row’s own model never says where a request or a key goes', async (t) => {
  const server = await chatServer(t)
  const other = await chatServer(t)
  const row = trial(0, 'q', { request: { model: 'anthropic/claude-x', prompt: 'q' } })
  const ran = await jb('call', FLAGS, {
    stdin: ndjson([row]),
    env: {
      OPENAI_BASE_URL: server.url,
      OPENAI_API_KEY: 'sk-openai-1',
      ANTHROPIC_BASE_URL: other.url,
      ANTHROPIC_API_KEY: 'ant-key-1',
    },
  })
  assert.equal(rowsOf(ran).length, 1)
  assert.deepEqual(
    server.calls.map(({ body, headers }) => [body.model, headers.authorization]),
    [['anthropic/claude-x', 'Bearer sk-openai-1']],
  )
  assert.equal(other.calls.length, 0)
})

test('a key for another provider is not taken: what to set is said, and nothing is sent', async () => {
  const ran = await call('openrouter/a/b', { OPENAI_API_KEY: 'sk-1234567', LLM_JUDGE_API_KEY: 'judge-key-1' })
  assert.equal(ran.code, 77)
  assert.match(ran.stderr, /no key for https:\/\/openrouter\.ai\/api\/v1: set OPENROUTER_API_KEY/)
})
