/** `--limits` where processes and a Redis end: long, as it takes its time to find that out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { REDIS, redisServer } from '../../helpers/redis.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, Started } from '../../helpers/run.ts'
import { callOnce, trials } from './rows.ts'
import { chatServer } from './server.ts'

if (!REDIS)
  test('NOT RUN: limits of several processes (no redis-server or valkey-server here)', { skip: true })
else
  describe('with a Redis', () => {
    test('a process that was killed gives back its places', async (t) => {
      let held = 0
      const server = await chatServer(t, ({ text }) =>
        text === 'question 0' && held++ === 0 ? 'hang' : undefined,
      )
      const redis = await redisServer()
      t.after(() => redis.stop())
      const place = `${redis.url}/killed`
      const args = ['-m', 'm', '--base-url', server.url, '--no-cache', '--limits', place, '-j', '1']
      const first = new Started(t, 'call', args)
      first.child.stdin.write(trials(1))
      while (server.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      first.child.kill('SIGKILL')
      await first.done
      expect(await callOnce(server.url, ['--limits', place, '-j', '1'], trials(2)), {})
    })

    test('a Redis that is restarted and has forgotten everything; one that stays away', async (t) => {
      const own = await redisServer()
      t.after(() => own.stop())
      const server = await chatServer(t, () => ({ delay: 20 }))
      const run = (args: string[], count: number) =>
        callOnce(
          server.url,
          ['--limits', `${own.url}/again`, '--rpm', '6000', '-j', '8', ...args],
          trials(count),
        )
      const until = async (calls: number) => {
        while (server.calls.length < calls) await new Promise((resolve) => setTimeout(resolve, 10))
      }
      const [again] = await Promise.all([
        run([], 100),
        until(20)
          .then(() => own.stop())
          .then(() => own.start()),
      ])
      assert.equal(rowsOf(expect(again, {})).length, 100)
      const [gone, going] = await Promise.all([
        run([], 2000),
        run(['--limits-lost', 'continue'], 300),
        until(120).then(() => own.stop()),
      ])
      expect(gone, { code: 75, err: /Redis at .* does not answer: run the same command again to go on/ })
      expect(going, { err: /going on with this process's part of the limits, one of 2/ })
      assert.equal(rowsOf(going).length, 300)
      expect(await run([], 1), { code: 69, err: /--limits: no Redis at 127.0.0.1:\d+: / })
    })
  })
