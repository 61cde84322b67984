/** Nuggetizer banks: a list of texts, each with an importance and how an answer supports it. */
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { textId } from '../qrels.ts'
import { type BankFormat, badBank, keysInOrder, type Nugget, stringAt } from './bank.ts'

export const IMPORTANCE = ['vital', 'okay', 'failed']
export const ASSIGNMENT = ['support', 'partial_support', 'not_support']
const BANK = ['query', 'qid', 'full_query', 'nuggets']
const NUGGET = ['text', 'importance', 'assignment', 'reasoning', 'trace']

export const nuggetizer: BankFormat = {
  knows: (row) => 'qid' in row && Array.isArray(row.nuggets),

  read(row) {
    const topic = stringAt(row, 'qid', 'bank')
    const title = stringAt(row, 'query', 'bank')
    const list = Array.isArray(row.nuggets)
      ? row.nuggets
      : row.nuggets == null
        ? []
        : badBank('"nuggets" must be a list')
    const nuggets = list.map((one, i) => readNugget(one, `nuggets[${i}]`))
    const raw: JsonObject = { ...row, nuggets }
    return { topic, title, raw, nuggets: nuggetsOf(raw) }
  },

  write: ({ raw }) =>
    keysInOrder(
      { ...raw, nuggets: (raw.nuggets as JsonObject[]).map((one) => keysInOrder(one, NUGGET)) },
      BANK,
    ),

  create: (topic, title) => ({ topic, title, nuggets: [], raw: { query: title, qid: topic, nuggets: [] } }),

  add(bank, nugget) {
    const list = [...(bank.raw.nuggets as JsonObject[])]
    const { text, importance, assignment, reasoning, trace } = nugget
    const word = (value: unknown, known: string[]) => (known.includes(value as string) ? value : undefined)
    const words = { importance: word(importance, IMPORTANCE), assignment: word(assignment, ASSIGNMENT) }
    const made = keysInOrder({ text, ...words, reasoning, trace } as JsonObject, NUGGET)
    const at = list.findIndex((one) => one.text === text)
    if (at < 0) list.push(made)
    else list[at] = { ...list[at], ...made }
    bank.raw.nuggets = list
    bank.nuggets = nuggetsOf(bank.raw)
  },
}

function readNugget(one: Json, where: string): JsonObject {
  if (!isObject(one)) return badBank(`${where} must be a mapping`)
  stringAt(one, 'text', where)
  const read = { ...one }
  // Nuggetizer writes "failed" after its last attempt.
  if (read.assignment === 'failed') delete read.assignment
  for (const [key, known] of [
    ['importance', IMPORTANCE],
    ['assignment', ASSIGNMENT],
  ] as const) {
    const value = read[key]
    if (value != null && !known.includes(value as string))
      badBank(`${where}.${key} is ${JSON.stringify(value)}, expected one of ${known.join(', ')}`)
  }
  return read
}

function nuggetsOf(raw: JsonObject): Nugget[] {
  return (raw.nuggets as JsonObject[]).map(({ text, importance, assignment }) => ({
    id: textId(String(text)),
    text: String(text),
    kind: 'nugget',
    ...(typeof importance === 'string' && { importance }),
    ...(typeof assignment === 'string' && { assignment }),
  }))
}
