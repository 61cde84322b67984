/** A rebuild under commands that are in use. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { folder } from './helpers/folder.ts'
import { ROOT } from './helpers/run.ts'

const run = promisify(execFile)

test('while a build that brings another package runs, no command fails', async (t) => {
  const cwd = folder(t)
  for (const name of [
    'src',
    'bin',
    'scripts',
    'docs',
    'dist',
    'build.js',
    'package.json',
    'tsconfig.json',
    'tsconfig.lib.json',
  ])
    cpSync(`${ROOT}${name}`, `${cwd}/${name}`, { recursive: true })
  symlinkSync(`${ROOT}node_modules`, `${cwd}/node_modules`)
  assert.ok(!existsSync(`${cwd}/dist/vendor/minimist.cjs`))
  appendFileSync(`${cwd}/src/stages/parse/parse.ts`, "\nimport 'minimist'\n")
  let building = true
  const built = run(process.execPath, ['build.js'], { cwd }).finally(() => {
    building = false
  })
  const failed: string[] = []
  let runs = 0
  const used = async (args: string[]) => {
    while (building) {
      runs++
      await run(process.execPath, args, { cwd }).catch(({ stderr }) => failed.push(stderr))
    }
  }
  await Promise.all([
    built,
    used([`bin/jb-parse`, '--judge', 'arena_hard', '--text', 'reply', '/dev/null']),
    used(['bin/jb-parse', '--help']),
  ])
  assert.ok(runs >= 10, `${runs} runs`)
  assert.deepEqual(failed, [])
  assert.ok(existsSync(`${cwd}/dist/vendor/minimist.cjs`))
  assert.deepEqual(
    readdirSync(cwd).filter((name) => name.startsWith('dist')),
    ['dist'],
  )
})
