/** Leaderboard files. Columns are written with TABs between them, and read with any white space. */
import { pythonJson, withoutNaN } from '../python/json.ts'
import { floatRepr } from '../python/numbers.ts'
import { exactJson } from '../rows/exact_json.ts'
import { countEach, getOrInsert } from '../rows/maps.ts'
import { usageError } from '../rows/record.ts'
import { readAt } from '../rows/stage.ts'
import { ALL, type BoardEntry, distinct, type Entries, withNumbers } from './leaderboard.ts'
import type { MeasureType } from './measure_types.ts'
import { bad, type OnBadLine, readEach, type TextLine, textLines } from './topics.ts'

const COLUMNS = {
  ir_measures: ['run', 'topic', 'measure', 'value'],
  tot: ['run', 'measure', 'topic', 'value'],
  rag4reports: ['topic', 'run', 'measure', 'value'],
  trec_eval: ['measure', 'topic', 'value'],
  ranking: ['topic', 'Q0', 'run', 'rank', 'value', 'measure'],
} as const satisfies Record<string, readonly string[]>

type TextFormat = keyof typeof COLUMNS
export type LeaderboardFormat = TextFormat | 'jsonl'
export const LEADERBOARD_FORMATS: readonly LeaderboardFormat[] = [
  ...(Object.keys(COLUMNS) as TextFormat[]),
  'jsonl',
]

/** Whether the value is an integer; the `all` row of an int measure is a mean. */
const isInt = ({ value, dtype, topic }: BoardEntry): boolean =>
  typeof value === 'number' && dtype === 'int' && topic !== ALL

function printedValue(entry: BoardEntry): string {
  const { value } = entry
  return typeof value === 'string' || isInt(entry) ? String(value) : floatRepr(value)
}

/** The text of a leaderboard. @throws Fatal (usage) for several runs in trec_eval, which has no column for them */
export function writeLeaderboard(entries: Entries, format: LeaderboardFormat): string {
  if (format === 'jsonl') return entries.map((entry) => `${jsonLine(entry)}\n`).join('')
  if (format === 'trec_eval' && distinct(entries, 'run').length > 1)
    throw usageError('trec_eval has no column for the run: it can hold only one run')
  return entries
    .map((entry) => {
      const printed = { ...entry, Q0: 'Q0', rank: '0', value: printedValue(entry) }
      const cells = COLUMNS[format].map((column) => printed[column])
      return `${cells.join('\t')}\n`
    })
    .join('')
}

function jsonLine(entry: BoardEntry): string {
  const { run, topic, measure, value } = entry
  const exact = isInt(entry) ? BigInt(value) : value
  return pythonJson({ run_id: run, topic_id: topic, measure, value: exact }, { spaces: true })
}

interface LeaderboardSettings {
  /** If undefined, detected from the number of columns and the column of `all` and known topics. */
  format?: LeaderboardFormat
  /** Whether line 1 names the columns: yes, no, or auto. */
  header?: string
  /** File name for messages; trec_eval's run. */
  name: string
  /** Known topics help to identify four columns. */
  topics?: readonly string[]
  /** Types of the measures, from the file beside this one. */
  types?: ReadonlyMap<string, MeasureType>
  /** Takes lines that do not fit; without it the first one ends the run. */
  onBad?: OnBadLine | undefined
}

interface ReadLeaderboard {
  entries: BoardEntry[]
  format: LeaderboardFormat
  /** Notes for stderr: how the columns were read. */
  notes: string[]
}

/** Column names of a header. */
const HEADER =
  /^(run_?id|run|runtag|system|topic_?id|request_id|query_?id|narrative_id|metric|measure|eval_metric)$/i

/** Parses a leaderboard. @throws Fatal (data) with `file:line` and what was expected */
export function readLeaderboard(text: string, settings: LeaderboardSettings): ReadLeaderboard {
  const { name, types, onBad } = settings
  const lines = textLines(text, name).filter(({ line }) => !line.startsWith('#'))
  if (settings.format === 'jsonl' || (settings.format === undefined && lines[0]?.line.startsWith('{'))) {
    const entries = readEach(lines, ({ line, place }) => typed(jsonEntry(line, place), types), onBad)
    return { entries: withNumbers(entries), format: 'jsonl', notes: [] }
  }
  const notes: string[] = []
  const [first] = lines
  if (first && isHeader(cellsOf(first), settings.header ?? 'auto')) {
    if (settings.header !== 'yes') notes.push(`${first.place}: taken for a header (--header no keeps it)`)
    lines.shift()
  }
  const format = settings.format ?? detect(lines, settings)
  if (settings.format === undefined) notes.push(`${name}: taken for ${format} (--from says otherwise)`)
  const columns: readonly string[] = COLUMNS[format as TextFormat]
  // Many lines have the same names.
  const names = new Map<string, string>()
  const entryOf = (row: TextLine): BoardEntry => {
    const cells = cellsOf(row)
    const { place } = row
    if (cells.length !== columns.length)
      throw bad(place, `${cells.length} columns, ${format} has ${columns.length} (${columns.join(' ')})`)
    const at = (column: string) => cells[columns.indexOf(column)]
    const named = (text: string) => getOrInsert(names, text, () => text)
    const run = named(at('run') ?? name.replace(/^.*\//, ''))
    const [topic, measure] = [named(at('topic')!), named(at('measure')!)]
    return typed({ run, topic, measure, value: at('value')!, place }, types)
  }
  return { entries: withNumbers(readEach(lines, entryOf, onBad)), format, notes }
}

const cellsOf = ({ line }: TextLine): string[] => line.split(/\s+/)

/** The entry with the type of its measure, if that has one. @throws Fatal (data) */
function typed(entry: BoardEntry, types: LeaderboardSettings['types']): BoardEntry {
  const dtype = types?.get(entry.measure)
  const { value, topic, measure, place } = entry
  // The `all` row of an int measure is a mean.
  if (dtype === 'int' && topic !== ALL && !Number.isInteger(Number(value)))
    throw bad(place!, `${measure} is ${value}, but its type is int`)
  return dtype === undefined ? entry : { ...entry, dtype, ...(dtype === 'str' && { value: String(value) }) }
}

function isHeader(cells: readonly string[], header: string): boolean {
  if (header !== 'auto') return header === 'yes'
  return Number.isNaN(Number(cells.at(-1))) && cells.some((cell) => HEADER.test(cell))
}

function detect(lines: readonly TextLine[], settings: LeaderboardSettings): LeaderboardFormat {
  const counts = countEach(lines.slice(0, 20).map((one) => cellsOf(one).length))
  const [columns] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [4]
  if (columns === 3) return 'trec_eval'
  if (columns === 6) return 'ranking'
  if (columns === 4) {
    const known = new Set([...(settings.topics ?? []), ALL])
    const hits = [0, 0, 0]
    for (const one of lines)
      for (const [column, cell] of cellsOf(one).slice(0, 3).entries()) if (known.has(cell)) hits[column]!++
    const most = Math.max(...hits)
    const formats = (['rag4reports', 'ir_measures', 'tot'] as const).filter((_, i) => hits[i] === most)
    if (most > 0 && formats.length === 1) return formats[0]!
    if (lines.length === 0) return 'ir_measures'
  }
  throw bad(
    settings.name,
    `${columns} columns and no "all" rows: say which format it is (--from ${LEADERBOARD_FORMATS.join(', ')})`,
  )
}

const ROW_OF_A_BOARD =
  'this format is a leaderboard, with run_id, topic_id, measure and value in a row; other NDJSON needs no jb-read'

function jsonEntry(line: string, place: string): BoardEntry {
  let row: Record<string, unknown>
  try {
    // Python writes bare NaN and infinities.
    row = exactJson(withoutNaN(line)) as Record<string, unknown>
  } catch (error) {
    throw bad(place, `${(error as Error).message} (${ROW_OF_A_BOARD})`)
  }
  for (const key of ['run_id', 'topic_id', 'measure', 'value'])
    if (row === null || row[key] == null) throw bad(place, `"${key}" is missing (${ROW_OF_A_BOARD})`)
  return readAt(place, () => ({
    run: String(row.run_id),
    topic: String(row.topic_id),
    measure: String(row.measure),
    value: entryValue(row.value),
    place,
  }))
}

/** A leaderboard value; booleans as Python writes them. */
export function entryValue(value: unknown): number | string {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return String(value)
}
