/**
 * How jb-call finds out what an endpoint bears. A part of `make test-long`: that takes some seconds at real rates. The
 * controller alone is tested with a clock of the test's own in limits.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expect, jbProcess } from '../../helpers/run.ts'
import { callOnce, inOrder, trials } from './rows.ts'
import { type Call, chatServer, seeded } from './server.ts'

/** A limit of so many requests in each second, refused beyond it. */
function hardLimit(perSecond: number) {
  let window = 0
  let used = 0
  return ({ at }: Call): boolean => {
    const second = Math.floor(at / 1000)
    if (second !== window) {
      window = second
      used = 0
    }
    return ++used > perSecond
  }
}

test('a hard limit of 200 a second is found out and kept, faults or not', async (t) => {
  const draw = seeded(2)
  const beyond = hardLimit(200)
  const over: number[] = []
  const server = await chatServer(t, (call) => {
    if (!beyond(call)) return draw() < 0.05 ? { status: 500 } : undefined
    over.push(call.at)
    return { status: 429, headers: { 'retry-after': '1' } }
  })
  const ran = await callOnce(server.url, ['--retries', '12'], trials(1500), {}, jbProcess)
  inOrder(expect(ran, {}), 1500)
  const late = over.filter((at) => at > 3000).length
  const calls = server.calls.filter(({ at }) => at > 3000).length
  assert.ok(calls > 500, `only ${calls} calls after three seconds`)
  assert.ok(late < calls * 0.08, `${late} of ${calls} calls were refused after three seconds`)
})

test('fewer calls at once where the endpoint bears fewer, and more again when it bears them', async (t) => {
  let underWay = 0
  let bears = 4
  const widths: number[] = []
  const server = await chatServer(t, async ({ n }) => {
    if (n > 150) bears = 1000
    if (underWay >= bears) return { status: 503 }
    widths.push(++underWay)
    await new Promise((resolve) => setTimeout(resolve, 10))
    underWay--
    return {}
  })
  inOrder(
    expect(await callOnce(server.url, ['--retries', '20', '-j', '24'], trials(900), {}, jbProcess), {}),
    900,
  )
  const refused = server.calls.length - 900
  assert.ok(refused < 150, `${refused} calls were refused`)
  assert.ok(Math.max(...widths) > 4, `never more than ${Math.max(...widths)} at once again`)
})
