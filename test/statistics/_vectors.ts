/** Recorded values of SciPy, statsmodels, scikit-learn and others (../shared/data). */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

export const folder = new URL('../../../shared/data/leaderboards/vectors/', import.meta.url)

export const skip = existsSync(folder) ? false : 'SKIPPED: ../shared/data/leaderboards/vectors is not here'

// biome-ignore lint/suspicious/noExplicitAny: each file has cases of its own shape
export type Case = { name: string; input: any; expect: any }

/** Every case of a file; `figures` are compared with what is expected of the same name. */
export function vectors(
  name: string,
  figures: (input: Case['input'], expected: Case['expect']) => Record<string, unknown>,
  tolerance = 1e-9,
) {
  test(`vectors: ${name}`, { skip }, () => {
    const { cases } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as { cases: Case[] }
    for (const { name: which, input, expect } of cases)
      for (const [key, value] of Object.entries(figures(input, expect)))
        if (key in expect) near(value, expect[key], tolerance, `${name} ${which} ${key}`)
  })
}

export function near(actual: unknown, expected: unknown, tolerance: number, place: string): void {
  if (Array.isArray(expected)) {
    assert.ok(
      Array.isArray(actual) && actual.length === expected.length,
      `${place}: ${JSON.stringify(actual)}`,
    )
    for (const [i, one] of expected.entries()) near(actual[i], one, tolerance, `${place}[${i}]`)
  } else if (typeof expected === 'number') {
    assert.equal(typeof actual, 'number', `${place}: ${actual}, expected ${expected}`)
    const apart = Math.abs((actual as number) - expected)
    assert.ok(
      apart <= tolerance * Math.max(1e-3, Math.abs(expected)),
      `${place}: ${actual}, expected ${expected}`,
    )
  } else assert.equal(actual ?? null, expected, place)
}
