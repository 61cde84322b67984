/** Preflight: an unknown model or a wrong key ends the run before its first call. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { callOnce, inOrder, trials } from './rows.ts'
import { chatServer } from './server.ts'

describe('preflight', { concurrency: 2 }, () => {
  const names = { data: [{ id: 'good-one' }, { id: 'good-two' }] }

  test('an unknown model ends the run behind one call, and the known ones are named', async (t) => {
    const server = await chatServer(t, ({ method, body }) =>
      method === 'GET'
        ? { body: names }
        : {
            status: 404,
            body: {
              error: { message: `The model \`${body.model}\` does not exist`, code: 'model_not_found' },
            },
          },
    )
    const ran = await callOnce(server.url, [], trials(200))
    expect(ran, { code: 78, out: '', err: /no model "m" at .*: it has good-one, good-two \(-m NAME/ })
    assert.deepEqual(
      server.calls.map(({ method, path }) => `${method} ${path}`),
      ['POST /v1/chat/completions', 'GET /v1/models'],
    )
  })

  test('a model named without its maker, or misspelt: the id that was meant', async (t) => {
    const server = await chatServer(t, ({ method }) =>
      method === 'GET'
        ? {
            body: {
              resources: [
                { model_id: 'ibm/granite-3-8b' },
                { model_id: 'meta-llama/llama-3-3-70b-instruct' },
              ],
            },
          }
        : {
            status: 404,
            body: { errors: [{ code: 'model_not_supported', message: 'Not supported here.' }] },
          },
    )
    const env = { WATSONX_URL: server.url.replace(/\/v1$/, ''), WATSONX_TOKEN: 't', WATSONX_PROJECT_ID: 'p' }
    for (const model of ['llama-3-3-70b', 'llama-3.3-70b-instruct', 'meta/llama-3-3-70b-instruct'])
      expect(await jb('call', ['-m', `watsonx/${model}`], { stdin: trials(1), env }), {
        code: 78,
        err: /: did you mean watsonx\/meta-llama\/llama-3-3-70b-instruct\? \(-m NAME; the server says: HTTP 404: Not supported here\.\)/,
      })
  })

  test('a refused key ends it behind one call, and the variable is named', async (t) => {
    const server = await chatServer(t, () => ({
      status: 401,
      body: { error: { message: 'Incorrect API key provided' } },
    }))
    const env = { OPENAI_API_KEY: 'sk-wrong-wrong' }
    const ran = await callOnce(server.url, [], trials(200), { env })
    expect(ran, {
      code: 77,
      out: '',
      err: /refuses the key in OPENAI_API_KEY \(HTTP 401: Incorrect API key provided\)/,
    })
    assert.equal(server.calls.length, 1)
  })

  test('a wrong path ends it behind one call', async (t) => {
    const server = await chatServer(t, () => ({ status: 404, body: 'Not Found' }))
    expect(await callOnce(`${server.url}/oops`, [], trials(200)), {
      code: 78,
      out: '',
      err: /\/v1\/oops\/chat\/completions does not exist .*--base-url is the part before .* \/v1\n/,
    })
    assert.equal(server.calls.length, 1)
    expect(await callOnce(server.url, ['--api', 'completions'], trials(1)), {
      code: 78,
      err: /\/v1\/completions does not exist .* \(asked for a judge with "prompt": chat needs "messages"\)\n/,
    })
  })

  test('a 400 that is the row’s own does not end it', async (t) => {
    const server = await chatServer(t, ({ n }) =>
      n === 0 ? { status: 400, body: { error: { message: 'too long' } } } : undefined,
    )
    const ran = await callOnce(server.url, [], trials(20))
    assert.equal(rowsOf(ran).filter(({ jb }) => jb.reply).length, 19)
  })

  test('a first call that takes long holds up nobody for long', async (t) => {
    let resolve = () => {}
    const others = new Promise<void>((done) => (resolve = done))
    const server = await chatServer(t, async ({ n }) => {
      if (n > 0) resolve()
      else await others
      return undefined
    })
    inOrder(fine(await callOnce(server.url, ['-q'], trials(3))), 3)
    const second = server.calls[1]!.at - server.calls[0]!.at
    assert.ok(second > 1000, `the second call came ${second} ms after the first`)
  })

  test('nothing is sent where everything is in the cache', async (t) => {
    const server = await chatServer(t)
    const env = { XDG_CACHE_HOME: folder(t) }
    const args = ['-q', '-m', 'm', '--base-url', server.url]
    const first = fine(await jb('call', args, { stdin: trials(10), env }))
    await server.close()
    assert.equal(fine(await jb('call', args, { stdin: trials(10), env })).stdout, first.stdout)
  })
})
