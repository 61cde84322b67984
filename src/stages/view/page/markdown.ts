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
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    const fence = /^ {0,3}(```|~~~|\$\$)/.exec(line)
    if (fence && (fence[1] !== '$$' || line.trim() === '$$')) {
      flush()
      const end = lines.findIndex((one, at) => at > i && one.trim().startsWith(fence[1]!))
      const to = end < 0 ? lines.length : end
      blocks.push({ kind: fence[1] === '$$' ? 'math' : 'code', text: lines.slice(i + 1, to).join('\n') })
      i = to
      continue
    }
    const heading = /^ {0,3}(#{1,6})\s+(.*)$/.exec(line)
    const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line)
    if (line.trim() === '') flush()
    else if (heading) {
      flush()
      blocks.push({ kind: 'heading', level: heading[1]!.length, inner: inline(heading[2]!) })
    } else if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) {
      flush()
      blocks.push({ kind: 'rule' })
    } else if (item) {
      flush()
      const last = blocks.at(-1)
      const ordered = /\d/.test(item[2]!)
      const depth = Math.min(6, Math.floor(item[1]!.replaceAll('\t', '    ').length / 2))
      const entry = { depth, inner: inline(item[3]!) }
      if (last?.kind === 'list' && last.ordered === ordered) last.items.push(entry)
      else blocks.push({ kind: 'list', ordered, items: [entry] })
    } else if (line.startsWith('>')) {
      flush()
      blocks.push({ kind: 'quote', inner: inline(line.replace(/^>\s?/, '')) })
    } else if (isRow(line) && /^[\s|:-]+$/.test(lines[i + 1] ?? '') && (lines[i + 1] ?? '').includes('-')) {
      flush()
      const rows = [cells(line)]
      for (i += 2; i < lines.length && isRow(lines[i]!); i++) rows.push(cells(lines[i]!))
      i--
      blocks.push({ kind: 'table', rows })
    } else words.push(line)
  }
  flush()
  return blocks
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
