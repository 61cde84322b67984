/** Verdicts that are read from the end of a reply, as it stands in its row: decoding all of it takes longer than all else. */
import type { VerdictConfig } from '../judges/_judge.ts'
import { mayDeny } from './_last_meant.ts'

/** Bytes of a reply's JSON text that are looked at. */
const END = 320

/** Literal characters, a group of one class, literal characters: `\[\[([AB<>=]+)\]\]`. A letter in front could be that of an escape. */
const FORM =
  /^((?:\\[[\](){}.*+?^$|]|[:;,!@#%&~=<>_-])(?:\\[[\](){}.*+?^$|]|[\w :;,!@#%&~=<>-])*)\(\[([\w :;,!@#%&~=<>]+)\](\+?)\)((?:\\[[\](){}.*+?^$|]|[\w :;,!@#%&~=<>-])+)$/

/** How the pattern's matches are put together: what stands around the label, its characters, whether it may have several. */
export interface Form {
  begin: string
  label: string
  several: boolean
  end: string
}

/**
 * The form of a judge's labels where the last match in the end of a text is the last of all, as no match can overlap
 * another: what stands around the label has none of its characters, and where one ends none begins.
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

/** Bytes before a label in which another could stand that makes it a conflict. */
const NEAR = 68

/**
 * Finds the label with which a reply's JSON text ends, but for full stops and asterisks: most do. It means what it says
 * whatever stands before; empty where that could be otherwise.
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
    const near = json.slice(Math.max(0, at - NEAR), at)
    return near.includes(last) || near.includes('\\u') || mayDeny(near) ? '' : json.slice(from, to)
  }
}

/** The end of a reply's JSON text; undefined where it has characters that are escaped by number, which could be any, or tabs. */
export function endOf(raw: string): string | undefined {
  const end = raw.slice(-END)
  return /\\[ut]/.test(end) ? undefined : end
}
