/** Digests that tell whether a trial that occurs twice is the same both times. */
import type { ErrorCode, TrialResult } from '../rows/record.ts'
import { ERROR_CODES } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { DIGEST_BITS, LOW_BITS } from './_item_table.ts'

/** Characters of a long text that are hashed, with its length. */
const SAMPLED = 96
/** Digests below stand for failures, by code. */
const FIRST = 64

const stepOf = (length: number) => Math.max(1, Math.floor(length / SAMPLED))

/** Continues a digest with a text. */
export function mix(digest: number, text: string): number {
  const step = stepOf(text.length)
  let mixed = Math.imul(digest ^ text.length, 2654435761)
  for (let i = 0; i < text.length; i += step) mixed = Math.imul(mixed ^ text.charCodeAt(i), 1597334677)
  return mixed ^ (mixed >>> 15)
}

/** Rows share the objects of short verdicts. */
const verdicts = new WeakMap<object, number>()

/**
 * Digest of a trial's reply and of what was read from it: an integer below 2^32.
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

/** Digest of what a call cost. */
export function costDigest(cost: number): number {
  double[0] = cost
  return Math.imul(words[0]! ^ Math.imul(words[1]!, 2654435761), 1597334677)
}

/** The factor by which the tokens of a key of `usage` are multiplied. */
export const usageFactor = (key: string) => mix(0, key) | 1

/**
 * Digest of what distinguishes two calls with the same reply: cost, tokens, served model and parameters. A sum of digests,
 * 32 bits.
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

/** Digest of all calls of a trial, whichever of them counts. */
export function callsDigest(one: TrialResult): number {
  let sum = callDigest(one)
  for (const call of one.calls ?? [])
    sum += callDigest(call) + Number(call.digest ?? 0) + (call.error ? failureDigest(call.error.code) : 0)
  return sum | 0
}

/** Continues an item's digest with that of one of its trials. */
export const joinedDigest = (digest: number, one: number) => Math.imul(digest ^ one, 2246822507)

/** The digest in the bits of an item table, and none that means a failure. */
export function digestBits(digest: number): number {
  const bits = (digest ^ (digest >>> DIGEST_BITS)) & (2 ** DIGEST_BITS - 1)
  // The lowest bits are not 0 in a table.
  return (bits & (2 ** LOW_BITS - 1)) < FIRST ? bits | FIRST : bits
}

/** Means that replies differ; no code has this digest. */
export const CONFLICT = FIRST - 1

/** Means a failure with any code that is not one of jb's. */
export const FOREIGN = FIRST - 2

/** Of several failures of a trial, the one with the lowest number counts. */
export const failureDigest = (code: string) => 1 + ERROR_CODES.indexOf(code as ErrorCode) || FOREIGN

/** Digest of one trial, in the same bits; for a failed one that of its code. @param fieldsDigest as for {@link itemDigest} */
export const trialDigest = ({ digest, error }: TrialResult, fieldsDigest = 0): number =>
  error
    ? failureDigest(error.code)
    : digestBits(fieldsDigest ? joinedDigest(fieldsDigest, Number(digest)) : Number(digest))

/**
 * Digest of all trials of an item, in the bits of an item table; for a failed item that of its code, see {@link failureCode}.
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
