/** Files that are written in turn, more than are open at a time. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManyFiles } from '../../src/files/many_files.ts'
import { folder } from '../helpers/folder.ts'

test('each file holds its own lines in order, and nothing of before', (t) => {
  const cwd = folder(t)
  const files = new ManyFiles()
  const path = (i: number) => join(cwd, String(i))
  writeFileSync(path(0), 'before')
  for (const line of ['a', 'b', 'c'])
    for (let i = 0; i < 200; i++) writeSync(files.at(path(i)), `${line}${i} `)
  files.closeAll()
  assert.equal(readdirSync(cwd).length, 200)
  for (const i of [0, 1, 199]) assert.equal(readFileSync(path(i), 'utf8'), `a${i} b${i} c${i} `)
})
