/** The floor on JudgeBench’s pairs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedData } from '../helpers/folder.ts'
import { expect, pipe } from '../helpers/run.ts'

test('the floor on JudgeBench’s real pairs', async (t) => {
  const path = sharedData(t, 'judgebench/pairs-gpt-4o.jsonl')
  if (!path) return
  const ran = await pipe(
    `jb-render arena_hard --order both --limit 100 '${path}' | jb-call -q -m baseline:longer | jb-parse | jb-aggregate --format json`,
  )
  const { items, valid, games, same_slot } = JSON.parse(expect(ran, {}).stdout)
  assert.deepEqual([items, valid, games, same_slot], [100, 100, 200, 0])
  assert.doesNotMatch(ran.stderr, /failed/)
})
