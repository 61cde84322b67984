/** Values of SciPy, statsmodels, scikit-learn and others: fixtures/vectors/NAME.json names their versions. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

// biome-ignore lint/suspicious/noExplicitAny: each file has cases of its own shape
type Case = { name: string; input: any; expect: any }

/** The cases of a file. */
export function cases(name: string): Case[] {
  const file = new URL(`../../fixtures/vectors/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).cases
}

/** Every case of a file; `figures` are compared with what is expected of the same name. */
export function vectors(
  name: string,
  figures: (input: Case['input'], expected: Case['expect']) => Record<string, unknown>,
  tolerance = 1e-9,
) {
  test(`vectors: ${name}`, () => {
    for (const { name: which, input, expect } of cases(name))
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
