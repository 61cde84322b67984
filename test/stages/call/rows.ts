/** Trials with a request, as jb-render leaves them, and ways to run jb-call on them. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { jb, type Ran, type RunOptions } from '../../helpers/run.ts'
import { reply } from './server.ts'

export const trial = (id: number | string, text = `question ${id}`, jb: object = {}) => ({
  id,
  question: text,
  response_A: 'four',
  response_B: 'it is five, surely',
  jb: {
    judge: 'arena_hard',
    item: String(id),
    trial: { n: 0, of: 1, order: 'AB' },
    request: { messages: [{ role: 'user', content: text }], temperature: 0 },
    ...jb,
  },
})

export const trials = (count: number): string => ndjson(Array.from({ length: count }, (_, i) => trial(i)))

/** An environment whose cache is a folder of the test's. */
export function privateEnv(t: TestContext): Record<string, string> {
  return { XDG_CACHE_HOME: folder(t) }
}

const SOON = ['--retry-min', '0.01', '--retry-max', '0.05', '--refused-for', '1']

/** jb-call without a cache and with waits that a test can afford. */
export function callOnce(
  url: string,
  args: string[],
  stdin: string,
  options: RunOptions = {},
  run = jb,
): Promise<Ran> {
  return run('call', ['-m', 'm', '--base-url', url, '--no-cache', ...SOON, ...args], { ...options, stdin })
}

/** Every row has its answer, in the order in which they came. */
export function inOrder(ran: Ran, count: number): void {
  assert.deepEqual(
    rowsOf(ran).map(({ id, jb }) => [id, jb.reply?.text]),
    Array.from({ length: count }, (_, i) => [i, reply(`question ${i}`)]),
  )
}
