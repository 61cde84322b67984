/** Cards of jb-audit, and recorded values. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { audit } from '../../../src/stages/audit/audit.ts'
import { spec } from '../../../src/stages/audit/options.ts'
import { sharedData } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

export const run = (args: string[], rows: object[]) => staged(spec, audit, args, ndjson(rows))

/** Sections by name. */
export const card = async (args: string[], rows: object[]) =>
  Object.fromEntries(
    objects((await run(args, rows)).text).map(({ section, ...figures }) => [section, figures]),
  )

// biome-ignore lint/suspicious/noExplicitAny: each file has cases of its own shape
export type Case = { name: string; input: any; expect: any }

/** Cases of a file of vectors; nothing where they are not here. */
export function cases(t: Parameters<typeof sharedData>[0], name: string): Case[] {
  const path = sharedData(t, `leaderboards/vectors/${name}.json`)
  return path === undefined ? [] : JSON.parse(readFileSync(path, 'utf8')).cases
}

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
