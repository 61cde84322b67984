/** jb-call --run-file FILE and --status DIR. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { statusOf } from '../../../src/stages/call/run_status.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, pair } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'

const state = (more: object) =>
  JSON.stringify({
    started: '2026-01-01T00:00:00Z',
    updated: '2026-01-01T00:00:10Z',
    total: 100,
    done: 40,
    failed: 0,
    ...more,
  })

test('a run keeps what it is and how it ended, without keys', async (t) => {
  const place = folder(t)
  const path = join(place, 'a.run.json')
  const { stdout } = fine(await jb('render', ['vanilla'], { stdin: ndjson([pair(), pair()]) }))
  fine(await jb('call', ['-m', 'baseline:longer', '--run-file', path, '-q'], { stdin: stdout }))
  const written = JSON.parse(readFileSync(path, 'utf8'))
  assert.deepEqual([written.done, written.failed, written.total, written.exit_code], [2, 0, 2, 0])
  assert.equal(written.options.model, 'baseline:longer')
  expect(
    await jb('call', ['-m', 'baseline:longer', '--run-file', path, '-q'], { stdin: `${stdout}no row\n` }),
    { code: 65, err: /not valid JSON/ },
  )
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).exit_code, 65)
  const env = { OPENAI_API_KEY: 'sk-secret-key', JB_BASE_URL: 'http://user:sk-secret-key@127.0.0.1:9/v1' }
  const args = ['-m', 'm', '--header', 'X: sk-secret-key', '--retries', '0']
  expect(await jb('call', [...args, '--no-cache', '--run-file', path], { stdin: stdout, env }), {
    code: 69,
    err: /./,
  })
  const text = readFileSync(path, 'utf8')
  assert.equal(JSON.parse(text).exit_code, 69)
  assert.ok(!text.includes('secret'))
  expect(await jb('call', ['-m', 'baseline:longer', '--status', place]), {
    out: /^1 run, 0 done, 0 running, 1 ended \(a\.run\.json: exit 69\): 0 (of 2 )?rows\n$/,
  })
})

test('--status adds up runs that are done, running, ended and silent', (t) => {
  const place = folder(t, {
    'a.run.json': state({ done: 100, exit_code: 0, cost: 1 }),
    'b.run.json': state({ cost: 0.5 }),
    'c.run.json': state({ done: 20, failed: 3, exit_code: 75 }),
    'd.run.json': state({ done: 0, updated: '2025-12-31T23:00:00Z' }),
    'other.json': '{}',
  })
  const now = Date.parse('2026-01-01T00:00:12Z')
  assert.equal(
    statusOf(place, now, []),
    '4 runs, 1 done, 1 running, 1 ended (c.run.json: exit 75), 1 silent (d.run.json: since 2025-12-31T23:00:00Z): ' +
      '160 of 400 rows, 3 failed, 4.0/s, $1.50, 0:15 left\n',
  )
  assert.throws(() => statusOf(join(place, 'nothing'), now, []), /no such folder or file/)
})

test('--status: what is no file of a run is named, and the others are added up', async (t) => {
  const place = folder(t, {
    'a.run.json': state({ done: 100, exit_code: 0 }),
    'b\u001b[2J.run.json': state({ total: 'many' }),
    'c.run.json': state({}).slice(0, 40),
    'd.run.json': 'null',
    'e.run.json': state({ done: 1e300 }).replace('1e+300', '1e999'),
  })
  symlinkSync('f.run.json', join(place, 'f.run.json'))
  spawnSync('mkfifo', [join(place, 'g.run.json')])
  const ran = await jb('call', ['--status', place])
  expect(ran, {
    code: 65,
    out: '1 run, 1 done, 0 running: 100 of 100 rows\n',
    err: /: not written by jb-call --run-file: b\\u001b\[2J\.run\.json, c\.run.*, d\.run.*, e\.run.*, f\.run.*, g\.run\.json\n$/,
  })
})
