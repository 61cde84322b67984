/** How the results of a run were made: models, parameters, orders, samples, criteria, options of jb-score. */
import { someNames } from '../options/nearest.ts'
import type { Json, JsonObject, Result, TrialResult } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { countIn, textIn } from './_states.ts'

/** The most values that are listed of each. */
const LISTED = 50

/** Of `parameters`, `seeds` and `scored_with` the JSON texts are kept. */
const LISTS = ['served_models', 'parameters', 'orders', 'criteria', 'seeds', 'scored_with'] as const

/** No options. */
const NONE = '{}'

export class Provenance {
  private readonly lists = Object.fromEntries(LISTS.map((name) => [name, new Set<string>()])) as Record<
    (typeof LISTS)[number],
    Set<string>
  >
  private samples = 0
  /** The parameters of the last trial, which mostly repeat. */
  private last: JsonObject | undefined

  add(trials: readonly TrialResult[], result?: Result): void {
    const { lists } = this
    if (result) keep(lists.scored_with, result.scored_with ? JSON.stringify(result.scored_with) : NONE)
    for (const { trial, served_model, parameters, calls } of trials) {
      if (calls) this.add(calls as TrialResult[])
      if (parameters !== undefined && parameters !== this.last) {
        this.last = parameters
        keep(lists.parameters, JSON.stringify(parameters))
      }
      if (served_model !== undefined) keep(lists.served_models, served_model)
      if (typeof trial?.order === 'string') keep(lists.orders, trial.order)
      if (typeof trial?.criterion === 'string') keep(lists.criteria, trial.criterion)
      if (trial?.seed !== undefined) keep(lists.seeds, JSON.stringify(trial.seed))
      if (typeof trial?.sample === 'number' && trial.sample >= this.samples) this.samples = trial.sample + 1
    }
  }

  /** The options of jb-score that results were scored with, if these are not the same for all. */
  get scorings(): string[] {
    const all = [...this.lists.scored_with].sort()
    return all.length > 1 ? all.map((text) => (text === NONE ? 'no options' : text)) : []
  }

  state(): JsonObject {
    const lists = LISTS.map((name) => [name, [...this.lists[name]]])
    return { ...Object.fromEntries(lists), samples: this.samples }
  }

  merge(state: JsonObject): void {
    for (const name of LISTS)
      for (const value of (state[name] ?? []) as Json[]) keep(this.lists[name], textIn(value))
    this.samples = Math.max(this.samples, countIn(state.samples ?? 0))
  }

  /** Independent of the order of the rows. A single value of `parameters`, `seed` and `scored_with` is not in a list. */
  report(): JsonObject {
    const { samples, scorings } = this
    const sorted = (name: keyof typeof this.lists) => [...this.lists[name]].sort()
    const parsed = (name: keyof typeof this.lists) => {
      const values = sorted(name).map((text) => JSON.parse(text) as Json)
      return values.length === 1 ? values[0]! : values
    }
    const all: JsonObject = {
      served_models: sorted('served_models'),
      parameters: parsed('parameters'),
      orders: sorted('orders'),
      ...(samples > 0 && { samples }),
      criteria: sorted('criteria'),
      seed: parsed('seeds'),
      ...((scorings.length > 0 || !this.lists.scored_with.has(NONE)) && {
        scored_with: parsed('scored_with'),
      }),
    }
    return Object.fromEntries(
      Object.entries(all).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
    )
  }
}

/** Notes that results of a run were scored with different options. */
export function noteScorings(run: string, { scorings }: Provenance, note: Context['note']): void {
  if (scorings.length > 0)
    note(`${run}: results that jb-score made with different options in one report (${someNames(scorings)})`, {
      kind: 'scored otherwise',
    })
}

/** Keeps the values that sort first, so that they do not depend on the order of the rows. */
function keep(set: Set<string>, value: string): void {
  set.add(value)
  if (set.size > LISTED) set.delete([...set].reduce((last, one) => (one > last ? one : last)))
}
