/** Simulated endpoints that refuse calls, in virtual time. */

/** What an endpoint does with a call: refuses it, with these headers. */
export interface Refusal {
  headers?: Record<string, string>
}

/** @param now seconds; @param active calls that the endpoint is answering @returns undefined for a call that it takes */
export type Endpoint = (now: number, active: number) => Refusal | undefined

const REFUSED: Refusal = {}

/** Grants `rate` calls a second, and up to `burst` at once. */
export function bucket(rate: number, burst: number, headers?: Record<string, string>): Endpoint {
  let tokens = burst
  let last = 0
  return (now) => {
    tokens = Math.min(burst, tokens + (now - last) * rate)
    last = now
    if (tokens < 1) return { headers }
    tokens--
    return undefined
  }
}

/** Grants so many calls in each window. @param told whether Retry-After says when the next one begins */
export function windows(calls: number, seconds: number, told = false): Endpoint {
  let current = -1
  let count = 0
  return (now) => {
    const window = Math.floor(now / seconds)
    if (window !== current) count = 0
    current = window
    if (++count <= calls) return undefined
    const left = (window + 1) * seconds - now
    return told ? { headers: { 'retry-after': String(Math.ceil(left)) } } : REFUSED
  }
}

export const outage =
  (from: number, to: number, headers?: Record<string, string>): Endpoint =>
  (now) =>
    now >= from && now < to ? { headers } : undefined

/** Refuses a share of all calls, whatever their rate. */
export const chance =
  (share: number, headers?: Record<string, string>): Endpoint =>
  () =>
    Math.random() < share ? { headers } : undefined

/** Answers so many calls at once. */
export const atOnce =
  (calls: number, headers?: Record<string, string>): Endpoint =>
  (_now, active) =>
    active >= calls ? { headers } : undefined
