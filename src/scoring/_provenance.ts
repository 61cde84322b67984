/** How the verdicts of a run were made: models, parameters, orders, samples, criteria. */
import type { Json, JsonObject, TrialResult } from '../rows/record.ts'
import { countIn, textIn } from './_states.ts'

/** The most values that are listed of each. */
const LISTED = 50

export class Provenance {
  private readonly servedModels = new Set<string>()
  /** JSON texts of the requests' parameters. */
  private readonly parameters = new Set<string>()
  private readonly orders = new Set<string>()
  private readonly criteria = new Set<string>()
  private readonly seeds = new Set<string>()
  private samples = 0
  /** The parameters of the last trial, which mostly repeat. */
  private last: JsonObject | undefined

  add(trials: readonly TrialResult[]): void {
    for (const { trial, served_model, parameters, calls } of trials) {
      if (calls) this.add(calls as TrialResult[])
      if (parameters !== undefined && parameters !== this.last) {
        this.last = parameters
        note(this.parameters, JSON.stringify(parameters))
      }
      if (served_model !== undefined) note(this.servedModels, served_model)
      if (typeof trial?.order === 'string') note(this.orders, trial.order)
      if (typeof trial?.criterion === 'string') note(this.criteria, trial.criterion)
      if (trial?.seed !== undefined) note(this.seeds, JSON.stringify(trial.seed))
      if (typeof trial?.sample === 'number' && trial.sample >= this.samples) this.samples = trial.sample + 1
    }
  }

  state(): JsonObject {
    const { servedModels, parameters, orders, criteria, seeds, samples } = this
    return {
      served_models: [...servedModels],
      parameters: [...parameters],
      orders: [...orders],
      criteria: [...criteria],
      seeds: [...seeds],
      samples,
    }
  }

  merge(state: JsonObject): void {
    const all = (from: Json | undefined, into: Set<string>) => {
      for (const value of (from ?? []) as Json[]) note(into, textIn(value))
    }
    all(state.served_models, this.servedModels)
    all(state.parameters, this.parameters)
    all(state.orders, this.orders)
    all(state.criteria, this.criteria)
    all(state.seeds, this.seeds)
    this.samples = Math.max(this.samples, countIn(state.samples ?? 0))
  }

  /** Independent of the order of the rows. A single value of `parameters` and `seed` is not in a list. */
  report(): JsonObject {
    const { servedModels, parameters, orders, criteria, seeds, samples } = this
    const values = (texts: Set<string>) => [...texts].sort().map((text) => JSON.parse(text) as Json)
    const only = (list: Json[]) => (list.length === 1 ? list[0]! : list)
    return {
      ...(servedModels.size > 0 && { served_models: [...servedModels].sort() }),
      ...(parameters.size > 0 && { parameters: only(values(parameters)) }),
      ...(orders.size > 0 && { orders: [...orders].sort() }),
      ...(samples > 0 && { samples }),
      ...(criteria.size > 0 && { criteria: [...criteria].sort() }),
      ...(seeds.size > 0 && { seed: only(values(seeds)) }),
    }
  }
}

/** Keeps the values that sort first, so that they do not depend on the order of the rows. */
function note(set: Set<string>, value: string): void {
  set.add(value)
  if (set.size > LISTED) set.delete([...set].reduce((last, one) => (one > last ? one : last)))
}
