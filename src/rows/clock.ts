/**
 * Milliseconds of a clock that only goes forward, from an arbitrary start.
 * `performance.now()` would load node:perf_hooks, which takes 2 ms of a short run.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
