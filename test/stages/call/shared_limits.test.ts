/** `--limits`: the rates that several processes hold together, with a real Redis. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parseRedisUrl } from '../../../src/stages/call/limits/redis_url.ts'
import { REDIS, type RedisServer, redisServer } from '../../helpers/redis.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect } from '../../helpers/run.ts'
import { callOnce, trial, trials } from './rows.ts'
import { chatServer } from './server.ts'

test('the URL of --limits: host, database and name; no password', () => {
  const { name, host, options } = parseRedisUrl('rediss://jb@[::1]:7000/3/judges', {
    REDISCLI_AUTH: 'secret',
  })
  assert.deepEqual([name, host], ['judges', '[::1]:7000'])
  assert.deepEqual(options, {
    host: '::1',
    port: 7000,
    db: 3,
    username: 'jb',
    password: 'secret',
    tls: {},
  })
  for (const wrong of ['redis://host', 'redis://host/', 'http://host/name', 'name', 'redis://host/a b'])
    assert.throws(() => parseRedisUrl(wrong, {}), /expected redis:\/\/HOST\/NAME/, wrong)
  assert.throws(() => parseRedisUrl('redis://jb:secret@host/name', {}), /REDISCLI_AUTH/)
})

if (!REDIS)
  test('NOT RUN: limits of several processes (no redis-server or valkey-server here)', { skip: true })
else
  describe('with a Redis', () => {
    let redis: RedisServer
    let names = 0
    before(async () => {
      redis = await redisServer()
    })
    after(() => redis.stop())
    const name = () => `${redis.url}/test-${names++}`
    const rows = (from: number, count: number) =>
      ndjson(Array.from({ length: count }, (_, i) => trial(from + i)))

    test('a rate is that of all together', async (t) => {
      const server = await chatServer(t)
      const limits = ['--limits', name(), '--rpm', '6000']
      const ran = [0, 1, 2, 3].map((p) => callOnce(server.url, limits, rows(p * 50, 50)))
      for (const one of await Promise.all(ran)) assert.equal(rowsOf(expect(one, {})).length, 50)
      const seconds = (server.calls.at(-1)!.at - server.calls[0]!.at) / 1000
      // 200 calls at 100 a second; what is granted in the first tenth of a second comes at once.
      assert.ok(seconds > 1.8, `${seconds} s`)
    })

    test('another rate under the name is refused; no rate at all, too', async (t) => {
      const server = await chatServer(t)
      const place = name()
      expect(await callOnce(server.url, ['--limits', place, '--rpm', '600'], trials(1)), {})
      const err = /other processes use "test-\d+" with another --rpm: give all the same, or another name/
      expect(await callOnce(server.url, ['--limits', place, '--rpm', '900'], trials(1)), { code: 2, err })
      expect(await callOnce(server.url, ['--limits', place], trials(1)), {
        code: 2,
        err: /--limits shares --rpm and --tpm: give one of them/,
      })
      assert.equal(server.calls.length, 1)
    })

    test('a Redis that is gone ends the run; without one it does not begin', async (t) => {
      const own = await redisServer()
      t.after(() => own.stop())
      const server = await chatServer(t)
      const limits = ['--limits', `${own.url}/gone`, '--rpm', '6000']
      const until = async () => {
        while (server.calls.length < 20) await new Promise((resolve) => setTimeout(resolve, 10))
        await own.stop()
      }
      const [ran] = await Promise.all([callOnce(server.url, limits, trials(2000)), until()])
      expect(ran!, { code: 75, err: /Redis at \S+ is lost.*: run the same command again to go on/ })
      expect(await callOnce(server.url, limits, trials(1)), {
        code: 69,
        err: /--limits: no Redis at 127.0.0.1:\d+: /,
      })
    })
  })
