/** Features counted from the answers' texts, for rows that do not bring counts. */
import { ANSWER_FIELDS } from '../../rows/pair_fields.ts'
import { isObject, type Json } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'

/** Fields that hold the two answers, or conversations, in the order in which they are looked for. */
const ANSWERS = [...ANSWER_FIELDS, ['conversation_a', 'conversation_b'] as const]

/** Counts as arena-hard makes them, outside of blocks of code; length is in characters, for tokens are a model's own. */
const COUNTS: Record<string, (text: string) => number> = {
  tokens: (text) => [...text].length,
  header: (text) => matches(text, /^#{1,6}\s/gm),
  list: (text) => matches(text, /^\s*\d+\.\s/gm) + matches(text, /^\s*[-*+]\s/gm),
  bold: (text) => matches(text, /\*\*[^*\n]+\*\*/g) + matches(text, /__[^_\n]+__/g),
}

const matches = (text: string, pattern: RegExp) =>
  text.replace(/```[^`]*```/g, '').match(pattern)?.length ?? 0

/** A feature of both answers' texts; undefined where the row has none, or the feature is another. */
export function countsOf(row: Row, name: string): [number, number] | undefined {
  const count = Object.hasOwn(COUNTS, name) ? COUNTS[name] : undefined
  if (!count) return undefined
  for (const fields of ANSWERS) {
    const [a, b] = fields.map((field) => textOf(row.field(field)))
    if (a !== undefined && b !== undefined) return [count(a), count(b)]
  }
  return undefined
}

/** A text, or of a conversation all that the model said. */
function textOf(value: Json | undefined): string | undefined {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : undefined
  const said = value.filter((turn) => isObject(turn) && turn.role === 'assistant')
  return said.map((turn) => String((turn as { content?: unknown }).content ?? '')).join('\n')
}
