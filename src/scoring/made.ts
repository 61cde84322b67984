/** How the results of a run were made: models, parameters, orders, samples, criteria, options of jb-score. */
import { someNames } from '../options/nearest.ts'
import type { Json, JsonObject, Result, Trial } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { Listed, Most } from './sums.ts'

/** No options. */
const NONE = '{}'

/** Of `parameters`, `seeds` and `scored_with` JSON texts. */
export const madeSums = () => ({
  served_models: new Listed(),
  parameters: new Listed(),
  orders: new Listed(),
  criteria: new Listed(),
  seeds: new Listed(),
  scored_with: new Listed(),
  samples: new Most(),
})
export type MadeSums = ReturnType<typeof madeSums>

/** Adds what made a trial. */
export function addMade(
  made: MadeSums,
  trial: Partial<Trial>,
  served: string | undefined,
  parameters: JsonObject | undefined,
): void {
  if (parameters !== undefined) made.parameters.add(JSON.stringify(parameters))
  if (served !== undefined) made.served_models.add(served)
  if (typeof trial.order === 'string') made.orders.add(trial.order)
  if (typeof trial.criterion === 'string') made.criteria.add(trial.criterion)
  if (trial.seed !== undefined) made.seeds.add(JSON.stringify(trial.seed))
  if (typeof trial.sample === 'number') made.samples.add(trial.sample + 1)
}

/** Adds the options that a result was scored with. */
export const addScoring = ({ scored_with: lists }: MadeSums, { scored_with }: Result): void =>
  void lists.add(scored_with ? JSON.stringify(scored_with) : NONE)

/** The options of jb-score that results were scored with, if these are not the same for all. */
function scoringsOf({ scored_with }: MadeSums): string[] {
  const all = [...scored_with].sort()
  return all.length > 1 ? all.map((text) => (text === NONE ? 'no options' : text)) : []
}

/** A single value of `parameters`, `seed` and `scored_with` is not in a list. */
export function madeReport(made: MadeSums): JsonObject {
  const parsed = (list: Listed) => {
    const values = [...list].sort().map((text) => JSON.parse(text) as Json)
    return values.length === 1 ? values[0]! : values
  }
  const options = scoringsOf(made).length > 0 || !made.scored_with.has(NONE)
  const all: JsonObject = {
    served_models: [...made.served_models].sort(),
    parameters: parsed(made.parameters),
    orders: [...made.orders].sort(),
    ...(made.samples.value > 0 && { samples: made.samples.value }),
    criteria: [...made.criteria].sort(),
    seed: parsed(made.seeds),
    ...(options && { scored_with: parsed(made.scored_with) }),
  }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  )
}

/** Notes that results of a run were scored with different options. */
export function noteScorings(run: string, made: MadeSums, note: Context['note']): void {
  const scorings = scoringsOf(made)
  if (scorings.length > 0)
    note(`${run}: results that jb-score made with different options in one report (${someNames(scorings)})`, {
      kind: 'scored otherwise',
    })
}
