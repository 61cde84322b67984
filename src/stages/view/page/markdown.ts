/**
 * Parses Markdown to a tree: no HTML, links or images; formulas are kept as text. Each line and character is read a bounded
 * number of times.
 */

export type Inline =
  | { kind: 'text' | 'code' | 'math'; text: string }
  | { kind: 'strong' | 'em'; inner: Inline[] }
  /** Shown as text and address. */
  | { kind: 'link'; text: string; address: string }

export type MarkdownBlock =
  | { kind: 'paragraph' | 'quote'; inner: Inline[] }
  | { kind: 'heading'; level: number; inner: Inline[] }
  | { kind: 'code' | 'math'; text: string }
  | { kind: 'list'; ordered: boolean; items: { depth: number; inner: Inline[] }[] }
  | { kind: 'table'; rows: Inline[][][] }
  | { kind: 'rule' }

export function markdown(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  const lines = text.split('\n')
  let words: string[] = []
  const flush = () => {
    if (words.length > 0) blocks.push({ kind: 'paragraph', inner: inline(words.join('\n')) })
    words = []
  }
  for (let i = 0; i < lines.length; ) {
    const [block, end] = blockAt(lines, i) ?? [undefined, i + 1]
    if (block || lines[i]!.trim() === '') flush()
    else words.push(lines[i]!)
    if (block) add(blocks, block)
    i = end
  }
  flush()
  return blocks
}

function blockAt(lines: string[], at: number): FoundBlock | undefined {
  for (const read of BLOCKS) {
    const found = read(lines, at)
    if (found) return found
  }
  return undefined
}

/** Adds a block; an item of a list belongs to the list before it. */
function add(blocks: MarkdownBlock[], block: MarkdownBlock): void {
  const last = blocks.at(-1)
  if (block.kind === 'list' && last?.kind === 'list' && last.ordered === block.ordered)
    last.items.push(...block.items)
  else blocks.push(block)
}

type FoundBlock = [block: MarkdownBlock, lineAfter: number]

/** How each kind of block is read at the line at which it may begin. */
const BLOCKS: ((lines: string[], at: number) => FoundBlock | undefined)[] = [
  (lines, at) => {
    const [, fence] = /^ {0,3}(```|~~~|\$\$)/.exec(lines[at]!) ?? []
    if (fence === undefined || (fence === '$$' && lines[at]!.trim() !== '$$')) return undefined
    const to = endOf(lines, at + 1, (line) => !line.trim().startsWith(fence))
    return [{ kind: fence === '$$' ? 'math' : 'code', text: lines.slice(at + 1, to).join('\n') }, to + 1]
  },
  (lines, at) => {
    const [, marks, words] = /^ {0,3}(#{1,6})\s+(.*)$/.exec(lines[at]!) ?? []
    return marks === undefined
      ? undefined
      : [{ kind: 'heading', level: marks.length, inner: inline(words!) }, at + 1]
  },
  (lines, at) => (/^ {0,3}([-*_])( *\1){2,} *$/.test(lines[at]!) ? [{ kind: 'rule' }, at + 1] : undefined),
  (lines, at) => {
    const [, indent, mark, words] = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(lines[at]!) ?? []
    if (indent === undefined) return undefined
    const depth = Math.min(6, Math.floor(indent.replaceAll('\t', '    ').length / 2))
    const items = [{ depth, inner: inline(words!) }]
    return [{ kind: 'list', ordered: /\d/.test(mark!), items }, at + 1]
  },
  (lines, at) => {
    const [, words] = /^>\s?(.*)$/s.exec(lines[at]!) ?? []
    return words === undefined ? undefined : [{ kind: 'quote', inner: inline(words) }, at + 1]
  },
  (lines, at) => {
    const rule = lines[at + 1] ?? ''
    if (!isRow(lines[at]!) || !/^[\s|:-]+$/.test(rule) || !rule.includes('-')) return undefined
    const end = endOf(lines, at + 2, isRow)
    return [{ kind: 'table', rows: [lines[at]!, ...lines.slice(at + 2, end)].map(cells) }, end]
  },
]

/** The first line from `at` on that does not belong to a block. */
function endOf(lines: string[], at: number, belongs: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && belongs(lines[end]!)) end++
  return end
}

const isRow = (line: string) => line.includes('|') && line.trim() !== ''

const cells = (line: string): Inline[][] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => inline(cell.trim()))

/** Delimiters of spans and their kinds, in order of precedence. */
const SPANS: [open: string, close: string, kind: 'code' | 'math' | 'strong' | 'em'][] = [
  ['`', '`', 'code'],
  ['$$', '$$', 'math'],
  ['$', '$', 'math'],
  ['\\(', '\\)', 'math'],
  ['\\[', '\\]', 'math'],
  ['**', '**', 'strong'],
  ['__', '__', 'strong'],
  ['*', '*', 'em'],
  ['_', '_', 'em'],
]

/** The most characters of a span, which bounds the search for its end. */
const REACH = 2000

export function inline(text: string): Inline[] {
  const out: Inline[] = []
  let plain = ''
  const put = (one: Inline) => {
    if (plain) out.push({ kind: 'text', text: plain })
    plain = ''
    out.push(one)
  }
  for (let i = 0; i < text.length; ) {
    const link = text[i] === '[' ? linkAt(text, i) : undefined
    if (link) {
      put({ kind: 'link', text: link.text, address: link.address })
      i = link.end
      continue
    }
    const span = spanAt(text, i)
    if (!span) {
      plain += text[i++]
      continue
    }
    const { kind, inner, end } = span
    put(kind === 'code' || kind === 'math' ? { kind, text: inner } : { kind, inner: inline(inner) })
    i = end
  }
  if (plain) out.push({ kind: 'text', text: plain })
  return out
}

function spanAt(text: string, at: number) {
  if (!'`$\\*_'.includes(text[at]!)) return undefined
  for (const [open, close, kind] of SPANS) {
    if (!text.startsWith(open, at)) continue
    const from = at + open.length
    const next = text[from]
    if (next === undefined || (kind !== 'code' && open !== '\\(' && open !== '\\[' && /\s/.test(next)))
      continue
    // 2_000_000 and snake_case are words.
    if (open.startsWith('_') && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) continue
    const found = text.slice(from, from + REACH).indexOf(close)
    // $5 and $6 are prices.
    if (
      found <= 0 ||
      (open === '$' && (/\s/.test(text[from + found - 1]!) || /\d/.test(text[from + found + 1] ?? '')))
    )
      continue
    const inner = text.slice(from, from + found)
    if (kind === 'math') return { kind, inner: open + inner + close, end: from + found + close.length }
    return { kind, inner, end: from + found + close.length }
  }
  return undefined
}

function linkAt(text: string, at: number): { text: string; address: string; end: number } | undefined {
  const near = text.slice(at, at + REACH)
  const match = /^\[([^[\]\n]*)\]\(([^()\s]*)\)/.exec(near)
  return match ? { text: match[1]!, address: match[2]!, end: at + match[0].length } : undefined
}
