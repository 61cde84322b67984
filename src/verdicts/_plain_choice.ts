/**
 * Reads a decision between two answers from plain words, for replies that are not in the requested form:
 * `**B>>A**`, `Assistant B is better.`, `Winner: B`, `It is a tie`. It refuses all that is not clearly one decision: two
 * that differ, a condition, a decision for which the judge has no label.
 */
import type { Decision } from '../rows/record.ts'
import { goesOn, isGiven, isTakenOut, lastSentence } from './_given.ts'
import { SHARED } from './_last_meant.ts'
import { lazily } from './_lazily.ts'
import { EMOJI } from './_numbers.ts'
import { outerLines } from './_outer_lines.ts'
import { conflict } from './_pick.ts'
import { flip } from './_terms.ts'

interface PlainChoice {
  /** The words that state it. */
  label: string
  decision: Decision
  /** Stated with words such as "much better", or by a label such as `A>>B`. */
  strong: boolean
}

type Labels = ReadonlyMap<string, string>

interface Statement extends PlainChoice {
  /** 3: stated as the verdict; 2: any other statement. */
  rank: number
}

const DRESS = String.raw`[*_~\x60"'‘’“”()\[\]{}$]{0,9}`
const NOUNS =
  'assistant|answer|response|output|report|model|option|candidate|summary|completion|assistent|antwort|ausgabe|réponse|respuesta|asistente|助手|回答|输出'
const NOUN = String.raw`(?:(?:the[ \t]{1,3})?(?:${NOUNS}))`
/** The name of an answer: `Assistant A`, `Output (b)`, `Report 2`; the group is its letter or number. */
const NAME = String.raw`${NOUN}[ \t-]{0,3}${DRESS}#?(A|B|1|2|one|two|(?<=\()[ab](?=\)))`
/** What may follow: `'s response`. */
const WHOSE = String.raw`${DRESS}(?![\p{L}\d]|[.,]\d)(?:['’]s(?:[ \t]{1,3}(?:answer|response|output|reply|solution))?)?${DRESS}`
/** An answer by its name or its place: `the first answer`. */
const ANSWER = String.raw`(?:${NAME}|the[ \t]{1,3}(first|second)[ \t]{1,3}(?:${NOUNS}|one))${WHOSE}`
const ADVERBS = String.raw`(?:(?:a[ \t]bit|a[ \t]little|the|clearly|slightly|much|significantly|far|marginally|somewhat|overall|definitely|therefore|thus|still|considerably|substantially|simply|also)[ \t]{1,3}){0,3}`
/** `better documented`: better in one regard. */
const BETTER_WHAT = String.raw`[ \t](?!(?:than|because|since|as|for|in|on|at|by|and|but|or|overall|here|due|given|when|while|whereas|with|to|of|from|only|one|choice|${NOUNS})(?![\p{L}]))\p{L}`
const BETTER = String.raw`(?:is|was|did|seems|(?:appears[ \t])?to[ \t]be)[ \t]{1,3}${ADVERBS}${DRESS}(?:better|best|superior|stronger|preferable|preferred|winner|more[ \t](?:helpful|useful|accurate|correct|complete|thorough|relevant|reliable|convincing|effective)[ \t]overall(?=[*_]{0,2}(?:[.!;,\n]|$)))(?![\p{L}]|[ \t]?\?|[ \t](?:than[ \t](?:most|nothing|none|average|usual|expected)|only[ \t](?:in|on|at|for|by|when|if))(?![\p{L}])|${BETTER_WHAT})`
const BEATS = String.raw`(?:wins|outperforms|surpasses|beats|edges[ \t]out)(?![\p{L}])|(?:follows|answers|meets|serves|addresses|fulfils|adheres[ \t]to)[ \t]{1,3}the[ \t]{1,3}(?:instructions?|question|request|prompt|task|query|rubric|criterion|user)[ \t]{1,3}(?:better|more[ \t](?:closely|accurately|precisely|faithfully|fully))(?=[*_"]{0,3}(?:$|[.!;\n]|,?[ \t](?:than|because|since|as|by|overall)(?![\p{L}])))|(?:provides|provided|gives|gave|offers|has)[ \t]{1,3}(?:a|the)[ \t]{1,3}${ADVERBS}(?:better|best|superior|stronger)(?![\p{L}])`
const WORSE = String.raw`(?:is|was)[ \t]{1,3}(?:${ADVERBS}${DRESS}(?:worse|inferior|weaker)(?![\p{L}])|not[ \t]{1,3}(?:quite[ \t]{1,3})?as[ \t]{1,3}(?:good|strong|helpful|accurate|complete)[ \t]{1,3}as(?![\p{L}]))`
/** What may follow a name that is a decision by itself. */
const STOP = String.raw`(?!${DRESS}[ \t]{0,3}[-–—,\/][ \t]{0,3}\d)(?=${DRESS}[ \t]{0,9}(?:$|[.!;\n(]|<\/\w{1,20}>(?![\p{L}\p{N}])|${EMOJI}|,(?![ \t]{0,3}(?:or[ \t]{1,3})?${DRESS}(?:${NOUN}[ \t]{1,3})?${DRESS}[AB12](?![\p{L}\d]))|(?:because|since|as|for|over|to|rather|is|was|[-–—])(?![\p{L}])))`

/** `Urteil: B`, `最终裁决：A`, `Besser: 2`. */
const ELSEWHERE = String.raw`(?:urteil|entscheidung|besser|mejor|meilleure?|veredicto|décision|вердикт|решение|лучше|(?:最终|最終)?(?:裁决|判决|判定|结论|結論|选择|選択)|更好)(?=${DRESS}[ \t]{0,3}[:：])|entscheidung[ \t]ist`

const patterns = (...sources: string[]) => lazily(() => sources.map((source) => new RegExp(source, 'dgimu')))

/** The named answer is the better one. */
const FOR = patterns(
  String.raw`(?<![\p{L}\p{N}_])${ANSWER}[ \t]{1,3}(?:${BETTER}|${ADVERBS}(?:${BEATS}))`,
  String.raw`(?:^|[.!?,;:][ \t]{1,3})(?:(?:so|therefore|thus|hence|overall|clearly|in short)(?:,?[ \t]{1,3}))?${DRESS}(A|B|1|2)${DRESS}[ \t]{1,3}${BETTER}`,
  String.raw`(?<![\p{L}\p{N}_])(?:prefer|choose|chose|pick|picked|select|selected|go[ \t]with|favou?r|in[ \t]favou?r[ \t]of|vote[ \t]for|winner|verdict|decision|choice|final[ \t]answer|${ELSEWHERE}|(?:better|best|preferred)(?:[ \t]{1,3}(?:one|answer|response|assistant|output|report|option|summary))?(?=${DRESS}[ \t]{0,3}(?:[:=]|is(?![\p{L}]))))${DRESS}[ \t]{0,3}(?:(?:is|goes[ \t]to|would[ \t]be|for|[:：=]|-(?=[ \t]))[ \t]{0,3}){0,2}${DRESS}[ \t]{0,3}${DRESS}(?:${ANSWER}|(?:the[ \t]{1,3})?(A|B|C|0|1|2|first|second)${DRESS}(?![\p{L}\d]|[.,]\d))${STOP}`,
  String.raw`(?<![\p{L}\p{N}_])(?:overall|final)[ \t]score[ \t]{0,3}(?:is|:)[ \t]{0,3}${DRESS}(A|B)(?=${DRESS}[ \t]{0,9}(?:$|[.!\n]))`,
  String.raw`(?:^|[ \t*"])(?:[\[(]result[\])]?|result(?<!, result)(?=["*]{0,3}[ \t]{0,3}:)|answer(?=[ \t]{0,3}:))[*_\])"]{0,4}[ \t]{0,3}:?\s{0,3}(?:-[ \t])?${DRESS}(?:\\text(?:bf)?\{)?(?:${ANSWER}|(A|B)${DRESS}(?![\p{L}\d]|["*]{0,3}[ \t](?:is|was)[ \t](?!the|clearly|much|slightly|better)))${STOP}`,
  String.raw`\\boxed\{(?:\\text(?:bf)?\{)?[ \t]{0,3}${DRESS}(?:${ANSWER}|(A|B|C)(?![\p{L}\d]))[\s}$.*]{0,12}(?![\s\S])`,
)
/** The named answer is the worse one. */
const AGAINST = patterns(String.raw`(?<![\p{L}\p{N}_])${ANSWER}[ \t]{1,3}${WORSE}`)
const TIE = patterns(
  String.raw`(?:(?<![\p{L}])(?:it|this|verdict|decision|result|winner|better(?=[*"]{0,3}[ \t]{0,3}[:=]))["*]{0,3}[ \t]{0,3}(?:['’]s|is|:|=)[ \t]{0,3}${DRESS}(?:a[ \t]{1,3})?|(?<![\p{L}])(?:verdict|decision)[ \t]{1,3}is[ \t]{1,3}(?:a[ \t]{1,3})?|(?<![\p{L}])(?:call|consider)[ \t]{1,3}(?:it|this)[ \t]{1,3}a[ \t]{1,3})(?:tie|draw)(?![\p{L}]|[ \t](?:or|between)[ \t])`,
  String.raw`(?<![\p{L}])(?:both|they|the[ \t]two)(?:[ \t]{1,3}(?:assistants|answers|responses|outputs|reports|models))?[ \t]{1,3}are[ \t]{1,3}(?:equally[ \t]{1,3}(?:good|helpful|strong|correct|matched)|equal|about[ \t]as[ \t]good)(?![\p{L}])`,
  String.raw`(?:^${DRESS}tie${DRESS}(?=[:.][ \t]|[ \t][-–—][ \t])|(?<![\p{L}])(?:winner|better)${DRESS}[ \t]{0,3}[:=]${DRESS}[ \t]{0,3}${DRESS}neither(?=[.!]|${DRESS}$))`,
  String.raw`(?<![\p{L}])neither(?:[ \t]{1,3}(?:assistant|answer|response|output|report|one))?[ \t]{1,3}is[ \t]{1,3}better(?![\p{L}])`,
)
/** A line that is only a name. */
const BARE = lazily(
  () =>
    new RegExp(
      String.raw`^[>#\s]{0,6}${DRESS}(?:\\boxed\{)?(?:\\text\{)?[ \t]{0,3}(?:${NAME}${WHOSE}|${NOUN}?[ \t]{0,3}${DRESS}([abc12])|(tie))[ \t]{0,3}${DRESS}[.!]?${DRESS}[ \t]{0,3}(?:${EMOJI})?\s{0,9}$`,
      'iu',
    ),
)
/** `Assistant A > Assistant B`, another way to write a label of the scale. */
const NAMED = lazily(
  () =>
    /(?:assistant|answer|response|output|model)[ \t]([AB])[ \t]?(>>?|=|<<?)[ \t]?(?:assistant|answer|response|output|model)[ \t]([AB])(?![\p{L}\p{N}_])/giu,
)
/** A label of the scale, unless it is a condition that the reply quotes (`if A > B`). */
const SCALE = lazily(
  () =>
    /(?<![\p{L}\p{N}_<=]|(?<!<(?:answer|verdict|label|result|decision|winner|choice|final\w{0,20}))>|\b(?:if|that|when|where|while|whether|condition|assert)[ \t]{1,3}[\x60"'“(]{0,3})([AB])[ \t]?(>>|>|=|<|<<)[ \t]?([AB])(?![\p{L}\p{N}_>=]|<(?!\/)|[\x60"'”)]{0,3}[ \t](?:is|are|was|holds?|would|could|might|when|then|return|before)(?![\p{L}]))/gu,
)

const CONCLUDES =
  /\b(?:overall|therefore|thus|hence|final|verdict|winner|decision|conclusion|conclude|in the end|so|result)\b[^.!?\n]{0,120}$/i
const CONDITIONAL =
  /(?:\b(?:if|unless|whether|could|might|may|not|cannot|neither|nobody|(?<!\bI(?: would|['’]d) )says?|claims?|argues|thinks|believes)|n['’]t)\b[^.!?,;\n]{0,60}$/i
/** `Better: 1 or`, before another. */
const OR = /\bor[ \t]{1,3}["'`*]{0,3}$/
const MUCH = /\b(?:much|significantly|far|considerably|substantially)\b/i

/** The beginning of a label of the scale, at the end of a reply that was cut short: it may become another. */
const CUT = /\[\[[AB][<>=]{0,2}\s{0,9}$/
/** Brackets and signs that stand for those on a keyboard. */
const PLAIN: Record<string, string> = {
  '【': '[',
  '⟦': '[',
  '】': ']',
  '⟧': ']',
  '≫': '>>',
  '≪': '<<',
}

/**
 * The decision that the reply states in plain words, in shown terms; undefined if there is none.
 * @param labels the judge's labels and their meanings; a decision that no label means is ignored
 * @throws RowFailure conflict for decisions that differ
 */
export function plainChoice(reply: string, labels: Labels): PlainChoice | undefined {
  const text = reply
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll(/\\(?=[<>[\]])/g, '')
    .replaceAll(/[【⟦】⟧≫≪]/g, (sign) => PLAIN[sign]!)
    .replaceAll(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll(/<<([ABC])>>/g, '[[$1]]')
    .replaceAll(/\[\[[ab][<>= ]{1,4}[ab]\]\]/g, (label) => label.toUpperCase())
    .replace(CUT, (cut) => (labels.has('A') ? cut : ''))
    .replaceAll(NAMED(), '$1$2$3')
  const meanings = new Set(labels.values())
  const all = [...scaled(text, labels), ...stated(text, labels), ...bare(text, labels)]
  const found = all.filter(({ decision }) => meanings.has(decision))
  const rank = Math.max(...found.map((one) => one.rank))
  const best = found.filter((one) => one.rank === rank)
  const different = new Set(best.map(({ decision }) => decision))
  if (different.size > 1)
    throw conflict(
      'verdicts',
      best.slice(0, 4).map(({ label }) => label.trim()),
    )
  return best.at(-1)
}

function scaled(text: string, labels: Labels): Statement[] {
  return [...text.matchAll(SCALE())].flatMap((match, i, all) => {
    const [label, first, sign, second] = match
    if (isOnlyMentioned(text, match, match.index, all[i - 1]?.[0])) return []
    const decision = labels.get(`${first}${sign}${second}`) as Decision | undefined
    return decision === undefined || first === second
      ? []
      : [{ label, decision, strong: sign!.length > 1, rank: 3 }]
  })
}

function stated(text: string, labels: Labels): Statement[] {
  const found: Statement[] = []
  const add = (forms: RegExp[], decide: Decide) => {
    for (const form of forms)
      for (const match of text.matchAll(form)) found.push(...statements(text, match, decide))
  }
  add(FOR(), (name) => decisionFor(name, labels))
  add(AGAINST(), (name) => flip(decisionFor(name, labels) ?? 'A=B'))
  add(TIE(), () => 'A=B')
  return found
}

/** What a named answer means. */
type Decide = (name: string) => Decision | undefined

/** The decision that a match gives; both, if each answer is better in something; none, if it is only mentioned. */
function statements(text: string, match: RegExpExecArray, decide: Decide): Statement[] {
  const [label, ...groups] = match
  const before = text.slice(Math.max(0, match.index - 120), match.index)
  const at = groups.findIndex((group) => group !== undefined)
  const name = at < 0 ? match.index + label.length : match.indices![at + 1]![0]
  if (CONDITIONAL.test(before) || isOnlyMentioned(text, match, name)) return []
  const decision = decide(groups[at] ?? '')
  if (decision === undefined) return []
  const rank = CONCLUDES.test((before + label).slice(-120)) ? 3 : 2
  const one = { label, decision, strong: MUCH.test(label), rank }
  const after = text.slice(match.index + label.length, match.index + label.length + 120)
  if (!SHARED.test(after) && !OR.test(before)) return [one]
  return [one, { label: after, decision: flip(decision), strong: false, rank }]
}

/**
 * Whether the words around a decision do not give it.
 * @param name where the answer is named in it
 * @param previous the decision before, which may be in the same sentence
 */
function isOnlyMentioned(
  text: string,
  { index, 0: label }: RegExpMatchArray,
  name: number,
  previous?: string,
): boolean {
  const from = Math.max(0, index! - 120)
  const before = text.slice(from, index)
  const end = index! + label.length
  const after = text.slice(end, end + 120)
  if (goesOn(after) || isTakenOut(before, after)) return true
  const words = [before, text.slice(from, name).replace(NOUN_ENDS(), '')].map(lastSentence)
  return !words.some((one) => isGiven(one, previous))
}
const NOUN_ENDS = lazily(() => new RegExp(String.raw`${NOUN}[^\p{L}]*$`, 'iu'))

/** The first and the last line, if they are only a name. */
function bare(text: string, labels: Labels): Statement[] {
  return outerLines(text).flatMap(({ line }) => {
    const match = BARE().exec(line)
    if (!match) return []
    const name = match[1] ?? match[2]
    const decision = name === undefined ? 'A=B' : decisionFor(name, labels)
    return decision === undefined ? [] : [{ label: line, decision, strong: false, rank: 3 }]
  })
}

/** The decision for the named answer, or the meaning of another label (`C`, `0`); undefined if the judge has no such label. */
function decisionFor(name: string, labels: Labels): Decision | undefined {
  if (/^(?:[ab12]|one|two|first|second)$/i.test(name))
    return /^(?:[a1]|one|first)$/i.test(name) ? 'A>B' : 'B>A'
  return labels.get(name.toUpperCase()) as Decision | undefined
}
