/** Cases that an independent program computed: fixtures/vectors/NAME.json. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

export function casesOf<T>(name: string): (T & { name: string })[] {
  const path = new URL(`../../fixtures/vectors/${name}.json`, import.meta.url)
  return (JSON.parse(readFileSync(path, 'utf8')) as { cases: (T & { name: string })[] }).cases
}

/** Numbers to a relative 1e-6, all else as it is; what is not expected may be there too. */
export function close(actual: unknown, expected: unknown, path = ''): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const apart = Math.abs(actual - expected)
    assert.ok(apart <= 1e-6 * Math.max(1, Math.abs(expected)), `${path}: ${actual}, expected ${expected}`)
  } else if (expected !== null && typeof expected === 'object') {
    const own = (actual ?? {}) as Record<string, unknown>
    if (Array.isArray(expected))
      assert.equal((actual as unknown[]).length, expected.length, `${path}: length`)
    for (const [key, value] of Object.entries(expected)) close(own[key], value, `${path}.${key}`)
  } else assert.deepEqual(actual, expected, path)
}
