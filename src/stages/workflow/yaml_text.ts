/** YAML that PyYAML reads back as the same values, in the form in which it writes them. */
import { type AnyDict, dictGet, dictKeys, isDict } from '../../python/dict.ts'
import { floatRepr, intText } from '../../python/numbers.ts'
import { floatOf, isInt, textOf, type Value } from '../../python/values.ts'
import { keyedPairs, timeIn } from './settings.ts'

/** A mapping's lines. */
export const yamlText = (mapping: AnyDict): string => `${mappingLines(pairsOf(mapping)).join('\n')}\n`

const pairsOf = (dict: AnyDict): [Value, Value][] =>
  keyedPairs(dict) ?? dictKeys(dict).map((key) => [key, dictGet(dict, key)!])

function mappingLines(pairs: readonly [Value, Value][]): string[] {
  return pairs.flatMap(([key, value]) => {
    const [first, ...more] = valueLines(value, '  ')
    return first === undefined ? [`${scalar(key)}:`, ...more] : [`${scalar(key)}: ${first}`, ...more]
  })
}

/** What stands on the key's line, if anything, and the lines below it. @param indent of a mapping's */
function valueLines(value: Value, indent: string): [string | undefined, ...string[]] {
  if (isDict(value)) {
    const time = timeIn(value)
    if (time !== undefined) return [time]
    const pairs = pairsOf(value)
    return pairs.length === 0 ? ['{}'] : [undefined, ...mappingLines(pairs).map((line) => indent + line)]
  }
  if (!Array.isArray(value)) return [scalar(value)]
  return value.length === 0 ? ['[]'] : [undefined, ...value.flatMap(itemLines)]
}

/** A list's item: what it holds stands behind the dash. */
function itemLines(value: Value): string[] {
  const [first, ...more] = valueLines(value, '  ')
  if (first !== undefined) return [`- ${first}`]
  const indent = Array.isArray(value) ? '  ' : ''
  return more.map((line, i) => (i === 0 ? `- ${line.trimStart()}` : indent + line))
}

/** Words that are no number, boolean, date or null, and none of YAML's signs. */
const PLAIN =
  /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_][\w./@+-]*(?:[:=,][\w./@+-]+)*(?: [\w./+-]+)*$/i

function scalar(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return String(value)
  if (isInt(value)) return intText(value)
  const number = floatOf(value)
  if (number !== undefined) return floatText(number)
  const text = textOf(value) ?? ''
  if (PLAIN.test(text)) return text
  return /^[\x20-\x7e]*$/.test(text) ? `'${text.replaceAll("'", "''")}'` : escaped(text)
}

/** A float, which needs a point before its exponent in YAML 1.1. */
const floatText = (value: number): string =>
  Number.isFinite(value)
    ? floatRepr(value).replace(/^(-?\d+)e/, '$1.0e')
    : Number.isNaN(value)
      ? '.nan'
      : value > 0
        ? '.inf'
        : '-.inf'

const escaped = (text: string): string =>
  `"${text.replace(/["\\]|[^\x20-\x7e]/gu, (character) => {
    if (/["\\]/.test(character)) return `\\${character}`
    if (character === '\n') return '\\n'
    if (character === '\t') return '\\t'
    const code = character.codePointAt(0)!.toString(16).toUpperCase()
    if (code.length <= 2) return `\\x${code.padStart(2, '0')}`
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`
  })}"`
