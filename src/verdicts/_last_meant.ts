/** Which of a reply's labels counts. */
import { RowFailure } from '../rows/record.ts'

export interface Found {
  label: string
  value: string
  /** What the pattern found, brackets and all. */
  whole: string
}

/** Between two labels of one breath: `[[A>B]] and [[B>A]]`, `[[A]] [[B]]`, `[[A]] / [[B]]`. Line ends are escaped in JSON text. */
const JOINT = /^["'`*_\\]{0,4}(?:[ \t\n]|\\n){0,3}(?:[,/|&]|vs\.?|and|or)?(?:[ \t\n]|\\n){0,3}["'`*_\\]{0,4}$/
/** Characters before a label in which the one before it and what is between them have room. */
const NEAR = 48
/** `[[A>B]] would hold if …`, after the label. */
const CONDITIONAL = /^["'`*_\\]{0,4}[ \t]{1,3}(?:would|could|might|if(?! I (?:had|have|must)\b))\b/

/**
 * The last label that is more than a condition.
 * @throws RowFailure conflict where two that differ are named in one breath, no_verdict where all are conditions
 */
export function lastMeant(found: readonly Found[], text: string): Found {
  let end = text.length
  for (let i = found.length - 1; i >= 0; i--) {
    const one = found[i]!
    const at = text.lastIndexOf(one.whole, end - one.whole.length)
    const after = at + one.whole.length
    end = at
    if (after < text.length && CONDITIONAL.test(text.slice(after, after + 24))) continue
    const before = found[i - 1]
    if (before && before.value !== one.value && isNextTo(before, text.slice(Math.max(0, at - NEAR), at)))
      throw new RowFailure('conflict', `the reply holds different verdicts: ${before.label}, ${one.label}`)
    return one
  }
  throw new RowFailure('no_verdict', 'the reply names labels on conditions only')
}

/** @param lead what stands before a label */
function isNextTo({ whole }: Found, lead: string): boolean {
  const at = lead.lastIndexOf(whole)
  return at >= 0 && JOINT.test(lead.slice(at + whole.length))
}
