/** Where calls go: URL, model and key, from options, the environment and rows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { callOnce, trial, trials } from './rows.ts'
import { chatServer } from './server.ts'

describe('where calls go', { concurrency: 2 }, () => {
  const FORMS: [base: string, path: string][] = [
    ['', '/v1/chat/completions'],
    ['/', '/v1/chat/completions'],
    ['/v1/', '/v1/chat/completions'],
    ['/v1', '/v1/chat/completions'],
    ['/api/openai/v1', '/api/openai/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
    [
      '/openai/deployments/d1?api-version=2024-10-21',
      '/openai/deployments/d1/chat/completions?api-version=2024-10-21',
    ],
  ]
  for (const [base, path] of FORMS)
    test(`--base-url with path "${base}"`, async (t) => {
      const server = await chatServer(t)
      expect(
        await callOnce(`http://127.0.0.1:${server.port}${base}`, ['-q'], trials(1), {
          env: { OPENAI_API_KEY: 'secret-key' },
        }),
        {},
      )
      assert.equal(server.calls[0]!.path, path)
      const { authorization, 'api-key': azure } = server.calls[0]!.headers
      if (base.includes('deployments')) assert.deepEqual([azure, authorization], ['secret-key', undefined])
      else assert.deepEqual([azure, authorization], [undefined, 'Bearer secret-key'])
    })

  test('what is no URL is said so', async () => {
    expect(await callOnce('ftp://x', [], trials(1)), {
      code: 78,
      err: /--base-url: "ftp:\/\/x" must begin with http/,
    })
    expect(await callOnce('http://', [], trials(1)), { code: 78, err: /is not a URL/ })
  })

  test('a redirect is not followed but told', async (t) => {
    const server = await chatServer(t, () => ({ status: 308, headers: { location: 'https://elsewhere/v1' } }))
    expect(await callOnce(server.url, [], trials(50)), {
      code: 78,
      out: '',
      err: /HTTP 308: redirected to https:\/\/elsewhere\/v1 \(set --base-url/,
    })
    assert.equal(server.calls.length, 1)
  })
})

test('model, base and key from the environment, each named judge its own', async (t) => {
  const one = await chatServer(t)
  const two = await chatServer(t)
  const env = {
    LLM_JUDGE_API_BASE: one.url,
    LLM_JUDGE_MODEL: 'general',
    LLM_JUDGE_API_KEY: 'key-general',
    LLM_JUDGE_MY_FLUENCY_API_BASE: two.url,
    LLM_JUDGE_MY_FLUENCY_MODEL: 'fluent',
    LLM_JUDGE_MY_FLUENCY_API_KEY: 'key-fluent',
    LLM_JUDGE_TONE_MODEL: 'tonal',
    LLM_JUDGE_TONE_API_KEY: '',
    OPENAI_API_KEY: 'key-openai',
  }
  const stdin = ndjson([
    trial(0),
    trial(1, 'b', { name: 'my fluency' }),
    trial(2, 'c', { name: 'tone' }),
    trial(3, 'd', { name: 'none such' }),
  ])
  const ran = fine(await jb('call', ['--no-cache', '-q'], { stdin, env }))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.model),
    ['general', 'fluent', 'tonal', 'general'],
  )
  const auth = (server: typeof one) => server.calls.map(({ headers }) => headers.authorization).sort()
  assert.deepEqual(auth(one), ['Bearer key-general', 'Bearer key-general', 'Bearer key-general'])
  assert.deepEqual(auth(two), ['Bearer key-fluent'])
  const flag = fine(await jb('call', ['--no-cache', '-q', '-m', 'flagged'], { stdin, env }))
  assert.ok(
    rowsOf(flag).every(({ jb }) => jb.reply!.model === 'flagged'),
    'a flag is over the environment',
  )
})

test('null for a model in a request, as jq leaves it, is none', async (t) => {
  const server = await chatServer(t)
  const asks = (model: unknown) =>
    trial(0, 'q', { request: { model, messages: [{ role: 'user', content: 'q' }] } })
  const env = { LLM_JUDGE_MODEL: 'general' }
  const args = ['-q', '--no-cache', '--base-url', server.url]
  const ran = fine(await jb('call', args, { stdin: ndjson([asks(null), asks('own')]), env }))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.model),
    ['general', 'own'],
  )
})

test('--api-key-env names the variable; the general ones fall back on one another', async (t) => {
  const server = await chatServer(t)
  const env = {
    OPENAI_BASE_URL: server.url,
    OPENAI_MODEL: 'm',
    OPENAI_API_KEY: 'key-openai',
    MINE: 'key-mine',
  }
  const stdin = trials(1)
  fine(await jb('call', ['--no-cache', '-q'], { stdin, env }))
  fine(await jb('call', ['--no-cache', '-q', '--api-key-env', 'MINE'], { stdin, env }))
  fine(
    await jb('call', ['--no-cache', '-q', '--header', 'X-Team: judges', '--header', 'x-token: $MINE'], {
      stdin,
      env,
    }),
  )
  assert.deepEqual(
    server.calls.map(({ headers }) => headers.authorization),
    ['Bearer key-openai', 'Bearer key-mine', 'Bearer key-openai'],
  )
  assert.deepEqual(
    [server.calls[2]!.headers['x-team'], server.calls[2]!.headers['x-token']],
    ['judges', 'key-mine'],
  )
  expect(await jb('call', ['--api-key-env', 'NOT_THERE'], { stdin, env }), {
    code: 78,
    err: /--api-key-env: the environment has no variable NOT_THERE/,
  })
  expect(await jb('call', ['--header', 'x: $NOT_THERE'], { stdin, env }), {
    code: 78,
    err: /NOT_THERE is not set/,
  })
  expect(await jb('call', [], { stdin, env: { OPENAI_MODEL: undefined } }), {
    code: 2,
    err: /no model: give one with -m NAME, or set LLM_JUDGE_MODEL/,
  })
})
