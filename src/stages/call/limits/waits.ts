/** How long to wait: what a server's headers ask for, or else a backoff. */

/** The longest delay of a timer, in ms; it fires at once with a longer one. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** The longest wait for a server, in ms: with a longer one the row fails. */
export const LONGEST_WAIT = 3_600_000

/** The wait in ms from `retry-after-ms`, or `Retry-After` in seconds, as a duration such as `30s`, or as an HTTP date. */
export function retryAfter(headers: Record<string, string>, now: number): number | undefined {
  const ms = Number(headers['retry-after-ms'] || Number.NaN)
  if (ms >= 0) return ms
  const value = headers['retry-after']
  return value === undefined ? undefined : readDuration(value, clockOf(headers, now))
}

/** The server's time, if it sends it, to compare its dates with. */
const clockOf = ({ date }: Record<string, string>, now: number) => Date.parse(date ?? '') || now

/** `2`, `0.5`, `20ms`, `6m0s`, `1h2m3s`, an HTTP or ISO date, or seconds since 1970, in ms from now. */
export function readDuration(text: string, now: number): number | undefined {
  const trimmed = text.trim()
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    const seconds = Number(trimmed)
    // Some gateways send the end of their window in seconds or ms since 1970.
    if (seconds > 1e12) return Math.max(0, seconds - now)
    if (seconds > 1e9) return Math.max(0, seconds * 1000 - now)
    return seconds * 1000
  }
  if (/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) {
    let total = 0
    for (const [, amount, , unit] of trimmed.matchAll(/(\d+(\.\d+)?)(ms|s|m|h|d)/g))
      total += Number(amount) * UNITS[unit!]!
    return total
  }
  const date = Date.parse(trimmed)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Requests or tokens that a server still allows, and ms until the limit is reset. */
interface Allowance {
  of: 'requests' | 'tokens'
  remaining: number
  reset: number
}

/** Pairs of headers: remaining, and reset. OpenAI's, the generic ones, and Anthropic's. */
const ALLOWANCES: readonly [Allowance['of'], string, string][] = [
  ['requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ['tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ['requests', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  ['requests', 'ratelimit-remaining', 'ratelimit-reset'],
  ['requests', 'anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
  ['tokens', 'anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ['tokens', 'anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
]

export function allowances(headers: Record<string, string>, now: number): Allowance[] {
  const found: Allowance[] = []
  for (const [of, left, until] of ALLOWANCES) {
    const [remaining, end] = [headers[left], headers[until]]
    if (remaining === undefined || end === undefined || !/^\d+$/.test(remaining)) continue
    const reset = readDuration(end, clockOf(headers, now))
    if (reset !== undefined) found.push({ of, remaining: Number(remaining), reset })
  }
  return found
}

/**
 * The wait in ms after the nth failure: half to all of `first` · 2ⁿ⁻¹, at most of `longest`. It is random, so that calls
 * which failed together do not retry together.
 */
export function backoff(n: number, first: number, longest: number): number {
  return (0.5 + Math.random() / 2) * Math.min(Math.max(first, longest), first * 2 ** (n - 1))
}

/** Waits `ms`, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER))
    signal.addEventListener('abort', end)
  })
}
