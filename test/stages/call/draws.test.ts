/** Which reply belongs to which row: by what is sent and the sample, and at random by the occurrence in the run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Row } from '../../../src/rows/row.ts'
import { ReplyKeys } from '../../../src/stages/call/call_request.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { fine, jb, type Ran } from '../../helpers/run.ts'
import { type Line, linesOf, result } from './_batch.ts'
import { privateEnv, trial } from './rows.ts'
import { type ChatServer, chatBody, chatServer } from './server.ts'

/** A row at a temperature. */
const warm = (id: string, text: string, sample?: number, params: object = {}) =>
  trial(id, text, {
    trial: { n: sample ?? 0, of: 2, order: 'AB', ...(sample !== undefined && { sample }) },
    request: { messages: [{ role: 'user', content: text }], temperature: 0.7, ...params },
  })

/** A server whose every answer is another. */
const drawing = (t: Parameters<typeof chatServer>[0]) =>
  chatServer(t, ({ n, text }) => ({ body: chatBody(`${text}: answer ${n}`), delay: (n * 7) % 5 }))

const texts = (ran: Ran) => rowsOf(fine(ran)).map(({ jb }) => jb.reply!.text)
const args = ({ url }: ChatServer) => ['-q', '-m', 'm', '--base-url', url]

test('another id or a further column costs no call', async (t) => {
  const env = privateEnv(t)
  const server = await drawing(t)
  const items = Array.from({ length: 30 }, (_, i) => ({ nr: i, question: `q${i}`, answer: `x${i}` }))
  const judge = `${folder(t, { 'j.yaml': 'kind: grade\nmessages: [{ role: user, content: "{{ question }} {{ answer }}" }]\nrequest: { temperature: 0.7 }\nverdict: { rule: number, range: [0, 100] }\n' })}/j.yaml`
  const run = async (rows: object[], ...more: string[]) => {
    const rendered = fine(await jb('render', [judge, '--samples', '3', ...more], { stdin: ndjson(rows) }))
    return texts(await jb('call', args(server), { stdin: rendered.stdout, env }))
  }
  const first = await run(items)
  assert.equal(server.calls.length, 90)
  assert.equal(new Set(first).size, 90)
  assert.deepEqual(await run(items, '--id', 'nr'), first)
  assert.deepEqual(await run(items.map((item) => ({ ...item, note: 'new' }))), first)
  assert.equal(server.calls.length, 90)
})

test('at a temperature the second occurrence is the second draw, and the same in the next run', async (t) => {
  const rows = [warm('a', 'x'), warm('b', 'y'), warm('c', 'x'), warm('d', 'x'), warm('a', 'x')]
  for (const more of [[], ['-j', '1'], []]) {
    const env = privateEnv(t)
    const server = await drawing(t)
    const run = (part: object[], ...flags: string[]) =>
      jb('call', [...args(server), ...more, ...flags], { stdin: ndjson(part), env })
    const first = texts(await run(rows))
    assert.equal(new Set(first).size, 5)
    assert.deepEqual(texts(await run(rows)), first)
    assert.deepEqual(texts(await run(rows.slice(0, 3))), first.slice(0, 3))
    assert.equal(server.calls.length, 5)
    // A run of some of the rows takes the first draws.
    assert.deepEqual(texts(await run(rows.slice(2, 4))), [first[0], first[2]])
    // More rows take what is there, and then call.
    const longer = texts(await run([...rows, warm('e', 'x')]))
    assert.deepEqual(longer.slice(0, 5), first)
    assert.equal(server.calls.length, 6)
    // --refresh makes every call once more, and what it drew counts.
    const fresh = texts(await run(rows, '--refresh'))
    assert.equal(new Set([...longer, ...fresh]).size, 11)
    assert.deepEqual(texts(await run(rows)), fresh)
    assert.equal(server.calls.length, 11)
  }
})

test('several files are one run, and rows as they are done have the same draws', async (t) => {
  const env = privateEnv(t)
  const server = await drawing(t)
  const one = Array.from({ length: 20 }, (_, i) => warm(`a${i}`, `q${i % 7}`))
  const two = Array.from({ length: 20 }, (_, i) => warm(`b${i}`, `q${i % 5}`))
  const place = folder(t, { 'one.ndjson': ndjson(one), 'two.ndjson': ndjson(two) })
  const files = [`${place}/one.ndjson`, `${place}/two.ndjson`]
  const byId = (ran: Ran) => new Map(rowsOf(fine(ran)).map(({ id, jb }) => [id, jb.reply!.text]))
  const first = byId(await jb('call', [...args(server), '--unordered', ...files], { env }))
  assert.equal(new Set(first.values()).size, 40)
  assert.deepEqual(
    byId(await jb('call', [...args(server), ...files], { env })),
    new Map([...first].sort((a, b) => order(a[0]) - order(b[0]))),
  )
  assert.equal(server.calls.length, 40)
})
const order = (id: unknown) => (String(id)[0] === 'a' ? 0 : 100) + Number(String(id).slice(1))

test('at temperature 0, and with a seed, equal requests share one call; samples do not', async (t) => {
  const env = privateEnv(t)
  const server = await drawing(t)
  const seeded = { seed: 7 }
  const rows = [
    ...['a', 'b'].map((id) => warm(id, 'cold', undefined, { temperature: 0 })),
    ...['a', 'b'].map((id) => warm(id, 'seeded', undefined, seeded)),
    ...['a', 'b'].map((id) => warm(id, 'samples', 0)),
    ...['a', 'b'].map((id) => warm(id, 'samples', 1)),
  ]
  const [c, d, e, f, ...samples] = texts(await jb('call', args(server), { stdin: ndjson(rows), env }))
  assert.deepEqual([c, e], [d, f])
  assert.equal(new Set(samples).size, 4)
  assert.equal(server.calls.length, 6)
})

test('a run that is resumed from its saved rows calls only for what failed, and draws no reply twice', async (t) => {
  const env = privateEnv(t)
  let failing = true
  const server = await chatServer(t, ({ n, body }) =>
    failing && body.user === 'fail' ? { status: 400 } : { body: chatBody(`answer ${n}`) },
  )
  const rows = [warm('a', 'x'), warm('b', 'x'), warm('c', 'x')]
  const broken = rows.map((row, i) => (i === 1 ? warm('b', 'x', undefined, { user: 'fail' }) : row))
  const run = (stdin: string, ...flags: string[]) =>
    jb('call', [...args(server), '--max-error-rate', '1', ...flags], { stdin, env })
  const saved = rowsOf(await run(ndjson(broken)))
  failing = false
  const before = server.calls.length
  // Saved rows keep their replies in any order, without a cache, too.
  const sorted = ndjson([saved[2]!, saved[0]!])
  for (const flags of [[], ['--no-cache']])
    assert.deepEqual(
      texts(await run(sorted, ...flags)),
      [2, 0].map((i) => saved[i]!.jb.reply!.text),
    )
  assert.equal(server.calls.length, before)
  const again = texts(await run(ndjson(saved)))
  assert.equal(new Set(again).size, 3)
  assert.equal(server.calls.length, before + 1)
})

test('a failed occurrence keeps its place: the others’ draws are not taken for it', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t, ({ n }) =>
    n === 1 ? { status: 400 } : { body: chatBody(`answer ${n}`) },
  )
  const stdin = ndjson([warm('a', 'x'), warm('b', 'x'), warm('c', 'x')])
  const run = () => jb('call', [...args(server), '-j', '1', '--max-error-rate', '1'], { stdin, env })
  const first = rowsOf(await run()).map(({ jb }) => jb.reply?.text)
  assert.deepEqual(first, ['answer 0', undefined, 'answer 2'])
  assert.deepEqual(texts(await run()), ['answer 0', 'answer 3', 'answer 2'])
})

test('a recording has every draw, and gives each its own', async (t) => {
  const server = await drawing(t)
  const path = `${folder(t)}/recording`
  const stdin = ndjson([warm('a', 'x'), warm('b', 'x'), warm('c', 'y')])
  const first = texts(await jb('call', [...args(server), '--no-cache', '--record', path], { stdin }))
  assert.equal(new Set(first).size, 3)
  assert.deepEqual(texts(await jb('call', ['-q', '--replay', path], { stdin })), first)
  // What was not recorded is no other row's.
  const more = ndjson([warm('a', 'x'), warm('b', 'x'), warm('c', 'x')])
  const ran = await jb('call', ['-q', '--replay', path, '--max-error-rate', '1'], { stdin: more })
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.error?.code),
    [undefined, undefined, 'unavailable'],
  )
})

test('a batch has every draw, whatever the ids, and a later run finds them in the cache', async (t) => {
  const env = privateEnv(t)
  const server = await drawing(t)
  const rows = [warm('a', 'x'), warm('b', 'x'), warm('c', 'y'), trial('d', 'cold'), trial('e', 'cold')]
  const stdin = ndjson(rows)
  const flags = args(server)
  const dry = JSON.parse((await jb('call', [...flags, '-n'], { stdin, env })).stdout)
  assert.deepEqual([dry.calls, dry.repeated], [4, 1])
  const lines = linesOf(fine(await jb('call', [...flags, '--batch', 'emit'], { stdin, env })).stdout)
  assert.equal(lines.length, 4)
  const answers = (lines as Line[]).map((line, i) =>
    result(line, { response: { status_code: 200, body: chatBody(`answer ${i}`) } }),
  )
  const path = `${folder(t, { r: ndjson(answers) })}/r`
  const joined = texts(await jb('call', [...flags, '--batch', 'join', path], { stdin, env }))
  assert.deepEqual(joined, ['answer 0', 'answer 1', 'answer 2', 'answer 3', 'answer 3'])
  const renamed = ndjson(rows.map((row, i) => ({ ...row, id: i, jb: { ...row.jb, item: `i${i}` } })))
  assert.deepEqual(texts(await jb('call', flags, { stdin: renamed, env })), joined)
  assert.equal(server.calls.length, 0)
})

test('the keys of this version: pinned, so that a later one finds them', () => {
  const read = Row.read(JSON.stringify(warm('a', 'x', 1)), 'x', 1)
  const keys = new ReplyKeys(
    read,
    new Map(Object.entries(read.get('request')!).map(([key, value]) => [key, JSON.stringify(value)])),
  )
  assert.equal(keys.own, 'c31cc559488a4dbe754edb2d79a46fe5')
  assert.equal(keys.sent, keys.own)
  keys.occurrence = 2
  assert.equal(keys.own, 'f2feae5654ba741b8a0791316dff78ce')
})

test('a repaired reply: its turns are those of its draw', async (t) => {
  const env = privateEnv(t)
  // The first answers are the same, the second ones are not.
  const server = await chatServer(t, ({ body, n }) => ({
    body: chatBody(body.messages.length === 1 ? 'hm' : `[[A>B]] ${n}`),
  }))
  const stdin = ndjson([warm('a', 'x'), warm('b', 'x')])
  const run = () => jb('call', [...args(server), '--repair', '1'], { stdin, env })
  const first = texts(await run())
  assert.equal(new Set(first).size, 2)
  assert.deepEqual(texts(await run()), first)
  assert.equal(server.calls.length, 4)
})
