/** Digests that tell whether a trial that is seen twice says the same both times. */
import type { Block } from '../rows/block.ts'
import type { ErrorCode, TrialResult } from '../rows/record.ts'
import { ERROR_CODES } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { DIGEST_BITS, LOW_BITS } from './_item_table.ts'

/** Characters of a long text that count, beside its length. */
const SAMPLED = 96
/** Digests below stand for failures, by code. */
const FIRST = 64

const stepOf = (length: number) => Math.max(1, Math.floor(length / SAMPLED))

/** A digest that goes on with a text. */
export function mix(digest: number, text: string): number {
  const step = stepOf(text.length)
  let mixed = Math.imul(digest ^ text.length, 2654435761)
  for (let i = 0; i < text.length; i += step) mixed = Math.imul(mixed ^ text.charCodeAt(i), 1597334677)
  return mixed ^ (mixed >>> 15)
}

/** The same, with a text that stands somewhere a character a byte. */
export function mixBytes(digest: number, block: Block, from: number, to: number): number {
  const { bytes } = block
  const step = stepOf(to - from)
  let mixed = Math.imul(digest ^ (to - from), 2654435761)
  for (let i = from; i < to; i += step)
    mixed = Math.imul(mixed ^ (bytes ? bytes[i]! : block.at(i)), 1597334677)
  return mixed ^ (mixed >>> 15)
}

/** Rows share the objects of short verdicts. */
const verdicts = new WeakMap<object, number>()

/**
 * Of a trial's reply and what was read from it. A whole number below 2^32.
 * @param reply its text, or the JSON text of it
 */
export function verdictDigest(row: Row, reply: string | undefined): number {
  const verdict = row.get('verdict') as object
  let digest = verdicts.get(verdict)
  if (digest === undefined) verdicts.set(verdict, (digest = mix(0, row.text('verdict')!)))
  return (reply === undefined ? digest : mix(digest, reply)) >>> 0
}

/** Digests of the requests' parameters, which rows share. */
const parameterDigests = new WeakMap<object, number>()
const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)

/** Of what a call cost. */
export function costDigest(cost: number): number {
  double[0] = cost
  return Math.imul(words[0]! ^ Math.imul(words[1]!, 2654435761), 1597334677)
}

/** By which the tokens of a key of `usage` are multiplied. */
export const usageFactor = (key: string) => mix(0, key) | 1

/**
 * Of what tells two calls apart that got the same reply: what they cost, the model that served them and the parameters.
 * A sum of digests, those of tokens in proportion to them. 32 bits.
 */
export function callDigest({ usage, cost, served_model, parameters }: Partial<TrialResult>): number {
  let sum = cost === undefined ? 0 : costDigest(cost)
  for (const key in usage) {
    const tokens = usage[key]
    if (typeof tokens === 'number') sum += Math.imul(usageFactor(key), tokens)
  }
  if (served_model !== undefined) sum += mix(1, served_model)
  if (parameters !== undefined) {
    let digest = parameterDigests.get(parameters)
    if (digest === undefined) parameterDigests.set(parameters, (digest = mix(2, JSON.stringify(parameters))))
    sum += digest
  }
  return sum | 0
}

/** Of all calls of a trial, whichever of them counts. */
export function callsDigest(one: TrialResult): number {
  let sum = callDigest(one)
  for (const call of one.calls ?? [])
    sum += callDigest(call) + Number(call.digest ?? 0) + (call.error ? failureDigest(call.error.code) : 0)
  return sum | 0
}

/** An item's digest, which goes on with that of one of its trials. */
export const joinedDigest = (digest: number, one: number) => Math.imul(digest ^ one, 2246822507)

/** In the bits an item table has for it, and none that stands for a failure. */
export function digestBits(digest: number): number {
  const bits = (digest ^ (digest >>> DIGEST_BITS)) & (2 ** DIGEST_BITS - 1)
  // The lowest bits are not 0 in a table.
  return (bits & (2 ** LOW_BITS - 1)) < FIRST ? bits | FIRST : bits
}

/** Stands for replies that differ; none of the codes has it. */
export const CONFLICT = FIRST - 1

/** Stands for failures with a code that is not of jb, whichever it is. */
export const FOREIGN = FIRST - 2

/** Of failures of the same trial the one with the least counts. */
export const failureDigest = (code: string) => 1 + ERROR_CODES.indexOf(code as ErrorCode) || FOREIGN

/** Of one trial, in the same bits; of a failed one that of its code. @param fieldsDigest as for {@link itemDigest} */
export const trialDigest = ({ digest, error }: TrialResult, fieldsDigest = 0): number =>
  error
    ? failureDigest(error.code)
    : digestBits(fieldsDigest ? joinedDigest(fieldsDigest, Number(digest)) : Number(digest))

/**
 * Of all trials of an item, in the bits an item table has for it; of a failed item that of its code, see {@link failureCode}.
 * @param fieldsDigest see {@link digestOfFields}
 * @param calls whether {@link callsDigest} is in it
 */
export function itemDigest(
  trials: readonly TrialResult[],
  error: string | undefined,
  fieldsDigest = 0,
  calls = false,
): number {
  if (error !== undefined) return failureDigest(error)
  let digest = fieldsDigest
  for (const trial of trials) {
    const { digest: one, verdict } = trial
    digest =
      typeof one === 'number'
        ? joinedDigest(digest, calls ? one + callsDigest(trial) : one)
        : mix(digest, JSON.stringify(verdict ?? null))
  }
  return digestBits(digest)
}

/** The code a failed item's digest stands for; undefined where the item has a result. */
export const failureCode = (digest: number): ErrorCode | 'foreign' | undefined =>
  digest === FOREIGN ? 'foreign' : digest < FIRST ? ERROR_CODES[digest - 1] : undefined
