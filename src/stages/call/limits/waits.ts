/** How long to wait: what a server's headers say, and the backoff where they say nothing. */

/** What a timer takes, in ms: with more it goes off at once. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** Longer than this no run waits for a server, in ms: the row fails instead. */
export const LONGEST_WAIT = 3_600_000

/**
 * What a server asks for, in ms: `retry-after-ms`, else `Retry-After` as seconds (whole or not), a
 * duration such as `30s`, or an HTTP date. Undefined where it asks for nothing that can be read.
 */
export function retryAfter(headers: Record<string, string>, now: number): number | undefined {
  const ms = Number(headers['retry-after-ms'] || Number.NaN)
  if (ms >= 0) return ms
  const value = headers['retry-after']
  return value === undefined ? undefined : readDuration(value, clockOf(headers, now))
}

/** The server's own clock, where it tells it: that goes with the moments it names, however this machine's is set. */
function clockOf({ date }: Record<string, string>, now: number): number {
  const own = Date.parse(date ?? '')
  return Number.isNaN(own) ? now : own
}

/** `2`, `0.5`, `20ms`, `6m0s`, `1h2m3s`, an HTTP or ISO date, or seconds since 1970: ms from now on. */
export function readDuration(text: string, now: number): number | undefined {
  const trimmed = text.trim()
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    const seconds = Number(trimmed)
    // Seconds since 1970, as some gateways give the end of their window; in ms where it is larger still.
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

/** What a server says it still allows, and for how long, in ms: one entry for requests, one for tokens. */
interface Allowance {
  of: 'requests' | 'tokens'
  remaining: number
  reset: number
}

/** Pairs of headers: what is left, and when it is whole again. OpenAI's, the plain ones, and Anthropic's. */
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
  let any = false
  for (const name in headers) any ||= name.includes('ratelimit')
  if (!any) return []
  return ALLOWANCES.flatMap(([of, left, until]) => {
    const remaining = headers[left]
    const reset =
      headers[until] === undefined ? undefined : readDuration(headers[until], clockOf(headers, now))
    if (remaining === undefined || reset === undefined || !/^\d+$/.test(remaining)) return []
    return { of, remaining: Number(remaining), reset }
  })
}

/**
 * The wait before attempt `tries + 1`, in ms: drawn between the shortest and the shortest doubled with
 * each try, never above the longest; drawn, so that calls that failed together do not return together.
 */
export function backoff(tries: number, shortest: number, longest: number): number {
  const most = Math.max(shortest, Math.min(longest, shortest * 2 ** tries))
  return shortest + Math.random() * (most - shortest)
}

/** Waits so many ms, less where the signal is aborted. */
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
