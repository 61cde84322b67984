/**
 * Finds two scores in a reply, for judges without a pattern: `9 3`, `Scores: 9/10, 3/10`, `Assistant 1: 9, Assistant 2: 3`.
 * Other numbers are ignored: they may be labels, scales or list markers.
 */

/** The scores of the first and the second answer in a statement, and its index. */
interface Scores {
  scores: [string, string]
  index: number
}

const NUMBER = String.raw`[-+−]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?`
/** `/10`, `out of 10`, `%`. Repetitions are bounded, so that a reply of nothing but spaces does not stall a run. */
const SCALE = String.raw`(?:[ \t]{0,4}\/[ \t]{0,4}(\d+(?:\.\d+)?)|[ \t]{1,4}out[ \t]of[ \t](\d+(?:\.\d+)?)|[ \t]?%)?`
const SCORE = `(${NUMBER})${SCALE}`
const OPENS = String.raw`[ \t*_~\x60"'‘“(\[]{0,9}`
const CLOSES = String.raw`[*_~\x60"'’”)\]]{0,9}`
const BETWEEN = String.raw`(?:[ \t]{0,9}[,;|][ \t]{0,9}|[ \t]{1,20})`

/** The end of a line of two scores: an explanation may follow after a stop, a dash or a bracket. */
const END = String.raw`(?:,?[ \t]{0,4}(?:points|respectively))?${CLOSES}[ \t]{0,40}(?:$|[.;:](?:\s|$)|<[/|]|[(—–]|-[ \t]\D)`
const INNER = [String.raw`[*_~\x60"'’”\]]{0,4}`, String.raw`[*_~\x60"'‘“\[]{0,4}`]
const line = (lead: string, between: string) =>
  new RegExp(
    String.raw`^[ \t]{0,40}(?:[-*+•>#]{1,6}[ \t]+)?${lead}${OPENS}${SCORE}${INNER[0]}${between}${INNER[1]}${SCORE}${END}`,
    'gimu',
  )
const LINES = [
  // `1 and 2` may name the answers.
  line(String.raw`(?!1[ \t]{1,9}and)`, String.raw`(?:${BETWEEN}|:|[ \t]{1,9}(?:and|&|vs\.?)[ \t]{1,9})`),
  line(String.raw`[^\d\n]{1,100}[:=：]`, String.raw`(?:${BETWEEN}|[ \t]{1,9}(?:and|&)[ \t]{1,9})`),
]

/** The score of one answer, named by its number or letter. */
const WORD =
  'assistant|response|answer|output|model|candidate|completion|summary|text|report|system|score|rating'
const NAMED = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.])(?:(?:${WORD})[ \t]{1,4})?([12AB])(?:['’]s)?(?:[ \t](?:score|rating))?${CLOSES}(?:[ \t]{0,4}[:=：]|[ \t]{1,4}(?:[-–—]|scores|gets|receives|earns)(?=[ \t]))${OPENS}${SCORE}(?![\p{L}\d_]|[.,]\d|[ \t]{0,4}[-–—~/][ \t]{0,4}\d)`,
  'giu',
)
/** What may be between the two. */
const JOINED = /^(?:[\s\p{P}|~*]|\b(?:and|(?:score|rating) (?:of|for))\b){0,40}$/iu
const SECOND: Record<string, string> = { '1': '2', '2': '1', A: 'B', B: 'A' }

/** Two scores and nothing else, as in most replies. */
const BARE = /^[ \t]{0,9}(\d+(?:\.\d+)?)(?:,[ \t]?|[ \t]{1,9})(\d+(?:\.\d+)?)[ \t]{0,9}$/

/** Every statement of two scores, in order. */
export function scoresIn(text: string): Scores[] {
  const bare = BARE.exec(text)
  if (bare) return [{ scores: [bare[1]!, bare[2]!], index: 0 }]
  const found = [...LINES.flatMap((pattern) => plain(text, pattern)), ...named(text)]
  return found.sort((a, b) => a.index - b.index)
}

function plain(text: string, pattern: RegExp): Scores[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [, a, outOf, whole, b, outOfB, wholeB] = match
    return pair(a!, outOf ?? whole, b!, outOfB ?? wholeB, match.index)
  })
}

function named(text: string): Scores[] {
  const all = [...text.matchAll(NAMED)]
  const found: Scores[] = []
  for (let i = 0; i + 1 < all.length; i++) {
    const [one, other] = [all[i]!, all[i + 1]!]
    const [name, otherName] = [one[1]!.toUpperCase(), other[1]!.toUpperCase()]
    if (SECOND[name] !== otherName) continue
    if (!JOINED.test(text.slice(one.index + one[0].length, other.index))) continue
    const [first, second] = name === '1' || name === 'A' ? [one, other] : [other, one]
    found.push(...pair(first[2]!, first[3] ?? first[4], second[2]!, second[3] ?? second[4], one.index))
    i++
  }
  return found
}

/** The two scores; none if their scales differ. */
function pair(a: string, scale: string | undefined, b: string, scaleB: string | undefined, index: number) {
  if (scale !== undefined && scaleB !== undefined && Number(scale) !== Number(scaleB)) return []
  const scores: [string, string] = [a.replace('−', '-'), b.replace('−', '-')]
  return [{ scores, index }]
}
