/** Scores and reports of games. */
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, jb } from '../helpers/run.ts'

export const score = async (rows: object[], ...args: string[]) =>
  rowsOf(expect(await jb('score', ['-q', ...args], { stdin: ndjson(rows) }), {}))

export const aggregate = async (rows: object[], ...args: string[]) =>
  JSON.parse(expect(await jb('aggregate', ['-q', ...args], { stdin: ndjson(rows) }), {}).stdout)

/** What a game may say: also an original's null, its empty string, and a label it does not normalise. */
export const SAID = ['A>B', 'B>A', 'A=B', null, '', 'A<B']
