/** Rows for tests: texts of NDJSON, and what a filter made of them. */
import assert from 'node:assert/strict'
import type { Decision, Jb } from '../../src/rows/record.ts'
import { type Ran, shown } from './run.ts'

// biome-ignore lint/suspicious/noExplicitAny: a row holds whatever its user put there
export type AnyRow = { jb: Jb; [key: string]: any }

export const ndjson = (rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** The rows a process wrote; every line must be whole. */
export function rowsOf(ran: Ran): AnyRow[] {
  if (ran.stdout === '') return []
  assert.ok(ran.stdout.endsWith('\n'), `the last line has no line end\n${shown(ran)}`)
  return ran.stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      try {
        return JSON.parse(line)
      } catch (error) {
        throw new Error(`not a row: ${line}\n${(error as Error).message}\n${shown(ran)}`)
      }
    })
}

/** The only row a process wrote. */
export function rowOf(ran: Ran): AnyRow {
  const rows = rowsOf(ran)
  assert.equal(rows.length, 1, `one row expected, there are ${rows.length}\n${shown(ran)}`)
  return rows[0]!
}

/** Rows written by another program, as jq does: each parsed, changed and printed again. */
export const rewritten = (text: string, change: (row: AnyRow) => unknown = (row) => row): string =>
  ndjson(
    text
      .trimEnd()
      .split('\n')
      .map((line) => change(JSON.parse(line))),
  )

/** A value with the keys of its objects sorted, as `jq -S` writes it. */
export function keysSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysSorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([key, one]) => [key, keysSorted(one)]))
}

let count = 0

/** A pair as JudgeBench has them. */
export const pair = (more: object = {}) => ({
  pair_id: `p${++count}`,
  source: 'made-up',
  question: 'What is 2 + 2?',
  response_A: '4, because two and two are four.',
  response_B: '5',
  label: 'A>B',
  ...more,
})

/** A trial with its reply, as jb-call leaves it. */
export const replied = (judge: string, text: string, jb: object = {}, item: object = {}) => ({
  ...item,
  jb: { judge, item: 'i1', trial: { n: 0, of: 1, order: 'AB' }, reply: { text, model: 'm' }, ...jb },
})

/** A game of a pair with its verdict, in the item's terms, as jb-parse leaves it. */
export function game(
  item: string,
  n: number,
  of: number,
  decision: Decision | null | string,
  { order = n % 2 === 0 ? 'AB' : 'BA', label = 'A>B', jb = {}, ...more }: Record<string, unknown> = {},
) {
  return {
    pair_id: item,
    ...(label !== undefined && label !== null && { label }),
    ...more,
    jb: {
      judge: 'arena_hard',
      item,
      trial: { n, of, order },
      reply: { text: 't', model: 'm' },
      verdict: { label: `[[${decision}]]`, decision },
      ...(jb as object),
    },
  }
}

/** An item that failed before it was asked of any model, and two that two models judged. */
export function failedBeforeModels(): object[] {
  const jb = { judge: 'vanilla', item: 'f', trial: { n: 0, of: 1 } }
  const error = { stage: 'render', code: 'missing_field', message: 'm' }
  const judged = ['m1', 'm2'].flatMap((model) =>
    ['p', 'q'].map((item) => ({
      id: item,
      label: 'B>A',
      jb: { ...jb, item, verdict: { label: 'B', decision: 'B>A', model } },
    })),
  )
  return [{ id: 'f', label: 'A>B', jb: { ...jb, error } }, ...judged]
}
