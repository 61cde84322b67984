/**
 * What short `jb`s have in common: a million bare verdicts differ in their items and are a few dozen different
 * ones beside that, each of which is parsed once.
 */

import { parsePlain } from './bytes.ts'
import type { Line } from './line.ts'
import { checkShape } from './shapes.ts'

/** All of a `jb` but its item: lines that have the same one are the same in that, letter by letter. */
export class Common {
  private readonly values: unknown[] = []

  /** The value of a member, parsed once, not to be changed; undefined for the item. */
  value(line: Line, i: number): unknown {
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

/** By number, until numbers begin anew. */
export type Commons = (Common | undefined)[]
