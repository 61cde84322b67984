/** jb-read example: the pairs that come with the package. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fine, jb, ROOT } from '../../helpers/run.ts'

test('jb-read example gives the pairs of the package, byte for byte and without a file', async () => {
  const { stdout } = fine(await jb('read', ['example']))
  assert.equal(stdout, readFileSync(join(ROOT, 'fixtures/pairs.jsonl'), 'utf8'))
})
