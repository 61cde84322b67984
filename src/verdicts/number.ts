/**
 * Rule `number`: reads a rating or a score.
 *
 * ```yaml
 * verdict:
 *   rule: number
 *   pattern: 'Rating: \[\[(\d+)\]\]'   # or patterns: [...], tried in order; the first group is the number
 *   flags: i                          # i: any case, m: ^ and $ at line ends
 *   name: Score                       # in place of a pattern: a line that begins with `Score:`
 *   brackets: true                    # in place of a pattern: [[8]], before all others one after `Rating:`;
 *                                     # rating: only one after `Rating:`
 *   pick: last                        # last or first; only: two different numbers are a conflict
 *   range: [1, 10]                    # a score outside of it is out_of_range, never clamped
 *   reason: after                     # the explanation: the text after the score's line
 *   literal: true                     # for originals: 08, which Python refuses, fails the row
 *   weighted: true                    # the mean over the numbers the model might have said (logprobs)
 *   plain: false                      # read no other form; with a pattern, true reads plain words, too
 * ```
 * With none of pattern, name and brackets the reply is a number and nothing else. A reply of another form is read
 * if it plainly says one score: `Final Score: 9`, `I would give it 9 out of 10`, `9/10`.
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { strip } from '../python/unicode.ts'
import { RowFailure, type Verdict } from '../rows/record.ts'
import { checkKeys, MATCHING } from './_keys.ts'
import { lastMeant, SHARED } from './_last_meant.ts'
import { weighted } from './_logprobs.ts'
import { DRESS, ENDS, matches, NUMBER, numberOf, UNSETTLED, withAsciiDigits } from './_numbers.ts'
import { type Match, patternOf } from './_pattern.ts'
import { conflict, picked } from './_pick.ts'
import { plainScore, REVISES } from './_plain_score.ts'
import { asLiteral, CRASH } from './_python.ts'
import { checkedRange, inRange } from './_range.ts'
import { orElse, type ReadContext, type Rule } from './_rule.ts'

const KEYS = [...MATCHING, 'name', 'brackets', 'range', 'reason', 'literal', 'weighted', 'plain', 'drop']

/** Finds numbers in a reply, in order. The first finder with a result decides. */
type Finder = (text: string, context: ReadContext) => Match[]

export const picks = true

export const kinds = ['grade'] as const

export const rule: Rule = (config, judge) => {
  checkKeys(config, KEYS, judge)
  const range = checkedRange(config.range ?? judge.range, judge)
  const plain = (config.plain ?? isPlain(config)) === true
  const find = finderOf(config, judge, { plain, range })

  const read = (whole: string, context: ReadContext): Verdict => {
    const text = plain ? withAsciiDigits(whole) : whole
    const found = find(text, context)
    if (plain) checkSingle(found, text)
    const score = numberOf(config.literal ? asLiteral(found.text) : found.text)
    if (!Number.isFinite(score)) throw new RowFailure('no_verdict', `"${found.text}" is not a number`)
    if (range) {
      if (config.brackets || plain) onScale(found, text, range)
      inRange(score, range)
    }
    const verdict: Verdict = { label: said(found, text, whole), score, ...(range && { range }) }
    if (config.weighted) Object.assign(verdict, weighted(found, text, context.reply, range))
    const reason = explanation(text, found, config.reason)
    if (reason !== undefined) verdict.reason = reason
    return verdict
  }

  if (!('otherwise' in config)) return read
  // The original's value for an unreadable reply is recorded, but counts as a failure.
  return orElse(read, (failure, text) => {
    if (failure.detail === CRASH) throw failure
    const verdict = { label: null, score: config.otherwise, failure: failure.code } as Verdict
    const reason = explanation(text, undefined, config.reason)
    return {
      ...verdict,
      ...(reason !== undefined && { reason }),
      ...(config.drop === true && { dropped: true }),
    }
  })
}

/** @throws RowFailure no_verdict if the words after a score make it one of two */
function checkSingle({ index, text: score }: Match, text: string): void {
  const after = text.slice(index + score.length, index + score.length + 80)
  const bare = after.replace(/[[\]]/g, '')
  if (UNSETTLED().test(bare) || (SHARED.exec(bare)?.[1] ?? score) !== score)
    throw new RowFailure('no_verdict', `the reply gives no single score: ${score}${after.slice(0, 20)}`)
}

/** The words that were read, as the reply has them. @param text the reply with ASCII digits, of the same length */
function said({ whole, index }: Match, text: string, reply: string): string {
  const at = text === reply ? -1 : text.lastIndexOf(whole, index)
  return (at < 0 ? whole : reply.slice(at, at + whole.length)).trim()
}

/** Whether a score in plain words is read if the reply is not in the requested form. */
const isPlain = ({ brackets, pattern, patterns }: VerdictConfig) =>
  brackets !== 'rating' && pattern === undefined && patterns === undefined

function findersOf(config: VerdictConfig, judge: Judge): Finder[] {
  if (config.name !== undefined) return [named(String(config.name))]
  if (config.brackets === 'rating') return [brackets(RATED)]
  if (config.brackets !== undefined) return [brackets(RATED_SO), brackets(BRACKETED)]
  const sources = (config.patterns as unknown[] | undefined) ?? (config.pattern ? [config.pattern] : [])
  if (sources.length === 0) return [alone]
  return sources.map((source) => patternOf(source, String(config.flags ?? ''), judge))
}

/** Finds the score that counts: in the requested form, else in plain words. */
function finderOf(
  config: VerdictConfig,
  judge: Judge,
  { plain, range }: { plain: boolean; range: [number, number] | undefined },
): (text: string, context: ReadContext) => Match {
  const finders = findersOf(config, judge)
  const name = config.name as string | undefined
  const pick = config.pick ?? (name === undefined ? 'last' : 'first')

  return (text, context) => {
    const inWords = () => (plain ? plainScore(text, { range, name, cut: isCut(context.reply) }) : undefined)
    for (const finder of finders) {
      // An empty group marks a match that is not a score.
      const found = finder(text, context).filter((match) => match.text !== '')
      if (found.length === 0) continue
      if (pick === 'last' && (config.brackets || plain)) return meantNumber(found, text)
      const chosen = picked(found, pick, 'numbers', (match) => numberOf(match.text))
      if (name === undefined || !plain) return chosen
      // Plain words tell whether another score replaces it.
      const differ = found.some((match) => numberOf(match.text) !== numberOf(chosen.text))
      return ((differ || REVISES.test(text.slice(chosen.index))) && inWords()) || chosen
    }
    const found = inWords()
    if (found) return found
    throw new RowFailure('no_verdict', `no score found: looked for ${describe(config)}`)
  }
}

/** The number in brackets that counts, see {@link lastMeant}. @throws RowFailure conflict, no_verdict */
function meantNumber(found: Match[], text: string): Match {
  const { match, value } = lastMeant(
    found.map((match) => ({
      match,
      whole: match.whole.slice(Math.max(0, match.whole.indexOf('['))),
      label: match.text,
      value: numberOf(match.text),
    })),
    text,
  )
  const [, joined] = NEXT.exec(text.slice(match.index, match.index + 80)) ?? []
  if (joined !== undefined && numberOf(joined) !== value) throw conflict('numbers', [match.text, joined])
  return match
}

const describe = ({ name, brackets, pattern, patterns }: VerdictConfig) =>
  name !== undefined
    ? `a line that begins with "${name}:" and a number`
    : brackets
      ? `${brackets === 'rating' ? '"Rating:" and ' : ''}a number in double square brackets`
      : pattern || patterns
        ? String(pattern ?? (patterns as string[]).join(', '))
        : 'a number and nothing else'

const SPACED = String.raw`[*_~\x60"'‘’“”()\[\]{}\p{Zs}\t]{0,40}`
const SPACE = String.raw`\s{0,40}`

/**
 * Finds lines that begin with the name, a colon and a number, with any Markdown; the number may be alone on the next line.
 * If the prompt ends with `Score:`, the reply may begin with the number.
 */
function named(name: string): Finder {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const label = String.raw`^[ \t>#•+-]{0,40}(?:<(?:b|strong|em)>)?${DRESS}${word}${SPACED}[:：](?:<\/(?:b|strong|em)>)?${SPACED}`
  // A second name on the same line begins another score.
  const once = String.raw`(?![^\p{L}\p{N}\n]{0,6}${word}${SPACED}[:：])`
  const same = new RegExp(`${label}(${NUMBER})${ENDS}${once}`, 'dgimu')
  // A heading, in bold or after a #, needs no colon.
  const heading = String.raw`^[ \t]{0,40}(?:[*_]{2}|#{1,6} )${DRESS}${word}${DRESS}[ \t]{0,40}\r?\n[>\s]{0,40}`
  const below = new RegExp(
    String.raw`(?:${label}\r?\n${SPACE}|${heading})${DRESS}(${NUMBER})${ENDS}(?=${DRESS}(?:[ \t]?\/[ \t]?\d+)?${DRESS}\.?[ \t]{0,40}$)`,
    'dgimu',
  )
  const question = new RegExp(String.raw`(?:^|\s)${DRESS}${word}${SPACED}[:：]\s*$`, 'iu')
  const start = new RegExp(`^${SPACE}${DRESS}(${NUMBER})${ENDS}`, 'dgu')
  return (text, { request }) => {
    const found = [...matches(text, same), ...matches(text, below)].sort((a, b) => a.index - b.index)
    if (found.length > 0) return found
    const prompt = request?.messages?.at(-1)?.content ?? request?.prompt ?? ''
    return question.test(prompt) ? matches(text, start) : []
  }
}

const BRACKETED = String.raw`\[\[${SPACE}(${NUMBER})${SPACE}(?:\/${SPACE}\d+${SPACE})?`
/** After a number, a second one that makes a range, `[[8]] or [[9]]`, or is of another aspect: `[[8]] for style, [[5]] for depth`. */
const NEXT = new RegExp(
  String.raw`^${NUMBER}${SPACE}\]\][*_]{0,4}(?: (?:for|on|in) [^.!?\n[\]]{1,40})?\s{0,3}(?:[-–—~,;/&]|\.{2,3}|…|to|or|and)\s{0,3}[*_]{0,4}\[\[${SPACE}(${NUMBER})`,
)
/** After a number, its scale: `[[8/10]]`, `[[8]]/10`. */
const ON_SCALE = new RegExp(String.raw`^${NUMBER}${SPACE}(?:\]\][*_]{0,4})?${SPACE}\/${SPACE}(\d+)`)
/** `On a scale of 1 to 5, `, before a number. */
const SCALE_OF = /\bscale (?:of|from) \d{1,3} ?(?:to|-|–) ?(\d{1,3})\b[^.!?\n]{0,60}$/i
const RATED = `rating${DRESS}${SPACE}[:：]${SPACE}[*_]{0,9}${SPACE}${BRACKETED}`
/** The same, or `my corrected rating is [[4]]`. */
const RATED_SO = String.raw`(?:rating${DRESS}${SPACE}[:：]|(?:final|overall|corrected|revised|updated|new)\srating\sis(?:\s(?:now|therefore|thus))?)${SPACE}[*_]{0,9}${SPACE}${BRACKETED}`

/** @throws RowFailure no_verdict if the reply names a scale other than the judge's */
function onScale({ index }: Match, text: string, [low, high]: [number, number]): void {
  const [, scale] =
    ON_SCALE.exec(text.slice(index, index + 200)) ??
    SCALE_OF.exec(text.slice(Math.max(0, index - 80), index)) ??
    []
  if (scale !== undefined && Number(scale) !== high)
    throw new RowFailure('no_verdict', `the score is on a scale up to ${scale}, not on ${low} to ${high}`)
}

const isCut = (reply: ReadContext['reply']) =>
  reply?.finish_reason === 'length' || reply?.finish_reason === 'max_tokens'

/**
 * Finds `[[8]]`. At the end of a reply the closing brackets may be missing, if they were a stop text; but not if the
 * reply was cut short, because `[[1` may be the beginning of `[[10]]`.
 */
function brackets(source: string): Finder {
  const closed = new RegExp(String.raw`${source}\]\]`, 'dgiu')
  const open = new RegExp(String.raw`${source}\]?\s*$`, 'dgiu')
  return (text, { reply }) => {
    const found = matches(text, closed)
    return isCut(reply) ? found : [...found, ...matches(text, open)]
  }
}

const ALONE = new RegExp(
  String.raw`^${SPACE}${DRESS}(${NUMBER})${DRESS}(?:${SPACE}\/${SPACE}\d+)?${DRESS}\.?${SPACE}$`,
  'dgu',
)
const alone: Finder = (text) => matches(text, ALONE)

/** The explanation. `after`: the text after the line of the score; `below`, as in Python: after the first line, wherever the score is. */
function explanation(text: string, found: Match | undefined, which: unknown): string | undefined {
  if (which === undefined) return undefined
  const trimmed = (part: string) => (which === 'below' ? strip(part) : part.trim())
  const from = which === 'below' ? trimmed(text) : text.slice(found ? found.index : text.length)
  const end = from.indexOf('\n')
  return end < 0 ? '' : trimmed(from.slice(end + 1))
}
