/**
 * A bank in the user's own format, described by a small file:
 *
 * ```yaml
 * id: topic_id          # the key (dotted path) that names the topic
 * title: question       # optional
 * nuggets: facts        # the list
 * text: fact            # in a nugget, if nuggets are mappings; left out if they are strings
 * nugget_id: id         # optional, likewise importance
 * importance: weight
 * ```
 */

import { configError, isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { valueAt } from '../../rows/value_at.ts'
import { textId } from '../qrels.ts'
import { type BankFormat, badBank, type Nugget } from './bank.ts'

const KEYS = ['id', 'title', 'nuggets', 'text', 'nugget_id', 'importance']

/** The format that a description file defines. @throws Fatal (configuration) with the file and key */
export function customBank(description: unknown, where: string): BankFormat {
  if (!isObject(description)) throw configError(`${where}: expected a mapping with "id" and "nuggets"`)
  for (const [key, value] of Object.entries(description)) {
    if (!KEYS.includes(key)) throw configError(`${where}: unknown key "${key}" (known: ${KEYS.join(', ')})`)
    if (typeof value !== 'string') throw configError(`${where}: "${key}" must name a key of the bank`)
  }
  const {
    id,
    nuggets: list,
    title,
    text,
    nugget_id: nuggetId,
    importance,
  } = description as Record<string, string | undefined>
  if (!id || !list) throw configError(`${where}: "id" and "nuggets" must name keys of the bank`)
  if (id.includes('.') || list.includes('.'))
    throw configError(`${where}: "id" and "nuggets" must be keys of the bank itself, without dots`)

  const nuggetsOf = (raw: JsonObject): Nugget[] =>
    (raw[list] as Json[]).map((one, i) => {
      const words = text === undefined ? one : valueAt(one, text)
      if (typeof words !== 'string') return badBank(`${list}[${i}]${text ? `.${text}` : ''} must be a string`)
      const weight = importance === undefined ? undefined : valueAt(one, importance)
      return {
        id: String((nuggetId && valueAt(one, nuggetId)) ?? textId(words)),
        text: words,
        kind: 'nugget',
        ...((typeof weight === 'string' || typeof weight === 'number') && { importance: weight }),
      }
    })

  return {
    knows: (row) => id in row && Array.isArray(row[list]),
    read(row) {
      const topic = valueAt(row, id)
      if (typeof topic !== 'string' && typeof topic !== 'number') badBank(`"${id}" is missing`)
      if (!Array.isArray(row[list])) badBank(`"${list}" must be a list`)
      const named = title === undefined ? undefined : valueAt(row, title)
      return {
        topic: String(topic),
        title: typeof named === 'string' ? named : '',
        raw: row,
        nuggets: nuggetsOf(row),
      }
    },
    write: ({ raw }) => raw,
    create: (topic, name) => ({
      topic,
      title: name,
      nuggets: [],
      raw: { [id]: topic, ...(title && { [title]: name }), [list]: [] },
    }),
    add(bank, nugget) {
      if (bank.nuggets.some((one) => one.text === nugget.text)) return
      const made: Json =
        text === undefined
          ? nugget.text
          : {
              [text]: nugget.text,
              ...(nuggetId && { [nuggetId]: nugget.id ?? textId(nugget.text) }),
              ...(importance && nugget.importance !== undefined && { [importance]: nugget.importance }),
            }
      bank.raw = { ...bank.raw, [list]: [...(bank.raw[list] as Json[]), made] }
      bank.nuggets = nuggetsOf(bank.raw)
    },
  }
}
