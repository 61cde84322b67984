/** No key in anything that is written, also when a server sends it back. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb, type Ran } from '../helpers/run.ts'
import { trial, trials } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

/** A key with letters that JSON and URLs write otherwise. */
const KEY = 'sk-proj-Ab3"\\/+=&4567890xyz'
const TEXTS = [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY)]

/** Every file below a folder. */
function filesIn(path: string): string[] {
  return readdirSync(path).flatMap((name) => {
    const inner = join(path, name)
    return statSync(inner).isDirectory() ? filesIn(inner) : [inner]
  })
}

function clean(ran: Ran, place: string): void {
  const written: [string, string][] = [
    ['stdout', ran.stdout],
    ['stderr', ran.stderr],
    ...filesIn(place).map((path): [string, string] => [path, readFileSync(path, 'utf8')]),
  ]
  for (const [where, text] of written)
    for (const secret of TEXTS)
      assert.ok(!text.includes(secret), `the key stands in ${where}: ${text.slice(0, 500)}`)
}

/** Runs with a log, a cache and a recording in one folder. */
async function everything(place: string, url: string, args: string[], stdin: string, env: object) {
  return jb(
    'call',
    [
      '-m',
      'm',
      '--base-url',
      url,
      '--retry-min',
      '0.01',
      '--retry-max',
      '0.02',
      '--log',
      `${place}/log`,
      '--record',
      `${place}/record`,
      '--debug',
      '-v',
      ...args,
    ],
    { stdin, env: { XDG_CACHE_HOME: place, ...env } },
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
  await Promise.all(bodies.map((one) => each(one, ['--retries', '1', '--no-preflight'])))
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
