/** Cards of jb-audit, and recorded values. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { audit } from '../../../src/stages/audit/audit.ts'
import { spec } from '../../../src/stages/audit/options.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

export const run = (args: string[], rows: object[]) => staged(spec, audit, args, ndjson(rows))

/** Sections by name. */
export const card = async (args: string[], rows: object[]) =>
  Object.fromEntries(
    objects((await run(args, rows)).text).map(({ section, ...figures }) => [section, figures]),
  )

export function near(actual: unknown, expected: unknown, what: string): void {
  if (Array.isArray(expected))
    for (const [i, one] of expected.entries()) near((actual as unknown[])[i], one, `${what}[${i}]`)
  else if (typeof expected === 'number')
    assert.ok(
      Math.abs((actual as number) - expected) <= 1e-7 * Math.max(1, Math.abs(expected)),
      `${what}: ${actual}, expected ${expected}`,
    )
  else assert.equal(actual ?? null, expected, what)
}

/** A file of labelled items of a judge who said yes in `tp` of `m1` that are, and no in `tn` of `m0` that are not. */
export function calibration(t: TestContext, tp: number, m1: number, tn: number, m0: number): string {
  const rows = Array.from({ length: m1 + m0 }, (_, i) => ({
    id: `c${i}`,
    label: Number(i < m1),
    said: Number(i < m1 ? i < tp : i - m1 >= tn),
  }))
  return `${folder(t, { 'labelled.ndjson': ndjson(rows) })}/labelled.ndjson`
}

/** 40 rows of eight documents. */
export const documents = () =>
  Array.from({ length: 40 }, (_, i) => ({
    id: `i${i}`,
    doc: Math.floor(i / 5),
    human: (i % 5 ? ((i * i) % 7) % 3 > 0 : i % 2 === 0) ? 'A>B' : 'B>A',
    said: ((i * i) % 7) % 3 > 0 ? 'A>B' : 'B>A',
    model_a: i % 3 ? 'x' : 'y',
    model_b: i % 3 ? 'y' : 'x',
    length: (i * 37) % 23,
    eleven: 11,
  }))
