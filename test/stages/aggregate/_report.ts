/** Reports on pairs by source. */
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'

export const run = async (rows: object[], ...args: string[]) =>
  expect(await jb('aggregate', ['-q', ...args], { stdin: ndjson(rows) }), {}).stdout

/** What jb-write makes of them. */
export const written = async (rows: object[], format: string, ...args: string[]) =>
  expect(await jb('write', ['-q', format, ...args], { stdin: ndjson(rows) }), {}).stdout

export const report = async (rows: object[], ...args: string[]) => JSON.parse(await run(rows, ...args))

/** Pairs by source: how many are right and wrong. */
export const pairs = (counts: Record<string, [right: number, wrong: number]>, more: object = {}) =>
  Object.entries(counts).flatMap(([source, [right, wrong]]) =>
    Array.from({ length: right + wrong }, (_, i) =>
      game(`${source}-${i}`, 0, 1, i < right ? 'A>B' : 'B>A', { source, ...more }),
    ),
  )
