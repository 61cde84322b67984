/** The pictures of the documentation can be made. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { folder } from './helpers/folder.ts'
import { ROOT } from './helpers/run.ts'
import { skip } from './stages/view/_browser.ts'

test('the gallery has the pictures that the documentation shows', { skip }, async (t) => {
  const made = folder(t)
  await promisify(execFile)(process.execPath, ['--import', 'tsx', `${ROOT}scripts/gallery.ts`, made], {
    cwd: ROOT,
  })
  for (const name of ['conversation', 'item', 'label', 'overview', 'sequence'])
    assert.ok(readdirSync(made).includes(`${name}.png`), name)
})
