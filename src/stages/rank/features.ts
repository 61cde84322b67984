/** Features of a battle's two answers, for --control. */
import { ANSWER_FIELDS } from '../../rows/pair_fields.ts'
import { isObject, type Json, type JsonObject, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { labelNumber } from '../../scoring/label_terms.ts'

export interface Features {
  names: string[]
  /** Their values, first answer against second; undefined if the row lacks one. */
  of(row: Row): number[] | undefined
  /** Degrees of freedom of the standard deviations by which they are divided. */
  freedom: 0 | 1
}

const MARKDOWN: readonly string[] = ['header', 'list', 'bold']

/** Names of --control for several features, or for one of another name. */
const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['style', ['tokens', ...MARKDOWN]],
  ['length', ['tokens']],
  ['markdown', MARKDOWN],
])

/** @throws Fatal (usage) for densities of other features than length and markdown */
export function featuresOf(control: readonly string[], kind: 'counts' | 'densities'): Features {
  const names = [...new Set(control.flatMap((what) => GROUPS.get(what) ?? what))]
  const densities = kind === 'densities'
  if (densities && names.some((name) => name !== 'tokens' && !MARKDOWN.includes(name)))
    throw usageError('--compat arena-hard-v2 goes with --control length, markdown and style')
  const one = densities ? density : ratio
  return {
    names,
    of(row) {
      const values = names.map((name) => one(row, name))
      return values.every((value) => value !== undefined && Number.isFinite(value))
        ? (values as number[])
        : undefined
    },
    freedom: densities ? 1 : 0,
  }
}

/** The fields from which the features can be computed, in words. */
export function needsOf(control: readonly string[]): string {
  const fields = control.filter((what) => !GROUPS.has(what) && !GROUPS.get('style')!.includes(what))
  const counted =
    fields.length < control.length
      ? [
          'counts in conv_metadata (jb-read arena-hard and arena-battles take them from --answers DIR), or both answers’ texts',
        ]
      : []
  return [...counted, ...fields.map((name) => `numbers in ${name}_a and ${name}_b, or in ${name}`)].join('; ')
}

/** Tokens of both answers; undefined if the battle has no counts. */
export const tokensOf = (row: Row) => pairOf(row, 'tokens')

/** (a − b) / (a + b + 1) of counts; FIELD without _a and _b is already a difference. */
function ratio(row: Row, name: string): number | undefined {
  const pair = pairOf(row, name) ?? countsOf(row, name)
  if (pair) return (pair[0] - pair[1]) / (pair[0] + pair[1] + 1)
  return labelNumber(row.field(name))
}

/** arena-hard v2.0: tokens as a ratio, markdown as counts per token. */
function density(row: Row, name: string): number | undefined {
  const [pair, tokens] = [name, 'tokens'].map((one) => pairOf(row, one) ?? countsOf(row, one))
  if (!pair || !tokens) return undefined
  if (name === 'tokens') return pair[0] + pair[1] === 0 ? 0 : (pair[0] - pair[1]) / (pair[0] + pair[1])
  const [a, b] = [pair[0] / (tokens[0] + 1), pair[1] / (tokens[1] + 1)]
  return (a - b) / (a + b + 1)
}

function pairOf(row: Row, name: string): [number, number] | undefined {
  const meta = row.field('conv_metadata') as JsonObject | undefined
  const read = (side: 'a' | 'b') => {
    if (name === 'tokens') return total(meta?.[`sum_assistant_${side}_tokens`])
    if (MARKDOWN.includes(name)) return total(meta?.[`${name}_count_${side}`])
    return total(row.field(`${name}_${side}`))
  }
  const [a, b] = [read('a'), read('b')]
  return a === undefined || b === undefined ? undefined : [a, b]
}

/** A number, or the sum of an object's numbers: headings of each level, lists of each kind. */
function total(value: Json | undefined): number | undefined {
  if (!isObject(value)) return labelNumber(value)
  return Object.values(value).reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : 0), 0)
}

/** Fields of the two answers, or of conversations; the first pair that a row has counts. */
const ANSWERS = [...ANSWER_FIELDS, ['conversation_a', 'conversation_b'] as const]

/** arena-hard's counts, outside code blocks; length in characters, because tokens depend on the model. */
const COUNTS: Record<string, (text: string) => number> = {
  tokens: (text) => [...text].length,
  header: (text) => matches(text, /^#{1,6}\s/gm),
  list: (text) => matches(text, /^\s*\d+\.\s/gm) + matches(text, /^\s*[-*+]\s/gm),
  bold: (text) => matches(text, /\*\*[^*\n]+\*\*/g) + matches(text, /__[^_\n]+__/g),
}

const matches = (text: string, pattern: RegExp) =>
  text.replace(/```[^`]*```/g, '').match(pattern)?.length ?? 0

/** Counts in both answers' texts; undefined if the row has no texts, or the feature is a field. */
function countsOf(row: Row, name: string): [number, number] | undefined {
  const count = Object.hasOwn(COUNTS, name) ? COUNTS[name] : undefined
  if (!count) return undefined
  for (const fields of ANSWERS) {
    const [a, b] = fields.map((field) => textOf(row.field(field)))
    if (a !== undefined && b !== undefined) return [count(a), count(b)]
  }
  return undefined
}

/** A text, or all assistant turns of a conversation. */
function textOf(value: Json | undefined): string | undefined {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : undefined
  const turns = value.filter((turn) => isObject(turn) && turn.role === 'assistant')
  return turns.map((turn) => String((turn as { content?: unknown }).content ?? '')).join('\n')
}
