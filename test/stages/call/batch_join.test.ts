/** Results of a batch: whatever the order, what is missing, failed, repeated, or belongs to no row. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BatchResults, resultFiles } from '../../../src/stages/call/batch/results.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { type Line, linesOf, result } from './_batch.ts'
import { inOrder, privateEnv, trial, trials } from './rows.ts'
import { chatServer, reply } from './server.ts'

test('join tells what is missing, what failed, and what belongs to no row', async (t) => {
  const env = privateEnv(t)
  const stdin = trials(6)
  const lines = linesOf((await jb('call', ['-m', 'm', '--batch', 'emit', '-q'], { stdin, env })).stdout)
  const results = [
    result(lines[0]!),
    result(lines[1]!, { response: { status_code: 429, body: { error: { message: 'slow down' } } } }),
    result(lines[2]!, {
      response: null,
      error: {
        code: 'batch_expired',
        message: 'This request could not be executed before the completion window expired.',
      },
    }),
    result(lines[4]!, { response: { status_code: 200, body: { choices: [] } } }),
    { ...result(lines[5]!), custom_id: 'somebody-elses' },
    'not a result',
  ]
  const path = `${folder(t, { 'out.jsonl': `${ndjson(results)}{"custom_id":"torn` })}/out.jsonl`
  const gate = ['--max-error-rate', '1']
  const joined = await jb('call', ['-m', 'm', '--batch', 'join', path, ...gate], { stdin, env })
  expect(joined, { err: /1 answers joined, 2 missing, 1 in .*out\.jsonl belong to none of these rows/ })
  assert.deepEqual(
    rowsOf(joined).map(({ jb }) => jb.error?.code),
    [undefined, 'rate_limited', 'unavailable', 'incomplete', 'bad_response', 'incomplete'],
  )
  // The rows that failed can be emitted again as they are.
  const again = await jb('call', ['-m', 'm', '--batch', 'emit'], { stdin: joined.stdout, env })
  assert.equal(linesOf(again.stdout).length, 5)
  expect(await jb('call', ['-m', 'm', '--batch', 'join', '/no/such'], { stdin, env }), { code: 66 })
  expect(await jb('call', ['-m', 'm', '--batch', 'join'], { stdin, env }), {
    code: 2,
    err: /RESULTS is missing/,
  })
  const rows = `${folder(t, { 'rows.ndjson': stdin })}/rows.ndjson`
  expect(await jb('call', ['-m', 'm', '--batch', 'join', rows, path], { env }), {
    code: 2,
    err: /rows\.ndjson has rows: the results come first/,
  })
  const requests = `${folder(t, { 'b.jsonl': ndjson(lines) })}/b.jsonl`
  expect(await jb('call', ['-m', 'm', '--batch', 'join', requests, ...gate], { stdin, env }), {
    err: /neither an answer nor an error \(the requests, in place of the results\?\)/,
  })
})

test('a joined batch, then a run: only what is missing is called', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t)
  const stdin = trials(10)
  const args = ['-m', 'm', '--base-url', server.url, '-q']
  const lines = linesOf((await jb('call', [...args, '--batch', 'emit'], { stdin, env })).stdout)
  const path = `${folder(t, { r: ndjson(lines.slice(0, 7).map((line) => result(line))) })}/r`
  await jb('call', [...args, '--batch', 'join', path], { stdin, env })
  inOrder(fine(await jb('call', args, { stdin, env })), 10)
  assert.equal(server.calls.length, 3)
})

test('a game without an answer in the batch fails its item, once', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const rows = ['AB', 'BA'].map((order, n) => trial(n, order, { item: 'p', trial: { n, of: 2, order } }))
  const emitted = fine(await jb('call', ['-q', '-m', 'm', '--batch', 'emit'], { stdin: ndjson(rows), env }))
  writeFileSync(`${place}/results.jsonl`, `${JSON.stringify(result(linesOf(emitted.stdout)[0]!))}\n`)
  const command =
    'jb-call -q -m m --batch join results.jsonl --max-error-rate 1 | jb-parse -q | jb-aggregate -q'
  const { items, failed, failures, model } = JSON.parse(
    // Nothing was measured: exit 1.
    expect(await pipe(command, { cwd: place, stdin: ndjson(rows), env }), { code: 1 }).stdout,
  )
  assert.deepEqual([items, failed, model], [1, 1, 'm'])
  assert.equal(Object.keys(failures).length, 1)
})

test('lines that are no results are told, and so is that too many rows failed', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const emitted = fine(await jb('call', ['-q', '-m', 'm', '--batch', 'emit'], { stdin: trials(3), env }))
  const [first, second] = linesOf(emitted.stdout).map((line) => JSON.stringify(result(line)))
  writeFileSync(`${place}/results.jsonl`, `${first}\nnot json\n\n${second!.slice(0, 90)}`)
  const join = (...args: string[]) =>
    jb('call', ['-m', 'm', '--batch', 'join', `${place}/results.jsonl`, ...args], { stdin: trials(3), env })
  expect(await join(), {
    code: 1,
    err: /1 answers joined, 2 missing, 2 lines are not results\n.*2 of 3 rows failed \(66\.7 %/,
  })
  expect(await join('--max-error-rate', '1'), { code: 0, err: /2 lines are not results/ })
})

test('of several results to a request an answer counts, in the file or in the cache, and is kept once', async (t) => {
  const env = privateEnv(t)
  const stdin = trials(3)
  const args = ['-q', '-m', 'm']
  const lines = linesOf(fine(await jb('call', [...args, '--batch', 'emit'], { stdin, env })).stdout)
  const failed = (line: Line) =>
    result(line, { response: { status_code: 500, body: { error: { message: 'sorry' } } } })
  const [a, b, c] = lines as [Line, Line, Line]
  const join = async (results: object[], code = 0) => {
    const path = `${folder(t, { 'r.jsonl': ndjson(results) })}/r.jsonl`
    return expect(await jb('call', [...args, '--batch', 'join', path], { stdin, env }), { code })
  }
  const texts = [0, 1, 2].map((n) => reply(`question ${n}`))
  const all = await join([failed(a), result(a), result(b), failed(b), result(c)])
  assert.deepEqual(
    rowsOf(all).map(({ jb }) => jb.reply?.text),
    texts,
  )
  const journal = () => readFileSync(`${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`, 'utf8').trim().split('\n')
  assert.equal(journal().length, 3)
  assert.equal((await join([result(a), failed(b), result(c)])).stdout, all.stdout, 'b is in the cache')
  assert.equal(journal().length, 3, 'joined again, nothing is kept again')
  const none = await jb(
    'call',
    [...args, '--no-cache', '--batch', 'join', `${folder(t, { r: ndjson([failed(a), failed(a)]) })}/r`],
    { stdin: trials(1) },
  )
  assert.equal(rowsOf(none)[0]!.jb.error!.code, 'unavailable')
})

test('results that say the same request again and again: the first hundred are looked at, once', (t) => {
  const path = `${folder(t)}/results.jsonl`
  const id = `jb-${'a'.repeat(40)}`
  writeFileSync(path, `{"custom_id":"${id}"}\n`.repeat(30_000))
  const results = new BatchResults([path])
  assert.equal(results.all(id, 'custom_id').length, 100)
  results.close()
  assert.throws(() => resultFiles('/dev/zero'), /not a regular file/)
})

test('a missing results file and a missing folder of batch files are named in plain words', async (t) => {
  const env = privateEnv(t)
  const missing = join(folder(t), 'none', 'x')
  const joined = await jb('call', ['-m', 'm', '--batch', 'join', missing], { stdin: trials(1), env })
  expect(joined, { code: 66, err: /none\/x: no such file\n/ })
  const emitted = await jb('call', ['-m', 'm', '--batch', 'emit', '--batch-files', missing], {
    stdin: trials(1),
    env,
  })
  expect(emitted, { code: 74, err: /cannot make .*none\/x-001\.jsonl: there is no such folder/ })
})
