/**
 * What `jb`s have in common: a million verdicts differ in their items, in what was asked and replied, in what that took,
 * and are a few dozen different ones beside that, each of which is parsed once.
 */

import { type Latin1, parsePlain } from './bytes.ts'
import type { Verdict } from './record.ts'
import { checkShape } from './shapes.ts'

/** What is read of a line: its members of `jb`, and which of them is the item. */
interface Members {
  item: number
  key(i: number): string
  jbText(i: number): Latin1
}

/** Where values are masked. */
const MASKED = ['reply', 'request']

/**
 * All of a `jb` but some values, which are masked: its item; where rows are judged (see ReadOptions) also what was asked,
 * and of the reply all but model and reason to finish. Lines that have the same one are the same in all else, letter by
 * letter. Of the masked values those are given that are counted: the reply's text where it is a string, its cost where it
 * is a number, whole numbers of its usage.
 */
export class SharedJb {
  private readonly judged: boolean
  private readonly values: unknown[] = []
  /** What jb-aggregate found out for rows that have it: whether they are about a changed item, or one of two trials; results. */
  isProbe: boolean | undefined
  isHalf: boolean | undefined
  /** The number of their trial. */
  trialNumber: number | undefined
  results: unknown
  /** The verdict that jb-parse read where it depends on nothing else, and by what. */
  verdict: Verdict | undefined
  reader: unknown

  constructor(judged: boolean) {
    this.judged = judged
  }

  /** The value of a member, parsed once, not to be changed; undefined where some of it is masked. */
  value(line: Members, i: number): unknown {
    if (i === line.item) return undefined
    let value = this.values[i]
    if (value === undefined) {
      if (this.judged && MASKED.includes(line.key(i))) return undefined
      value = parsePlain(line.jbText(i))
      checkShape(line.key(i), value)
      this.values[i] = value
    }
    return value
  }
}

export interface SharedJbs {
  judged: boolean
  /** By number, until numbers start again. */
  known: (SharedJb | undefined)[]
}
