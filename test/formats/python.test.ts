/** What Python reads for jb-read: a stand-in for it everywhere, and Python itself where there is one. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { expect, jb } from '../helpers/run.ts'
import { folder, lines } from '../trec/_cli.ts'

const hasPython = (() => {
  try {
    execFileSync('python3', ['-S', '-c', 'import sqlite3'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const skip = hasPython ? false : 'python3 is not here: what it prints itself is not compared'

const ASKED = [
  { model: 'm', messages: [{ content: 'Grüße \u2028', role: 'user' }], temperature: 0.0, max_tokens: 16 },
  { model: 'm', messages: [{ content: 'hi', role: 'user' }], extra: { seed: 5 } },
]
const RAW = {
  model: 'm-2',
  choices: [{ message: { content: 'one' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
}
const KEPT = [
  [JSON.stringify(ASKED[0]), 'one', JSON.stringify(RAW)],
  [JSON.stringify(ASKED[1]), 'two', null],
  [null, 'old', null],
]
/** The same requests as rows have them; the last has no reply. */
const ROWS = [...ASKED, { ...ASKED[0]!, max_tokens: 17 }].map(({ model: _, extra, ...request }, i) => ({
  id: i,
  jb: { item: `i${i}`, trial: { n: 0, of: 1 }, request: { ...request, ...extra } },
}))

/** A folder with `python`, which prints these lines whatever it is asked. */
function standIn(printed: readonly unknown[], code = 0): string {
  const cwd = folder({ lines: printed as object[], 'minima_llm.db': '', 'rows.ndjson': ROWS })
  writeFileSync(join(cwd, 'python'), `#!/bin/sh\ncat '${cwd}/lines'\necho 'it says why' >&2\nexit ${code}\n`)
  chmodSync(join(cwd, 'python'), 0o755)
  return cwd
}

describe('jb-read minima-llm', () => {
  it('gives lines of a cache, from which the same requests are answered without a network', async () => {
    const cwd = standIn(KEPT)
    const read = await jb('read', ['minima-llm', 'minima_llm.db', '--python', './python'], { cwd })
    expect(read, { err: /1 replies without their request are left out/ })
    assert.deepEqual(
      lines(read.stdout).map(({ model, endpoint, reply }) => [model, endpoint, reply]),
      [
        ['m', '', { text: 'one', finish_reason: 'stop', model: 'm', served_model: 'm-2', usage: RAW.usage }],
        ['m', '', { text: 'two', finish_reason: null, model: 'm' }],
      ],
    )
    writeFileSync(join(cwd, 'kept.ndjson'), read.stdout)
    const call = ['-m', 'm', '--cache', 'own.ndjson', '--cache', 'kept.ndjson', 'rows.ndjson']
    const env = { OPENAI_BASE_URL: 'EMPTY', JB_REFUSED_FOR: '0', JB_MAX_ERROR_RATE: '1' }
    const called = await jb('call', call, { cwd, env })
    // The third is not called: its host does not exist.
    assert.deepEqual(
      lines(called.stdout).map(({ jb }) => jb.reply?.text ?? jb.error.code),
      ['one', 'two'],
      called.stderr,
    )
  })
  it('reads the file that minima-llm writes, and says what is no such file', { skip }, async () => {
    const cwd = folder({ 'rows.ndjson': ROWS })
    const make = `import json, sqlite3, sys
database = sqlite3.connect("minima_llm.db")
database.execute("CREATE TABLE cache (key TEXT PRIMARY KEY, response_text TEXT NOT NULL, response_raw TEXT, created_at REAL NOT NULL, model TEXT, canonical TEXT)")
for i, (asked, text, raw) in enumerate(json.loads(sys.argv[1])):
    database.execute("INSERT INTO cache VALUES (?, ?, ?, ?, ?, ?)", (str(i), text, raw, i, "m", asked))
database.commit()`
    execFileSync('python3', ['-S', '-c', make, JSON.stringify(KEPT)], { cwd })
    const read = await jb('read', ['minima-llm', 'minima_llm.db'], { cwd })
    assert.deepEqual(
      lines(read.stdout).map(({ reply }) => reply.text),
      ['one', 'two'],
      read.stderr,
    )
    expect(await jb('read', ['minima-llm', 'rows.ndjson'], { cwd }), {
      code: 78,
      err: /rows\.ndjson: file is not a database/,
    })
  })
  it('a reply that is damaged is a bad row, as --bad-rows says', async () => {
    const bad = [
      ['not json', 'x', null],
      ['null', 'x', null],
      ['{}', 'x', 'null'],
      ['{}', 'x', 'nope'],
      ['{"messages":[]}', 'no model', null],
      ['{"model":"m"}', null, null],
      ['{"model":"m"}', [111, 107], null],
    ]
    const cwd = standIn([...bad, ...KEPT])
    const by = ['minima-llm', 'minima_llm.db', '--python', './python']
    expect(await jb('read', by, { cwd }), { code: 65, err: /minima_llm\.db:1: no reply of minima-llm: / })
    const read = await jb('read', [...by, '--bad-rows', 'skip'], { cwd })
    assert.deepEqual(
      lines(read.stdout).map(({ reply }) => reply.text),
      ['one', 'two'],
      read.stderr,
    )
  })
  it('a Python that is not there or fails, and no file', async () => {
    const cwd = standIn([], 1)
    const by = (python: string, ...more: string[]) =>
      jb('read', ['minima-llm', ...more, '--python', python], { cwd })
    expect(await by('./nowhere', 'minima_llm.db'), { code: 78, err: /nowhere cannot be started: .*ENOENT/ })
    expect(await by('./python', 'minima_llm.db'), { code: 78, err: /it says why/ })
    expect(await by('./python'), { code: 2, err: /minima-llm needs FILE/ })
  })
})
