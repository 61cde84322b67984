/** Calls under way at once, the order of rows, and how far input is read ahead. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsOf } from '../../helpers/rows.ts'
import { fine, Started } from '../../helpers/run.ts'
import { callOnce, inOrder, trial, trials } from './rows.ts'
import { chatServer } from './server.ts'

test('rows keep their order while calls overtake one another; --unordered lets them go', async (t) => {
  const server = await chatServer(t, ({ n }) => ({ delay: n % 7 === 0 ? 120 : 1 }))
  inOrder(fine(await callOnce(server.url, ['-q', '-j', '20'], trials(150))), 150)
  const loose = rowsOf(fine(await callOnce(server.url, ['-q', '-j', '20', '--unordered'], trials(150))))
  const ids = loose.map(({ id }) => id)
  assert.notDeepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
  assert.deepEqual(
    ids.toSorted((a, b) => a - b),
    Array.from({ length: 150 }, (_, i) => i),
  )
})

test('-j is how many are under way at once', async (t) => {
  const server = await chatServer(t, () => ({ delay: 30 }))
  fine(await callOnce(server.url, ['-q', '-j', '7'], trials(60)))
  assert.equal(server.widest, 7)
})

test('a row is written as soon as it is answered, while others are still under way', async (t) => {
  const server = await chatServer(t, ({ text }) => (text === 'question 1' ? 'hang' : undefined))
  const running = new Started(t, 'call', ['-m', 'm', '--base-url', server.url, '--no-cache'])
  running.child.stdin.write(trials(2))
  await running.lines(1)
  assert.equal(JSON.parse(running.stdout).id, 0)
})

test('no more is read than there is room for', async (t) => {
  const server = await chatServer(t, () => 'hang')
  const running = new Started(t, 'call', ['-m', 'm', '--base-url', server.url, '--no-cache', '-j', '4'])
  const line = `${JSON.stringify(trial(0, 'x'.repeat(4000)))}\n`
  let taken = 0
  // Writes until the pipe takes no more.
  await new Promise<void>((resolve) => {
    let idle: NodeJS.Timeout
    // Not before the calls are under way: a busy machine takes its time to start a process.
    const still = () => (server.widest < 4 ? (idle = setTimeout(still, 100)) : resolve())
    const push = () => {
      clearTimeout(idle)
      idle = setTimeout(still, 700)
      if (taken > 20_000) return resolve()
      running.child.stdin.write(line, () => {
        taken++
        push()
      })
    }
    push()
  })
  // 1,024 are read ahead, so that the end of a short input is known.
  assert.ok(taken < 2500, `${taken} rows were taken while four calls hang`)
  assert.equal(server.widest, 4)
})
