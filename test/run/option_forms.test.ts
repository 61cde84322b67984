/** Options in every form POSIX and GNU know, from the environment, in any locale. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { parseArguments } from '../../src/run/arguments.ts'
import { folder } from '../helpers/folder.ts'
import { game, ndjson, pair, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'
import { refused, spec } from './_options.ts'

const GAMES = ndjson([0, 1].map((n) => game('a', n, 2, 'A>B', { part: 'x', other: 'y' })))

const by = async (args: string[], env = {}) =>
  Object.keys(JSON.parse(fine(await jb('aggregate', args, { stdin: GAMES, env })).stdout).by ?? {})

test('options in every form POSIX and GNU know', async (t) => {
  const path = folder(t, { 'g.ndjson': GAMES, '-dash.ndjson': GAMES, '7': GAMES })
  const same: string[][] = [
    ['--by', 'part', '--by', 'other'],
    ['--by=part', '--by=other'],
    ['--by', 'part', 'g.ndjson', '--by', 'other'],
    ['g.ndjson', '--by', 'part', '--by', 'other'],
    ['--by', 'part', '--by', 'other', '--', 'g.ndjson'],
    ['--by', 'part', '--by', 'other', '-q', '--', '-dash.ndjson'],
    ['--by', 'part', '--by', 'other', '7'],
    ['-qv', '--by', 'part', '--by', 'other', '-'],
  ]
  for (const args of same) {
    const ran = fine(await jb('aggregate', args, { stdin: GAMES, cwd: path }))
    const report = JSON.parse(ran.stdout)
    assert.equal(report.items, 1, args.join(' '))
    assert.deepEqual(Object.keys(report.by), ['part', 'other'], args.join(' '))
  }
  // -oFILE, -qoFILE, -o=FILE, -o FILE
  for (const args of [['-oout'], ['-qoout'], ['-o=out'], ['-o', 'out'], ['-q', '-vo', 'out']]) {
    fine(await jb('aggregate', args, { stdin: GAMES, cwd: path }))
    assert.equal(JSON.parse(readFileSync(`${path}/out`, 'utf8')).items, 1)
    rmSync(`${path}/out`)
  }
  for (const args of [
    ['-o', '-'],
    ['--output', '-'],
    ['--output=-', '-'],
  ])
    assert.equal(JSON.parse(fine(await jb('aggregate', args, { stdin: GAMES })).stdout).items, 1)
  // The last of two wins where there is only one.
  const last = fine(await jb('aggregate', ['--format', 'csv', '--format', 'json'], { stdin: GAMES }))
  assert.equal(JSON.parse(last.stdout).items, 1)
  // A value that begins with a dash.
  const ran = fine(
    await jb('render', ['vanilla', '--seed=-1', '--set', 'question=-1', '--name=-n'], {
      stdin: ndjson([pair()]),
    }),
  )
  assert.equal(rowOf(ran).jb.name, '-n')
})

test('JB_LONG_NAME sets every option; the command line wins; an empty one is not set', async () => {
  assert.deepEqual(await by([], { JB_BY: 'part' }), ['part'])
  assert.deepEqual(await by(['--by', 'other'], { JB_BY: 'part' }), ['other'])
  assert.deepEqual(await by([], { JB_BY: '' }), [])
  const csv = fine(await jb('aggregate', [], { stdin: GAMES, env: { JB_FORMAT: 'csv' } }))
  assert.match(csv.stdout, /^judge,/)
  const stdin = `nope\n${ndjson([replied('vanilla', 'Output (a)')])}`
  const env = { JB_BAD_ROWS: 'skip', JB_QUIET: '1' }
  assert.equal(rowsOf(expect(await jb('parse', [], { stdin, env }), { err: '' })).length, 1)
  assert.match(await refused('parse', [], { JB_BAD_ROWS: 'often' }), /^JB_BAD_ROWS: one of/)
  assert.match(await refused('parse', [], { JB_STRICT: 'maybe' }), /^JB_STRICT: expected true or false/)
  assert.match(await refused('aggregate', [], { JB_CI: 'x' }), /^JB_CI: expected a number/)
  const { options } = await parseArguments(await spec('parse'), [], { JB_STRICT: 'false', JB_PICK: 'first' })
  assert.deepEqual([options.strict, options.pick], [false, 'first'])
})

test('a switch may be given a value, in the words the environment knows', async () => {
  for (const words of ['true', '1', 'yes', 'on', 'Yes', 'false', '0', 'no', 'off', 'OFF']) {
    const on = /^(true|1|yes|on)$/i.test(words)
    for (const args of [[`--strict=${words}`], ['--strict', `--strict=${words}`]]) {
      const { options } = await parseArguments(await spec('parse'), args, {})
      assert.equal(options.strict, on, args.join(' '))
    }
    const { options } = await parseArguments(await spec('parse'), [`-vq=${words}`, '--text=--strict=no'], {})
    assert.deepEqual([options.verbose, options.quiet, options.text], [true, on, '--strict=no'])
  }
  const { operands } = await parseArguments(await spec('score'), ['-', '--', '--strict=1', '-1'], {})
  assert.deepEqual(operands, ['-', '--strict=1', '-1'])
})

test('help and the version are given however they are asked for', async () => {
  const help = fine(await jb('parse', ['--help'])).stdout
  const version = fine(await jb('parse', ['--version'])).stdout
  for (const args of [['-h'], ['-qh'], ['-hq'], ['--help=true'], ['--help=1', 'no-such-file']])
    expect(await jb('parse', args), { out: help, err: '' })
  expect(await jb('parse', [], { env: { JB_HELP: '1' } }), { out: help, err: '' })
  expect(await jb('parse', ['--version=yes']), { out: version, err: '' })
  expect(await jb('parse', ['--help=no', '--version=no'], { stdin: '' }), { out: '', err: '' })
})

test('the environment makes no filter end at once: --list, --show and --topics are for a command line', async () => {
  const env = { JB_LIST: '1', JB_SHOW: 'true', JB_TOPICS: 'no/such/file', JB_CACHE_CLEAR: '1' }
  const read = fine(await jb('read', ['csv'], { stdin: 'a,b\n1,2\n', env }))
  assert.equal(read.stdout, '{"a":"1","b":"2"}\n')
  const rows = rowsOf(fine(await jb('render', ['vanilla'], { stdin: ndjson([pair()]), env })))
  assert.equal(rows[0]!.jb.judge, 'vanilla')
  assert.match(fine(await jb('render', ['--list'])).stdout, /^arena_hard /m)
  // Where the options name what is read, they may all come from there.
  expect(await jb('read', ['autojudge'], { env }), { code: 66, err: /no\/such\/file: no such file/ })
  expect(await jb('read', ['autojudge']), { code: 2, err: 'jb-read: autojudge needs --topics FILE\n' })
})

test('numbers, sorting and messages do not depend on the locale', async () => {
  const env = { LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8', TZ: 'Asia/Kathmandu' }
  for (const args of [['--format', 'table'], ['--format', 'csv'], []])
    assert.equal(
      fine(await jb('aggregate', args, { stdin: GAMES, env })).stdout,
      fine(await jb('aggregate', args, { stdin: GAMES, env: { LC_ALL: 'C', TZ: 'UTC' } })).stdout,
    )
})

test('a variable that leaves rows out is said, as it may be forgotten', async () => {
  const stdin = ['1', '2']
    .map((id) => `{"id":"${id}","question":"q","response_A":"x","response_B":"y"}\n`)
    .join('')
  const ran = await jb('render', ['vanilla'], { stdin, env: { JB_LIMIT: '1' } })
  assert.equal(ran.stdout.split('\n').length, 2)
  assert.match(ran.stderr, /JB_LIMIT=1 in the environment leaves rows out/)
  assert.equal((await jb('render', ['vanilla', '--limit', '1'], { stdin })).stderr.includes('leaves'), false)
})
