/** The journal of replies: what is found again, and by what. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { requestHash } from '../../../src/providers/_key.ts'
import { ascii, encode, type Latin1 } from '../../../src/rows/bytes.ts'
import { Row } from '../../../src/rows/row.ts'
import { Journal } from '../../../src/stages/call/cache/journal.ts'
import { OffsetIndex } from '../../../src/stages/call/cache/offset_index.ts'
import { replyKey } from '../../../src/stages/call/call_request.ts'
import { folder } from '../../helpers/folder.ts'
import { keysSorted, ndjson, rewritten, rowsOf } from '../../helpers/rows.ts'
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

test('a journal a model, readable lines, --cache FILE, --cache-info and --cache-clear', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const server = await chatServer(t)
  const args = ['--base-url', server.url, '-q']
  await jb('call', [...args, '-m', 'org/Model 1'], { stdin: trials(3), env })
  await jb('call', [...args, '-m', '../../evil'], { stdin: trials(2), env })
  await jb('call', [...args, '-m', 'm', '--cache', `${place}/own.ndjson`], { stdin: trials(4), env })
  assert.deepEqual(readdirSync(`${env.XDG_CACHE_HOME}/jb/replies`).sort(), [
    'evil.ndjson',
    'org-Model-1.ndjson',
  ])
  const [line] = readFileSync(`${place}/own.ndjson`, 'utf8').split('\n')
  const { key, ...rest } = JSON.parse(line!)
  assert.match(key, /^[0-9a-f]{32}$/)
  assert.deepEqual(Object.keys(rest), ['model', 'endpoint', 'reply', 'sum'])
  const info = async (more: string[] = []) =>
    fine(await jb('call', ['--cache-info', ...more], { env }))
      .stdout.split('\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text).replies)
  assert.deepEqual(await info(), [2, 3])
  assert.deepEqual(await info(['-m', 'org/Model 1']), [3])
  assert.deepEqual(await info(['--cache', `${place}/own.ndjson`]), [4])
  fine(await jb('call', ['--cache-clear', '-m', '../../evil'], { env }))
  assert.deepEqual(await info(), [3])
  fine(await jb('call', ['--cache-clear'], { env }))
  assert.deepEqual(await info(), [])
  assert.ok(existsSync(`${place}/own.ndjson`))
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

test('--record writes a journal that --replay answers from, without an endpoint or a model', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const server = await chatServer(t)
  const recorded = fine(
    await jb(
      'call',
      ['-q', '-m', 'm', '--base-url', server.url, '--record', `${place}/r.ndjson`, '--no-cache'],
      { stdin: trials(12), env },
    ),
  )
  const calls = server.calls.length
  await server.close()
  for (const args of [['-m', 'm'], []]) {
    const replayed = fine(
      await jb('call', ['-q', '--replay', `${place}/r.ndjson`, ...args], { stdin: trials(12), env }),
    )
    assert.equal(replayed.stdout, recorded.stdout)
  }
  assert.equal(server.calls.length, calls)
  const missing = await jb('call', ['--replay', `${place}/r.ndjson`, '-m', 'm', '--max-error-rate', '1'], {
    stdin: trials(13),
    env,
  })
  expect(missing, { err: /unavailable: no reply to this request by m in .*r\.ndjson/ })
  expect(missing, { err: /12 from the recording/ })
  assert.equal(rowsOf(missing).filter(({ jb }) => jb.reply).length, 12)
  expect(await jb('call', ['--replay', `${place}/none`], { stdin: trials(1), env }), {
    code: 66,
    err: /--replay: no file '.*'/,
  })
  // A recording may be passed through jq, sorted, and lose its last line end.
  const lines = readFileSync(`${place}/r.ndjson`, 'utf8').trim().split('\n')
  writeFileSync(
    `${place}/jq.ndjson`,
    lines
      .map((text) => JSON.stringify(JSON.parse(text), null, 1).replaceAll('\n', ''))
      .reverse()
      .join('\n'),
  )
  assert.equal(
    fine(await jb('call', ['-q', '--replay', `${place}/jq.ndjson`], { stdin: trials(12), env })).stdout,
    recorded.stdout,
  )
  const floor = fine(
    await jb('call', ['-q', '-m', 'baseline:longer', '--record', `${place}/b.ndjson`], {
      stdin: trials(3),
      env,
    }),
  )
  assert.equal(
    fine(await jb('call', ['-q', '--replay', `${place}/b.ndjson`], { stdin: trials(3), env })).stdout,
    floor.stdout,
  )
})

test('the key is the request’s meaning: order of parameters, escapes and spaces do not matter', () => {
  const key = (request: string, sample: unknown = 0) => {
    const value = JSON.parse(request)
    const texts = new Map(
      Object.keys(value).map((name) => [
        name,
        encode(
          request.slice(request.indexOf(`"${name}"`) + name.length + 3).match(/^\s*(\[.*?\]|[^,}]+)/)![1]!,
        ),
      ]),
    )
    return requestHash(texts, sample)
  }
  const same = [
    '{"messages":[{"role":"user","content":"h\u00e9llo / w\u00f6rld, this is long enough to be looked at"}],"temperature":0}',
    '{"temperature":0,"messages":[{"role":"user","content":"h\\u00e9llo / w\u00f6rld, this is long enough to be looked at"}]}',
    '{"temperature":0.0, "messages": [{"role": "user", "content": "h\u00e9llo \\/ w\u00f6rld, this is long enough to be looked at"}]}',
  ].map((request) => key(request))
  assert.equal(new Set(same).size, 1)
  const others = [
    key('{"messages":[{"role":"user","content":"x"}]}'),
    key('{"messages":[{"role":"user","content":"y"}]}'),
    key('{"messages":[{"role":"user","content":"x"}]}', 1),
  ]
  assert.equal(new Set([...same, ...others]).size, 4)
})

test('the key of messages is the same whatever the order of their keys', async (t) => {
  const key = (messages: string, more: [string, Latin1][] = []) =>
    requestHash(new Map([['messages', encode(messages)], ['temperature', ascii('0')], ...more]), 0)
  const sha = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
  const usual = '[{"role":"system","content":"a \\"b\\" é"},{"role":"user","content":"\\n{\\"content\\":1}"}]'
  assert.equal(key(usual), sha(`0\nmessages:${usual}\ntemperature:0`), 'the usual form stands as it is')
  const turned =
    '[{"content":"a \\"b\\" \\u00e9","role":"system"},{"role":"user","content":"\\n{\\"content\\":1}"}]'
  assert.equal(key(turned), key(usual))
  const parts = ['{"type":"text","text":"a"}', '{"text":"a","type":"text"}'].flatMap((part) => [
    `[{"role":"user","name":"n","content":[${part}]}]`,
    `[{"content":[${part}],"name":"n","role":"user"}]`,
  ])
  assert.equal(new Set(parts.map((text) => key(text))).size, 1)
  const others = [
    '[{"role":"user","content":"b"}]',
    '[{"role":"b","content":"user"}]',
    '[{"role":"user"},{"content":"b"}]',
  ]
  assert.equal(new Set([...others, parts[0]!].map((text) => key(text))).size, 4)
  const server = await chatServer(t)
  const env = privateEnv(t)
  const args = ['-m', 'm', '--base-url', server.url]
  const first = fine(await jb('call', [...args, '-q'], { stdin: trials(5), env }))
  const asked = rewritten(trials(5), keysSorted)
  expect(await jb('call', args, { stdin: asked, env }), { err: /5 from the cache/ })
  const answered = rewritten(first.stdout, keysSorted)
  expect(await jb('call', [...args, '--no-cache'], { stdin: answered, env }), {
    err: /5 answered already/,
  })
})

test('places: a hundred thousand keys are found again, the latest first, in some twenty bytes each', () => {
  const places = new OffsetIndex()
  const hash = (n: number) => Math.imul(n, 2654435761) >>> 0
  for (let n = 0; n < 100_000; n++) places.add(hash(n), n * 4096)
  for (let n = 0; n < 100_000; n += 7) assert.ok(places.find(hash(n)).includes(n * 4096))
  assert.deepEqual(places.find(hash(100_001)).length, 0)
  places.add(hash(5), 2 ** 45 + 3)
  assert.deepEqual(places.find(hash(5)), [2 ** 45 + 3, 5 * 4096])
  assert.equal(places.size, 100_001)
})

test('a journal line with a flipped letter is not read, wherever it was flipped', async (t) => {
  const path = `${folder(t)}/j.ndjson`
  const identity = { key: '0123456789abcdef0123456789abcdef', model: 'm', endpoint: 'http://x/v1' }
  const journal = Journal.open(path)
  await journal.put(identity, { text: 'the verdict is [[A]]', model: 'm', usage: { prompt_tokens: 17 } })
  journal.close()
  const line = readFileSync(path, 'utf8')
  for (let at = 0; at < line.length - 1; at++) {
    writeFileSync(path, line.slice(0, at) + String.fromCharCode(line.charCodeAt(at) ^ 1) + line.slice(at + 1))
    const damaged = Journal.openToRead(path)
    assert.equal(damaged.get(identity), undefined, `the letter at ${at}`)
    damaged.close()
  }
  // Of an earlier version, without a sum; and as jq writes it.
  const { sum, ...unsummed } = JSON.parse(line)
  for (const same of [
    JSON.stringify(unsummed),
    JSON.stringify({ ...unsummed, sum }, null, 1).replaceAll('\n', ''),
  ]) {
    writeFileSync(path, `${same}\n`)
    const journal = Journal.openToRead(path)
    assert.equal(journal.get(identity)?.text, 'the verdict is [[A]]')
    journal.close()
  }
})

test('a cache file that is a pipe is refused, and not waited for', async (t) => {
  const path = `${folder(t)}/pipe`
  spawnSync('mkfifo', [path])
  assert.throws(() => Journal.open(path), /is a pipe: replies are kept in a file/)
  assert.throws(() => Journal.openToRead(path), /is a pipe/)
})

test('a cache file that is a symbolic link is refused', async (t) => {
  const place = folder(t, { 'elsewhere.txt': 'mine\n' })
  symlinkSync(`${place}/elsewhere.txt`, `${place}/link.ndjson`)
  assert.throws(() => Journal.open(`${place}/link.ndjson`), /is a symbolic link: name the file itself/)
  const server = await chatServer(t)
  const args = ['-m', 'm', '--base-url', server.url, '--cache', `${place}/link.ndjson`]
  expect(await jb('call', args, { stdin: trials(1) }), { code: 74, err: /--cache: .* is a symbolic link/ })
  assert.equal(readFileSync(`${place}/elsewhere.txt`, 'utf8'), 'mine\n')
})

test('keys: a seed keeps all its digits, and at a temperature every item has a draw of its own', () => {
  const key = (params: Record<string, string>, jb = '{}') => {
    const row = Row.read(encode(`{"jb":${jb}}`), 'x', 1)
    return replyKey(
      row,
      new Map(Object.entries({ messages: '[]', ...params }).map(([name, text]) => [name, encode(text)])),
    )
  }
  assert.notEqual(key({ seed: '12345678901234567890' }), key({ seed: '12345678901234567891' }))
  assert.equal(key({ x: '[ 12345678901234567890 ]' }), key({ x: '[12345678901234567890]' }))
  const [a, b] = ['{"item":"a"}', '{"item":"b"}']
  assert.equal(key({ temperature: '0' }, a), key({ temperature: '0.0' }, b))
  assert.notEqual(key({ temperature: '0.7' }, a), key({ temperature: '0.7' }, b))
  assert.equal(key({ temperature: '0.7' }, a), key({ temperature: '0.70' }, a))
})

test('a journal: lines longer than a page, many at once, and one that another process has just added', async (t) => {
  const place = folder(t)
  const here = Journal.open(`${place}/j`)
  const there = Journal.open(`${place}/j`)
  const identity = (n: number) => ({ key: n.toString(16).padStart(32, '0'), model: 'm', endpoint: 'e' })
  const long = 'é'.repeat(200_000)
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      here.put(identity(n), { text: n === 7 ? long : `t${n}`, model: 'm' }),
    ),
  )
  await there.put(identity(99), { text: 'from there', model: 'm' })
  for (const journal of [here, there]) {
    assert.equal(journal.get(identity(7))!.text, long)
    assert.equal(journal.get(identity(49))!.text, 't49')
    assert.equal(journal.get(identity(99))!.text, 'from there')
    assert.equal(journal.get({ ...identity(99), model: 'other' }), undefined)
    assert.equal(journal.get(identity(1000)), undefined)
  }
  await here.put(identity(99), { text: 'newer', model: 'm' })
  assert.equal(here.get(identity(99))!.text, 'newer', 'the latest counts')
  here.close()
  there.close()
})

test('a game missing in a recording leaves one item incomplete, whether a model is named or not', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const games = (item: string) =>
    ['AB', 'BA'].map((order, n) =>
      trial(`${item}${n}`, `${item} ${order}`, { item, trial: { n, of: 2, order } }),
    )
  const all = [...games('p'), ...games('q')]
  const record = ['-q', '-m', 'baseline:first', '--record', `${place}/r.ndjson`]
  // The first game of one item and the second of the other are there.
  fine(await jb('call', record, { stdin: ndjson([all[0], all[3]]), env }))
  for (const model of ['', '-m baseline:first']) {
    const command = `jb-call -q --replay r.ndjson ${model} --max-error-rate 1 | jb-parse -q | jb-aggregate -q`
    const { items, failed, failures } = JSON.parse(
      // Nothing was measured: exit 1.
      expect(await pipe(command, { cwd: place, stdin: ndjson(all), env }), { code: 1 }).stdout,
    )
    assert.deepEqual(
      { items, failed, failures },
      { items: 2, failed: 2, failures: { unavailable: 2 } },
      model,
    )
  }
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

test('--replay of a file that is no recording is told at once', async (t) => {
  const place = folder(t, { 'price.json': '{"m": [1, 2]}\n' })
  const args = ['--replay', `${place}/price.json`]
  expect(await jb('call', args, { stdin: trials(1) }), {
    code: 65,
    out: '',
    err: /price\.json holds no recorded replies/,
  })
  expect(await jb('call', [...args, '-n'], { stdin: trials(1) }), {
    code: 2,
    err: /--dry-run: --replay makes no calls/,
  })
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

test('journals of several machines: further files are looked up, and cat merges them', async (t) => {
  const server = await chatServer(t)
  const at = folder(t)
  const run = async (files: string[], stdin: string) => {
    const before = server.calls.length
    const caches = files.flatMap((file) => ['--cache', `${at}/${file}`])
    const ran = expect(
      await jb('call', ['-m', 'm', '--base-url', server.url, '-q', ...caches], { stdin }),
      {},
    )
    return { out: ran.stdout, calls: server.calls.length - before }
  }
  const lines = trials(30).trimEnd().split('\n')
  const part = (from: number, to: number) => `${lines.slice(from, to).join('\n')}\n`
  await run(['a'], part(0, 12))
  await run(['b'], part(8, 20))
  const before = readFileSync(`${at}/b`, 'utf8')
  const third = await run(['c', 'a', 'b'], trials(30))
  assert.equal(third.calls, 10, 'the rest')
  assert.equal(readFileSync(`${at}/b`, 'utf8'), before)
  assert.equal(readFileSync(`${at}/c`, 'utf8').trimEnd().split('\n').length, 10)
  // Replies that two machines have paid for are there twice, and one line is cut off.
  const all = ['a', 'b', 'c', 'a'].map((name) => readFileSync(`${at}/${name}`, 'utf8')).join('')
  writeFileSync(`${at}/merged`, `${all}{"key":"`)
  const merged = await run(['merged'], trials(30))
  assert.equal(merged.calls, 0)
  assert.equal(merged.out, third.out)
  expect(await jb('call', ['-m', 'm', '--cache', `${at}/x`, '--cache', `${at}/none`], { stdin: lines[0]! }), {
    code: 66,
    err: /--cache: no file .*none/,
  })
})

test('a home where no folder can be made: the replies are not kept, and that is said', {
  skip: process.platform !== 'linux' && 'NOT RUN: there is no /proc',
}, async (t) => {
  const server = await chatServer(t)
  const env = { HOME: '/proc', XDG_CACHE_HOME: undefined }
  const ran = await jb('call', ['-m', 'm', '--base-url', server.url], { stdin: trials(2), env })
  expect(ran, { code: 0, err: /no cache: .*\/proc/ })
})

test('--cache that names a folder says so', async (t) => {
  const ran = await jb('call', ['-m', 'm', '--cache', folder(t)], { stdin: trials(1) })
  expect(ran, { code: 74, err: /^jb-call: --cache: .* is a folder: replies are kept in a file\n$/ })
})
