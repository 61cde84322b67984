/** Decides which of a reply's labels, or of its numbers in brackets, counts. */
import { RowFailure } from '../rows/record.ts'
import { lazily } from './_lazily.ts'
import { conflict } from './_pick.ts'

export interface Found<Value extends string | number = string> {
  label: string
  value: Value
  /** The whole match, with its brackets. */
  whole: string
}

type AnyFound = Found<string | number>

/** White space and marks around a label. Line ends and quotes are escaped in JSON text. */
const MARKS = String.raw`["“”'\x60*_\\)]{0,4}`
const SPACE = String.raw`(?:[ \t\n]|\\n){0,3}`
/** Between two labels that are named together: `[[A>B]] and [[B>A]]`, `[[A]] [[B]]`, `[[A]] / [[B]]`. */
const JOINT = lazily(
  () => new RegExp(`^${MARKS}${SPACE}(?:[-–—,/|&<=>]|vs\\.?|and|or|to|beats)?${SPACE}${MARKS}$`),
)
/** Between the labels of two aspects: `Accuracy: [[A]]`, and on the next line `Style: [[B]]`. */
const NEXT_LINE = lazily(() => /^[^\w\n]{0,6}(?:\n|\\n)+[^\p{L}\n]{0,8}(\p{L}[^\n:.]{0,30}):[ *_\\"]{0,6}$/u)
const CONCLUDES =
  /\b(?:final|overall|together|average|total|combined|revised|corrected|verdict|decision|conclusion|result|so|then|finally|therefore|thus|hence|but|my|mine|choose|choice|pick)\b|^(?:the )?(?:rating|score|grade|answer|judge?ment)$/i
/** Between a label and the next of another aspect: `[[A]] on style; [[B]] on content`, and after the next. */
const ASPECTS = [
  /^["'`*_\\)]{0,4} (?:(?:on|for|in|regarding|since|because|as) |\()[^.!?\n]{1,40}\n?$/,
  /^["'`*_\\)]{0,4} (?:(?:on|for|in|regarding|since|because|as) |\()/,
] as const
/** `For style, `, before a label. */
const REGARDING = /\b(?:on|for|in|regarding) [^.,:!?\n]{1,40}[,:]?[ "'`*_]{1,4}$/i
/** `Rating:`, between one label and the next, just before the next. */
const HEAD = /\b(?:rating|score|grade|verdict)["*_]{0,4}[:：][ "*_]{0,6}$/i
/** `while [[B]] is shorter`, before the label, and `is better` after it. */
const CONCEDED = [
  /\b(?:while|whereas|although|though|because|since|as)[ \t]["'`*_]{0,4}$/i,
  /^["'`*_)]{0,4} (?:is|was) [^.!?\n]{0,24}(?:better|best)\b/,
] as const
/** Marks in front of the words that lead to a label. */
const LOOSE = lazily(() => /^(?:\\n|[^\p{L}\p{N}\\])+/u)
/** The words in front of a label in its own match. */
const WORDS = lazily(() => /^[^\p{L}]*\p{L}[^:\]]*[:\]]*/u)
/** A label and a note in brackets, but no other words. */
const ONCE = lazily(
  () => /^[^\p{L}\p{N}]{0,6}([\p{L}\p{N}]+)(?: \([^()\n]{1,30}\))?(?:\\n|[^\p{L}\p{N}\\]){0,6}$/u,
)
/** Bytes around a label in which other labels and words are looked for. */
const NEAR = 68
/** This many different labels, each near the next, are taken for a list of the possible labels. */
const LIST = 3
/** `[[A>B]] would hold if …`, `[[A]] or …`, `[[A]] (if …`, `Output (a) is better than nothing`, after the label. */
const CONDITIONAL =
  /^["'`*_\\]{0,4}[ \t]{1,3}(?:would|could|might|or(?= )(?! (?:so|tie|draw|a tie|a draw)\b)|\(?if(?! only\b| I (?:had|have|must)\b)|than (?:nothing|none|most|average|usual|expected))\b/
/** `[[B]] has errors`, `[[8]] = very good`, after the label: the name of an answer or of a grade. */
const NAMES =
  /^["'`*_\\)]{0,4}[ \t]{1,3}(?:(?:has|had|lacks|fails|misses|omits|ignores|contains)\b|(?:is|was) (?:wrong|worse|weaker|incomplete|incorrect|inferior|not)\b|= ?\w)/
/** `Final: [[B]]?`, after the label. */
const ASKED = /^["'`*_\\)]{0,4}[ \t]?\?/
/** `not [[A]]`, `better than [[B]]`, `, otherwise [[C]]`, `for example "Rating: [[5]]"`, `written like [[5]]`, before the label. Lookbehinds come after the words: before them they are slow. */
const DENIED =
  /(?:(?:\b(?:not|neither|nor)|n['’]t)(?: (?:choose|pick|prefer|select))?,?|\b(?:over|instead of|wins against(?<!\b(?:never|rarely|hardly|seldom) wins against)|(?:else|otherwise)(?<=[,;(] (?:else|otherwise))|for example|for instance|e\.g\.|written (?:just )?(?:like|as)(?: this)?|than(?<!\b(?:worse|weaker|inferior|less)\b[^.!?\n]{0,24}than))[:,]?)[ \t]{1,3}["“'`*_\\]{0,4}(?:rating: ?)?$/i
/** `it could be [[10]]`, `if pressed, [[5]]`, `it claims "[[A]]"`, `I would have said [[A]]`, `if it were so, it would be [[A]]`, before the label. */
const THOUGHT_OF =
  /\b(?:could|might|would have|considered|tempted)\b[^.,;:!?\n[]{0,24}$|\b(?:if|had|were)\b[^.!?\n[]{0,50}\bwould (?:be|go to|get)[ "'\x60*_\\]{0,4}$|\bif\b[^.,;:!?\n[]{1,50},[ "'\x60*_\\]{1,4}$|\b(?:claims|contains)(?: the \w{1,12})?[ :]{1,2}\\?["“\x60]$/i
/** `Response 1 is better on style, Response 2 on content`, after the first of the two. */
export const SHARED =
  /^["'`*_\\)]{0,4}[ \t](?:on|in|for|at|regarding)\b[^.!?\n]{1,60}?(?:,|;|[ \t](?:and|but|while|whereas))[ \t](?:(?:and|but|while|whereas)[ \t])?(?:assistant|answer|response|output|report)[ \t]\(?[AB12]\b\)?[ \t](?:on|in|for|at|regarding|wins|is better|is stronger)\b/i
/** Words in quotes that end in the label, and more of them after it. */
const QUOTED = [/["“`][^"“”`\n]{3,60}$/, /^[^"“”`\n]{0,40}["”`]/] as const

/** Whether the text before a label may deny it. */
export const mayDeny = (lead: string) => DENIED.test(lead)

/**
 * The last label that is more than a condition.
 * @param text where the labels were found, or its end in JSON text
 * @throws RowFailure conflict if two that differ are named together, for two aspects, or in a list of the possible labels;
 *   no_verdict if all are conditions, in questions or denied
 */
export function lastMeant<T extends AnyFound>(found: readonly T[], text: string): T {
  /** Labels that are names or only considered: they count if no other does. */
  const unsure: T[] = []
  const alike = found.every(({ value }) => value === found[0]!.value)
  let end = text.length
  for (let i = found.length - 1; i >= 0; i--) {
    const one = found[i]!
    const at = text.lastIndexOf(one.whole, end - one.whole.length)
    const after = text.slice(at + one.whole.length, at + one.whole.length + NEAR)
    const lead = text.slice(Math.max(0, at - NEAR), at)
    end = at
    if (CONDITIONAL.test(after) || DENIED.test(lead) || SHARED.test(after)) continue
    if (ASKED.test(after)) {
      if (alike || i < found.length - 1) continue
      throw new RowFailure('conflict', `the reply ends by asking: ${one.label}, after another label`)
    }
    if (alike) return one
    if (i > 0) checkApart(found, i, { lead, after, before: text.slice(0, at) })
    if (!THOUGHT_OF.test(lead) && !NAMES.test(after)) return one
    unsure.push(one)
  }
  const [last] = unsure
  if (last === undefined)
    throw new RowFailure(
      'no_verdict',
      'the reply names labels only on conditions or in questions, or denies them',
    )
  const other = unsure.find(({ value }) => value !== last.value)
  if (other) throw differing(other, last)
  return last
}

const differing = (one: AnyFound, other: AnyFound) => conflict('verdicts', [one.label, other.label])

/**
 * @param around the text just before the label at `i`, just after it, and all before it
 * @throws RowFailure conflict
 */
function checkApart(
  found: readonly AnyFound[],
  i: number,
  { lead, after, before }: Record<'lead' | 'after' | 'before', string>,
): void {
  const [previous, last] = [found[i - 1]!, found[i]!]
  const between = betweenOf(previous, lead) ?? 'so'
  const bare = between.replace(HEAD, '')
  const [, head] = NEXT_LINE().exec(between) ?? NEXT_LINE().exec(bare) ?? []
  const aspect = head !== undefined && (/\d/.test(head) || !CONCLUDES.test(head))
  const quoted = QUOTED[0].test(lead) && QUOTED[1].test(after)
  const aspects = ASPECTS[0].test(between) && ASPECTS[1].test(after)
  const conceded = CONCEDED[0].test(lead) && !CONCEDED[1].test(after) && !NAMES.test(after)
  const beforeIt = before.slice(0, before.lastIndexOf(previous.whole))
  // `Verdict: [[A]]. Verdict: [[B]].`
  const words = between.replace(LOOSE(), '')
  const regarding = REGARDING.test(between) && REGARDING.test(beforeIt) && !CONCLUDES.test(between)
  const again = words !== '' && beforeIt.endsWith(words)
  const apart = !JOINT().test(bare) && !aspect && !quoted && !aspects && !again && !conceded && !regarding
  if (previous.value !== last.value && !apart) throw differing(previous, last)
  if (!CONCLUDES.test(between) && listed(found, i, before)) throw differing(previous, last)
}

/** The text between a label and the next, if that is near. */
function betweenOf({ whole }: AnyFound, lead: string): string | undefined {
  const at = lead.lastIndexOf(whole)
  return at < 0 ? undefined : lead.slice(at + whole.length)
}

/**
 * Refuses a reply with two labels after the same words: `[RESULT] A [RESULT] B`.
 * @param labels the meaning of each label
 * @throws RowFailure conflict
 */
export function checkOnce(
  { whole, label, value }: Found,
  text: string,
  labels: ReadonlyMap<string, string>,
): void {
  const before = whole.lastIndexOf(label)
  // Only brackets, no words.
  if (before < 3) return
  const [marker] = WORDS().exec(whole.slice(0, before)) ?? []
  if (marker === undefined) return
  const at = text.lastIndexOf(whole)
  const head = text.slice(Math.max(0, at - NEAR), at)
  const from = head.lastIndexOf(marker)
  if (from < 0) return
  const said = ONCE()
    .exec(head.slice(from + marker.length))?.[1]
    ?.toLowerCase()
  for (const [other, meaning] of labels)
    if (other.toLowerCase() === said && meaning !== value) throw conflict('verdicts', [said, label])
}

/** Whether the last labels are a list of the possible ones. */
function listed(found: readonly AnyFound[], last: number, before: string): boolean {
  const seen = new Set([found[last]!.label])
  let end = before.length
  for (let i = last - 1; i >= 0; i--) {
    const { whole, label } = found[i]!
    const at = before.lastIndexOf(whole, end - whole.length)
    if (at < 0 || end - at > NEAR || seen.has(label)) return false
    seen.add(label)
    if (seen.size >= LIST) return true
    end = at
  }
  return false
}
