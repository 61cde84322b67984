/** Topics (AutoJudge calls them requests): JSONL, or a folder with `queries.jsonl`. */
import { join } from 'node:path'
import { isFolder } from '../files/folder.ts'
import { objectsOf } from '../files/objects.ts'
import { readText } from '../files/text.ts'
import { codePoint } from '../rows/controls.ts'
import { EXIT, Fatal, type JsonObject } from '../rows/record.ts'

export interface Topic {
  id: string
  title: string
  /** All fields in the file; `request_id` is `id`. */
  fields: JsonObject
  place: string
}

/** Keys that may hold a topic's id; if there are several, they must agree. */
const ID_KEYS = ['request_id', 'topic_id', 'narrative_id']

/** The topics of a file or folder, in file order. @throws Fatal (data) with `file:line` */
export async function readTopics(path: string): Promise<Topic[]> {
  const file = isFolder(path) ? join(path, 'queries.jsonl') : path
  const topics: Topic[] = []
  const places = new Map<string, string>()
  for (const { object, place } of await objectsOf(readText(file), file)) {
    const topic = topicOf(object, place)
    const before = places.get(topic.id)
    if (before) throw bad(place, `topic "${topic.id}" occurs twice (first: ${before})`)
    places.set(topic.id, place)
    topics.push(topic)
  }
  if (topics.length === 0) throw new Fatal(EXIT.data, `${file} contains 0 RAG topics`)
  return topics
}

/** The ids of a file's topics; undefined without a file. @throws as readTopics */
export const topicIds = async (path: string | undefined): Promise<string[] | undefined> =>
  path === undefined ? undefined : (await readTopics(path)).map(({ id }) => id)

function topicOf(line: JsonObject, place: string): Topic {
  // queries.jsonl in a folder has the keys qid and query.
  const row: JsonObject =
    line.qid === undefined ? line : { request_id: line.qid, title: line.query ?? null, ...line }
  const ids = ID_KEYS.filter((key) => row[key] != null)
  if (ids.length === 0)
    throw bad(place, `"request_id" is missing (also known: ${ID_KEYS.slice(1).join(', ')})`)
  const values = ids.map((key) => {
    const value = row[key]
    if (key === 'narrative_id' && Number.isInteger(value)) return String(value)
    if (typeof value !== 'string') throw bad(place, `"${key}" must be a string, not ${JSON.stringify(value)}`)
    return value
  })
  if (new Set(values).size > 1) throw bad(place, `${ids.join(' and ')} differ: ${values.join(', ')}`)
  if (typeof row.title !== 'string') throw bad(place, '"title" is missing or not a string')
  const id = values[0]!
  const wrong = unprintable(id)
  if (wrong !== undefined) throw bad(place, `"${ids[0]}" ${wrong}`)
  const { qid: _qid, ...fields } = row
  return { id, title: row.title, fields: { ...fields, request_id: id }, place }
}

/** Why an id cannot be in a leaderboard: it is empty, or a TAB or a line end would split it. */
export function unprintable(id: string): string | undefined {
  if (id === '') return 'is empty'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  const found = /[\x00-\x1f\x7f\x85\u2028\u2029]/.exec(id)
  if (!found) return undefined
  return `is ${JSON.stringify(id)}: a leaderboard cannot hold a name with ${codePoint(found[0])}`
}

/** Line ends of text files. */
const LINE_END = /\r\n|\n|\r/

export const bad = (place: string, message: string) => new Fatal(EXIT.data, `${place}: ${message}`)

/** A line of a file: its text, the same without the space around it, and its number. */
export interface TextLine {
  text: string
  line: string
  n: number
  place: string
}

/** The lines of a file that are not empty. */
export const textLines = (file: string, name: string): TextLine[] =>
  file
    .replace(/^\ufeff/, '')
    .split(LINE_END)
    .map((text, i) => ({ text, line: text.trim(), n: i + 1, place: `${name}:${i + 1}` }))
    .filter(({ line }) => line !== '')

/** Gets a line that cannot be read, and why. */
export type OnBadLine = (line: TextLine, message: string) => void

/** What `read` makes of each line. @throws Fatal (data) for a line that it cannot read, unless `onBad` takes it */
export function readEach<L extends TextLine, T>(
  lines: readonly L[],
  read: (line: L) => T | T[],
  onBad?: OnBadLine,
): T[] {
  return lines.flatMap((line) => {
    try {
      return read(line)
    } catch (error) {
      if (!onBad || !(error instanceof Fatal)) throw error
      onBad(line, error.message.replace(`${line.place}: `, ''))
      return []
    }
  })
}
