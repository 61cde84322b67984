/** Every command of the users' documents is one of those that the tests run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUTOJUDGE, MT_BENCH, RM_GALLERY } from './_commands.ts'
import { seed, seedSkip } from './_seed.ts'

test('these are all the commands of RM-Gallery’s tutorial', { skip: seedSkip('000') }, () => {
  const commands = seed('000')
    .replaceAll(/\\\n\s+/g, '')
    .match(/^ *python rm_gallery.*$/gm)!
  assert.deepEqual(
    commands.map((line) => line.trim()),
    RM_GALLERY,
  )
})

test('these are all the commands of MT-bench’s rating extraction', { skip: seedSkip('003') }, () => {
  const commands = seed('003')
    .replaceAll(/\\\n\s+/g, '')
    .match(/^python .*$/gm)
  assert.deepEqual(commands, MT_BENCH)
})

test('these are all the commands of TREC AutoJudge’s guide', { skip: seedSkip('004') }, () => {
  assert.deepEqual(seed('004').match(/^\.\/judge\.py .*$/gm), Object.values(AUTOJUDGE))
})
