/** Outputs that appear when they are complete. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openOutput } from '../../src/files/files.ts'
import { PartFile } from '../../src/files/part_file.ts'
import { folder } from '../helpers/folder.ts'

/** Writes a file as -o does. */
async function written(path: string): Promise<void> {
  const { stream, close } = openOutput(path, process.stdout)
  stream.write('new')
  await close(() => true)
}

test('a part is a new file whose name nobody knows before, and -o keeps the mode of what it replaces', async (t) => {
  const cwd = folder(t, { out: 'old', elsewhere: 'kept' })
  chmodSync(join(cwd, 'out'), 0o640)
  // The name of earlier versions.
  symlinkSync('elsewhere', join(cwd, `out.${process.pid}.part`))
  await written(join(cwd, 'out'))
  assert.equal(readFileSync(join(cwd, 'out'), 'utf8'), 'new')
  assert.equal(statSync(join(cwd, 'out')).mode & 0o777, 0o640)
  assert.equal(readFileSync(join(cwd, 'elsewhere'), 'utf8'), 'kept')
  const [one, two] = [new PartFile(join(cwd, 'x')), new PartFile(join(cwd, 'x'))]
  assert.equal(readdirSync(cwd).filter((name) => /^x\..*\.part$/.test(name)).length, 2)
  one.close()
  two.close()
})

test('the next run of an output removes what killed runs have left, and no other file', async (t) => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  const host = hostname()
    .replace(/[^\w-]/g, '_')
    .slice(0, 40)
  const random = '0123456789abcdef'
  const stray = `out.${host}-${dead}-${random}.part`
  const others = [
    `out.${host}-${process.pid}-${random}.part`,
    `out.another-${dead}-${random}.part`,
    `out.json.${host}-${dead}-${random}.part`,
    'out.part',
  ]
  const cwd = folder(t, Object.fromEntries([stray, ...others].map((name) => [name, ''])))
  await written(join(cwd, 'out'))
  assert.ok(!existsSync(join(cwd, stray)))
  assert.deepEqual(readdirSync(cwd).sort(), ['out', ...others].sort())
})

test('a file with the longest name there can be', async (t) => {
  const cwd = folder(t)
  const path = join(cwd, '文'.repeat(85))
  writeFileSync(path, '')
  await written(path)
  assert.equal(readFileSync(path, 'utf8'), 'new')
})
