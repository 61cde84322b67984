/**
 * What short `jb`s have in common: a million bare verdicts differ in their items and are a few dozen different
 * ones beside that, each of which is parsed once.
 */

import { type Latin1, parsePlain } from './bytes.ts'
import { checkShape } from './shapes.ts'

/** What is read of a line: its members of `jb`, and which of them is the item. */
interface Members {
  item: number
  key(i: number): string
  jbText(i: number): Latin1
}

/** All of a `jb` but its item: lines that have the same one are the same in that, letter by letter. */
export class SharedJb {
  private readonly values: unknown[] = []
  /** What jb-aggregate found out for rows that have it: whether they are one of two trials; results. */
  isHalf: boolean | undefined
  results: unknown

  /** The value of a member, parsed once, not to be changed; undefined for the item. */
  value(line: Members, i: number): unknown {
    if (i === line.item) return undefined
    let value = this.values[i]
    if (value === undefined) {
      value = parsePlain(line.jbText(i))
      checkShape(line.key(i), value)
      this.values[i] = value
    }
    return value
  }
}

/** By number, until numbers start again. */
export type SharedJbs = (SharedJb | undefined)[]
