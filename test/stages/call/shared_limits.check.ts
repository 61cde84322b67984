/** `--limits`: three processes hold a rate together. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REDIS, redisServer } from '../../helpers/redis.ts'
import { ndjson } from '../../helpers/rows.ts'
import { Started } from '../../helpers/run.ts'
import { trial } from './rows.ts'
import { chatServer } from './server.ts'

/** Calls of each process. */
const COUNT = 70

test('three processes hold --rpm 600 together within 5 %', {
  skip: REDIS ? false : 'NOT RUN: no redis-server or valkey-server here',
}, async (t) => {
  const redis = await redisServer()
  t.after(() => redis.stop())
  const server = await chatServer(t, () => ({ delay: 300 }))
  const limits = ['--limits', `${redis.url}/three`, '--rpm', '600']
  const runs = [0, 1, 2].map((p) => {
    const run = new Started(t, 'call', ['-q', '-m', 'm', '--base-url', server.url, '--no-cache', ...limits])
    run.child.stdin.end(ndjson(Array.from({ length: COUNT }, (_, i) => trial(p * COUNT + i))))
    return run.done
  })
  await Promise.all(runs)
  const times = server.calls.map(({ at }) => at)
  assert.equal(times.length, 3 * COUNT)
  // While all three have rows left, without the beginning, in which they start.
  const some = times.filter((at) => at > times[0]! + 3000).slice(0, 2 * COUNT)
  const rate = ((some.length - 1) / (some.at(-1)! - some[0]!)) * 60_000
  t.diagnostic(`${rate.toFixed(1)} a minute`)
  assert.ok(Math.abs(rate - 600) <= 30, `${rate} a minute`)
})
