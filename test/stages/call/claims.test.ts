/** How processes that share a cache see each other; what that is for is in crash.test.ts. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Claims } from '../../../src/stages/call/cache/claims.ts'
import { folder } from '../../helpers/folder.ts'

test('a process that is alone looks for others now and then, one that is not at each claim', (t) => {
  const journal = `${folder(t)}/replies.ndjson`
  const claims = new Claims(journal, 60_000)
  t.after(() => claims.close())
  // Whoever came in the same moment is looked for again, so each look counts.
  const looks = () => {
    claims.take('a request')
    return claims.changes
  }
  assert.equal(looks(), 1)
  assert.equal(looks(), 1)
  assert.ok(claims.alone)
  claims.close()
  const place = `${journal}.busy`
  looks()
  const own = readdirSync(place)[0]!
  writeFileSync(`${place}/${own.replace(/\d+$/, String(process.ppid))}`, '')
  claims.close()
  const before = looks()
  assert.ok(!claims.alone)
  assert.equal(looks(), before + 1)
})
