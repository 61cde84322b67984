/** Journals: keys of requests, damaged lines, files that are no journals, merging. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { requestHash } from '../../../src/providers/_key.ts'
import { Row } from '../../../src/rows/row.ts'
import { Journal } from '../../../src/stages/call/cache/journal.ts'
import { ReplyKeys } from '../../../src/stages/call/call_request.ts'
import { folder } from '../../helpers/folder.ts'
import { keysSorted, rewritten } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { privateEnv, trials } from './rows.ts'
import { chatServer } from './server.ts'

test('the key is the request’s meaning: order of parameters, escapes and spaces do not matter', () => {
  const key = (request: string, sample: unknown = 0) => {
    const value = JSON.parse(request)
    const texts = new Map(
      Object.keys(value).map((name) => [
        name,
        request.slice(request.indexOf(`"${name}"`) + name.length + 3).match(/^\s*(\[.*?\]|[^,}]+)/)![1]!,
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
  const key = (messages: string, more: [string, string][] = []) =>
    requestHash(new Map([['messages', messages], ['temperature', '0'], ...more]), 0)
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
  const numbers = ['12345678901234567890', '12345678901234567891'].map((n) =>
    key(`[{"content":[{"n":${n}}],"role":"user"}]`),
  )
  assert.equal(new Set(numbers).size, 2, 'numbers that JavaScript would round')
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
  // As jb-read makes it of another program's cache, without a sum; and as jq writes it.
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

test('keys: a seed keeps all its digits, and no id of the item is in them', () => {
  const key = (params: Record<string, string>, jb = '{}') => {
    const row = Row.read(`{"jb":${jb}}`, 'x', 1)
    const texts = Object.entries({ messages: '[]', ...params }).map(([name, text]) => [name, text] as const)
    return new ReplyKeys(row, new Map(texts)).own
  }
  assert.notEqual(key({ seed: '12345678901234567890' }), key({ seed: '12345678901234567891' }))
  assert.equal(key({ x: '[ 12345678901234567890 ]' }), key({ x: '[12345678901234567890]' }))
  const [a, b] = ['{"item":"a"}', '{"item":"b"}']
  assert.equal(key({ temperature: '0' }, a), key({ temperature: '0.0' }, b))
  assert.equal(key({ temperature: '0.7' }, a), key({ temperature: '0.7' }, b))
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
