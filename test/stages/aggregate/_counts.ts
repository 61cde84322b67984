/** Reports on games of pairs, through the stage. */
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { spec as writeSpec } from '../../../src/stages/write/options.ts'
import { write } from '../../../src/stages/write/write.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

export const run = (rows: object[], ...args: string[]) => staged(spec, aggregate, args, ndjson(rows))

/** What jb-write makes of them. */
export const written = (rows: object[], format: string, ...args: string[]) =>
  staged(writeSpec, write, [format, ...args], ndjson(rows))

export const report = async (rows: object[], ...args: string[]) => objects((await run(rows, ...args)).text)[0]

export const verdicts = (count: number, more: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, i) => game(`p${i}`, 0, 1, i % 3 === 0 ? 'B>A' : 'A>B', more))
