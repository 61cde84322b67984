/**
 * The shared parts of `jb`. The rows of a million verdicts differ in item, request, reply and usage; apart from these
 * values there are a few dozen different `jb`s, and each is parsed once.
 */

import { type Latin1, parsePlain } from './bytes.ts'
import type { Verdict } from './record.ts'
import { checkShape } from './shapes.ts'

/** What is needed of a Line: the members of `jb`, and the index of the item. */
interface Members {
  item: number
  key(i: number): string
  jbText(i: number): Latin1
}

/** Keys of `jb` with masked values in them. */
const MASKED = ['reply', 'request']

/**
 * A `jb` without its masked values: the item and, with ReadOptions.maskReplies, the request and the reply except its model and
 * finish_reason. Lines that share one are equal byte for byte in all other values. The line's record lists the masked
 * values that stages count: the reply's text if it is a string, its cost if it is a number, whole numbers of its usage.
 */
export class SharedJb {
  private readonly maskReplies: boolean
  private readonly values: unknown[] = []
  /** What jb-aggregate knows of its rows: whether their item is a probe, whether they are one of two trials; results. */
  isProbe: boolean | undefined
  isHalf: boolean | undefined
  /** The number of the rows' trial. */
  trialNumber: number | undefined
  results: unknown
  /** The judge and model of its rows, as jb-score knows them. */
  run: unknown
  /** The verdict that jb-parse read, if it depends on nothing else, and the reader that read it. */
  verdict: Verdict | undefined
  reader: unknown

  constructor(maskReplies: boolean) {
    this.maskReplies = maskReplies
  }

  /** The value of a member, parsed once: do not modify it. Undefined if part of it is masked. */
  value(line: Members, i: number): unknown {
    if (i === line.item) return undefined
    let value = this.values[i]
    if (value === undefined) {
      if (this.maskReplies && MASKED.includes(line.key(i))) return undefined
      value = parsePlain(line.jbText(i))
      checkShape(line.key(i), value)
      this.values[i] = value
    }
    return value
  }
}

export interface SharedJbs {
  maskReplies: boolean
  /** By number; the module restarts its numbers now and then, with a new list. */
  known: (SharedJb | undefined)[]
}
