/** How the verdicts of a run were made: models, parameters, orders, samples, criteria. */
import type { Json, JsonObject, TrialResult } from '../rows/record.ts'
import { countIn, textIn } from './_states.ts'

/** The most values that are listed of each. */
const LISTED = 50

/** Of `parameters` and `seeds` the JSON texts are kept. */
const LISTS = ['served_models', 'parameters', 'orders', 'criteria', 'seeds'] as const

export class Provenance {
  private readonly lists = Object.fromEntries(LISTS.map((name) => [name, new Set<string>()])) as Record<
    (typeof LISTS)[number],
    Set<string>
  >
  private samples = 0
  /** The parameters of the last trial, which mostly repeat. */
  private last: JsonObject | undefined

  add(trials: readonly TrialResult[]): void {
    const { lists } = this
    for (const { trial, served_model, parameters, calls } of trials) {
      if (calls) this.add(calls as TrialResult[])
      if (parameters !== undefined && parameters !== this.last) {
        this.last = parameters
        note(lists.parameters, JSON.stringify(parameters))
      }
      if (served_model !== undefined) note(lists.served_models, served_model)
      if (typeof trial?.order === 'string') note(lists.orders, trial.order)
      if (typeof trial?.criterion === 'string') note(lists.criteria, trial.criterion)
      if (trial?.seed !== undefined) note(lists.seeds, JSON.stringify(trial.seed))
      if (typeof trial?.sample === 'number' && trial.sample >= this.samples) this.samples = trial.sample + 1
    }
  }

  state(): JsonObject {
    const lists = LISTS.map((name) => [name, [...this.lists[name]]])
    return { ...Object.fromEntries(lists), samples: this.samples }
  }

  merge(state: JsonObject): void {
    for (const name of LISTS)
      for (const value of (state[name] ?? []) as Json[]) note(this.lists[name], textIn(value))
    this.samples = Math.max(this.samples, countIn(state.samples ?? 0))
  }

  /** Independent of the order of the rows. A single value of `parameters` and `seed` is not in a list. */
  report(): JsonObject {
    const { samples } = this
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
    }
    return Object.fromEntries(
      Object.entries(all).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
    )
  }
}

/** Keeps the values that sort first, so that they do not depend on the order of the rows. */
function note(set: Set<string>, value: string): void {
  set.add(value)
  if (set.size > LISTED) set.delete([...set].reduce((last, one) => (one > last ? one : last)))
}
