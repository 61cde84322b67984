/** The cache of replies: what is found again, what is kept, and the files it makes. */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Journal } from '../../../src/stages/call/cache/journal.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rewritten, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { inOrder, privateEnv, trial, trials } from './rows.ts'
import { chatServer, reply } from './server.ts'

test('the second run makes no call and gives the same bytes; ms and tries are those of the call', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t, ({ attempt, text }) =>
    attempt === 1 && text === 'question 0' ? { status: 503, headers: { 'retry-after': '0.01' } } : undefined,
  )
  const args = ['-m', 'm', '--base-url', server.url]
  const first = expect(await jb('call', args, { stdin: trials(20), env }), {})
  const calls = server.calls.length
  const second = expect(await jb('call', args, { stdin: trials(20), env }), {
    err: /20 rows, 20 from the cache/,
  })
  assert.equal(second.stdout, first.stdout)
  assert.equal(rowsOf(second)[0]!.jb.reply!.tries, 2)
  assert.equal(server.calls.length, calls)
  // Other columns, another order, other names for the rows: the request is what counts.
  const turned = ndjson(
    rowsOf(first)
      .reverse()
      .map(({ jb: { request } }, i) => ({ other: i, jb: { judge: 'x', request } })),
  )
  expect(await jb('call', args, { stdin: turned, env }), { err: /20 from the cache/ })
  // So does it when the rows were written by another program.
  expect(await jb('call', args, { stdin: trials(20).replaceAll(':', ' : '), env }), {
    err: /20 from the cache/,
  })
})

test('another model, endpoint, parameter or sample is another call', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t)
  const count = async (args: string[], stdin = trials(2)) => {
    const before = server.calls.length
    expect(await jb('call', ['--base-url', server.url, '-q', ...args], { stdin, env }), {})
    return server.calls.length - before
  }
  assert.equal(await count(['-m', 'm']), 2)
  assert.equal(await count(['-m', 'm']), 0)
  assert.equal(await count(['-m', 'm2']), 2)
  assert.equal(await count(['-m', 'm', '--temperature', '0.5']), 2)
  assert.equal(await count(['-m', 'm', '--temperature', '0']), 0, 'the same as the request has it')
  assert.equal(await count(['-m', 'm', '--base-url', `http://localhost:${server.port}/v1`]), 2)
  const sampled = (sample: number) =>
    ndjson([trial(0, 'question 0', { trial: { n: sample, of: 2, sample } })])
  assert.equal(await count(['-m', 'm'], sampled(0)), 0)
  assert.equal(await count(['-m', 'm'], sampled(1)), 1)
  assert.equal(await count(['-m', 'm'], sampled(1)), 0)
  assert.equal(await count(['-m', 'm', '--refresh']), 2, '--refresh makes every call')
  assert.equal(await count(['-m', 'm', '--no-cache']), 2)
  assert.equal(await count(['-m', 'm']), 0)
})

test('the same request in many rows is sent once; without a cache each row has its own', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t, () => ({ delay: 20 }))
  const stdin = ndjson(Array.from({ length: 30 }, (_, i) => trial(i, 'the same')))
  const args = ['-m', 'm', '--base-url', server.url]
  const ran = expect(await jb('call', args, { stdin, env }), { err: /30 rows, 1 call, 29 from the cache/ })
  assert.ok(rowsOf(ran).every(({ jb }) => jb.reply!.text === reply('the same')))
  assert.equal(server.calls.length, 1)
  expect(await jb('call', [...args, '--no-cache'], { stdin, env }), { err: /30 calls/ })
})

test('failures are never kept', async (t) => {
  const env = privateEnv(t)
  let broken = true
  const server = await chatServer(t, () => (broken ? { status: 400 } : undefined))
  const args = ['-m', 'm', '--base-url', server.url, '--max-error-rate', '1']
  await jb('call', args, { stdin: trials(3), env })
  broken = false
  inOrder(expect(await jb('call', args, { stdin: trials(3), env }), {}), 3)
})

test('a journal a model, readable lines, --cache FILE', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const server = await chatServer(t)
  const args = ['--base-url', server.url, '-q']
  await jb('call', [...args, '-m', 'org/Model 1'], { stdin: trials(3), env })
  await jb('call', [...args, '-m', '../../evil'], { stdin: trials(2), env })
  await jb('call', [...args, '-m', 'm', '--cache', `${place}/own.ndjson`], { stdin: trials(4), env })
  assert.match(
    readdirSync(`${env.XDG_CACHE_HOME}/jb/replies`).sort().join(' '),
    /^____\.\.__evil-[0-9a-f]{16}\.ndjson org__Model 1-[0-9a-f]{16}\.ndjson$/,
  )
  const [line] = readFileSync(`${place}/own.ndjson`, 'utf8').split('\n')
  const { key, ...rest } = JSON.parse(line!)
  assert.match(key, /^[0-9a-f]{32}$/)
  assert.deepEqual(Object.keys(rest), ['model', 'endpoint', 'reply', 'sum'])
  assert.deepEqual(readdirSync(place), ['own.ndjson'], 'nothing is left beside the journal')
})

test('a run without a reply leaves no cache file; the first reply creates it', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const server = await chatServer(t, () => ({ status: 401 }))
  const args = ['-q', '-m', 'm', '--base-url', server.url, '--cache', `${place}/c.ndjson`]
  expect(await jb('call', args, { stdin: trials(2), env }), { code: 77 })
  assert.deepEqual(readdirSync(place), [])
  fine(await jb('call', args, { stdin: '', env }))
  assert.deepEqual(readdirSync(place), [])
  const [first, second] = [1, 2].map(() => Journal.openLazily(`${place}/c.ndjson`))
  const identity = { key: 'a'.repeat(32), model: 'm', endpoint: 'e' }
  assert.equal(second!.get(identity), undefined)
  await first!.put(identity, { text: 'yes', model: 'm' })
  assert.equal(second!.get(identity)?.text, 'yes', 'a file that another process creates is read')
  first!.close()
  second!.close()
  assert.deepEqual(readdirSync(place), ['c.ndjson'])
})

test('--refresh asks every request once more, and once only', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t, () => ({ delay: 2 }))
  const args = ['-q', '-m', 'm', '--base-url', server.url, '-j', '4']
  fine(await jb('call', args, { stdin: trials(20), env }))
  const stdin = trials(20) + trials(20)
  const plan = JSON.parse(fine(await jb('call', [...args, '--refresh', '-n'], { stdin, env })).stdout)
  assert.deepEqual([plan.calls, plan.repeated, plan.cached], [20, 20, 0])
  fine(await jb('call', [...args, '--refresh'], { stdin, env }))
  assert.equal(server.calls.length, 40)
  fine(await jb('call', args, { stdin, env }))
  assert.equal(server.calls.length, 40)
})

test('null in jb, as jq leaves it, is as good as nothing', async (t) => {
  const env = privateEnv(t)
  const keys = [
    'judge',
    'judge_digest',
    'item',
    'trial',
    'request',
    'criterion',
    'chain',
    'reply',
    'verdict',
    'error',
  ] as const
  const nulls = (text: string) =>
    rewritten(text, ({ jb, ...row }) => {
      const kept = keys.map((key) => [key, jb[key] ?? null])
      return { ...row, jb: Object.fromEntries(kept) }
    })
  const report = async (between: (text: string) => string) => {
    let text = ndjson([trial('a'), trial('b')])
    for (const line of ['jb-render -q vanilla', 'jb-call -q -m baseline:first', 'jb-parse'])
      text = between(fine(await pipe(line, { stdin: text, env })).stdout)
    return fine(await pipe('jb-score | jb-aggregate', { stdin: text, env })).stdout
  }
  assert.equal(await report(nulls), await report((text) => text))
})

test('a home where no folder can be made is an error, before any call', {
  skip: process.platform !== 'linux' && 'NOT RUN: there is no /proc',
}, async (t) => {
  const server = await chatServer(t)
  const env = { HOME: '/proc', XDG_CACHE_HOME: undefined }
  const ran = await jb('call', ['-m', 'm', '--base-url', server.url], { stdin: trials(2), env })
  expect(ran, { code: 74, err: /no cache: .*\/proc/ })
  assert.equal(server.calls.length, 0)
})

test('a default cache that others can write is not believed', async (t) => {
  const server = await chatServer(t)
  const env = privateEnv(t)
  const args = ['-q', '-m', 'm', '--base-url', server.url]
  fine(await jb('call', args, { stdin: trials(1), env }))
  chmodSync(`${env.XDG_CACHE_HOME}/jb/replies`, 0o777)
  expect(await jb('call', args, { stdin: trials(1), env }), {
    code: 74,
    err: /others can write to .*replies/,
  })
  fine(await jb('call', [...args, '--no-cache'], { stdin: trials(1), env }))
})

test('--cache that names a folder says so', async (t) => {
  const ran = await jb('call', ['-m', 'm', '--cache', folder(t)], { stdin: trials(1) })
  expect(ran, { code: 74, err: /^jb-call: --cache: .* is a folder: replies are kept in a file\n$/ })
})

test('a file of rows that is named as the cache or the recording is refused, and stays as it is', async (t) => {
  const server = await chatServer(t)
  const rows = trials(2)
  for (const option of ['--cache', '--record']) {
    const place = folder(t, { 'trials.ndjson': rows })
    const file = `${place}/trials.ndjson`
    const ran = await jb('call', ['-m', 'm', '--base-url', server.url, option, file], { stdin: rows })
    expect(ran, { code: 74, err: new RegExp(`^jb-call: ${option}: .*trials\\.ndjson holds something else`) })
    assert.equal(readFileSync(file, 'utf8'), rows)
  }
})

test('rows of more models than files are open at a time: each reply is kept and found again', async (t) => {
  const server = await chatServer(t)
  const env = privateEnv(t)
  const rows = Array.from({ length: 100 }, (_, i) => {
    const row = trial(i)
    return { ...row, jb: { ...row.jb, request: { ...row.jb.request, model: `m${i}` } } }
  })
  const run = () => jb('call', ['--base-url', server.url, '-q'], { stdin: ndjson([...rows, ...rows]), env })
  const first = fine(await run()).stdout
  assert.equal(readdirSync(`${env.XDG_CACHE_HOME}/jb/replies`).length, 100)
  assert.equal(server.calls.length, 100)
  assert.equal(fine(await run()).stdout, first)
  assert.equal(server.calls.length, 100)
})
