/** Simulated endpoints that refuse calls, in virtual time. */
import { VirtualTime } from './_virtual_time.ts'

export const time = new VirtualTime()

export type Reply = { status: number; ms: number; headers?: Record<string, string>; reset?: boolean }

/** Answers a call at a moment (ms). */
export type Server = (now: number) => Reply

/** ms a refusal takes. */
export const QUICK = 30

export const refusal = (headers?: Record<string, string>): Reply => ({ status: 429, ms: QUICK, headers })

export const latency = (mean: number) => mean * (0.5 + Math.random())

/** Grants `rate(now)` calls a second, and up to `burst` at once. */
export function bucket(
  rate: (now: number) => number,
  burst: number,
  mean: number,
  headers?: Record<string, string>,
): Server {
  let tokens = burst
  let last = 0
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * rate(now))
    last = now
    if (tokens < 1) return refusal(headers)
    tokens--
    return { status: 200, ms: latency(mean) }
  }
}

/** Grants so many calls in each window, all at once if need be. */
export function windows(calls: number, seconds: number, mean: number, told: boolean): Server {
  let current = -1
  let left = calls
  return (now) => {
    const window = Math.floor(now / 1000 / seconds)
    if (window !== current) left = calls
    current = window
    const wait = String(Math.ceil((window + 1) * seconds - now / 1000))
    if (left === 0) return refusal(told ? { 'retry-after': wait } : undefined)
    left--
    return { status: 200, ms: latency(mean) }
  }
}

/** Refuses a share of all calls, whatever the rate. */
export const noisy =
  (share: number, server: Server, headers?: Record<string, string>): Server =>
  (now) =>
    Math.random() < share ? refusal(headers) : server(now)

export const free =
  (mean: number): Server =>
  () => ({ status: 200, ms: latency(mean) })

/** Of all calls 2 % are refused, 1 % find the server busy, 2 % find it broken, 1.5 % lose their connection. */
export const faulty =
  (mean: number): Server =>
  () => {
    const draw = Math.random()
    if (draw < 0.02) return { status: 429, ms: QUICK, headers: { 'retry-after': '1' } }
    if (draw < 0.03) return { status: 503, ms: QUICK }
    if (draw < 0.05) return { status: 500, ms: QUICK }
    if (draw < 0.065) return { status: 0, ms: QUICK, reset: true }
    return { status: 200, ms: latency(mean) }
  }

/** Serves so many calls at once and refuses the others. */
export function narrow(calls: number, mean: number): Server {
  let busy = 0
  return () => {
    if (busy >= calls) return refusal()
    busy++
    const ms = latency(mean)
    time.after(ms, () => busy--)
    return { status: 200, ms }
  }
}
