/** Rows that hold their reply: nobody is asked again for them where the cache is gone. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { judgeFolder } from '../../helpers/folder.ts'
import { ndjson, rewritten, rowOf, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, jbProcess, type Ran } from '../../helpers/run.ts'
import { callOnce, privateEnv, trial, trials } from './rows.ts'
import { chatBody, chatServer, reply } from './server.ts'

/** jb-call with a cache of its own, which is gone then. */
const called = (t: TestContext, url: string, args: string[], stdin: string) =>
  jb('call', ['-m', 'm', '--base-url', url, ...args], { stdin, env: privateEnv(t) })

test('saved rows run through again where the cache is gone: only what failed is asked, the others leave as they came', async (t) => {
  let broken = true
  const server = await chatServer(t, ({ text }) =>
    broken && text === 'question 3' ? { status: 400 } : undefined,
  )
  const first = await called(t, server.url, ['--max-error-rate', '1'], trials(8))
  assert.equal(rowsOf(first).filter(({ jb }) => jb.error).length, 1)
  assert.match(rowsOf(first)[0]!.jb.reply!.fingerprint!, /^[0-9a-f]{16}$/)
  const parsed = fine(await jb('parse', ['-q'], { stdin: first.stdout }))
  broken = false
  const before = server.calls.length
  const again = expect(await called(t, server.url, [], parsed.stdout), {
    err: /8 rows, 1 call, 7 answered already/,
  })
  assert.equal(server.calls.length - before, 1)
  const lines = (text: string) => text.split('\n')
  assert.deepEqual(
    lines(again.stdout).filter((_, i) => i !== 3),
    lines(parsed.stdout).filter((_, i) => i !== 3),
    'verdicts and all',
  )
  assert.equal(rowsOf(again)[3]!.jb.error, undefined)
  // Written by another program, on another machine, with a cache of its own.
  const stdin = rewritten(again.stdout, (row) => ({ ...row, id: String(row.id) }))
  expect(await jb('call', ['-m', 'm', '--base-url', server.url], { stdin, env: privateEnv(t) }), {
    err: /8 answered already/,
  })
  assert.equal(server.calls.length - before, 1)
})

test('a reply that was not read stays as it is, or is replaced by that of another model or by a repair', async (t) => {
  const server = await chatServer(t, ({ body }) => ({
    body: chatBody(body.model === 'm' ? 'I cannot say.' : 'My final verdict is: [[A>B]]'),
  }))
  const first = fine(await called(t, server.url, ['-q'], trials(2)))
  const parsed = await jb('parse', ['-q'], { stdin: first.stdout })
  assert.equal(rowsOf(parsed)[0]!.jb.error!.code, 'no_verdict')
  const unread = parsed.stdout
  const calls = server.calls.length
  assert.equal((await called(t, server.url, ['-q'], unread)).stdout, unread)
  assert.equal(server.calls.length, calls)
  for (const args of [
    ['-m', 'm2'],
    ['-m', 'm2', '--repair', '1'],
  ]) {
    const [row] = rowsOf(fine(await callOnce(server.url, ['-q', ...args], unread)))
    assert.equal(row!.jb.reply!.text, 'My final verdict is: [[A>B]]')
    assert.equal(row!.jb.error, undefined)
  }
  const dry = await callOnce(server.url, ['--dry-run', '-m', 'm2'], unread)
  assert.match(dry.stdout, /"calls":2/)
})

test('another question, model, parameter, endpoint or sample is asked, and so is everything with --refresh', async (t) => {
  const server = await chatServer(t)
  const first = fine(await called(t, server.url, ['-q'], trials(2)))
  const saved = first.stdout
  const calls = async (args: string[], stdin = saved) => {
    const before = server.calls.length
    fine(await callOnce(server.url, ['-q', ...args], stdin))
    return server.calls.length - before
  }
  assert.equal(await calls([]), 0)
  assert.equal(await calls(['-m', 'm2']), 2)
  assert.equal(await calls(['--temperature', '0.5']), 2)
  assert.equal(await calls(['--temperature', '0']), 0, 'the same as the request has it')
  assert.equal(await calls(['--base-url', `http://localhost:${server.port}/v1`]), 2)
  assert.equal(await calls(['--refresh']), 2)
  const unmarked = fine(await callOnce(server.url, ['-q'], trials(2)))
  assert.equal(rowsOf(unmarked)[0]!.jb.reply!.fingerprint, undefined, 'without a cache nothing is remembered')
  const changed = (change: (row: ReturnType<typeof rowsOf>[0]) => void) => {
    const rows = rowsOf(first)
    for (const row of rows) change(row)
    return ndjson(rows)
  }
  assert.equal(
    await calls(
      [],
      changed(({ jb }) => (jb.trial = { n: 1, of: 2, sample: 1 })),
    ),
    2,
  )
  assert.equal(
    await calls(
      [],
      changed(({ jb }) => (jb.request!.messages![0]!.content += '?')),
    ),
    2,
  )
  assert.equal(
    await calls(
      [],
      changed(({ jb }) => delete jb.reply!.fingerprint),
    ),
    2,
    'of somebody else, or older',
  )
  assert.equal(
    await calls(
      [],
      changed((row) => (row.note = 'mine')),
    ),
    0,
  )
})

test('a saved reply gets its cost and counts in a dry run and in batches', async (t) => {
  const server = await chatServer(t)
  const place = judgeFolder(t)
  const args = ['-m', 'm', '--base-url', server.url, '--no-cache']
  const first = fine(await called(t, server.url, ['-q'], trials(3)))
  const saved = first.stdout
  const env = privateEnv(t)
  const priced = fine(await jb('call', [...args, '-q', '--price', '1,1'], { stdin: saved, env }))
  assert.deepEqual(
    rowsOf(priced).map(({ jb }) => jb.reply!.cost),
    [0.000015, 0.000015, 0.000015],
  )
  const twice = fine(await jb('call', [...args, '-q', '--price', '1,1'], { stdin: priced.stdout, env }))
  assert.equal(twice.stdout, priced.stdout)
  const plan = fine(await jb('call', [...args, '-q', '-n'], { stdin: saved + trials(4), env }))
  assert.deepEqual(
    [JSON.parse(plan.stdout)].map(({ calls, saved }) => [calls, saved]),
    [[4, 3]],
  )
  expect(await jb('call', [...args, '--batch', 'emit'], { stdin: saved, env }), {
    out: '',
    err: /0 requests, 3 answered already/,
  })
  // The same request in a row without a reply is called for: a row's reply serves that row only.
  const emit = ['-m', 'm', '--base-url', server.url, '--batch', 'emit']
  expect(await jb('call', emit, { stdin: saved + trials(3), env }), {
    err: /3 requests, 3 answered already/,
  })
  const results = judgeFolder(t, { 'none.jsonl': '{"custom_id":"somebody-elses","response":{}}\n' })
  const join = [...args, '--batch', 'join', `${results}/none.jsonl`]
  expect(await jb('call', join, { stdin: saved, env }), { out: saved, err: /3 answered already/ })
  const recorded = await jb('call', [...args, '--record', `${place}/rec.ndjson`], { stdin: saved, env })
  expect(recorded, { err: /--record: the replies that 3 rows had already are not recorded/ })
  assert.equal(readFileSync(`${place}/rec.ndjson`, 'utf8'), '')
  assert.equal(server.calls.length, 3, 'all that for the calls of the beginning')
})

test('--repair goes on from a saved reply without a verdict, and does not ask about one that has been repaired', async (t) => {
  const place = judgeFolder(t, {
    'judge.mjs': `export const kind = 'pairwise'
export const render = () => 'compare'
export const parse = (text) => text.includes('VERDICT: A') ? { decision: 'A>B' } : ''
export const again = { ask: 'Well?' }`,
  })
  let broken = false
  const server = await chatServer(t, ({ body }) => {
    if (body.messages.length === 1) return { body: chatBody('hm') }
    return broken ? { status: 500 } : { body: chatBody('VERDICT: A') }
  })
  const stdin = ndjson([trial(0, 'compare', { judge: `${place}/judge.mjs` })])
  const args = ['-q', '--price', '1,1', '--repair', '1']
  const live = fine(await callOnce(server.url, [...args, '--record', `${place}/rec.ndjson`], stdin))
  const replayed = await jb('call', ['-m', 'm', ...args, '--replay', `${place}/rec.ndjson`], { stdin })
  assert.equal(replayed.stdout, live.stdout, 'what was asked with is known to a recording, too')
  server.calls.length = 0
  const once = fine(await called(t, server.url, ['-q'], stdin))
  broken = true
  const patience = ['--retries', '0', '--max-error-rate', '1']
  const failed = await callOnce(server.url, ['-q', '--repair', '1', ...patience], once.stdout)
  assert.equal(rowOf(failed).jb.error!.code, 'unavailable')
  broken = false
  const repaired = fine(await callOnce(server.url, ['-q', '--repair', '1'], failed.stdout))
  assert.equal(server.calls.length, 3, 'the first turn was paid for once')
  const { reply } = rowOf(repaired).jb
  assert.equal(reply!.text, 'hm\nVERDICT: A')
  assert.equal(reply!.fingerprint, rowOf(once).jb.reply!.fingerprint)
  assert.equal(
    fine(await callOnce(server.url, ['-q', '--repair', '1'], repaired.stdout)).stdout,
    repaired.stdout,
  )
  assert.equal(fine(await callOnce(server.url, ['-q'], repaired.stdout)).stdout, repaired.stdout)
  assert.equal(server.calls.length, 3)
})

test('a forged reply serves its own row and no other: it enters neither the cache nor a recording', async (t) => {
  const place = judgeFolder(t)
  const server = await chatServer(t)
  const env = privateEnv(t)
  const args = ['-m', 'm', '--base-url', server.url, '-q']
  const honest = fine(await called(t, server.url, ['-q'], trials(1)))
  const forged = honest.stdout.replace(reply('question 0'), 'forged [[B>>A]]')
  assert.notEqual(forged, honest.stdout)
  const stdin = forged + ndjson([trial(1, 'question 0')]) + forged
  const plan = fine(await jb('call', [...args, '-n'], { stdin, env }))
  assert.deepEqual(
    [JSON.parse(plan.stdout)].map(({ calls, saved }) => [calls, saved]),
    [[1, 2]],
  )
  const texts = (ran: Ran) => rowsOf(ran).map(({ jb }) => jb.reply!.text)
  const ran = fine(await jb('call', [...args, '--record', `${place}/rec`], { stdin, env }))
  assert.deepEqual(texts(ran), ['forged [[B>>A]]', reply('question 0'), 'forged [[B>>A]]'])
  assert.equal(server.calls.length, 2)
  const journal = readFileSync(`${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`, 'utf8')
  assert.ok(!(journal + readFileSync(`${place}/rec`, 'utf8')).includes('forged'))
  assert.deepEqual(texts(fine(await jb('call', args, { stdin: trials(1), env }))), [reply('question 0')])
  const none = ['--refresh', '--max-requests', '0']
  const stopped = expect(await jb('call', [...args, ...none], { stdin: honest.stdout, env }), { code: 75 })
  assert.equal(rowOf(stopped).jb.error!.code, 'budget')
})

test('a larger --repair goes on behind the turns of a saved reply, where the judge asks as it did then', async (t) => {
  const judge = (again: string) => `export const kind = 'pairwise'
export const render = () => 'compare'
export const parse = (text) => text.includes('VERDICT: A') ? { decision: 'A>B' } : ''
export const again = ${again}`
  const ways = [`{ ask: 'Well?' }`, `{ prefill: ' So: ' }`, '{ times: 9 }', '{ schema: true }']
  for (const way of ways) {
    const place = judgeFolder(t, { 'judge.mjs': judge(way) })
    const server = await chatServer(t, ({ n }) => ({ body: chatBody(n < 3 ? `hm ${n}` : 'VERDICT: A') }))
    const stdin = ndjson([trial(0, 'compare', { judge: `${place}/judge.mjs` })])
    const args = ['-q', '--price', '1,1']
    const twice = fine(await called(t, server.url, [...args, '--repair', '2'], stdin))
    assert.equal(server.calls.length, 3)
    const more = fine(await called(t, server.url, [...args, '--repair', '3'], twice.stdout))
    assert.equal(server.calls.length, 4, `${way}: nothing is asked again`)
    // As if it had been asked for all at once.
    const whole = await chatServer(t, ({ n }) => ({ body: chatBody(n < 3 ? `hm ${n}` : 'VERDICT: A') }))
    const once = rowOf(fine(await called(t, whole.url, [...args, '--repair', '3'], stdin))).jb.reply!
    const timeless = (reply: object) => JSON.stringify(reply).replace(/"ms":\d+|"fingerprint":"\w+"/g, '')
    assert.equal(timeless(rowOf(more).jb.reply!), timeless(once))
    assert.deepEqual(server.calls[3]!.body, whole.calls[3]!.body)
  }
  const place = judgeFolder(t, { 'judge.mjs': judge(ways[0]!) })
  const server = await chatServer(t, () => ({ body: chatBody('hm') }))
  const stdin = ndjson([trial(0, 'compare', { judge: `${place}/judge.mjs` })])
  const once = fine(await called(t, server.url, ['-q', '--repair', '1'], stdin))
  // A process reads a judge file once.
  writeFileSync(`${place}/judge.mjs`, judge(`{ ask: 'What now?' }`))
  const args = ['-q', '-m', 'm', '--base-url', server.url, '--repair', '2']
  fine(await jbProcess('call', args, { stdin: once.stdout, env: privateEnv(t) }))
  assert.equal(server.calls.length, 5, 'another judge file asks from the beginning')
})

test('another price changes the cost of parsed rows and nothing else', async (t) => {
  const server = await chatServer(t)
  const first = fine(await called(t, server.url, ['-q', '--price', '1,1'], trials(2)))
  const parsed = fine(await jb('parse', ['-q'], { stdin: first.stdout }))
  assert.equal(rowsOf(parsed)[0]!.jb.verdict!.decision, 'A>B')
  const dearer = (text: string) => text.replaceAll('"cost":0.000015', '"cost":0.00003')
  assert.notEqual(dearer(parsed.stdout), parsed.stdout)
  const args = ['-q', '--price', '2,2']
  assert.equal(fine(await called(t, server.url, args, parsed.stdout)).stdout, dearer(parsed.stdout))
  const results = judgeFolder(t, { 'none.jsonl': '{"custom_id":"somebody-elses","response":{}}\n' })
  const join = ['--batch', 'join', ...args, `${results}/none.jsonl`]
  assert.equal(fine(await called(t, server.url, join, parsed.stdout)).stdout, dearer(parsed.stdout))
})

test('a repaired reply whose server names the cost leaves as it came', async (t) => {
  const place = judgeFolder(t, {
    'judge.mjs': `export const kind = 'pairwise'
export const render = () => 'compare'
export const parse = (text) => text.includes('VERDICT: A') ? { decision: 'A>B' } : ''
export const again = { ask: 'Well?' }`,
  })
  const server = await chatServer(t, ({ body, n }) => ({
    body: chatBody(body.messages.length === 1 ? 'hm' : 'VERDICT: A', 'm', {
      usage: { prompt_tokens: 1, completion_tokens: 1, cost: n === 0 ? 0.1 : 0.2 },
    }),
  }))
  const stdin = ndjson([trial(0, 'compare', { judge: `${place}/judge.mjs` })])
  const repaired = fine(await called(t, server.url, ['-q', '--repair', '1'], stdin))
  const parsed = fine(await jb('parse', ['-q'], { stdin: repaired.stdout }))
  assert.equal(rowOf(parsed).jb.reply!.cost, 0.3)
  assert.equal(fine(await called(t, server.url, ['-q'], parsed.stdout)).stdout, parsed.stdout)
})

test('with EMPTY for a base URL, replies of any endpoint are taken from the cache, and no call is made', async (t) => {
  const server = await chatServer(t)
  const env = { ...privateEnv(t), OPENAI_BASE_URL: server.url }
  const first = await jb('call', ['-m', 'm'], { stdin: trials(3), env })
  const again = await jb('call', ['-m', 'm'], { stdin: trials(3), env: { ...env, OPENAI_BASE_URL: 'EMPTY' } })
  expect(again, { err: /3 rows, 3 from the cache/ })
  const texts = (ran: Ran) => rowsOf(ran).map(({ jb }) => jb.reply!.text)
  assert.deepEqual(texts(again), texts(first))
  assert.equal(server.calls.length, 3)
})
