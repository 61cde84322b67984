/** `NAME.eval.measures.yml` beside a leaderboard `NAME.eval.txt`: the types of its measures. */
import { existsSync } from 'node:fs'
import { readData } from '../files/data.ts'
import { configError, type JsonObject } from '../rows/record.ts'

export const MEASURE_TYPES = ['float', 'int', 'str'] as const
export type MeasureType = (typeof MEASURE_TYPES)[number]

/** The types of a leaderboard file's measures by name; undefined without such a file. @throws Fatal (configuration) */
export async function measureTypes(
  leaderboard: string | undefined,
): Promise<ReadonlyMap<string, MeasureType> | undefined> {
  if (leaderboard === undefined) return undefined
  const path = `${leaderboard.replace(/(?<=[^/])\.[^./]*$/, '')}.measures.yml`
  if (!existsSync(path)) return undefined
  const data = (await readData(path)) as JsonObject | null
  const list = data?.measures
  if (!Array.isArray(list)) throw configError(`${path}: "measures" must be a list of name and dtype`)
  return new Map(
    list.map((one) => {
      const { name, dtype = 'float' } = (one ?? {}) as JsonObject
      if (typeof name !== 'string' || !MEASURE_TYPES.includes(dtype as MeasureType))
        throw configError(`${path}: a measure has a name and a dtype (float, int or str)`)
      return [name, dtype as MeasureType]
    }),
  )
}
