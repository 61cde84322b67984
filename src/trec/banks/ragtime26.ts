/** RAGTIME26 banks: a team's questions for a topic, with answers and their documents. */
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { argue } from './argue.ts'
import { type BankFormat, badBank, keysInOrder } from './bank.ts'

const BANK = ['format_version', 'metadata', 'nugget_bank']
const QUESTION = ['question', 'aggregator_type', 'answers', 'importance', 'metadata']
const ANSWER = ['answer', 'references', 'metadata']
const AGGREGATORS = ['AND', 'OR']
/** AutoARGUE's aggregator if none was chosen; RAGTIME26 leaves it out. */
const UNSPECIFIED = 'Default'

/** Kept as an AutoARGUE bank, and converted when read and written. */
export const ragtime26: BankFormat = {
  knows: (row) => row.format_version === 'RAGTIME26',

  read(row) {
    const metadata = isObject(row.metadata) ? row.metadata : badBank('"metadata" is missing')
    const topic = metadata.topic_id
    if (typeof topic !== 'string') return badBank('metadata.topic_id is missing or not a string')
    if (!Array.isArray(row.nugget_bank)) return badBank('"nugget_bank" must be a list')
    for (const one of row.nugget_bank) checkAggregator(one)
    return argue.read({ query_id: topic, format_version: 'v3', metadata, nugget_bank: row.nugget_bank })
  },

  write(bank) {
    if (isObject(bank.raw.claim_bank) && Object.keys(bank.raw.claim_bank).length > 0)
      badBank(`topic ${bank.topic}: RAGTIME26 has no claims`)
    const questions = Object.values((bank.raw.nugget_bank as JsonObject | undefined) ?? {}) as JsonObject[]
    return keysInOrder(
      {
        format_version: 'RAGTIME26',
        metadata: { topic_id: bank.topic, ...(isObject(bank.raw.metadata) ? bank.raw.metadata : {}) },
        nugget_bank: questions.map((one) => {
          if (one.aggregator_type !== UNSPECIFIED) checkAggregator(one)
          const answers = Object.values((one.answers as JsonObject | undefined) ?? {}).map((answer) =>
            keysInOrder(answerOut(answer as JsonObject), ANSWER),
          )
          const { question, importance, metadata } = one
          const aggregator_type = one.aggregator_type === UNSPECIFIED ? null : one.aggregator_type
          return keysInOrder(
            { question, aggregator_type, answers, importance, metadata } as JsonObject,
            QUESTION,
          )
        }),
      },
      BANK,
    )
  },

  create: argue.create,
  add: (bank, nugget) => argue.add(bank, { ...nugget, kind: 'question' }),
}

function checkAggregator(one: Json): void {
  const type = isObject(one) ? one.aggregator_type : undefined
  if (type != null && !AGGREGATORS.includes(String(type)))
    badBank(`aggregator_type is ${JSON.stringify(type)}, RAGTIME26 has ${AGGREGATORS.join(' and ')}`)
}

function answerOut({ answer, references, metadata }: JsonObject): JsonObject {
  // A reference with more than an id (offsets in the document, its text) is kept whole.
  const ids = ((references as Json[] | undefined) ?? []).map((one) =>
    isObject(one) && Object.keys(one).length === 1 ? (one.doc_id ?? null) : one,
  )
  return { answer: answer!, references: ids, ...(metadata !== undefined && { metadata }) }
}
