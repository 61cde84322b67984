/** Leaderboards of battles, through the stage. */
import type { TestContext } from 'node:test'
import { spec } from '../../../src/stages/rank/options.ts'
import { rank } from '../../../src/stages/rank/rank.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

export const run = (args: string[], rows: object[]) => staged(spec, rank, args, ndjson(rows))

export const board = async (args: string[], rows: object[]) =>
  new Map(objects((await run(args, rows)).text).map((one) => [one.model, one]))

export const fight = (a: string, b: string, winner: string | null, times = 1, more: object = {}) =>
  Array.from({ length: times }, () => ({ model_a: a, model_b: b, winner, ...more }))

/** --control of length_controlled_v1, with a file of 20 difficulties by row number and two gamed answers each. */
export function gamedAnswers(t: TestContext): string {
  const lines = [0, 1].flatMap((model) =>
    Array.from({ length: 20 }, (_, index) =>
      [((index * 7 + model) % 10) / 10, index, model ? 0.8 : -0.6, ((index * 3) % 11) / 5 - 1].join(),
    ),
  )
  const head = 'preference,index,std_delta_len,instruction_difficulty'
  const dir = folder(t, { 'df_gamed.csv': `${[head, ...lines].join('\n')}\n` })
  return `length_controlled_v1=${dir}/df_gamed.csv`
}
