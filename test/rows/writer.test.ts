/** Where output goes: blocks of rows into a stream, and `-o FILE`, whatever stands there. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { Output } from '../../src/rows/writer.ts'
import { folder } from '../helpers/folder.ts'
import { game, ndjson } from '../helpers/rows.ts'
import { expect, fine, has, jb, pipefail } from '../helpers/run.ts'

const GAMES = ndjson([0, 1].map((n) => game('a', n, 2, 'A>B')))
const into = (cwd: string, path: string) => jb('aggregate', ['-o', path], { stdin: GAMES, cwd })
const itemsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')).items

test('-o writes into a device and leaves it one', async (t) => {
  const cwd = folder(t)
  try {
    execFileSync('mknod', [join(cwd, 'null'), 'c', '1', '3'], { stdio: 'ignore' })
    writeFileSync(join(cwd, 'null'), '')
  } catch {
    return t.skip('NOT RUN: no device can be made here')
  }
  fine(await into(cwd, 'null'))
  assert.ok(lstatSync(join(cwd, 'null')).isCharacterDevice())
  assert.deepEqual(readdirSync(cwd), ['null'])
})

test('-o writes into pipes, named or of the shell, and to /dev/stdout', async (t) => {
  if (!has('jq')) return t.skip('NOT RUN: jq is not there')
  const cwd = folder(t, { games: GAMES })
  for (const command of [
    'mkfifo f; { jq .items f > got & } ; jb-aggregate -o f games; wait; cat got; test -p f',
    'jb-aggregate -o >(jq .items > got) games; while ! [ -s got ]; do sleep 0.1; done; cat got',
    'jb-aggregate -o /dev/stdout games | jq .items',
    'jb-aggregate -o /dev/fd/3 games 3>&1 >/dev/null | jq .items',
  ])
    expect(await pipefail(`rm -f got; ${command}`, { cwd }), { out: '1\n', err: '' })
})

test('-o follows a symbolic link, also to a file that is not there yet', async (t) => {
  const cwd = folder(t, { 'there/old': 'old' })
  symlinkSync('there/old', join(cwd, 'link'))
  symlinkSync('link', join(cwd, 'second'))
  symlinkSync('there/new', join(cwd, 'dangling'))
  fine(await into(cwd, 'second'))
  fine(await into(cwd, 'dangling'))
  assert.equal(readlinkSync(join(cwd, 'second')), 'link')
  assert.equal(readlinkSync(join(cwd, 'dangling')), 'there/new')
  assert.deepEqual(
    ['old', 'new'].map((name) => itemsIn(join(cwd, 'there', name))),
    [1, 1],
  )
  assert.deepEqual(readdirSync(join(cwd, 'there')).sort(), ['new', 'old'])
})

test('-o makes the folder it names; what cannot be written to is told with its name', async (t) => {
  const cwd = folder(t, { file: '' })
  fine(await into(cwd, 'a/b/report.json'))
  assert.equal(itemsIn(join(cwd, 'a/b/report.json')), 1)
  mkdirSync(join(cwd, 'folder'))
  symlinkSync('loop', join(cwd, 'loop'))
  for (const [path, why] of [
    ['folder', 'is a directory'],
    ['file/report.json', '.*(not a directory|exist)'],
    ['loop', '.*too many symbolic links'],
  ])
    expect(await into(cwd, path!), {
      code: 74,
      out: '',
      err: new RegExp(`^jb-aggregate: cannot write ${path}: ${why}.*\n$`, 'i'),
    })
})

test('a stream may call back at once, and the rows after it are written', async () => {
  let written = ''
  const target = new Writable()
  target.write = (bytes: Buffer, then: unknown) => {
    written += bytes
    ;(then as () => void)()
    return true
  }
  const output = new Output({ stream: target }, assert.fail)
  for (const text of ['a', 'b', 'c']) {
    output.text(text)
    await output.flush()
  }
  await output.end()
  assert.equal(written, 'abc')
})
