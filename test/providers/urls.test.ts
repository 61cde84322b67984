/** A model's name, which a row may hold, is one segment of a URL: it moves no request out of its base. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { members } from '../../src/files/members.ts'
import type { Provider } from '../../src/providers/_provider.ts'
import { segment, siblingUrl } from '../../src/providers/_url.ts'
import { RowFailure } from '../../src/rows/record.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'
import { trial } from '../stages/call/rows.ts'
import { chatServer } from '../stages/call/server.ts'

const HOSTILE = [
  ...['..', '.', '', '%2e%2e', '.%2e', '..;/', '../../../admin/delete', '..\\..\\admin', '//evil.example/x'],
  ...['a?key=b', 'a#b', 'a/../../b', 'models/../../x', 'models/..', 'tunedModels/', '\t..\n', '..\n', 'a\0b'],
  ...[
    'https://evil.example',
    '@evil.example',
    ':80',
    '．．／',
    '\ud800',
    'x:generateContent/../..',
    '/converse',
  ],
]

test('no name of a model changes a URL outside of its own segment', async () => {
  const bases = ['https://h.example/in', 'https://h.example/in/v1', 'https://h.example']
  for (const name of members('providers')) {
    const { provider } = (await import(`../../src/providers/${name}.ts`)) as { provider: Provider }
    for (const base of bases) {
      const depth = provider.url(new URL(base), 'model', {}).pathname.split('/').length
      for (const model of HOSTILE) {
        const url = outcome(() => provider.url(new URL(base), model, {}))
        if (!url) continue
        assert.ok(url.href.startsWith(base), `${name} ${JSON.stringify(model)}: ${url}`)
        assert.equal(url.pathname.split('/').length, depth, `${name} ${JSON.stringify(model)}: ${url}`)
        assert.equal(url.hash, '')
        assert.ok(![...url.searchParams.keys()].includes('key'))
      }
    }
  }
})

test('ids in answers keep to their place, too', () => {
  const url = new URL('https://h.example/v1/chat/completions')
  assert.throws(() => siblingUrl(url, '/files/../x', /\/chat\/completions$/), { code: 'bad_request' })
  for (const text of ['', '.', '..', '\udc00']) assert.throws(() => segment(text), { code: 'bad_request' })
})

/** The URL; undefined if the row is refused. */
function outcome(make: () => URL): URL | undefined {
  try {
    return make()
  } catch (error) {
    assert.ok(error instanceof RowFailure && error.code === 'bad_request', String(error))
    return undefined
  }
}

test('a row of such a model fails, or asks for a model of that name', async (t) => {
  const server = await chatServer(t)
  const sent = async (api: string, model: string) => {
    const row = trial(0)
    const args = ['--api', api, '--base-url', `${server.url}/base`, '--no-cache', '-q', '--retries', '0']
    const ran = await jb('call', [...args, '--max-error-rate', '1'], {
      stdin: ndjson([{ ...row, jb: { ...row.jb, request: { ...row.jb.request, model } } }]),
      env: { GEMINI_API_KEY: 'k', AZURE_OPENAI_API_KEY: 'k', AWS_BEARER_TOKEN_BEDROCK: 'k' },
    })
    return [rowsOf(ran)[0]!.jb.error?.code, server.calls.splice(0).at(-1)?.path]
  }
  assert.deepEqual(
    await sent('gemini', '../../../admin/delete').then(([, path]) => path),
    '/v1/base/v1beta/models/..%2F..%2F..%2Fadmin%2Fdelete:generateContent',
  )
  for (const api of ['bedrock', 'azure']) assert.deepEqual(await sent(api, '..'), ['bad_request', undefined])
})
