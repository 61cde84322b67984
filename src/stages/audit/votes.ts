/** What a section of a card is made of: a judge's items, and what all judges said of each item. */

import { count, getOrInsert } from '../../rows/maps.ts'
import type { Label } from '../../statistics/agreement.ts'
import { type AuditedJudge, type AuditedJudges, subjectKey } from './collect.ts'
import type { JudgedItem } from './items.ts'
import type { AuditOptions } from './options.ts'

/** Computes a section's figures; undefined where the rows do not allow them. */
export type Section = (judge: AuditedJudge, options: AuditOptions, votes: Votes) => object | undefined

/** How often each label was given, by what was judged. */
function labelCounts(items: Iterable<JudgedItem>): Map<string, Map<Label, number>> {
  const counts = new Map<string, Map<Label, number>>()
  for (const one of items)
    if (one.judged !== undefined)
      count(
        getOrInsert(counts, subjectKey(one), () => new Map()),
        one.judged,
      )
  return counts
}

/** What all judges in the stream said of each item. */
export class Votes {
  private readonly all: AuditedJudges
  /** How often each label was given, the most frequent first; counted when it is asked for. */
  private counts: Map<string, Map<Label, number>> | undefined

  constructor(all: AuditedJudges) {
    this.all = all
  }

  get judges(): number {
    return this.all.length
  }

  /** The most frequent of at least two labels that the other judges gave to an item; undefined for a tie. */
  ofOthers(judge: AuditedJudge): (item: JudgedItem) => Label | undefined {
    this.counts ??= new Map(
      [...labelCounts(this.all.flatMap(({ items }) => items))].map(([key, of]) => [
        key,
        new Map(mostFirst(of)),
      ]),
    )
    const own = labelCounts(judge.items)
    return (item) => {
      const key = subjectKey(item)
      const counts = this.counts!.get(key) ?? new Map<Label, number>()
      const mine = own.get(key) ?? new Map<Label, number>()
      const theirs = [...mine].map(([label, times]): [Label, number] => [label, counts.get(label)! - times])
      // Of the labels that this judge did not give the two most frequent are enough.
      let others = 0
      for (const [label, times] of counts) {
        if (others === 2) break
        if (mine.has(label)) continue
        theirs.push([label, times])
        others++
      }
      const [[most, times], [, second]] = [...mostFirst(theirs), [undefined, 0], [undefined, 0]] as const
      return times === second || times + second < 2 ? undefined : most
    }
  }
}

const mostFirst = (counts: Iterable<[Label, number]>) => [...counts].sort(([, x], [, y]) => y - x)
