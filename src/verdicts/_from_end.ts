/** Verdicts that are read from the end of a reply, as it stands in its row: decoding all of it takes longer than all else. */
import type { VerdictConfig } from '../judges/_judge.ts'

/** Bytes of a reply's JSON text that are looked at. */
const END = 256

/** Literal characters, a group of one class, literal characters: `\[\[([AB<>=]+)\]\]`. A letter in front could be that of an escape. */
const FORM =
  /^((?:\\[[\](){}.*+?^$|]|[:;,!@#%&~=<>_-])(?:\\[[\](){}.*+?^$|]|[\w :;,!@#%&~=<>-])*)\(\[([\w :;,!@#%&~=<>]+)\]\+?\)((?:\\[[\](){}.*+?^$|]|[\w :;,!@#%&~=<>-])+)$/

/**
 * Whether the last match in the end of a text is the last of all, as no match can overlap another: what stands
 * around the label has none of its characters, and where one ends none begins.
 */
export function isLastOfAll(config: VerdictConfig): boolean {
  const { pattern, patterns, flags, after, line, strip, pick = 'last', weighted } = config
  if (pick !== 'last' || [patterns, flags, after, line, strip, weighted].some((one) => one !== undefined))
    return false
  const [, begin, label, end] = FORM.exec(String(pattern))?.map((part) => part.replaceAll('\\', '')) ?? []
  if (begin === undefined) return false
  return ![...label!].some((one) => (begin + end).includes(one)) && !end!.includes(begin[0]!)
}

/** The end of a reply's JSON text; undefined where it has characters that are escaped by number, which could be any, or tabs. */
export function endOf(raw: string): string | undefined {
  const end = raw.slice(-END)
  return /\\[ut]/.test(end) ? undefined : end
}
