/** Comparisons of runs, through the stage, and recorded figures. */
import assert from 'node:assert/strict'
import { compare } from '../../../src/stages/compare/compare.ts'
import { spec } from '../../../src/stages/compare/options.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

export const run = (args: string[], stdin?: string) => staged(spec, compare, args, stdin)

export const figures = async (args: string[], stdin?: string) => objects((await run(args, stdin)).text)

// biome-ignore lint/suspicious/noExplicitAny: figures of any kind
export function near(actual: any, expected: any, tolerance: number, what: string): void {
  if (Array.isArray(expected))
    for (const [i, one] of expected.entries()) near(actual[i], one, tolerance, `${what}[${i}]`)
  else
    assert.ok(
      Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected)),
      `${what}: ${actual}, expected ${expected}`,
    )
}

export const values = (numbers: (number | null)[], more: (i: number) => object = () => ({})) =>
  ndjson(numbers.map((value, i) => ({ id: `i${i}`, value, ...more(i) })))
