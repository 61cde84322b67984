/**
 * Items whose rows have the same `jb` except for the masked values (see SharedJb). These affect only the digest of an item's
 * replies and its costs, not its result.
 */
import type { Block } from '../rows/block.ts'
import { ascii, decode, type Latin1 } from '../rows/bytes.ts'
import type { Line } from '../rows/line.ts'
import { count } from '../rows/maps.ts'
import type { TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { BACKSLASH, scanObject } from '../rows/text_scan.ts'
import { Sum } from '../statistics/sum.ts'
import {
  callDigest,
  costDigest,
  digestBits,
  joinedDigest,
  mix,
  mixBytes,
  usageFactor,
  verdictDigest,
} from './_digest.ts'
import type { CountedItem, Group } from './_group.ts'

/** The masked values of a row: the index of each among them, -1 if the row does not have it. */
interface Masked {
  /** The digest of the verdict without the reply. */
  verdict: number
  /** The digest of the call without masked values. */
  call: number
  text: number
  cost: number
  usage: { at: number; sum: number; key: string; factor: number }[]
}

/** Sums of the masked values over items that are equal otherwise. */
export class SimilarItems {
  /** The item that each of them counts as. */
  readonly counted: CountedItem
  private readonly trials: Masked[]
  private readonly fieldsDigest: number
  private cost = new Sum()

  private constructor(counted: CountedItem, trials: Masked[], fieldsDigest: number) {
    this.counted = counted
    this.trials = trials
    this.fieldsDigest = fieldsDigest
  }

  /** Undefined if a row's masked values are ambiguous. @param rows one for each trial */
  static of(item: CountedItem & { fieldsDigest: number }, rows: readonly Row[]): SimilarItems | undefined {
    const trials: Masked[] = []
    const bare: TrialResult[] = []
    for (const [i, row] of rows.entries()) {
      const masked = maskedIn(row)
      const one = item.trials[i]!
      if (!masked) return undefined
      trials.push(masked)
      const { cost, usage, ...rest } = one
      const left = { ...usage } as Record<string, number>
      for (const { at, key } of masked.usage) left[key]! -= wholeAt(row.unchanged!, at)
      const trial = { ...rest, usage: left, ...(masked.cost < 0 && cost !== undefined && { cost }) }
      masked.call = callDigest(trial)
      bare.push(trial as TrialResult)
    }
    return new SimilarItems({ ...item, trials: bare }, trials, item.fieldsDigest)
  }

  /** The digest of an item with these rows. @param calls as for {@link itemDigest} */
  digest(first: Line, second: Line | undefined, calls = false): number {
    let digest = this.fieldsDigest
    for (const [i, line] of (second ? [first, second] : [first]).entries()) {
      const masked = this.trials[i]!
      const reply = replyDigest(line, masked)
      digest = joinedDigest(digest, calls ? reply + maskedCallDigest(line, masked) : reply)
    }
    return digestBits(digest)
  }

  /** Adds the costs of an item. */
  add(first: Line, second: Line | undefined): void {
    this.addCost(first, this.trials[0]!)
    if (second) this.addCost(second, this.trials[1]!)
  }

  private addCost(line: Line, { usage, cost }: Masked): void {
    for (let i = 0; i < usage.length; i++) usage[i]!.sum += wholeAt(line, usage[i]!.at)
    if (cost >= 0) this.cost.add(costAt(line, cost))
  }

  /** Adds the items to a group. */
  addTo(group: Group, times: number): void {
    group.add(this.counted, times)
    for (const { usage } of this.trials) for (const { key, sum } of usage) count(group.usage, key, sum)
    group.cost.merge(this.cost.state())
  }

  /** Resets the sums, after {@link addTo}. */
  clear(): void {
    for (const { usage } of this.trials) for (const one of usage) one.sum = 0
    this.cost = new Sum()
  }
}

/** The masked values of a row, in the order of the reply's members. */
function maskedIn(row: Row): Masked | undefined {
  const masked: Masked = { verdict: verdictDigest(row, undefined), call: 0, text: -1, cost: -1, usage: [] }
  let at = 0
  for (const [name, value] of row.members('reply') ?? []) {
    if (name === 'text' && value.startsWith('"')) masked.text = at++
    else if (name === 'cost' && /^[-\d]/.test(value)) masked.cost = at++
    else if (name === 'usage' && value.startsWith('{'))
      for (const key of wholeNumbersIn(value))
        masked.usage.push({ at: at++, sum: 0, key, factor: usageFactor(key) })
  }
  const keys = new Set(masked.usage.map(({ key }) => key))
  const isWhole = at === row.unchanged!.maskedCount && keys.size === masked.usage.length
  return isWhole ? masked : undefined
}

/** Keys of those members of an object that are whole numbers. */
const wholeNumbersIn = (object: Latin1): string[] =>
  (scanObject(object, 0) ?? [])
    .filter(({ start, end }) => /^\d{1,12}$/.test(object.slice(start, end)))
    .map(({ key }) => decode(ascii(key)))

/** A whole number. */
function wholeAt(line: Line, at: number): number {
  const { block } = line
  let value = 0
  for (let i = line.maskedFrom(at), end = line.maskedTo(at); i < end; i++)
    value = value * 10 + block.at(i) - 0x30
  return value
}

const costAt = (line: Line, at: number) => Number(line.block.slice(line.maskedFrom(at), line.maskedTo(at)))

/** The same digest as {@link callDigest}'s, from the bytes of the row. */
function maskedCallDigest(line: Line, { call, cost, usage }: Masked): number {
  let sum = cost >= 0 ? call + costDigest(costAt(line, cost)) : call
  for (const { at, factor } of usage) sum += Math.imul(factor, wholeAt(line, at))
  return sum | 0
}

/** The same digest as {@link verdictDigest}'s, from the bytes of the row. */
function replyDigest(line: Line, { verdict, text }: Masked): number {
  if (text < 0) return verdict
  const { block } = line
  const from = line.maskedFrom(text)
  const to = line.maskedTo(text)
  // Long replies are digested as JSON text.
  if (line.hasParts('reply')) return mixBytes(verdict, block, from, to)
  if (isPlain(block, from + 1, to - 1)) return mixBytes(verdict, block, from + 1, to - 1)
  return mix(verdict, JSON.parse(decode(block.slice(from, to))) as string)
}

/** Whether a JSON string has neither escapes nor characters beyond ASCII. */
function isPlain(block: Block, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const unit = block.at(i)
    if (unit > 0x7f || unit === BACKSLASH) return false
  }
  return true
}
