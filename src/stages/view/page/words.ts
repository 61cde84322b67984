/** Finding words in replies, and differences between answers. */

/** Where the reply's text after its thinking begins. */
export function afterThinking(text: string): number {
  const at = Math.max(text.lastIndexOf('</think>'), text.lastIndexOf('</thinking>'))
  return at < 0 ? 0 : text.indexOf('>', at) + 1
}

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** Finds the words of a verdict: the last occurrence in brackets or quotes, or else as separate words. */
export function verdictPlace(text: string, label: unknown): [from: number, to: number] | undefined {
  if (typeof label !== 'string' && typeof label !== 'number') return undefined
  const words = String(label)
  if (words.trim() === '' || words.length > 500) return undefined
  const start = afterThinking(text)
  for (const [open, close] of [
    ['[[', ']]'],
    ['[', ']'],
    ['**', '**'],
    ['"', '"'],
    ['', ''],
  ] as const) {
    const whole = open + words + close
    for (let at = text.lastIndexOf(whole), tries = 0; at >= start && tries < 200; tries++) {
      const end = at + whole.length
      const alone =
        (!isWord(words[0]) || !isWord(text[at - 1])) && (!isWord(words.at(-1)) || !isWord(text[end]))
      if (open !== '' || alone) return [at, end]
      if (at === 0) break
      at = text.lastIndexOf(whole, at - 1)
    }
  }
  return undefined
}

export interface Piece {
  text: string
  /** The other text does not have it. */
  own: boolean
}

/** The most cells of the table for comparing two texts. */
const CELLS = 6_000_000
/** Texts of which more than this share of the words differs are not two versions of one. */
const MOSTLY = 1 / 3

/**
 * Marks the words that differ: of two versions of a text what was changed, of two different texts (and of texts too long for
 * the table) the words that the other one does not have at all.
 */
export function wordDifferences(a: string, b: string): [Piece[], Piece[]] {
  const [first, second] = [tokens(a), tokens(b)]
  const changed = changes(first, second)
  const share = changed && ownShare(first, changed[0]) + ownShare(second, changed[1])
  const [own, other] =
    share !== undefined && share <= 2 * MOSTLY ? changed! : [absent(first, second), absent(second, first)]
  return [pieces(first, own), pieces(second, other)]
}

/** Which elements of each list the other does not have, in its order; of lists too long for the table, in any order. */
export function differing(a: string[], b: string[]): [boolean[], boolean[]] {
  const [inA, inB] = [new Set(a), new Set(b)]
  return changes(a, b) ?? [a.map((one) => !inB.has(one)), b.map((one) => !inA.has(one))]
}

/** Which tokens are not in the longest common subsequence; undefined if the texts are too long. */
function changes(first: string[], second: string[]): [own: boolean[], other: boolean[]] | undefined {
  let head = 0
  while (head < first.length && head < second.length && first[head] === second[head]) head++
  let tail = 0
  while (
    tail < first.length - head &&
    tail < second.length - head &&
    first[first.length - 1 - tail] === second[second.length - 1 - tail]
  )
    tail++
  const [x, y] = [first.slice(head, first.length - tail), second.slice(head, second.length - tail)]
  if (x.length * y.length > CELLS) return undefined
  const [inX, inY] = common(x, y)
  const around = (list: string[], inner: boolean[]) =>
    list.map((_, i) => i >= head && i < list.length - tail && !inner[i - head])
  return [around(first, inX), around(second, inY)]
}

/** Which words of the list the other list does not have, in any letter case. */
function absent(list: string[], other: string[]): boolean[] {
  const known = new Set(other.map((token) => token.toLowerCase()))
  return list.map((token) => isWord(token[0]) && !known.has(token.toLowerCase()))
}

function ownShare(list: string[], own: boolean[]): number {
  const words = list.flatMap((token, i) => (isWord(token[0]) ? [own[i]!] : []))
  return words.length === 0 ? 0 : words.filter((one) => one).length / words.length
}

/** The pieces of the first characters. */
export function beginning(pieces: readonly Piece[], length: number): Piece[] {
  const found: Piece[] = []
  let left = length
  for (const { text, own } of pieces) {
    if (left <= 0) break
    found.push({ text: text.slice(0, left), own })
    left -= text.length
  }
  return found
}

const tokens = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []

/** Which tokens of each list belong to a longest common subsequence. */
function common(x: string[], y: string[]): [boolean[], boolean[]] {
  const width = y.length + 1
  const lengths = new Uint32Array((x.length + 1) * width)
  for (let i = x.length - 1; i >= 0; i--)
    for (let j = y.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        x[i] === y[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
  const [inX, inY] = [new Array<boolean>(x.length).fill(false), new Array<boolean>(y.length).fill(false)]
  for (let i = 0, j = 0; i < x.length && j < y.length; ) {
    if (x[i] === y[j]) {
      inX[i++] = true
      inY[j++] = true
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return [inX, inY]
}

/** Joins consecutive tokens with the same `own`; white space belongs to the marks on both of its sides. */
function pieces(list: string[], own: boolean[]): Piece[] {
  const found: Piece[] = []
  for (const [i, text] of list.entries()) {
    const is = /^\s/.test(text) ? own[i - 1] === true && own[i + 1] === true : own[i]!
    const last = found.at(-1)
    if (last && last.own === is) last.text += text
    else found.push({ text, own: is })
  }
  return found
}
