/** Reads a label from the end of a reply's JSON text: decoding the whole reply is the slowest step of reading it. */
import type { VerdictConfig } from '../judges/_judge.ts'
import { isOwn, LEAD, mayDeny } from './_last_meant.ts'

/** Bytes at the end of a reply's JSON text that are searched. */
const END = 320

/** Literal characters, a group of one class, literal characters: `\[\[([AB<>=]+)\]\]`. The first is not a letter, which might belong to an escape. */
const FORM =
  /^((?:\\[[\](){}.*+?^$|]|[:;,!@#%&~=<>_-])(?:\\[[\](){}.*+?^$|]|[\w :;,!@#%&~=<>-])*)\(\[([\w :;,!@#%&~=<>]+)\](\+?)\)((?:\\[[\](){}.*+?^$|]|[\w :;,!@#%&~=<>-])+)$/

/** The parts of a pattern: the text before and after the label, the label's characters, and whether it may have several. */
export interface Form {
  begin: string
  label: string
  several: boolean
  end: string
}

/**
 * The form of a judge's labels if no two matches can overlap, so that the last match near the end is the last of all:
 * the text around a label has none of the label's characters, and the closing text none that could begin a match.
 */
export function formOf(config: VerdictConfig): Form | undefined {
  const { pattern, patterns, flags, after, line, strip, pick = 'last', weighted } = config
  if (pick !== 'last' || [patterns, flags, after, line, strip, weighted].some((one) => one !== undefined))
    return undefined
  const parts = FORM.exec(String(pattern))?.map((part) => part.replaceAll('\\', ''))
  if (!parts) return undefined
  const [, begin, label, several, end] = parts as [string, string, string, string, string]
  const apart = ![...label].some((one) => (begin + end).includes(one)) && !end.includes(begin[0]!)
  return apart ? { begin, label, several: several === '+', end } : undefined
}

/**
 * Finds the label that a reply's JSON text ends with, apart from full stops and asterisks, as most replies do.
 * Empty if there is none, or if the text before it might change its meaning.
 */
export function endingLabel({ begin, label, several, end }: Form): (json: string) => string {
  const isLabel = Array.from({ length: 256 }, (_, code) => label.includes(String.fromCharCode(code)))
  const last = end.at(-1)!
  return (json) => {
    let to = json.length - 1
    while (json[to - 1] === '.' || json[to - 1] === '*') to--
    to -= end.length
    let from = to
    while (isLabel[json.charCodeAt(from - 1)]) from--
    const at = from - begin.length
    const whole = json.startsWith(end, to) && json.startsWith(begin, at) && at > 0
    if (!whole || from === to || (!several && to - from > 1)) return ''
    return isClear(json, at, last) ? json.slice(from, to) : ''
  }
}

/** Whether the text before a label at `at` surely leaves it its meaning. @param last the last character of a label */
function isClear(json: string, at: number, last: string): boolean {
  const near = json.slice(Math.max(1, at - LEAD), at)
  // A quoted block may be what an answer says.
  if (near.includes(last) || near.includes('\\n>') || near.includes('```')) return false
  const slash = near.lastIndexOf('\\')
  if (slash >= 0 && near.includes('\\u')) return false
  // After an escaped backslash, the n is a letter.
  const newLine = slash >= 0 && near[slash + 1] === 'n' && near[slash - 1] !== '\\'
  if (isOwn(newLine ? near.slice(slash + 2) : near)) return true
  // A character has up to three bytes.
  const lead = endOf(json.slice(Math.max(1, at - 3 * LEAD), at))
  return lead !== undefined && !mayDeny(lead.slice(-LEAD))
}

/** The end of a reply's JSON text, decoded; undefined if it has tabs or `\u` escapes, which may stand for any character. */
export function endOf(raw: string): string | undefined {
  const end = raw.slice(-END)
  if (/\\[ut]/.test(end)) return undefined
  const text = /[\x80-\xff]/.test(end) ? Buffer.from(end, 'latin1').toString() : end
  return text.includes('\\')
    ? text.replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped)
    : text
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', b: '\b', f: '\f' }
