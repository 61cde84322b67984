/** Leaderboards of battles, through the stage. */
import { spec } from '../../../src/stages/rank/options.ts'
import { rank } from '../../../src/stages/rank/rank.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

export const run = (args: string[], rows: object[]) => staged(spec, rank, args, ndjson(rows))

export const board = async (args: string[], rows: object[]) =>
  new Map(objects((await run(args, rows)).text).map((one) => [one.model, one]))

export const fight = (a: string, b: string, winner: string | null, times = 1, more: object = {}) =>
  Array.from({ length: times }, () => ({ model_a: a, model_b: b, winner, ...more }))
