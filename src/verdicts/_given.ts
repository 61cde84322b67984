/** Whether the words around a verdict give it: most sentences that have one only mention it. */
import { lazily } from './_lazily.ts'
import { WORDS } from './_numbers.ts'

const NOUN =
  '(?:verdict|(?<!\\b(?:is|are|was) )better|winner|choice|pick|vote|preference|label|decision|judge?ment|rating|score|grade|mark|evaluation|assessment|result|conclusion)'
const ADJECTIVES =
  'my|the|a|final|overall|own|corrected|revised|updated|new|total|combined|average|numeric(?:al)?|fair|right|appropriate|better|preferred|quality|no|clear'
/** `my final rating is: `, `Verdict: `, `the rating I would give to this answer is `, just before the verdict. */
const HEAD = lazily(
  () =>
    new RegExp(
      String.raw`(?:\b(?:${ADJECTIVES})[ \t*_]{1,4}){0,4}\b${NOUN}["'*_\x60)]{0,4}(?:[ \t](?:that[ \t])?I[ \t][^.!?\n:]{1,50}|[ \t](?:for|of|to|here|goes)(?![ \t]\W{0,9}$)[^.!?\n:]{0,50})?(?:,?[ \t](?:then|therefore|thus),?)?(?:[ \t]{0,3}[:：=]|[ \t](?:is|of|would be|will be|should be|must be|has to be|remains|stands at|comes to|goes to)(?:[ \t](?:a|an|that|now|therefore|thus))?:?|[ \t][-–—])\W{0,9}$|^\W*(?:(?:${ADJECTIVES})[ \t*_]{1,4}){0,4}${NOUN}\W*$`,
      'iu',
    ),
)
const MINE = /\bmy\b/i
const NOT = /\b(?:not|never)[ "'*_]*$/i
/** What a verdict is about. */
const SUBJECT = String.raw`\b(?:it|this|that|which|everything|all|response|answer|assistant|reply|text|output|poem|essay|code|solution|summary|work|one|submission|story|report)\b[^.!?\n]{0,40}`
/** Words between a verb and a verdict. */
const TAIL = String.raw`(?:[ ,]+(?:an?|the|about|around|roughly|only|just|at|least|most|best|rating|score|grade|mark|my|me|us|vote|of|solid|overall|final|total|high|low|it|this|that|strong|weak|from|good|fair|decent|mediocre|full|marks|to|with|for|in|up|on|towards?|${ADJECTIVES}))*\W*$`
/** What a judge says before a verdict of its own. */
const GIVES = lazily(
  () =>
    new RegExp(
      [
        // `I would therefore give it`, `we settle on`
        String.raw`\b(?:I|we|let['’]s|let me)(?:['’](?:d|ll|m|ve))?[ ,]+(?:(?:probably|personally|honestly|inclined|would|will|must|shall|can|could|have|had|to|only|am|going|therefore|thus|still|now|then|finally|clearly|hereby|also|just|do|did|again|instead|ultimately|nevertheless|even|so|first|find|think|feel|believe)[ ,]+){0,4}(?:giv|gave|rat(?:e|ing)|scor|grad(?:e|ing)|assign|award|choos|chose|pick|select|prefer|go(?:ing)?\b|went|settl|say|vot|favou?r|conclud|judg|stand|call|put|land|arriv|end\b|mark|lean|decid|declar|chang|revis|lower|rais|correct|set\b|consider|answer|come|came|deem|assess|evaluat|stick|opt|move|find|think|feel|believe|side|return)\w{0,3}\b`,
        String.raw`\band (?:give|rate|score|award|assign|choose|pick|settle|go)\b${TAIL}`,
        // `my final verdict is significantly`
        String.raw`\b(?:my|final)[ \t*_]{1,4}(?:\w{1,20}[ \t]){0,2}?${NOUN} is\b[^.!?\n]{0,40}$`,
        // `so`, `overall, the`, `but`
        String.raw`(?:\b(?:so|thus|therefore|hence|then|overall|finally|in the end|in short|on balance|on average|clearly|simply|in conclusion|to sum up|all in all|namely|i\.e\.)|(?:^\W*|[,;] ?)(?:but|yet|rather|now|still))\W*(?:an? |the )?(?:\w+ )?$`,
        // `the better answer is`, `it is a`, `this deserves`, `that leaves me with`, `the response would receive a score of`
        String.raw`\b(?:better|best|winner|choice|it|this|that|one|answer|response|assistant)\b[^.!?\n]{0,20}(?:\bis|['’]s)\b[^.!?\n]{0,20}$`,
        String.raw`${SUBJECT}\b(?:deserves|earns|merits|gets|receives|warrants|scores|is (?:worth|rated|given)|rates|justifies|leaves|leads|brings|makes|decides|points|has to be|must be|adds|comes|amounts|calls|gives me|(?:would|will|should) (?:therefore )?(?:receive|get|be|deserve|earn|score))\b(?:[^.!?\n]{0,12}\bbetter)?${TAIL}`,
        String.raw`^\W*(?:comparing|weighing|considering|judging|taking|averaging|barely|merely|easily)\b[^.!?\n]*$`,
        String.raw`\b(?:settl\w{1,4}|conclud\w{1,4}|arriv\w{1,4}|go with|in favou?r of|decision is to|leaving it (?:at|with)|com\w{1,3} (?:out|in|down) (?:at|to)|(?:comfortable|happy|content) with|changed? to|(?:push|bring|rais|lower|drop|mov)\w{1,3} (?:it|this|that) (?:up |down )?to)\b[^.!?\n]{0,40}$`,
        String.raw`\b(?:better|best|superior|stronger|wins|winner|tie|draw|tied|equal)(?: here| overall)?(?: answer)?(?: \w+ from)?(?: (?:assistant|answer|response) [AB12])?\W*$`,
        String.raw`\b(?:confident in|(?:slightly |much )?better)${TAIL}`,
        String.raw`(?:^\W*an? (?:\w+ ){0,2}|make (?:that|it) |(?:[,:：;()—–→\d]|(?<!\p{L})-)\W*(?:the |an? )?)$`,
      ].join('|'),
      'iu',
    ),
)
/** Words of a clause about something else, or about others. */
const OTHER =
  /\b(?:(?:reader|colleague|expert|beginner|critic|reviewer|rater|grader|someone|people|others)s?|usually|typically|normally|prints|(?:claims|states|writes|argues) that|format|template|example|sample|expected|required|instructed|placeholder|(?:closing|last|final|first) (?:line|sentence|words?)|copy|another|similar|previous(?:ly)?|reference|last (?:week|time|year)|yesterday|historically|tempt\w{1,3}|wrote|said|says|thinks|believes|puts it|could|might)\b[^,;]*$/i
/** Words after the last quotation mark, unless it begins a member of JSON. */
const QUOTED = lazily(() => /(?<!"\s{0,3}:\s{0,3})["“](?=[^"“”]*\p{L})[^"“”]*$/u)
/** `written like this: ` */
const LIKE =
  /\b(?:like|such as|e\.g\.?|for example|for instance|written|form|source|reference|footnote|citation)(?: (?:so|this|these|of))?[ :,"'*_]*$/i
/** The beginning of a sentence that holds only on a condition, or for others. */
const IF =
  /^\W*(?:(?:an?|any|every|each) (?:\w+ )?(?:answer|response|reply) (?:deserves|gets|earns|receives|is)\b|if(?! (?:pressed|forced|asked|anything|I (?:had|have|must))\b)|unless|suppose|assuming|it (?:can ?not|can['’]t|could not|can hardly) be (?:said|claimed|argued)|according to (?:the )?(?:assistant|answer|response|author|user|text))\b/i
/** Words and letters of other languages. */
const ELSEWHERE = lazily(
  () =>
    /\b(?:ich|mich|mein\w{0,2}|je|mon|ma|yo|mi|io|mio|elijo|prefiero|scelgo|veredicto|urteil|entscheidung|décision|verdient|mérite|merece|merita|le (?:doy|pongo)|gli do)\b|(?!\p{Script=Latin})\p{L}/iu,
)
/** After a verdict, words that take it for a name, or ask about it. */
const GOES_ON = lazily(
  () =>
    /^["”'’\x60*_)\]}$\\>]{0,9}(?:, (?:says?|said|claims?|according|they|he|she|it (?:says|claims)|you)\b| (?!(?:because|since|as|for|due|given|based|on|in|at|out|overall|it|is|was|wins|with|and|but|so|while|whereas|though|although|from|rather|instead|over|than|by|after|thanks|considering|points?|stars?|if|follows|seems|looks|feels|sounds|here|or|would|has|had|beats|never|loses|about|stands(?! for)|remains|to|von|sur|de|su|car|weil|the|there|better|output|answer|assistant|response|report|option|model|one|choice|of)\b)\p{Ll}|-(?!ish)\p{L}| (?:(?:is|was|seems|looks|feels|sounds) (?:too|wrong|off|written|printed|quoted|mentioned|my first|what (?!I\b))|would (?:mean|be too))|[^.!?\n(]{0,40}\?|,? (?:which|and|but) I (?:(?:did|do|will) not|(?:did|do|wo)n['’]t)? ?(?:follow|heed|ignored?|disregard(?:ed)?)\b)/u,
)
/** Words just before a verdict that say how exact it is. */
const ABOUT = new RegExp(
  String.raw`\b(?:(?:about|around|approximately|roughly|nearly)\W{1,6}|(?:${WORDS.join('|')})[*_]{0,3} ?\()$`,
  'i',
)
/** `Numerical`, before `rating:`. */
const ONE_WORD = lazily(
  () =>
    /^\W*(?:(?!(?:perhaps|possibly|maybe|almost|nearly|either|whether)\b)\p{L}+\W+(?:(?<=\b(?:response|answer|overall|judge)\W+)\p{L}+\W+)?)?$/iu,
)
/** Elements before that of the verdict. */
const ELEMENT = /^.*<\/\w{1,20}>\s*(?=<\w{1,20}>\W*$)/

/**
 * Whether a verdict is given by the words before it in its sentence.
 * @param words without the sentences before
 * @param previous another verdict, which may be in the same sentence
 */
export function isGiven(words: string, previous?: string): boolean {
  const at = previous === undefined ? -1 : words.lastIndexOf(previous)
  if (at >= 0) {
    // The second of two is given if the first is.
    const between = words.slice(at + previous!.length)
    return (
      !IF.test(between) &&
      (!/\p{L}/u.test(between) ||
        GIVES().test(between) ||
        (!/["“]$/.test(between) && isGiven(words.slice(0, at))))
    )
  }
  const plain = words
    .replace(ELEMENT, '')
    .replace(/<\/?\w{1,20}>|\\\w{1,10}\{|\[result\]/gi, '')
    .replace(ABOUT, '')
  if (!/\p{L}/u.test(plain)) return true
  if ([OTHER, IF, LIKE].some((pattern) => pattern.test(plain))) return false
  const [head = ''] = HEAD().exec(plain) ?? []
  const before = plain.slice(0, plain.length - head.length)
  if (NOT.test(before) || isQuoted(before)) return false
  const colon = /[:：=]\W*$/.test(head)
  return (
    (MINE.test(head) && !/["“]\W{0,3}$/.test(before)) ||
    (colon ? ONE_WORD() : /^\P{L}*$/u).test(before) ||
    GIVES().test(head ? before : plain) ||
    ELSEWHERE().test(plain)
  )
}

/** `B handles the edge case correctly`: words about the answers. The article `A` has no verb after it. */
const ABOUT_ANSWERS =
  /(?<![\p{L}\p{N}'’])(?:(?:assistant|answer|response|output|model|report|option|candidate)[ \t]{1,3}\W{0,3}[AB12]|the (?:first|second)|both|neither|\W{0,3}[AB](?=\W{1,3}(?:\p{Ll}+(?<![us])s|\p{Ll}+ed|is|has|was|did|and|gave|made|kept)(?!\p{L})))(?!\p{L})[^.!?\n]{0,80}\P{L}[^.!?\n]{3,}$/iu
/** `Clear and complete`, `it misses a point`: words that judge an answer without its name. */
const JUDGES =
  /\b(?:(?:assistant|answer|response|explanation|difference)s?|reply|replies|code|reasoning|structure|identical|equally|clear\w*|complete\w*|correct\w*|accurate\w*|helpful|good|great|excellent|solid|poor\w*|weak|wrong|flawless\w*|perfect|detailed|relevant|concise|coherent|thorough|fine|okay|decent|mediocre|vague|incomplete|incorrect\w*|refus\w+|miss\w+|ignor\w+|fail\w*)\b/i
/** Words of a condition or of what others write, and a last word that may have the label as its object. */
const NO_CLAIM =
  /["“”`{}<>]|\b(?:would (?!expect)|could|might|may|should|can|will|must|you|one (?=\p{Ll}+s\b)|they|anyone|others|people|me|judges?|graders?|readers?|itself|yourself|please|supposed|do not|such|historically|outputs|whether|transcript|line|rates|grades|awards|types?|typed|puts?|reads?|said|signs|wr(?:ites?|ote)|(?:say|state|end|close|contain|claim|conclude|insist|add|assert|finish|append|insert|attach|repeat|include|inject|print|quote|mention|paste|copy)(?:s|ed)?)\b|\b(?:with|for|of|to|by|in|as|at|on|from|than|or|string|text|labels?|token|words?|tag|marker|verdict|template|example|placeholder|letters?|source|reference|the|an?|it|its|their|is|be|was|and|marked|chose|picked|deserves|g[eo]ts?|(?:[AB12]|first|second|assistant|which|that|who)\W+(?!wins|fails|misses)\p{Ll}+(?:s|ed))\W*$/iu

/** Whether a sentence judges the answers, so that a label at its end is the verdict. */
export const isClaim = (words: string): boolean =>
  (ABOUT_ANSWERS.test(words) || (JUDGES.test(words) && !OTHER.test(words))) &&
  ![IF, LIKE, NOT, NO_CLAIM].some((pattern) => pattern.test(words))

/** Whether the words end within a quotation that others introduce, but not as `Verdict: "…` does. */
function isQuoted(words: string): boolean {
  const at = words.search(QUOTED())
  const closes = words[at] === '"' && words.split('"').length % 2 === 1
  return !closes && at > 0 && /\p{L}/u.test(words.slice(0, at)) && !HEAD().test(words.slice(0, at))
}

const SAYS = String.raw`\b(?<!\b(?:verdict|rating|decision) )(?:says|reads|writes|wrote|states|ends|closes|contains|claims|concludes|insists|adds|asserts|finishes|opens|begins)\b[^"“”.!?\n]{0,40}`
/** `The answer ends with "It is right. My rating is `: a quotation of several sentences. */
const QUOTE = new RegExp(String.raw`${SAYS}["“](?=\w)[^"“”\n]*$`)
const CLOSES = /^[\]*_.!)]{0,4}["”]/
/** The same as a block of its own. */
const BLOCK = new RegExp(String.raw`${SAYS}[:：]\s{0,4}\n(?:>|\x60{3}\w*\n)[^\n]*$`)

/** Whether a verdict is struck out, or the end of what the reply says that an answer says. */
export const isTakenOut = (before: string, after: string) =>
  (CLOSES.test(after) && QUOTE.test(before)) ||
  ((before.includes('\n>') || before.includes('```')) && BLOCK.test(before)) ||
  (after.startsWith('~~') && before.endsWith('~~'))

/** Whether the text after a verdict goes on as if that were a name: `[[A]], says the answer`. */
export const goesOn = (after: string) => GOES_ON().test(after.replace(/^<\/\w{1,20}>/, ''))

/** `correct.Rating`: a stop, two characters before it and two after. */
const GLUED_STOP = /^[\p{L}\p{N})*]{2}.\p{Lu}[\p{Ll}'’:]/u
/** `knewMy final verdict`: a sentence without a stop before it. */
const GLUED = /^\p{Ll}(?:My|Final|Overall) \p{L}/u

/** Where a sentence may end, and the first letters of {@link GLUED}. */
const ENDS = '\n.!?…。！？MFO'

/** What follows the last line or sentence that ends in a text, also without a space; the stops in `e.g.` and 8.5 end none. */
export function lastSentence(text: string): string {
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text[at]!
    if (!ENDS.includes(char)) continue
    if (char === '\n') return text.slice(at + 1)
    if ('MFO'.includes(char)) {
      if (GLUED.test(text.slice(at - 1, at + 9))) return text.slice(at)
    } else if (char !== '.' || text[at - 2] !== '.') {
      if (!/^\w/.test(text.slice(at + 1, at + 2)) || GLUED_STOP.test(text.slice(at - 2, at + 3)))
        return text.slice(at + 1)
    }
  }
  return text
}

/** Whether a text has words or letters of other languages. */
export const isElsewhere = (text: string) => ELSEWHERE().test(text)
