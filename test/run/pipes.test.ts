/** What happens at the ends of a pipe: closed early, slow, full, a terminal. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowsOf } from '../helpers/rows.ts'
import { cleanEnv, expect, fine, jb, pipefail, Started, sh } from '../helpers/run.ts'

const ROW = `${JSON.stringify({ id: 1, ...replied('vanilla', 'Output (a)') })}\n`

const BOLD = new RegExp(`${'\u001b'}\\[1mvanilla · m`)

/** More than a pipe holds. */
const MANY = ROW.repeat(700)

test('output that would be appended to its own input is refused: it would be read again, without end', async (t) => {
  const path = folder(t, { 'rows.ndjson': ROW })
  const ran = await sh('timeout 20 jb-parse rows.ndjson >> rows.ndjson', { cwd: path })
  expect(ran, { code: 2, err: /^jb-parse: rows.ndjson: the input is the output as well/ })
  assert.equal(readFileSync(`${path}/rows.ndjson`, 'utf8'), ROW)
})

test('-o that names an input is refused, or the rows would be lost; states are added up in place', async (t) => {
  const path = folder(t, { 'rows.ndjson': ROW })
  for (const line of ['jb-aggregate rows.ndjson -o rows.ndjson', 'jb-view -o ./rows.ndjson < rows.ndjson'])
    expect(await sh(line, { cwd: path }), { code: 2, err: /the input is the output as well/ })
  assert.equal(readFileSync(`${path}/rows.ndjson`, 'utf8'), ROW)
  const add =
    'jb-parse rows.ndjson | jb-aggregate --partial -o a.state; jb-aggregate --merge --partial a.state -o a.state'
  fine(await sh(add, { cwd: path }))
})

test('a reader that leaves early ends the pipe quietly', async (t) => {
  const path = folder(t, { 'many.ndjson': MANY })
  const ran = fine(await sh('cat many.ndjson | jb-parse | jb-parse | head -n 1', { cwd: path }))
  assert.equal(rowsOf(ran).length, 1)
  expect(await pipefail('jb-parse many.ndjson | head -1 > /dev/null', { cwd: path }), { err: '' })
  expect(await sh('jb-parse many.ndjson | true', { cwd: path }), { out: '', err: '' })
})

test('a writer without end is stopped by a reader that leaves', async () => {
  const ran = fine(await sh(`yes '${ROW.trim()}' | jb-parse | head -2`))
  assert.equal(rowsOf(ran).length, 2)
})

test('a slow reader of a pipe gets every byte', async (t) => {
  const path = folder(t, { 'many.ndjson': MANY })
  const slowly = fine(await sh('jb-parse many.ndjson | (sleep 0.5; cat)', { cwd: path }))
  assert.equal(rowsOf(slowly).length, 700)
  assert.ok(slowly.stdout === fine(await jb('parse', ['many.ndjson'], { cwd: path })).stdout)
})

test('a reader sees the end of the rows before the process is gone', async (t) => {
  // The process goes when the reader has seen the end; if it has not after ten seconds, with another code.
  const path = folder(t, {
    'late.cjs': `process.on('exit', () => {
      for (let i = 0; i < 500 && !require('node:fs').existsSync('seen'); i++)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      if (!require('node:fs').existsSync('seen')) process.exitCode = 9
    })`,
    'one.ndjson': ROW,
  })
  const command = 'jb-parse one.ndjson | (cat; touch seen)'
  const ran = await pipefail(command, { cwd: path, env: { NODE_OPTIONS: '--require=./late.cjs' } })
  assert.equal(rowsOf(fine(ran)).length, 1)
})

test('stdin that is closed from the start is empty input', async () => {
  expect(await sh('jb-parse <&-'), { out: '', err: '' })
})

test('a slow writer: rows leave without waiting for more', async (t) => {
  const run = new Started(t, 'parse')
  run.child.stdin.write(ROW)
  await run.lines(1)
  run.child.stdin.end(ROW)
  assert.equal(rowsOf(fine(await run.done)).length, 2)
})

test('a full disk is a write error: exit 74, one line, no stack trace', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('NOT RUN: there is no /dev/full')
  const path = folder(t, { 'one.ndjson': ROW, 'many.ndjson': MANY })
  for (const command of [
    'jb-parse one.ndjson > /dev/full',
    'jb-parse many.ndjson > /dev/full',
    'jb-aggregate one.ndjson > /dev/full',
    'jb-parse --help > /dev/full',
    'jb-read --list > /dev/full',
  ]) {
    const ran = await sh(command, { cwd: path })
    expect(ran, { code: 74, err: /^jb-\w+: write error: no space left on device$/m })
    assert.doesNotMatch(ran.stderr, /^ +at /m, 'a stack trace')
  }
})

test('a file that takes a part of the last write is a write error too', async (t) => {
  const long = ndjson([replied('vanilla', `Output (a) ${'x'.repeat(3000)}`)])
  const path = folder(t, { 'one.ndjson': long, 'games.ndjson': ndjson([pair(), pair()]) })
  const env = { NODE_DISABLE_COMPILE_CACHE: '1' }
  for (const command of [
    'jb-parse one.ndjson > out',
    'jb-parse < one.ndjson > out',
    'jb-render vanilla --order both games.ndjson > out',
    'jb-parse --help > out',
    'jb-render --show arena_hard > out',
  ]) {
    // In blocks of 1024 bytes.
    const ran = await sh(`bash -c 'ulimit -f 2; ${command}'`, { cwd: path, env })
    expect(ran, { code: 74, err: /^jb-\w+: write error: file too large$/m })
    assert.equal(statSync(`${path}/out`).size, 2048, command)
  }
})

test('rows that come slowly: a reader that leaves and a full disk end the filter', async () => {
  const slow = `while :; do printf '%s\\n' '${ROW.trim()}' || exit; sleep 0.1; done`
  const begun = Date.now()
  fine(await sh(`timeout 20 sh -c "$SLOW" | jb-parse | head -1`, { env: { SLOW: slow } }))
  if (existsSync('/dev/full')) {
    const err = 'jb-parse: write error: no space left on device\n'
    expect(await sh(`timeout 20 sh -c "$SLOW" | jb-parse > /dev/full`, { env: { SLOW: slow } }), {
      code: 74,
      err,
    })
  }
  assert.ok(Date.now() - begun < 15_000, 'it waits for the end of its input')
})

test('help that nobody reads, and messages that cannot be written, leave no stack trace', async () => {
  expect(await pipefail('jb-parse --help | true'), { err: '' })
  expect(await pipefail('for i in 1 2; do jb-parse --help; done | head -1 >/dev/null'), { err: '' })
  expect(await sh('jb-parse --version >&-'), { code: 0, err: '' })
  if (existsSync('/dev/full')) {
    const ran = expect(await sh('jb-parse 2> /dev/full', { stdin: `{"a":1}\n${ROW}nope\n` }), { code: 65 })
    assert.equal(rowsOf(ran).length, 2)
  }
  expect(await sh('jb-parse 2>&-', { stdin: ROW }), { code: 0 })
})

test('-o FILE is written whole or not at all', async (t) => {
  const judged = {
    id: 1,
    jb: { judge: 'vanilla', item: '1', trial: { n: 0, of: 1 }, verdict: { label: 'a', decision: 'A>B' } },
  }
  const row = `${JSON.stringify(judged)}\n`
  const path = folder(t, { 'one.ndjson': row, 'bad.ndjson': `${row}nope\n`, 'kept.json': 'before' })
  const files = () => readdirSync(path).sort()
  fine(await jb('aggregate', ['-o', 'report.json', 'one.ndjson'], { cwd: path }))
  assert.deepEqual(files(), ['bad.ndjson', 'kept.json', 'one.ndjson', 'report.json'])
  assert.equal(JSON.parse(readFileSync(`${path}/report.json`, 'utf8')).items, 1)

  for (const target of ['report2.json', 'kept.json'])
    expect(await jb('aggregate', ['-o', target, 'bad.ndjson'], { cwd: path }), { code: 65, out: '' })
  assert.deepEqual(files(), ['bad.ndjson', 'kept.json', 'one.ndjson', 'report.json'])
  assert.equal(readFileSync(`${path}/kept.json`, 'utf8'), 'before')

  // A gate that is missed is a whole report all the same.
  expect(await jb('aggregate', ['-o', 'gate.json', '--fail-under', '2', 'one.ndjson'], { cwd: path }), {
    code: 1,
  })
  assert.ok(existsSync(`${path}/gate.json`))

  const dash = fine(await jb('aggregate', ['-o', '-', 'one.ndjson'], { cwd: path }))
  assert.equal(JSON.parse(dash.stdout).items, 1)
})

/** Runs a command with a terminal for stdin and stdout; undefined, and the test skipped, where nothing here can. */
async function onTerminal(t: TestContext, command: string): Promise<string | undefined> {
  const { error, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
  if (error || !/util-linux/.test(stdout)) {
    t.skip('NOT RUN: script(1) of util-linux is not there to make a terminal')
    return undefined
  }
  // Its own stdin stays open: an end there would close the terminal.
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...cleanEnv(), TERM: 'xterm' } })
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  await new Promise((resolve) => child.on('close', resolve))
  child.stdin.destroy()
  return text.replaceAll('\r\n', '\n')
}

test('stdin a terminal and no file: short help, exit 2', async (t) => {
  const text = await onTerminal(t, 'jb-parse; echo "code $?"')
  if (text === undefined) return
  assert.match(
    text,
    /^jb-parse: reads the verdict in each reply\nusage: jb-parse \[options\] \[FILE…\]\nexample: .*\n.*--help.*\n/,
  )
  assert.match(text, /code 2\n$/)
})

test('on a terminal a report is a table, with colours unless they are not wanted', async (t) => {
  const path = folder(t, { 'rows.ndjson': fine(await jb('parse', [], { stdin: ROW })).stdout })
  const rows = `cat '${path}/rows.ndjson' |`
  const text = await onTerminal(t, `${rows} jb-aggregate`)
  if (text === undefined) return
  assert.match(text, BOLD)
  for (const plain of ['jb-aggregate --color never', 'NO_COLOR=1 jb-aggregate', 'TERM=dumb jb-aggregate']) {
    const text = await onTerminal(t, `${rows} ${plain}`)
    assert.match(text!, /^vanilla · m/m, plain)
    assert.ok(!text!.includes('\u001b['), plain)
  }
})

test('-o FILE leaves nothing beside it where it cannot be written', async (t) => {
  const path = folder(t, { 'one.ndjson': ROW })
  // A limit on the size of files, in blocks of 512 bytes.
  const ran = await sh('trap "" XFSZ; ulimit -f 0; jb-aggregate -o report.json one.ndjson', {
    cwd: path,
    env: { NODE_DISABLE_COMPILE_CACHE: '1' },
  })
  expect(ran, { code: 74, err: /write error: file too large/ })
  assert.deepEqual(readdirSync(path), ['one.ndjson'])
})

test('what writes to the same pipe behind a filter finds it blocking, as it was', async (t) => {
  const path = folder(t, { 'one.ndjson': ROW })
  const command = '{ jb-parse one.ndjson; head -c 300000 /dev/zero; } | (sleep 0.5; cat)'
  const ran = fine(await sh(command, { cwd: path }))
  assert.match(ran.stdout, /^[^\0]*\n\0{300000}$/)
})
