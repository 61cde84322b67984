/** List: all elements of an item's lists, each once. */
import { type Json, type JsonObject, type Result, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Scoring, Tally } from './_scoring.ts'
import { countIn } from './_states.ts'

export const scoring: Scoring = {
  score(trials: TrialResult[]): Result {
    const items: Json[] = []
    const seen = new Set<string>()
    for (const { verdict } of trials) {
      if (!Array.isArray(verdict!.items))
        throw new RowFailure('no_verdict', 'jb.verdict has no list of items')
      for (const item of verdict!.items as Json[]) {
        const key = JSON.stringify(item)
        if (!seen.has(key)) items.push(item)
        seen.add(key)
      }
    }
    return { kind: 'list', items }
  },
  tally: () => new ListTally(),
}

class ListTally implements Tally {
  private lists = 0
  private things = 0
  private empty = 0

  add(result: Result): void {
    const { length } = result.items as unknown[]
    this.lists++
    this.things += length
    if (length === 0) this.empty++
  }

  state(): JsonObject {
    const { lists, things, empty } = this
    return { lists, things, empty }
  }

  merge(state: JsonObject): void {
    for (const key of ['lists', 'things', 'empty'] as const) this[key] += countIn(state[key])
  }

  report(): JsonObject {
    const { lists, things, empty } = this
    return { lists, things, mean_length: lists === 0 ? null : things / lists, empty }
  }
}
