/** The rate and the number of calls at once that an endpoint takes are found out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConcurrencyLimit } from '../../../src/stages/call/limits/concurrency_limit.ts'
import { RateController } from '../../../src/stages/call/limits/rate_controller.ts'
import { UsualRefusals } from '../../../src/stages/call/limits/usual_refusals.ts'
import { seeded } from './server.ts'

describe('rate controller', () => {
  /** Sends at the controller's rate, at most `lanes` a second, for so many seconds; answers arrive after 30 ms. */
  function drive(seconds: number, most: number, refuses: (at: number) => boolean) {
    let rate = Number.POSITIVE_INFINITY
    const controller = new RateController((changed) => (rate = changed))
    const count = { sent: 0, refused: 0, late: 0 }
    const late: [n: number, at: number, refused: boolean][] = []
    for (let at = 0; at < seconds * 1000; at += 1000 / Math.min(rate, most)) {
      while (late.length > 0 && late[0]![1] + 30 <= at) {
        const [n, started, refused] = late.shift()!
        if (refused) controller.refused(n, started, started + 30)
        else controller.served(started, started + 30)
      }
      const n = controller.sent(at)
      count.sent++
      const refused = refuses(at)
      late.push([n, at, refused])
      if (!refused) continue
      count.refused++
      if (at > 20_000) count.late++
    }
    return { rate, usual: controller.usual.share, ...count }
  }
  const bucket = (rate: (at: number) => number, burst: number) => {
    let tokens = burst
    let last = 0
    return (at: number) => {
      tokens = Math.min(burst, tokens + ((at - last) / 1000) * rate(at))
      last = at
      if (tokens < 1) return true
      tokens--
      return false
    }
  }

  test('a limit is found and kept, whatever burst there is before it', () => {
    for (const burst of [5, 40, 400]) {
      const { sent, refused, late } = drive(
        200,
        1000,
        bucket(() => 20, burst),
      )
      assert.ok(sent - refused > 0.9 * (20 * 200 + burst), `${sent - refused} granted`)
      assert.ok(late < 0.03 * sent, `${late} of ${sent} refused`)
    }
  })

  test('a limit that moves is followed', () => {
    const { sent, refused } = drive(
      240,
      1000,
      bucket((at) => (Math.floor(at / 60_000) % 2 ? 60 : 20), 20),
    )
    assert.ok(sent - refused > 0.7 * 40 * 240, `${sent - refused} granted`)
  })

  test('refusals at random do not slow a run down', () => {
    for (const every of [100, 20, 10]) {
      const draw = seeded(every)
      const { sent, rate } = drive(30, 500, () => draw() < 1 / every)
      assert.ok(sent > 0.9 * 500 * 30, `one in ${every}: ${sent} of ${500 * 30} sent`)
      assert.ok(rate > 500, `one in ${every}: ${rate} a second`)
    }
  })

  test('the usual share is not moved to and fro by windows of thousands of calls', () => {
    const usual = new UsualRefusals()
    for (let i = 0; i < 40; i++) {
      usual.learn(i % 2 ? 0.034 : 0.026, 2000)
      if (i > 4) assert.ok(Math.abs(usual.share - 0.03) < 0.005, `${usual.share} after ${i + 1} windows`)
    }
  })

  test('the share that is assumed is that learnt, and with few calls at least one in a hundred', () => {
    const usual = new UsualRefusals()
    assert.equal(usual.expected, 0.01)
    usual.set(0, 300)
    assert.equal(usual.expected, 1 / 400)
    usual.set(0.001, 100)
    assert.equal(usual.expected, (0.1 + 1) / 200)
    usual.set(0.2, 100)
    assert.equal(usual.expected, 0.2)
  })

  test('calls that are not answered yet are no calls without a refusal', () => {
    const controller = new RateController(() => {})
    const send = (calls: number, at: number) => Array.from({ length: calls }, () => controller.sent(at))
    const answer = (numbers: number[], sent: number, at: number) => {
      for (const n of numbers) n % 33 ? controller.served(sent, at) : controller.refused(n, sent, at)
    }
    for (let at = 0; at < 3000; at += 10) answer(send(40, at), at, at + 5)
    // A thousand at once, as when a row that others waited for is done.
    send(1100, 3000)
    assert.ok(controller.usual.canBe(0.03))
  })

  test('a rate of thousands is not lowered by chance again and again', () => {
    const draw = seeded(1)
    // A second in which much is refused: from then on calls are paced.
    const { sent, rate } = drive(60, 4000, (at) => draw() < (at > 2000 && at < 3000 ? 0.3 : 0.03))
    assert.ok(rate > 2000, `${rate} a second after ${sent} calls`)
  })

  test('processes that hear of each other find the rate again when a quarter of them dies', () => {
    let alive = 20
    const refuses = bucket(() => 50, 20)
    const all = Array.from({ length: alive }, (_, me) => {
      const one = { rate: 10, next: me * 10, controller: undefined as unknown as RateController }
      const tell = () => {
        for (const other of all.slice(0, alive)) if (other !== one) other.controller.exhaustedElsewhere(now)
      }
      const changed = (rate: number) => (one.rate = Math.min(10, rate))
      one.controller = new RateController(changed, tell, () => alive)
      return one
    })
    let now = 0
    const granted: number[] = []
    for (; now < 100_000; now += 5) {
      if (now === 60_000) alive = 15
      for (const one of all.slice(0, alive)) {
        if (one.next > now) continue
        one.next = now + 1000 / one.rate
        const n = one.controller.sent(now)
        if (refuses(now)) one.controller.refused(n, now, now + 1)
        else granted.push(now)
      }
    }
    const between = (from: number, to: number) =>
      granted.filter((at) => at >= from * 1000 && at < to * 1000).length / (to - from)
    assert.ok(between(30, 60) > 45, `${between(30, 60)} of 50 a second`)
    assert.ok(between(70, 85) > 45, `${between(70, 85)} of 50 a second after 10 s`)
  })

  test('a process that hears of a refusal when its window has just begun keeps the rate that it had', () => {
    const controller = new RateController(() => {})
    for (let at = 0; at < 4000; at += 200) controller.sent(at)
    // The twentieth call ends the window.
    controller.refused(20, 3800, 3801)
    controller.exhaustedElsewhere(3900)
    assert.ok(controller.rate > 4 && controller.rate < 6, `${controller.rate} a second of 5`)
  })

  test('refusals that come in turns with clean stretches are no habit of the endpoint', () => {
    // Others use up the limit for six seconds of twenty.
    const draw = seeded(1)
    const { usual } = drive(200, 80, (at) => at % 20_000 > 14_000 && draw() < 0.15)
    assert.ok(usual <= 0.02, `${usual} are taken for usual`)
  })

  test('a window of calls each minute: the rate is what it grants, and few calls are refused', () => {
    for (const calls of [100, 600, 3000]) {
      let left = calls
      let minute = 0
      const { sent, refused } = drive(900, 200, (at) => {
        if (Math.floor(at / 60_000) !== minute) left = calls
        minute = Math.floor(at / 60_000)
        return left-- <= 0
      })
      assert.ok(sent - refused > 0.85 * calls * 15, `${sent - refused} of ${calls} granted in each`)
      // Of 100 many are refused before anything is known.
      assert.ok(refused < 0.04 * sent + 100, `${refused} of ${sent} refused`)
    }
  })

  test('where everything is refused single calls find out when that ends', () => {
    // A window of 600 calls a minute.
    let left = 600
    let minute = 0
    const { sent, refused } = drive(300, 1000, (at) => {
      if (Math.floor(at / 60_000) !== minute) left = 600
      minute = Math.floor(at / 60_000)
      return left-- <= 0
    })
    assert.ok(sent - refused > 0.8 * 600 * 5, `${sent - refused} granted`)
    assert.ok(refused < 0.1 * sent, `${refused} of ${sent} refused`)
  })
})

test('how many calls are served at once is found out, and one more tried; a rate limit is not taken for that', () => {
  const width = new ConcurrencyLimit()
  for (let i = 0; i < 9; i++) assert.equal(width.refused(0), false)
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'refused with none under way')
  for (let i = 0; i < 40; i++) assert.equal(width.refused(16 + (i % 40)), false)
  for (let i = 0; i < 30; i++) width.served(15)
  assert.equal(width.most, 16)
  for (let i = 0; i < 200; i++) width.served(15)
  assert.equal(width.most, 17)
  assert.equal(width.refused(16), true, 'one more than is known')
  assert.equal(width.most, 16)
  for (let i = 0; i < 5; i++) assert.equal(width.refused(3), false)
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'refused with few under way: it is something else')
  for (let i = 0; i < 500; i++) {
    if (i % 20 === 0) width.refused(i % 60)
    else width.served(i % 60)
  }
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'refused at random')
  for (let i = 0; i < 500; i++) {
    if (i % 20 === 0) width.refused(2)
    else width.served(i % 3)
  }
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'served with as many: a rate that is paced')
})

test('of an endpoint that serves one call at once, one is under way', () => {
  const width = new ConcurrencyLimit()
  for (let i = 0; i < 20; i++) width.refused(1)
  for (let i = 0; i < 30; i++) width.served(0)
  assert.equal(width.most, 1)
})
