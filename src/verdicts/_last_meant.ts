/** Decides which of a reply's labels, or of its numbers in brackets, counts. */
import { RowFailure } from '../rows/record.ts'
import { goesOn, isClaim, isGiven, isTakenOut, lastSentence } from './_given.ts'
import { lazily } from './_lazily.ts'
import { conflict } from './_pick.ts'

export interface Found<Value extends string | number = string> {
  label: string
  value: Value
  /** The whole match, with its brackets. */
  whole: string
}

type AnyFound = Found<string | number>

/** Words after which a judge decides, or decides anew. */
const TURNS =
  /\b(?:final|finally|overall|together|average|total|combined|revised?|corrected|verdict|decision|decides?|decided|conclusion|result|so|then|therefore|thus|hence|but|however|my|mine|choose|choice|pick|wait|actually|no|instead|changes?|changed|after|settl\w{1,4}|on (?:reflection|second thought|balance|the whole)|all in all|scratch)\b/i
/** `First`, `I leaned to`, before a label that is given up later. */
const FIRST =
  /\b(?:first|initial|initially|prelim\w{0,7}|lean\w{0,4}|tempted|revis\w{1,4}|chang\w{1,4})\b[^.!?\n]{0,40}$/i
/** `Turn 2: `, a heading and nothing else between two labels. */
const HEADING = lazily(() => /^[^\p{L}\p{N}]*(\p{L}[^\n:.!?]{0,30})[:：][^\p{L}\p{N}]{0,8}$/u)
/** The end of a sentence. */
const SENTENCE = lazily(() => /[.!?]\W{1,4}(?:\p{Lu}|$)|\n/u)
/** `overall`, after a label. */
const OVERALL = /^["'`*_\\)]{0,4},? \(?(?:overall|in total|all in all|final)\b/
/** A heading of one of several: `Turn 2`, `For the first answer`. */
const ONE_OF = /\d|\b(?:first|second|turn|answer|response|question)\b/i
/** The words in front of a label in its own match. */
const WORDS = lazily(() => /^[^\p{L}]*\p{L}[^:\]]*[:\]]*/u)
/** A label and a note in brackets, but no other words. */
const ONCE = lazily(() => /^[^\p{L}\p{N}]{0,6}([\p{L}\p{N}]+)(?: \([^()\n]{1,30}\))?[^\p{L}\p{N}]{0,6}$/u)
/** Characters between two labels that are near each other. */
const NEAR = 68
/** Characters before a label in which its sentence is looked for. */
export const LEAD = 100
/** Characters at the end of a reply in which a doubt is looked for. */
const DOUBT = 120
/** This many different labels, each near the next, are taken for a list of the possible labels. */
const LIST = 3
/** No words after the label, as in most replies. */
const LAST = /^["'`*_\\)\]}.!\s]*$/
/** `[[8]] + 1`, `[[A>B]] would hold if …`, `[[A]] (if …`, `Output (a) is better than nothing`, after the label. */
const CONDITIONAL =
  /^(?:(?:[ \t]{0,9}[+±×^]|[ \t]{1,9}\*)[ \t]{0,3}(?:\[\[)?\d|\*\d|["'`*_\\]{0,4}(?:-\w|[ \t]{1,3}(?:would|could|might|\(?if(?! only\b| I (?:had|have|must)\b)|for a tie|is what (?!I\b)|is the \w+ (?:that |which )?(?:the|another|an?|others?|most|some)\b|than (?:nothing|none|most|average|usual|expected))\b))/
/** `[[A]] or`, `[[A]] and`, `[[4]], perhaps`, before another label. */
const OR =
  /^["'`*_\\]{0,4}(?:[ \t]{1,3}(?:or (?!(?:so|tie|draw|a tie|a draw)\b)|and ["'`*_\\]{0,4}\[\[)|(?: or so)?,? (?:maybe|perhaps|possibly) (?:even )?["'`*_\\]{0,4}\[\[)/
/** `[[B]] has errors`, `[[8]] = very good`, after the label: the name of an answer or of a grade. */
const NAMES =
  /^["'`*_\\)]{0,4}[ \t]{1,3}(?:(?:has|had|lacks|fails|misses|omits|ignores|contains|never|rarely|hardly|seldom|loses|means?|that)\b|(?:is|was) (?:wrong|worse|weaker|incomplete|incorrect|inferior|not|also|tempting)\b|= ?\w)/
/** `Final: [[B]]?`, `[[B]]. Actually I am not sure`, after the label. */
const ASKED =
  /^["'`*_\\)]{0,4}(?:[ \t]?\?|[\s.…—–-]{1,9}(?:hmm,? |actually,? |but |though |yet |or rather,? )?(?:I(?:['’]m| am) (?:not (?:so )?sure\b(?! (?:why|how|what|about|whether))|undecided|torn)|I take (?:it|that) back|scratch that|wait, no|no, wait))/i
/** `Hmm, now I am no longer sure.`, at the end of the reply. */
const DOUBTED =
  /(?:^|[.!?\n])\W{0,5}(?:(?:on (?:reflection|second thoughts?)|actually|hmm|wait|but|though|now)[, ]{1,2}){0,2}(?:I(?:['’]m| am) (?:no longer|not)(?: \w{1,10})? (?:sure|certain)(?: (?:about|of) (?:it|this|that))?(?: at all| any ?more)?|I (?:can['’]t|cannot) (?:decide|choose)\b[^.!?\n]{0,40})\W{0,9}$/i
const isDoubted = (end: string) => /sure|certain|decide|choose/.test(end) && DOUBTED.test(end)
/** `not [[A]]`, `better than [[B]]`, `, otherwise [[C]]`, before the label. Lookbehinds come after the words: before them they are slow. */
const DENIED =
  /(?:(?:\b(?:not|neither|nor|whether)|n['’]t)(?: (?:choose|pick|prefer|select|an?|quite))?,?|\b(?:over|instead of|wins against(?<!\b(?:never|rarely|hardly|seldom) wins against)|(?:else|otherwise)(?<=[,;(] (?:else|otherwise))|than(?<!\b(?:worse|weaker|inferior|less)\b[^.!?\n]{0,24}than))[:,]?|\b(?:at (?:least|most)|up to(?<!\b(?:adds|comes|sums) up to)|below|above|under|(?:less|lower) than))[ \t]{1,3}["“'`*_]{0,4}(?:rating: ?)?$/i
/** `it could be [[10]]`, `if pressed, [[5]]`, `I would have said [[A]]`, `if it were so, it would be [[A]]`, `although [[A]]`, before the label. */
const THOUGHT_OF =
  /\b(?:could|might|would have|considered|tempted)\b[^.,;:!?\n[]{0,24}$|\b(?:if|had|were)\b[^.!?\n[]{0,50}\bwould (?:be|go to|get)[ "'\x60*_\\]{0,4}$|\bif\b[^.,;:!?\n[]{1,50},[ "'\x60*_\\]{1,4}$|\b(?:while|whereas|although|though|because|since|as)[ \t]["'\x60*_]{0,4}(?:rating: ?)?$/i
/** `Response 1 is better on style, Response 2 on content`, after the first of the two. */
export const SHARED =
  /^["'`*_\\)]{0,4}[ \t](?:on|in|for|at|regarding)\b[^.!?\n]{1,60}?(?:,|;|[ \t](?:and|but|while|whereas))[ \t](?:(?:and|but|while|whereas)[ \t])?(?:(?:assistant|answer|response|output|report)[ \t])?[([]{0,2}([AB]|\d{1,3})\b(?:\/\d{1,3})?[\])]{0,2}[ \t](?:on|in|for|at|regarding|wins|is better|is stronger)(?![\w-])/i

/** Nothing but words such as `My final verdict is Assistant A is slightly better: `, as most replies have them before their label. */
const OWN =
  /^(?:\W|(?:my|the|so|thus|therefore|final|overall|verdict|decision|rating|score|is|that|assistant|answer|response|[ab]|significantly|slightly|much|better|a|tie)\b)*$/i

/** Whether the text before a label has no word that might deny it. */
export const isOwn = (lead: string) => OWN.test(lead)

/** Whether the text before a label denies it, or does not give it. @param previous as in {@link isGiven} */
export function mayDeny(lead: string, previous?: string): boolean {
  const words = lastSentence(lead)
  return !isOwn(words) && (DENIED.test(words) || !isGiven(words, previous))
}

/** Whether a label in two brackets ends a sentence that judges an answer, and with it the reply: `B handles the edge case [[B]]`. */
const closes = (whole: string, lead: string, after: string) =>
  whole.startsWith('[[') && LAST.test(after) && !DENIED.test(lead) && isClaim(lastSentence(lead))

/** Whether the text after a label makes it a condition, a name, or one of two. */
const isUnmeant = (after: string) =>
  !LAST.test(after) && (CONDITIONAL.test(after) || OR.test(after) || SHARED.test(after) || goesOn(after))
/** Whether the text after a label, or the reply's end, asks or doubts. */
const isAsked = (after: string, end: string) => !LAST.test(after) && (ASKED.test(after) || isDoubted(end))
/** Whether the words before and after a label give it. */
const isMeant = (whole: string, lead: string, after: string, previous: string | undefined) =>
  !isUnmeant(after) && !isTakenOut(lead, after) && (!mayDeny(lead, previous) || closes(whole, lead, after))
/** Whether a label is a name or only considered: it counts if no other does. */
const isUnsure = (lead: string, after: string) => THOUGHT_OF.test(lead) || NAMES.test(after)

/**
 * The last label that is more than a condition.
 * @param text where the labels were found, or its end
 * @throws RowFailure conflict if two that differ are named together, for two aspects, or in a list of the possible labels;
 *   no_verdict if all are conditions, in questions or denied
 */
export function lastMeant<T extends AnyFound>(found: readonly T[], text: string): T {
  const unsure: T[] = []
  const alike = found.every(({ value }) => value === found[0]!.value)
  let end = text.length
  for (let i = found.length - 1; i >= 0; i--) {
    const one = found[i]!
    const at = text.lastIndexOf(one.whole, end - one.whole.length)
    const after = text.slice(at + one.whole.length, at + one.whole.length + NEAR)
    const lead = text.slice(Math.max(0, at - LEAD), at)
    end = at
    if (!isMeant(one.whole, lead, after, found[i - 1]?.whole)) continue
    const asked = isAsked(after, text.slice(-DOUBT))
    if (asked && !alike && i === found.length - 1)
      throw new RowFailure('conflict', `the reply ends by asking: ${one.label}, after another label`)
    if (asked) continue
    if (alike) return one
    if (!isUnsure(lead, after)) {
      if (!OVERALL.test(after)) checkApart(found, i, text.slice(0, at))
      return one
    }
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
 * Refuses a label if another stands near before it, and no words between them tell that the later one replaces it.
 * @throws RowFailure conflict
 */
function checkApart(found: readonly AnyFound[], last: number, before: string): void {
  const { label, value } = found[last]!
  const seen = new Set([label])
  let next = before.length
  for (let i = last - 1; i >= 0; i--) {
    const { whole, ...other } = found[i]!
    const at = before.lastIndexOf(whole, next - whole.length)
    const between = before.slice(at + whole.length, next)
    if (at < 0 || between.length > NEAR) return
    const lead = before.slice(Math.max(0, at - LEAD), at)
    if (turns(between, lead)) return
    if (seen.has(other.label)) return
    next = at
    if (!DENIED.test(lead)) seen.add(other.label)
    const mentioned = (SENTENCE().test(between) && mayDeny(lead)) || isTakenOut(lead, between)
    const given = !mentioned && !DENIED.test(lead) && !CONDITIONAL.test(between) && !isUnsure(lead, between)
    if ((other.value !== value && given) || seen.size >= LIST) throw differing(found[i]!, found[last]!)
  }
}

/** Whether the words between two labels tell that the second replaces the first. */
function turns(between: string, lead: string): boolean {
  const [, heading] = HEADING().exec(between) ?? []
  if (heading !== undefined && ONE_OF.test(heading)) return false
  const words = between.replace(/^[^\p{L}\p{N}]+/u, '')
  if (words !== '' && lead.endsWith(words)) return false
  return TURNS.test(between) || FIRST.test(lead)
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
  const head = text.slice(Math.max(0, at - LEAD), at)
  const from = head.lastIndexOf(marker)
  if (from < 0) return
  const said = ONCE()
    .exec(head.slice(from + marker.length))?.[1]
    ?.toLowerCase()
  for (const [other, meaning] of labels)
    if (other.toLowerCase() === said && meaning !== value) throw conflict('verdicts', [said, label])
}
