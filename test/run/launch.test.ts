/** The commands in bin/ start with the code V8 compiled before, and without it where there is none to be had. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair } from '../helpers/rows.ts'
import { fine, jb, jbProcess, ROOT } from '../helpers/run.ts'

const ROW = '{"jb":{"reply":{"text":"[[A>B]]"}}}\n'
const run = async (XDG_CACHE_HOME: string, env: Record<string, string> = {}) => {
  const ran = fine(
    await jbProcess('parse', ['--judge', 'arena_hard'], { stdin: ROW, env: { XDG_CACHE_HOME, ...env } }),
  )
  assert.match(ran.stdout, /"decision":"A>B"/)
}

test('what was compiled is kept, and taken by the next run', async (t) => {
  const home = folder(t)
  await run(home)
  const code = `${home}/jb/code/run`
  const files = readdirSync(code)
  assert.ok(files.includes('jb-parse.cjs') && files.includes('yargs_helpers.cjs'), files.join())
  assert.equal(statSync(code).mode & 0o777, 0o700)
  const times = () => files.map((file) => statSync(`${code}/${file}`).mtimeMs)
  const before = times()
  await run(home)
  assert.deepEqual(times(), before)
  assert.deepEqual(readdirSync(code), files)
})

test('kept code that is damaged, cut short or of another file is compiled anew', async (t) => {
  const home = folder(t)
  await run(home)
  const file = `${home}/jb/code/run/jb-parse.cjs`
  const good = readFileSync(file)
  const other = Buffer.from(good.toString('latin1').replace(/^\S+ /, 'v1.2.3 '), 'latin1')
  const flipped = Buffer.from(good)
  flipped[good.length - 50]! ^= 0xff
  for (const bad of [flipped, other, good.subarray(0, good.length - 9), Buffer.alloc(0)]) {
    writeFileSync(file, bad)
    await run(home)
    assert.notDeepEqual(readFileSync(file), bad)
  }
})

test('nothing is kept where it was not asked for, or cannot be', async (t) => {
  const home = folder(t)
  await run(home, { NODE_DISABLE_COMPILE_CACHE: '1' })
  await run(home, { NODE_OPTIONS: '--max-old-space-size=500' })
  assert.equal(existsSync(`${home}/jb`), false)
  writeFileSync(`${home}/file`, '')
  await run(`${home}/file`)
  chmodSync(home, 0o500)
  await run(home)
  chmodSync(home, 0o700)
})

test('a relative XDG_CACHE_HOME is ignored, as its specification says', async (t) => {
  const HOME = folder(t)
  const env = { XDG_CACHE_HOME: 'rel', HOME }
  const call = ['-q', '-m', 'baseline:first']
  const rows = fine(
    await jbProcess('render', ['vanilla'], { cwd: HOME, env, stdin: ndjson([pair()]) }),
  ).stdout
  fine(await jbProcess('call', call, { cwd: HOME, env, stdin: rows }))
  assert.deepEqual(readdirSync(HOME), ['.cache'])
})

test('templates stand in the bundles that look at prompts, and in no other: each start reads its bundle whole', () => {
  const bundles = readdirSync(`${ROOT}dist`).filter((file) => /^jb-.*\.cjs$/.test(file))
  const looking = bundles.filter((file) =>
    /\bExpressionParser\b/.test(readFileSync(`${ROOT}dist/${file}`, 'utf8')),
  )
  assert.equal(bundles.length, readdirSync(`${ROOT}src/stages`).length)
  // A workflow's settings that no prompt uses are refused.
  assert.deepEqual(looking, ['jb-render.cjs', 'jb-workflow.cjs'])
})

test('kept code that others could have written is left alone', async (t) => {
  const home = folder(t)
  await run(home)
  const code = `${home}/jb/code/run`
  const file = `${code}/jb-parse.cjs`
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const good = readFileSync(file)
  for (const [folderMode, fileMode] of [
    [0o700, 0o666],
    [0o777, 0o600],
  ] as const) {
    writeFileSync(file, good)
    chmodSync(file, fileMode)
    chmodSync(code, folderMode)
    const before = statSync(file)
    await run(home)
    // Compiled again: written again where only the file is open to others, not at all where the folder is.
    assert.equal(statSync(file).ino === before.ino, folderMode === 0o777)
    chmodSync(code, 0o700)
  }
})

test('help and version come from what the build wrote down, and compile nothing that is kept', async (t) => {
  const XDG_CACHE_HOME = folder(t)
  for (const filter of ['aggregate', 'workflow'])
    for (const args of [['--help-all', '--nonsense'], ['x', '-h'], ['--version']]) {
      const { stdout } = fine(await jbProcess(filter, args, { env: { XDG_CACHE_HOME } }))
      assert.equal(stdout, fine(await jb(filter, args)).stdout)
    }
  assert.deepEqual(readdirSync(XDG_CACHE_HOME), [])
})
