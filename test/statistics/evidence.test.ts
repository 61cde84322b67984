/** Decisions, where they fall, evidence and intervals, as another program has them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Hypotheses, Sequence, type Weighted } from '../../src/statistics/evidence.ts'
import { near } from './_vectors.ts'

type Unit = number | null | 'skip' | [number, number]
interface Case {
  name: string
  N: number | null
  X: number
  margin: number
  input: string | Unit[]
  // biome-ignore lint/suspicious/noExplicitAny: figures by name
  expect: any
}

const { gate, compare } = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/evidence.json', import.meta.url), 'utf8'),
) as { gate: Case[]; compare: Case[] }

/** Until it is decided. @param scaled a value in [0, 1] */
function decided({ N, input }: Case, hypotheses: Hypotheses, scaled = (x: number) => x): Sequence {
  const sequence = new Sequence(hypotheses, { of: N ?? undefined, ci: 0.95 })
  const weighted = (one: Unit): Weighted | undefined => {
    if (one === 'skip') return undefined
    if (one === null) return [0.5, 0]
    return Array.isArray(one) ? one : [scaled(one), 1]
  }
  for (const one of typeof input === 'string' ? [...input].map(Number) : input)
    if (sequence.add(weighted(one)) !== 'undecided') break
  return sequence
}

for (const one of gate)
  test(`gate ${one.X}: ${one.name}`, () => {
    const sequence = decided(one, { gate: one.X })
    const { log_evidence_above, log_evidence_below, ...expect } = one.expect
    const { above, below } = sequence.evidence
    // Infinity is then 0.
    near(Math.exp(-above), Math.exp(-log_evidence_above), 1e-8, 'evidence above')
    near(Math.exp(-below), Math.exp(-log_evidence_below), 1e-8, 'evidence below')
    near(sequence.interval(1), [expect.at_least, expect.at_most], 1e-6, 'at least, at most')
    near(sequence.interval(), expect.ci, 1e-6, 'interval')
    for (const name of ['decision', 'at', 'certain', 'valid', 'failed', 'skipped', 'mean'] as const)
      near(sequence[name], expect[name], 1e-9, name)
  })

const SIDES: Record<string, string> = { above: 'a_better', below: 'b_better', between: 'equivalent' }
for (const one of compare)
  test(`margin ${one.margin}: ${one.name}`, () => {
    const margin = [(1 - one.margin) / 2, (1 + one.margin) / 2] as const
    const sequence = decided(one, { margin }, (difference) => (difference + 1) / 2)
    const unscaled = (x: number) => 2 * x - 1
    const found = {
      decision: SIDES[sequence.decision],
      at: sequence.at,
      missing: sequence.failed - sequence.skipped,
      difference: unscaled(sequence.mean!),
      ci: sequence.interval().map(unscaled),
    }
    for (const [key, value] of Object.entries(one.expect)) near(found[key as 'at'], value, 1e-6, key)
  })

test('a population is not known for certain, however many of it are', () => {
  const sequence = new Sequence({ gate: 0.5 }, { of: 4, ci: 0.95, population: true })
  for (let i = 0; i < 4; i++) sequence.add([1, 1])
  assert.equal(sequence.decision, 'undecided')
})
