/** No key in anything that is written, also when a server sends it back. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { Secrets } from '../../../src/stages/call/http/secrets.ts'
import { folder } from '../../helpers/folder.ts'
import { Choices } from '../../helpers/random.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, jb, type Ran } from '../../helpers/run.ts'
import { clean, FACTORS, FORMS, filesIn, KEY, pairwise, search } from './keys.ts'
import { trial, trials } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

/** Runs with a cache and a recording in one folder. */
async function everything(place: string, url: string, args: string[], stdin: string, env: object) {
  return jb(
    'call',
    [
      '-m',
      'm',
      '--retry-min',
      '0.01',
      '--retry-max',
      '0.02',
      '--record',
      `${place}/record`,
      '--debug',
      '-v',
      ...args,
    ],
    { stdin, env: { XDG_CACHE_HOME: place, JB_BASE_URL: url, ...env } },
  )
}

test('a reply, its reasoning and its headers that hold the key', async (t) => {
  const place = folder(t)
  const server = await chatServer(t, ({ headers, text }) => {
    const echo = headers.authorization!
    if (text === 'question 1')
      return {
        body: JSON.stringify(chatBody(`you sent ${echo}`)).replaceAll('/', '\\/'),
        headers: { 'x-echo': encodeURIComponent(echo) },
      }
    return {
      body: chatBody(`you sent ${echo} and ${encodeURIComponent(KEY)}`, echo),
      headers: { 'x-echo': encodeURIComponent(echo) },
    }
  })
  const ran = await everything(place, server.url, [], trials(2), { OPENAI_API_KEY: KEY })
  assert.equal(server.calls[0]!.headers.authorization, `Bearer ${KEY}`, 'the server was given it')
  clean(ran, place)
  assert.match(rowsOf(ran)[0]!.jb.reply!.text, /^you sent .*\[key\]/)
  const again = await everything(place, server.url, ['--replay', `${place}/record`], trials(2), {
    OPENAI_API_KEY: KEY,
  })
  clean(again, place)
})

test('errors that quote it: every status, HTML, a broken body, a redirect', async (t) => {
  const bodies: [number, unknown][] = [
    [400, { error: { message: `bad ${KEY}`, code: KEY, param: KEY } }],
    [401, { error: { message: `Incorrect API key provided: ${KEY}` } }],
    [403, `<html>${KEY}</html>`],
    [404, { detail: `no ${KEY}` }],
    [429, { error: { message: KEY, code: 'insufficient_quota' } }],
    [500, KEY],
    [200, `not json ${KEY}`],
    [200, { choices: [{ message: { content: null, refusal: `no ${KEY}` } }] }],
    [200, { error: { message: KEY } }],
    [302, ''],
  ]
  const each = async ([status, body]: [number, unknown], args: string[]) => {
    const place = folder(t)
    const headers: Record<string, string> =
      status === 302 ? { location: `http://x/?k=${encodeURIComponent(KEY)}` } : {}
    const server = await chatServer(t, () => ({ status, body, headers }))
    clean(await everything(place, server.url, args, trials(3), { OPENAI_API_KEY: KEY }), place)
  }
  await Promise.all(bodies.map((one) => each(one, ['--retries', '1'])))
  await Promise.all(bodies.slice(0, 5).map((one) => each(one, ['--retries', '0'])))
})

test('keys of every origin: named judges, Anthropic, a header, the URL', async (t) => {
  const place = folder(t)
  const server = await chatServer(t, ({ headers, path }) => ({
    status: 400,
    body: { error: { message: `${JSON.stringify(headers)} ${path}` } },
  }))
  const named = ndjson([trial(0, 'q', { name: 'tone' })])
  clean(await everything(place, server.url, [], named, { LLM_JUDGE_TONE_API_KEY: KEY }), place)
  clean(
    await everything(place, server.url, ['--api', 'anthropic'], trials(1), { ANTHROPIC_API_KEY: KEY }),
    place,
  )
  clean(
    await everything(place, server.url, ['--header', 'X-Gate: Token $GATE'], trials(1), { GATE: KEY }),
    place,
  )
  const withPassword = server.url.replace('http://', `http://user:${encodeURIComponent(KEY)}@`)
  const ran = await everything(place, withPassword, [], trials(1), {})
  assert.match(String(server.calls.at(-1)!.headers.authorization), /^Basic /)
  clean(ran, place)
  clean(await everything(place, `${server.url}?key=${encodeURIComponent(KEY)}`, [], trials(1), {}), place)
})

test('files that hold replies are the user’s alone', async (t) => {
  const place = folder(t)
  const server = await chatServer(t)
  await everything(place, server.url, [], trials(1), {})
  // Compiled code is kept in the same folder, and holds nothing of the user's.
  const kept = filesIn(place).filter((path) => !path.includes('/jb/code/'))
  assert.ok(kept.some((path) => path.includes('/jb/replies/')))
  for (const path of kept) assert.equal(statSync(path).mode & 0o077, 0, path)
})

test('a word that only stands where a local server wants no key hides nothing', async (t) => {
  const place = folder(t)
  const server = await chatServer(t, () => ({ body: chatBody('an EMPTY reply is none') }))
  const ran = await everything(place, server.url, [], trials(1), { OPENAI_API_KEY: 'EMPTY' })
  assert.equal(rowsOf(ran)[0]!.jb.reply!.text, 'an EMPTY reply is none')
})

test('what is secret in a base URL stands in no message, and endpoints are told apart without it', async (t) => {
  const secret = 'pw-4711-secret'
  const run = (base: string, env: object = {}) =>
    jb('call', ['-m', 'm', '--no-cache', '--retries', '0'], {
      stdin: trials(1),
      env: { OPENAI_BASE_URL: base, ...env },
    })
  const hidden = (ran: Ran, code: number, err: RegExp) => {
    expect(ran, { code, err })
    assert.ok(!`${ran.stdout}${ran.stderr}`.includes(secret), ran.stderr)
  }
  hidden(
    await run(`http://user:${secret}@host:99999/v1`),
    78,
    /OPENAI_BASE_URL: "http:\/\/…@host:99999\/v1" is not a URL/,
  )
  hidden(await run(`user:${secret}@host:99999/v1?key=${secret}`), 78, /"…@host:99999\/v1\?…" is not a URL/)
  hidden(await run(`ws://user:${secret}@host/v1`), 78, /"ws:\/\/…@host\/v1" must begin with http/)
  hidden(await run(`http://user:${secret}%zz@host/v1`), 78, /OPENAI_BASE_URL: a % in its user or password/)
  const server = await chatServer(t, ({ path }) =>
    path.includes('moved') ? { status: 307, headers: { location: `https://there${path}` } } : undefined,
  )
  for (const name of ['key', 'k', 'subscription'])
    hidden(await run(`${server.url}/moved?${name}=${secret}`), 78, /redirected to https:\/\/there.*\[key\]/)
  // A plain word in a query is no key: replies keep it.
  const plain = await chatServer(t, () => ({ body: chatBody('in production [[A>B]]') }))
  assert.equal(rowsOf(await run(`${plain.url}?stage=production`))[0]!.jb.reply!.text, 'in production [[A>B]]')
  const env = { XDG_CACHE_HOME: folder(t) }
  const calls = async (query: string) => {
    const before = plain.calls.length
    expect(
      await jb('call', ['-q', '-m', 'm'], {
        stdin: trials(1),
        env: { ...env, JB_BASE_URL: plain.url + query },
      }),
      {},
    )
    return plain.calls.length - before
  }
  assert.equal(await calls(''), 1)
  assert.equal(await calls(`?api_key=${secret}`), 0, 'whatever the key')
  assert.equal(await calls('?deployment=one'), 1)
  assert.equal(await calls(`?deployment=two&key=${secret}`), 1)
  assert.equal(await calls('?deployment=one'), 0)
  assert.equal(await calls('?api-version=1'), 1)
  const journal = readFileSync(`${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`, 'utf8')
  assert.match(journal, /completions\?query=[0-9a-f]{8}"/)
  assert.match(journal, /completions\?api-version=1"/)
  assert.ok(!journal.includes(secret))
})

test('a key that no header takes is a wrong configuration, told by its variable', async (t) => {
  const server = await chatServer(t)
  const run = (args: string[], env: Record<string, string>) =>
    jb('call', ['-m', 'm', '--no-cache', '--base-url', server.url, ...args], { stdin: trials(2), env })
  expect(await run([], { OPENAI_API_KEY: 'sk-\u201cquoted\u201d' }), {
    code: 78,
    err: /^jb-call: the key in OPENAI_API_KEY has characters that an HTTP header cannot have\n$/,
  })
  expect(await run(['--header', 'X-Team: $TEAM'], { TEAM: '\u6f22' }), {
    code: 78,
    err: /--header x-team: its value/,
  })
  assert.equal(server.calls.length, 0)
})

test('the key in base64, percent and JSON-escaped forms, in answers, errors, redirects and logs', async (t) => {
  const server = await chatServer(t, ({ n }) => {
    const said = FORMS[n % FORMS.length]!
    const kind = Math.floor(n / FORMS.length)
    if (kind === 0) return { body: chatBody(`it is ${said}`) }
    if (kind === 1) return { status: 400, body: { error: { message: `bad ${said}`, code: said } } }
    if (kind === 2) return { status: 500, body: `<p>${said}</p>` }
    return { status: 302, headers: { location: `http://x/?q=${encodeURIComponent(said)}` }, body: '' }
  })
  const place = folder(t)
  const args = ['-j', '1', '--retries', '0', '--max-error-rate', '1', '--header', 'x-key: $MINE']
  const stdin = trials(4 * FORMS.length)
  clean(await everything(place, server.url, args, stdin, { OPENAI_API_KEY: KEY, MINE: KEY }), place)
  assert.equal(server.calls.length, 4 * FORMS.length)
})

test('no key anywhere: every two of its origin, API, answer, proxy and what is asked of jb-call', async (t) => {
  const sent = await search(t, pairwise(new Choices(1)))
  // What stands in a file is not sent, Redis is no endpoint, and a token or signature goes in a key's place.
  const never = ['judge file', 'password of --limits', 'a token is had for it']
  assert.deepEqual(
    FACTORS.origin.filter((origin) => !sent.has(origin) && !never.includes(origin)),
    [],
  )
})

test('no key for the usual endpoint: which variable holds it, before any call', async () => {
  expect(await jb('call', ['-m', 'gpt-6-luna'], { stdin: trials(1), env: { OPENAI_API_KEY: '' } }), {
    code: 77,
    out: '',
    err: /^jb-call: no key for https:\/\/api\.openai\.com\/v1: set LLM_JUDGE_API_KEY or OPENAI_API_KEY /,
  })
})

test('a key given as the model is refused, before any call and without being repeated', async (t) => {
  const server = await chatServer(t, () => ({ body: chatBody('x') }))
  const given = 'sk-proj-abcdefghijklmnopqrstuv'
  const { code, stderr } = await jb('call', ['-m', given, '--base-url', server.url], { stdin: trials(1) })
  assert.equal(code, 2)
  assert.match(stderr, /looks like a key, not a model/)
  assert.ok(!stderr.includes('abcdef'))
  for (const args of [['--api-key', given], [`--key=${given}`]])
    expect(await jb('call', ['-m', 'm', ...args], { stdin: trials(1) }), {
      code: 2,
      err: /^jb-call: unknown option --[\w-]*key: keys are read from the environment only \(--api-key-env names [^\n]*\n$/,
    })
})

test('a password or a key in --base-url is refused, and not repeated', async () => {
  const secret = 'pw4711'
  const urls = [
    `http://user:${secret}@127.0.0.1:9/v1`,
    `${secret}@127.0.0.1:9/v1`,
    `http://127.0.0.1:9/v1?api_key=${secret}`,
    `http://127.0.0.1:9/v1?deployment=d&sig=${secret}`,
    `http://user:${secret}@:x`,
    `http://127.0.0.1:9/v1/sk-proj-0123456789abcd${secret}`,
  ]
  for (const url of urls) {
    const ran = await jb('call', ['-m', 'm', '--base-url', url, '-v', '--debug'], { stdin: trials(1) })
    expect(ran, { code: 2, out: '', err: /--base-url: it has a password or a key in it.*LLM_JUDGE_API_BASE/ })
    assert.ok(!ran.stderr.includes(secret), ran.stderr)
  }
  for (const url of ['http://127.0.0.1:9/a@b/v1', 'http://127.0.0.1:9/v1?deployment=d&api_key='])
    expect(await jb('call', ['-m', 'm', '--base-url', url, '--retries', '0'], { stdin: trials(1) }), {
      code: 69,
    })
})

test('a key given as a URL, a header, a parameter or a judge is refused, and not repeated', async () => {
  const key = 'sk-proj-abcdef0123456789abcd'
  const call = (...args: string[]) => jb('call', ['-m', 'm', ...args], { stdin: trials(1) })
  const cases: [Promise<Ran>, number, RegExp][] = [
    [call('--base-url', key), 78, /--base-url: sk-… looks like a key, not a URL: keys are read from/],
    [
      call('--header', `Authorization: Bearer ${key}`),
      2,
      /--header authorization: .*: write \$NAME, the variable/,
    ],
    [call('--param', `api_key=${key}`), 2, /--param api_key: its value looks like a key: keys are read from/],
    [call('--param', `api_key="${key}"`), 2, /--param api_key: its value looks like a key/],
    [jb('render', [key], { stdin: '' }), 78, /no judge "sk-…": it looks like a key: keys are read from/],
  ]
  for (const [ran, code, err] of cases) {
    expect(await ran, { code, out: '', err })
    assert.doesNotMatch((await ran).stderr, /abcdef/)
  }
})

test('a key in two halves around characters that are not seen', () => {
  const secrets = new Secrets()
  secrets.add(KEY)
  for (const between of ['\u200b', '\u00ad', '\u2060\u200d', '\ufeff', '\ufe0f']) {
    const text = `you sent ${KEY.slice(0, 9)}${between}${KEY.slice(9)}.`
    assert.equal(secrets.hideKnown(text), 'you sent [key].')
    assert.deepEqual(secrets.readJson(Buffer.from(JSON.stringify({ text }))), { text: 'you sent [key].' })
    const escaped = JSON.stringify({ text }).replace(
      between,
      [...between].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    )
    assert.deepEqual(secrets.readJson(Buffer.from(escaped)), { text: 'you sent [key].' })
  }
})
