/** List: all elements of an item's lists, each once. */
import { type Json, RowFailure } from '../../rows/record.ts'
import { type JudgeKind, plainMeaning } from '../kind.ts'

/** What a report adds up over lists: how many there are, their elements, and those without any. */
const sums = () => ({ lists: 0, things: 0, empty: 0 })

export const kind: JudgeKind<ReturnType<typeof sums>> = {
  reads: ['items', 'failure'],
  labels: [],
  meaning: plainMeaning,
  score(trials) {
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
  sums,
  add(sums, result) {
    const { length } = result.items as unknown[]
    sums.lists++
    sums.things += length
    if (length === 0) sums.empty++
  },
  report({ lists, things, empty }) {
    return { lists, things, mean_length: lists === 0 ? null : things / lists, empty }
  },
}
