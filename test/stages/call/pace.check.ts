/** Long: every kind of limit with 20 seeds in virtual time, and outages of 8 s on real sockets. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { jb } from '../../helpers/run.ts'
import { inOrder, trials } from './rows.ts'
import { chatServer, seeded } from './server.ts'

test('every kind of limit, 20 seeds each: within a tenth of its goal', async () => {
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/call_rates.ts'])
})

const run = (url: string, count: number, ...args: string[]) =>
  jb('call', ['-m', 'm', '--base-url', url, '--no-cache', ...args], { stdin: trials(count) })

describe('outages of 8 s: all rows are answered within 8 s of the end', { concurrency: true }, () => {
  for (const [status, from] of [
    [503, 0],
    [429, 0],
    [503, 300],
  ] as const)
    test(`${status}, from ${from} ms on`, async (t) => {
      let begun: number | undefined
      const server = await chatServer(t, ({ at }) => {
        const ms = at - (begun ??= at)
        return { status: ms >= from && ms < from + 8000 ? status : 200, delay: 50 }
      })
      inOrder(await run(server.url, 300), 300)
      const last = server.calls.at(-1)!.at - begun!
      assert.ok(last < from + 16_000, `the last call after ${last} ms`)
    })
})

test('30 % of 503, ten seeds: no row fails', async (t) => {
  for (let seed = 1; seed <= 10; seed++) {
    const draw = seeded(seed)
    const server = await chatServer(t, () => ({ status: draw() < 0.3 ? 503 : 200, delay: 50 }))
    inOrder(await run(server.url, 500, '-j', '64'), 500)
  }
})
