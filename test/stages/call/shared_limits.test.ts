/** `--limits`: what several processes hold together, with a real Redis. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import { Redis } from 'ioredis'
import { SharedLimits } from '../../../src/stages/call/limits/shared/limits.ts'
import { RedisClock } from '../../../src/stages/call/limits/shared/redis_clock.ts'
import { parseRedisUrl } from '../../../src/stages/call/limits/shared/redis_url.ts'
import { REDIS, type RedisServer, redisServer } from '../../helpers/redis.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, Started } from '../../helpers/run.ts'
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

test('a clock of this machine that is set moves no lease of the others', async (t) => {
  const second = 1_700_000_000
  let asked = 0
  const begun = performance.now()
  const client = { time: async () => [second + Math.floor((performance.now() - begun) / 1000), asked++] }
  const clock = await RedisClock.of(client)
  const now = Date.now.bind(Date)
  t.mock.method(Date, 'now', () => now() + 86_400_000)
  for (let i = 0; i < 3; i++) {
    const ahead = clock.now() - (second * 1000 + performance.now() - begun)
    assert.ok(Math.abs(ahead) < 2000, `${ahead} ms ahead`)
    await null
  }
  assert.equal(asked, 2, 'it may have slept')
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
    const open = (t: TestContext, place: string, concurrency: number) => {
      const run = { env: {}, halt: new AbortController().signal, note: () => {}, end: () => {} }
      const opened = SharedLimits.open(place, 'stop', { concurrency }, run)
      t.after(async () => (await opened).close())
      return opened
    }
    /** So many runs side by side, each with rows of its own. */
    const together = (url: string, runs: number, args: string[], count: number) =>
      Promise.all(Array.from({ length: runs }, (_, p) => callOnce(url, args, rows(p * count, count))))

    test('values of somebody else under a name end the run, and are not waited for', async (t) => {
      const server = await chatServer(t)
      const place = name()
      const limits = ['--limits', place, '--rpm', '6000', '--max-requests', '100']
      expect(await callOnce(server.url, limits, rows(0, 2)), {})
      const client = new Redis(redis.url)
      t.after(() => client.disconnect())
      const keys = await client.keys(`*{${place.split('/').at(-1)}}*`)
      for (const ending of [/:left$/, /:total$/, /_settings$/]) {
        await client.del(...keys)
        await client.rpush(keys.find((key) => ending.test(key))!, 'mine')
        const err = /--limits: Redis at \S+ holds other values under "test-\d+" \(WRONGTYPE/
        expect(await callOnce(server.url, limits, rows(0, 2)), { code: 69, err })
      }
    })

    test('a rate and the calls under way are those of all together', async (t) => {
      const server = await chatServer(t, () => ({ delay: 40 }))
      const limits = ['--limits', name(), '--rpm', '6000', '-j', '6']
      for (const ran of await together(server.url, 4, limits, 50))
        assert.equal(rowsOf(expect(ran, {})).length, 50)
      assert.ok(server.widest <= 6, `${server.widest} under way`)
      const seconds = (server.calls.at(-1)!.at - server.calls[0]!.at) / 1000
      // 200 calls at 100 a second; what is granted in the first tenth of a second comes at once.
      assert.ok(seconds > 1.8, `${seconds} s`)
    })

    test('a budget is spent once, and what is left of it stays under its name', async (t) => {
      const server = await chatServer(t)
      const place = name()
      const budget = ['--limits', place, '--max-requests', '30', '--price', '1,1', '--max-cost', '1']
      const ran = await together(server.url, 3, [...budget, '-j', '4'], 20)
      assert.equal(server.calls.length, 30)
      assert.ok(ran.some(({ code, stderr }) => code === 75 && /--max-requests 30 is reached/.test(stderr)))
      expect(await callOnce(server.url, [...budget, '-j', '4'], rows(100, 5)), { code: 75 })
      assert.equal(server.calls.length, 30)
      budget[3] = '32'
      expect(await callOnce(server.url, [...budget, '-j', '4'], rows(100, 5)), { code: 75 })
      assert.equal(server.calls.length, 32, 'it was raised by two')
    })

    test('dollars are not overspent, and most of them are spent', async (t) => {
      // Each call costs 15 millionths of a dollar.
      const server = await chatServer(t)
      const args = [
        '--limits',
        name(),
        '--price',
        '1,1',
        '--max-cost',
        '0.003',
        '--max-tokens',
        '5',
        '-j',
        '8',
      ]
      await together(server.url, 4, args, 100)
      assert.ok(server.calls.length <= 200, `${server.calls.length} calls of 200`)
      assert.ok(server.calls.length > 150, `${server.calls.length} calls of 200`)
    })

    test('what one is told to wait reaches the others', async (t) => {
      const heard: string[] = []
      const place = name()
      const [teller] = await Promise.all(
        ['one', 'two'].map(async (who) => {
          const limits = await open(t, place, 4)
          const channel = limits.channel('an endpoint', 4, {
            demand: () => [1, 1],
            widened: () => heard.push(`${who} begins`),
            pause: (ms) => heard.push(`${who} rests ${ms > 500 && ms <= 2000}`),
          })
          channel.want()
          return channel
        }),
      )
      const until = async (words: string) => {
        while (!heard.includes(words)) await new Promise((resolve) => setTimeout(resolve, 10))
      }
      await Promise.all([until('one begins'), until('two begins')])
      teller!.reportPause(2000)
      await until('two rests true')
    })

    test('the client that has subscribed asks nothing of a Redis that still loads its file', async (t) => {
      const inner = (await open(t, name(), 4)) as unknown as {
        clients: { client: Redis; connection: { subscriber: Redis } }
      }
      const { client, connection } = inner.clients
      const checks = [client, connection.subscriber].map((one) => one.options.enableReadyCheck)
      assert.deepEqual(checks, [true, false])
    })

    test('who reports first to a Redis that has lost its memory does not get the places of the others', async (t) => {
      const place = name()
      const [one, two] = [await open(t, place, 8), await open(t, place, 8)]
      const granted = async (limits: SharedLimits, underWay: number, wanted: number, had: number) =>
        (await limits.sync('an endpoint', 8, underWay, wanted, 0, had))?.[0]
      assert.equal(await granted(one, 0, 6, -1), 6)
      assert.equal(await granted(two, 0, 8, -1), 2)
      const socket = connect(redis.port, '127.0.0.1')
      socket.write('FLUSHALL\r\n')
      await once(socket, 'data')
      socket.destroy()
      assert.equal(await granted(two, 2, 8, 2), 2)
      assert.equal(await granted(two, 0, 8, 2), 2, 'nor by asking again')
      assert.equal(await granted(one, 6, 6, 6), 4, 'an even part, as the other waits')
      assert.equal(await granted(two, 2, 8, 2), 2, 'six are under way still')
    })

    test('two processes may not hold different limits under one name', async (t: TestContext) => {
      const server = await chatServer(t, () => 'hang')
      const place = name()
      const first = new Started(t, 'call', [
        '-m',
        'm',
        '--base-url',
        server.url,
        '--limits',
        place,
        '--rpm',
        '60',
      ])
      first.child.stdin.write(trials(1))
      while (server.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      const second = await callOnce(server.url, ['--limits', place, '--rpm', '90'], trials(1))
      expect(second, {
        code: 2,
        err: /with other limits, -j 32 --rpm 60: give all the same, or another name/,
      })
    })
  })
