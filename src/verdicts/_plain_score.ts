/**
 * Reads a score from plain words, for replies that are not in the requested form: `Final Score: 9`,
 * `I would give it 9 out of 10`, `9/10`, a number alone on the first or last line. It refuses all that is not clearly one
 * score: a range, a condition, two scores that differ.
 */
import { RowFailure } from '../rows/record.ts'
import { goesOn, isElsewhere, isGiven, isTakenOut, lastSentence } from './_given.ts'
import { SHARED } from './_last_meant.ts'
import { DRESS, EMOJI, NUMBER, numberOf, OPERATOR, UNSETTLED, WORD, WORDS } from './_numbers.ts'
import { outerLines } from './_outer_lines.ts'
import type { Match } from './_pattern.ts'
import { conflict } from './_pick.ts'

/** `three (3)`: the word before the same number in brackets. */
const IN_WORDS = WORDS.map((word, number) => String.raw`${word}[*_]{0,3}[ \t]?\((?=${number}\))`).join('|')
/** Markdown, quotes, brackets, table bars and white space around a number. */
const AROUND = String.raw`(?:[*_ \t]{0,4}~~[^~\n]{1,20}~~)?[*_~\x60"'‘’“”()\[\]{}【】|<>$\\\s]{0,12}(?:\\boxed\{|(?:about|around|approximately|roughly)\s|${NUMBER}[ \t]?(?:→|->|=>)[ \t]?|${IN_WORDS})?`
const SCALE = String.raw`(?:[*_\x60\])]{0,4}\s{0,2}\/\s{0,2}[*_\x60\[(]{0,4}(\d+)|[*_\x60\])]{0,4}\s{1,2}(?:points?\s{1,2})?(?:(?:out\s{1,2})?of|из|sur|von|su|de|sobre)\s{1,2}(?:a\s{1,2}possible\s{1,2})?(\d+|ten|five)(?:\s{1,2}(?:punkten?|puntos|punti|баллов)(?![\p{L}]))?|\s{1,2}(?:points?|punkte|stars?|marks)(?![\p{L}])|\s?(?:分(?![钟之])|点)|\s?%)?`
const END = `(?!(?!分(?![钟之])|点)[\\p{L}\\p{No}\\d_]|\\.\\d|,\\d)`
const SCORE = `(?<score>${NUMBER})${END}${SCALE}`
/** A score that may be in words: `seven out of ten`. */
const SCORE_OR_WORD = `(?<score>(?:${NUMBER})${END}|${WORD})${SCALE}`

/** The same; a word alone after `a` or before `stars`: `a three`, `five stars`. */
const SCORE_OR_A_WORD = `(?<score>(?:${NUMBER})${END}|(?:(?<=\\ban?[ \\t*_"]{1,4})${WORD}|${WORD}(?=[ \\t]stars?(?![\\p{L}]))))${SCALE}`

/** After a number, what is counted: `8/10 tests pass`, `3 errors`. */
const COUNTS = String.raw`[ \t]{1,2}(?:(?:test|unit|key|main|other)[ \t])?(?!(?:points|stars|marks|as|is|was|has|does|this|thus|its|plus|minus|always|perhaps|less|across|besides|unless|feels|seems|looks|sounds|remains|stands|deserves|gets|versus|vs)(?![\p{L}]))\p{Ll}{2,20}s(?![\p{L}])`

const FINAL = 'final|overall|total|combined|aggregate|in total'
const NOUNS = 'score|rating|grade|mark|evaluation|assessment|verdict|judge?ment|decision'
const NOUNS_ELSEWHERE = String.raw`(?:gesamt)?bewertung|(?:итоговая )?оценка|(?:puntuación|calificación|valoración|nota|punteggio|valutazione)(?: finale?)?|note(?: finale)?(?=[ \t]:)|(?:最终|最終|总体?|総合|综合)?(?:评分|評分|得分|评级|等级|点数|評価)|평가|점수|التقييم`
const COPULA = String.raw`(?:is|was|of|at|as|would be|will be|should be|stands at|comes to|equals|remains)(?:[ \t](?:a|an|about|around|only|just|still|therefore|thus))?(?:[ \t]solid)?`
const SEPARATOR = String.raw`[*_~\x60"'‘’“”)\]]{0,6}(?:[ \t]{0,4}(?:[:：=→|>]|->|=>)|[ \t]{1,4}[-–—]{1,2}(?=\s)|—|[ \t]{1,4}${COPULA}(?![\p{L}])[:]?)`

/** A noun, what it is about, a separator, a number. */
const named = (nouns: string) =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}_])(?:(${FINAL})[*_]{0,3}[ \t_]{1,3}(?:\p{L}{1,20}[ \t]{1,3}){0,2}?|(\p{L}{1,30}(?:(?<=\b[a-d])['’]s)?)[*_'’s]{0,4}[ \t]{1,3})?(?:${nouns})(?:[ \t]{0,3}\([^()\n]{1,40}\)|[ \t]on[ \t](?:a|the)[ \t]scale[ \t](?:of|from)[ \t]\d{1,3}[ \t]?(?:to|-|–)[ \t]?\d{1,3})?(?:[ \t]{1,3}(?:for|to|on|I[ \t](?:would[ \t])?(?:give|assign))(?![\p{L}])[^\n.:=\d]{0,50}?)?${SEPARATOR}${AROUND}${SCORE_OR_WORD}(?!${COUNTS}|\s{1,2}(?:out\s)?of\s)`,
    'dgiu',
  )
/** `Bewertung: 8 von 10` */
const NAMED_ELSEWHERE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(?:私の)?(?:${NOUNS_ELSEWHERE})(?:${SEPARATOR}|は|[ \t](?:ist|lautet|est|es|è|é)(?![\p{L}]):?)${AROUND}${SCORE}(?=${DRESS}\s{0,2}(?:$|[.,;!\n(（，。]|です))`,
  'dgiu',
)
/** `Overall: 8/10` */
const OVERALL = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(${FINAL})[*_~\x60"'‘’“”)\]]{0,6}[ \t]{0,4}[:：=|]${AROUND}${SCORE}`,
  'dgiu',
)
const VERBS =
  'giv(?:e|es|ing)|gave|rat(?:e|es|ed|ing)|scor(?:e|es|ed|ing)|assign(?:s|ed|ing)?|award(?:s|ed|ing)?|grad(?:e|ed|ing)|deserv(?:es?|ing)|earn(?:s|ed|ing)?|gets|receiv(?:es?|ed)|merits?|say|go with|settle on|worth'
const GIVEN = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(?:${VERBS})(?![\p{L}])[^.!?;:\n\d]{0,60}?[*_\x60"'‘’“”(\[|\s:]${DRESS}(?:\\boxed\{)?${SCORE_OR_A_WORD}(?=[*_\x60"'‘’“”)\]}$]{0,9}(?:[.!,;:]|\s{0,3}$|\s{0,3}\n|\s{1,3}(?:because|since|as|for|due|overall|here|on|to|in)(?![\p{L}])))`,
  'dgiu',
)
const FRACTION = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.,\/$])(?<score>${NUMBER})[*_\x60\])]{0,4}(?:\s?\/\s?|\s{1,2}(?:points\s{1,2})?out\s{1,2}of\s{1,2})[*_\x60\[(]{0,4}(\d+)(?![\p{L}\d_\/]|\.\d|\s{1,2}of(?![\p{L}])|${COUNTS})`,
  'dgu',
)
/** `three out of five` */
const FRACTION_IN_WORDS = new RegExp(
  String.raw`(?<![\p{L}\p{N}_\-])(?<score>${WORD})(?:[ \t]stars?)?[ \t](?:out[ \t])of[ \t](?:ten|five|10|5)(?![\p{L}\d_\/]|\.\d|\s{1,2}(?:of|\p{L}))`,
  'dgiu',
)
const ENDS_ELSEWHERE = String.raw`(?=[.!]?\s{0,40}$|[.,!][ \t\n]|[ \t](?:à|a|für|weil|da|car|parce|porque|perché|ab|vergeben|bewerten|benoten)(?![\p{L}]))`
/** `Note : 8 sur 10`, `Ich gebe der Antwort 8 von 10 Punkten.`, `mit 8 Punkten bewerten` */
const OUT_OF_ELSEWHERE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(?:note[ \t]?:|ich[ \t](?:ver)?gebe|je[ \t](?:lui[ \t])?(?:donne|mets|attribue)|(?:le|la)[ \t]doy|gli[ \t]do|(?:bewerte|benote)(?![\p{L}])|mit(?=[ \t][\d., \t]{1,9}(?:von[ \t]\d+[ \t])?punkten[ \t]be))[^.!?;:\n\d]{0,50}?[ \t](?<score>${NUMBER})[ \t](?:(?:sur|von|de|su)[ \t]\d+(?:[ \t](?:punkten|puntos))?|punkten)${ENDS_ELSEWHERE}`,
  'dgiu',
)
/** `Good (4)`, `4 = mostly met`: the whole reply. */
const WHOLE = [
  String.raw`(?:very )?(?:good|excellent|perfect|fair|average|acceptable|poor|weak|bad|strong) \((?<score>${NUMBER})\)`,
  String.raw`(?<score>${NUMBER}) = (?:not|hardly|partly|partially|mostly|largely|fully) \p{L}{1,20}`,
].map((form) => new RegExp(String.raw`^\s{0,40}${form}\.?\s{0,40}$`, 'dgiu'))
/** `打8分`, `可以得8分（满分10分）` */
const CHINESE = new RegExp(
  String.raw`(?:[打给給](?:出|了)?|(?:可以?|应|值)得|值)\s?(?<score>${NUMBER})\s?分(?![钟之])(?:[（(]满分\s?\d+)?`,
  'dgu',
)
/** `8点をつけます` */
const JAPANESE = new RegExp(
  String.raw`(?<![\d.,])(?<score>${NUMBER})点(?=を(?:つけ|付け|与え)|と(?:します|評価))`,
  'dgu',
)
const BOXED = new RegExp(String.raw`\\boxed\{\s{0,3}(?:\\text\{)?${SCORE}`, 'dgu')
/** `8 - clear and short`, as the reply's first words, unless the next line begins with a number, as in a list of grades. */
const OPENING = new RegExp(
  String.raw`^\s{0,6}${DRESS}${SCORE}${DRESS}(?:\s{1,3}[-–—]{1,2}\s{1,3}\p{L}|:\s{1,3}\p{Ll}(?![^\n]*\d)|,\s(?:because|since|as)\s)(?![^\n]*(?:\d(?::|\s{1,3}[-–—])|\n\s{0,6}${DRESS}\d))`,
  'dgu',
)
/** `Rate: 8`, `A strong 7.`, `So it is a 3.`, in front of a number that is the rest of its line. */
const LEAD = String.raw`(?:rate[ \t]?[:：][*_]{0,3}\s{0,3}|(?:on[ \t]a[ \t]scale[ \t](?:of|from)[ \t]\d{1,3}[ \t]to[ \t]\d{1,3}[:,][ \t])?(?:(?:(?:so|thus|hence|therefore|overall|all[ \t]in[ \t]all|in[ \t]short)[ \t]?,?[ \t]){0,2}(?:(?:it|this|that|the[ \t](?:answer|response))(?:['’]s|[ \t]is)[ \t])?an?[ \t](?:(?:strong|solid|firm|clear|good|fair|high|low|weak|perfect)[ \t])?)?)`
const LINE = new RegExp(
  String.raw`^[>#\s]{0,6}${DRESS}${LEAD}${DRESS}${SCORE_OR_A_WORD}${DRESS}[.!]{0,3}${DRESS}(?:\s{0,2}${EMOJI}){0,10}\s{0,40}$`,
  'diu',
)

/** The forms of a score, by rank. */
const FORMS: [rank: number, forms: RegExp[]][] = [
  [3, [OVERALL, BOXED]],
  [2, [NAMED_ELSEWHERE, GIVEN, CHINESE, JAPANESE, OUT_OF_ELSEWHERE, ...WHOLE, OPENING]],
  [1, [FRACTION, FRACTION_IN_WORDS]],
]

/** `7 to 8`, `7-8`, `7 + 1`, `7 * 2`, `7-ish or 8`, `7+`, `7?`: after the first number. */
const RANGE = new RegExp(
  String.raw`^${DRESS}(?:(?:${OPERATOR}|\s{0,3}(?:(?:-?ish\s)?(?:to|or)|\/or))\s{0,3}${DRESS}\d|\s{0,3}(?:[,;&]|and)\s{0,3}${DRESS}\d[\d.]{0,4}${DRESS}\.?\s{0,3}(?:$|\n)|(?:\/\d{1,3})?(?:[+?]|[-–−]\s{0,3}(?:$|\n)))`,
  'iu',
)
/** `Rating: <8`, `>8`: before the number; no `<8>`. */
const BOUND = /(?:(?::|\bis)[ \t*_]{0,4}[<>][ \t]?|(?:^|\n)>|\p{L}[ \t][<>≤≥]=?[ \t]?)$/u
/** `6 ~ 7`, `6 to 7`: before the second number. */
const SPAN = new RegExp(
  String.raw`(?:^|[\n:(*~]|\b(?:an?|about|around|of|it|is|this))[ \t]{0,3}(?:\d+(?:\.\d+)?|${WORDS.join('|')})[ \t]{0,2}(?:[~–—-]|to|or)[ \t]{0,2}$`,
  'i',
)
const BETWEEN = /\b(?:between|either|from)\W{0,6}$/i
/** Before a score that is denied or belongs to something else. */
const DENIED =
  /(?:\b(?:not|cannot|unable|refuse)|n['’]t|\bnever|\bthan|\binstead of|\bneither|\bwithout|\bshort of|\b(?:previous|earlier|older|other|last) (?:version|answer|response|draft|attempt|one)|\bbaseline|\bsome (?:would|might|may|people)|\bothers?)\b[^.!?:,\n]{0,40}$|\b(?:(?:ideal|perfect|flawless|model|reference) (?:answer|response|solution|reply|one)(?: itself)?|reference|baseline)(?:,? (?:which|that) I['’]d|(?:,? (?:which|that))? I would|,? (?:which |that )?(?:would|could|is|gets|scores|deserves|has|earns))\b(?:(?!, (?:so|but)\b)[^.!?\n\d]){0,30}$|\b(?:assistant|answer|response|solution|model|it) (?:gives|gave|says|said)\b[^.!?\n]{0,60}$|\bout of\W{0,3}$|\bscale (?:of|from) $|\bno[ \t]{1,2}$|\b(?:published|posted|released|dated) (?:on )?$/i
/** Before a score that is only considered. */
const CONDITIONAL =
  /\b(?:(?:could|might|may|would)(?: even| well| also| otherwise| easily)?(?: be| have| deserve| get| earn| merit| reach| make)\b|to (?:get|earn|reach|deserve|receive|be)\b|if\b|unless\b|had it\b|going to|initial|at first|first thought|tempted|for example|e\.g\.)[^.!?\n]{0,80}$/i
const CONDITION_AFTER =
  /^[^.!?\n]{0,4}\s(?:would (?:require|need|be)|if it|had it|is reserved|means|requires)\b/i
/** Between two scores, if the second replaces the first. */
const CORRECTS =
  /\b(?:actually|correction|corrected|on (?:second thought|reflection)|revis\w{1,4}|adjust\w{0,4}|instead|in the end|finally|no[,:]|wait|reconsider\w{0,4}|therefore|so,? my|thus|chang\w{1,4}|make (?:that|it))\b/i

/** The same, with no other meaning. */
export const REVISES =
  /\b(?:actually|correct(?:ion|ed)|on (?:second thought|reflection)|revis\w{1,4}|reconsider\w{0,4}|wait|make (?:that|it)|scratch that)\b/i

/** Words before a noun that do not make it the score of an aspect. */
const NEUTRAL = new Set(
  'the my a an this that its your our their i and so thus therefore hence numeric numerical assigned given judge judges single answer answers response responses quality here revised updated new corrected adjusted'.split(
    ' ',
  ),
)

interface Statement extends Match {
  /** 3: stated as the final score; 2: a score; 1: the score of an aspect, or a bare fraction. */
  rank: number
  value: number
  /** Index after the number and its scale. */
  end: number
  range: boolean
  /** What stands before it in its sentence. */
  before: string
  denied: boolean
  conditional: boolean
}

/**
 * The score that the reply states in plain words; undefined if there is none.
 * @param settings `name`: the judge file's word for the score; `cut`: the reply was cut short, so its last number may be
 *   incomplete
 * @throws RowFailure conflict for scores that differ; no_verdict for a range, or a scale other than the judge's
 */
export function plainScore(
  text: string,
  { range, name, cut }: { range?: [number, number]; name?: string; cut?: boolean },
): Match | undefined {
  const length = text.trimEnd().length
  const found = statements(text, name).filter(({ denied, end }) => !denied && !(cut && end >= length))
  const meant = found.some(({ conditional }) => !conditional)
    ? found.filter(({ conditional }) => !conditional)
    : found
  for (const [i, one] of meant.entries()) {
    const { rank = 0, end = 0 } = meant[i - 1] ?? {}
    if (rank > one.rank && REVISES.test(text.slice(end, one.index))) one.rank = rank
  }
  const rank = Math.max(...meant.map((one) => one.rank))
  const best = meant.filter((one) => one.rank === rank)
  if (best.length === 0) return undefined
  if (best.some((one) => one.range))
    throw new RowFailure(
      'no_verdict',
      `the reply gives a range, not a score: ${best.find((one) => one.range)!.whole}`,
    )
  const different = new Set(best.map(({ value }) => value))
  const last = best.at(-1)!
  if (different.size > 1 && !corrected(text, best)) throw conflict('scores', different)
  const scale = scaleOf(last.whole)
  if (range && scale !== undefined && scale !== range[1])
    throw new RowFailure(
      'no_verdict',
      `the score ${last.whole.trim()} is not on the scale ${range[0]} to ${range[1]}`,
    )
  return last
}

/** Whether the words between two scores that differ always say that the second replaces the first. */
function corrected(text: string, found: Statement[]): boolean {
  return found.every((one, i) => {
    const before = found[i - 1]
    return !before || before.value === one.value || CORRECTS.test(text.slice(before.end, one.index))
  })
}

function scaleOf(whole: string): number | undefined {
  const [, top] =
    /(?:\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)\b)[^\d\n]{0,12}(?:\/|\bof\b|[ \t](?:из|sur|von|su|de|sobre)[ \t]|满分)[^\d\n]{0,12}?(\d+|ten|five)\D{0,12}$/i.exec(
      whole,
    ) ?? []
  if (top === undefined && /\bstars?$/i.test(whole)) return 5
  return top === undefined ? undefined : ({ ten: 10, five: 5 }[top.toLowerCase()] ?? Number(top))
}

/** What has a form of a score, with its rank, and where the match's text begins. */
function* scoreForms(text: string, name: string | undefined): Generator<[RegExpMatchArray, number, number?]> {
  const nouns = name === undefined ? NOUNS : `${NOUNS}|${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`
  for (const match of text.matchAll(named(nouns))) {
    const [, final, word] = match
    yield [match, final ? 3 : word && !NEUTRAL.has(word.toLowerCase()) ? 1 : 2]
  }
  for (const [rank, forms] of FORMS)
    for (const form of forms) for (const match of text.matchAll(form)) yield [match, rank]
  for (const { line, index } of outerLines(text)) {
    const match = LINE.exec(line)
    if (match) yield [match, 2, index]
  }
}

function statements(text: string, name: string | undefined): Statement[] {
  // Several patterns may match one number: the highest rank counts.
  const strongest = new Map<number, Statement>()
  for (const [match, rank, offset = 0] of scoreForms(text, name)) {
    const one = statement(text, match, rank, offset)
    const other = strongest.get(one.index)
    if (!other || other.rank < one.rank) strongest.set(one.index, one)
  }
  const all = [...strongest.values()].sort((a, b) => a.index - b.index)
  for (const [i, one] of all.entries()) {
    const other = all[i - 1]
    // Two in a sentence: whether they differ decides.
    const second = other && !other.denied && one.index - other.end < one.before.length
    one.denied ||= !second && !isGiven(one.before)
  }
  return all
}

function statement(text: string, match: RegExpMatchArray, rank: number, offset: number): Statement {
  const [from, to] = match.indices!.groups!.score!
  const end = offset + match.index! + match[0].length
  const index = offset + from
  // The words on each side decide how the number is meant.
  const before = text.slice(Math.max(0, index - 120), index)
  const after = text.slice(end, end + 120)
  const digits = text.slice(index, offset + to)
  const value = numberOf(digits)
  return {
    whole: match[0],
    text: digits,
    value,
    index,
    end,
    rank,
    range:
      RANGE.test(text.slice(offset + to, offset + to + 40)) ||
      Number(SHARED.exec(after)?.[1] ?? value) !== value ||
      UNSETTLED().test(text.slice(offset + to, offset + to + 60)) ||
      SPAN.test(before) ||
      BETWEEN.test(before.replace(/[*_"'`]/g, '')) ||
      (BOUND.test(before) && !/^[*_]{0,4}[<>]/.test(after)),
    denied:
      DENIED.test(before) ||
      CONDITION_AFTER.test(after) ||
      isTakenOut(before, after) ||
      (goesOn(after) && !isElsewhere(before)),
    before: lastSentence(before),
    conditional: CONDITIONAL.test(before),
  }
}
