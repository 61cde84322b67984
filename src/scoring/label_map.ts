/** `--label-map`: what the labels of a data set mean. */
import type { Option } from '../options/option.ts'
import { isObject, type Json, usageError } from '../rows/record.ts'

export const LABEL_MAP_OPTION = {
  name: 'label-map',
  type: 'string',
  value: 'X=MEANING,…',
  about:
    "what labels in other words mean: '1=A>B,2=B>A,0=A=B', 'good=5,bad=1' [labels as docs/input.md has them]",
} as const satisfies Option

/** What of a label tells words apart: not capital letters, nor blanks at its ends. */
export const wordOf = (label: string): string => label.trim().toLowerCase()

/** The pairs of --label-map. @throws Fatal (usage) for one without `=`, without a meaning, or given twice */
function pairsOf(text: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=')
    const [word, meaning] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()]
    if (at < 1 || word === '' || meaning === '')
      throw usageError(`--label-map: expected LABEL=MEANING, as in '1=A>B,2=B>A', not "${pair}"`)
    if (pairs.has(word)) throw usageError(`--label-map: "${word}" has two meanings`)
    pairs.set(word, meaning)
  }
  return pairs
}

/** @throws Fatal (usage) */
export function checkLabelMap({ labelMap }: { labelMap?: string | undefined }): void {
  if (labelMap !== undefined) pairsOf(labelMap)
}

/** A label as --label-map says; of a list each, of an object by criterion each value. Others are left as they are. */
export function meantBy<L extends Json | undefined>(label: L, labelMap: string | undefined): L | Json {
  if (labelMap === undefined || label === undefined || label === null) return label
  if (Array.isArray(label)) return label.map((one) => meantBy(one, labelMap))
  if (isObject(label))
    return Object.fromEntries(Object.entries(label).map(([key, one]) => [key, meantBy(one, labelMap)]))
  const pairs = pairsOf(labelMap)
  const word = String(label).trim()
  // Of the number 1 also 1.0, as spreadsheets write it.
  const meaning = pairs.get(word) ?? pairs.get(String(Number(word || Number.NaN)))
  if (meaning !== undefined) return meaning
  const alike = [...pairs].filter(([one]) => wordOf(one) === wordOf(word))
  return alike.length === 1 ? alike[0]![1] : label
}
