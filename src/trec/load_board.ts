/** Loads leaderboards and qrels from files: text, JSON lines, or judged rows. */
import { basename } from 'node:path'
import { fileSource, peek } from '../files/files.ts'
import { isFolder } from '../files/folder.ts'
import { parsedObject } from '../files/objects.ts'
import { readText, utf8Text } from '../files/text.ts'
import { someNames } from '../options/nearest.ts'
import { readFloat } from '../python/numbers.ts'
import { byCodePoint } from '../python/unicode.ts'
import { grouped } from '../rows/maps.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal, type JsonObject, usageError } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { type LeaderboardFormat, readLeaderboard } from './columns.ts'
import { filesIn } from './files.ts'
import { noteProblems } from './judged_board.ts'
import {
  ALL,
  type BoardEntry,
  distinct,
  type Entries,
  fills,
  incompleteRows,
  incompleteRuns,
  type Problem,
  verify,
  withMissingAll,
} from './leaderboard.ts'
import { measureTypes } from './measure_types.ts'
import type { BoardSettings } from './options.ts'
import { type Qrel, readQrels } from './qrels.ts'

export interface BoardFile {
  /** The file's name without its folder and `.txt`. */
  name: string
  entries: BoardEntry[]
  qrels?: Qrel[]
}

const nameOf = ({ name }: Source) => name.replace(/^.*\//, '').replaceAll('.txt', '')

interface LoadSettings extends BoardSettings {
  /** The files' format; detected if undefined. */
  from?: string
}

/** @throws Fatal (data), or (usage) for rows that are no leaderboard */
export async function loadBoard(
  source: Source,
  settings: LoadSettings,
  context: Context,
): Promise<BoardFile> {
  if (source.path !== undefined && isFolder(source.path)) return loadFolder(source.path, settings, context)
  const { from } = settings
  const { start, again } = await peek(source)
  const name = nameOf(source)
  if (from === undefined && holdsRows(start))
    throw usageError(
      `${source.name} holds rows, not a leaderboard: jb-write trec makes one (of qrels: jb-write qrels)`,
    )
  const text = await utf8Text(again)
  if (from === 'qrels' || (from === undefined && looksLikeQrels(text))) {
    const { qrels, problems } = readQrels(text, source.name)
    noteProblems(problems, context)
    return { name, qrels, entries: gradesAsEntries(qrels) }
  }
  const { entries, notes } = readLeaderboard(text, {
    name: source.name,
    format: from as LeaderboardFormat | undefined,
    header: settings.header,
    types: await measureTypes(source.path),
  })
  for (const note of notes) if (!note.includes('taken for jsonl')) context.note(note)
  const repeated = verify(entries).filter(({ kind }) => kind === 'duplicate row' || kind === 'second all row')
  noteProblems([...repeated, ...notNumbers(entries)], context)
  const whole = withValues(source.name, entries, settings, context)
  const trusted = settings.compat === 'autojudge' && !settings.dropAggregate
  return { name, entries: trusted ? whole : withMissingAll(whole, settings.dropAggregate) }
}

/** Measures that a run lacks for a topic for which it has others: `run a, topic 2, measure M`. @param all also for `all` */
function holesOf(entries: Entries, all: boolean): string[] {
  const measures = distinct(entries, 'measure')
  const [summed, topics] = [true, false].map((is) => entries.filter(({ topic }) => (topic === ALL) === is))
  const withAll = new Set(distinct(summed!, 'run'))
  const without = withAll.size === 0 ? [] : distinct(entries, 'run').filter((run) => !withAll.has(run))
  const every = someNames(measures)
  const rows = [
    ...(all ? without.map((run) => ({ run, topic: ALL, lacks: every })) : []),
    ...incompleteRows(all ? entries : topics!, measures),
  ]
  return rows.map(({ run, topic, lacks }) => `run ${run}, topic ${topic}, measure ${lacks}`)
}

/** Texts in measures that also have numbers: such a measure is not compared. */
function notNumbers(entries: Entries): Problem[] {
  return [...grouped(entries, ({ measure }) => measure)].flatMap(([measure, list]): Problem[] => {
    const isNumber = ({ value }: BoardEntry) => typeof value === 'number' || readFloat(value) !== undefined
    const wrong = list.find((entry) => !isNumber(entry))
    if (!wrong || wrong.dtype === 'str' || !list.some(isNumber)) return []
    const { value, place } = wrong
    const message = `${JSON.stringify(value)} is not a number: ${measure} is taken for text and not compared`
    return [{ kind: 'not a number', message, place }]
  })
}

/** Reports topics and measures that a run lacks. @throws Fatal (data) for them under `error` */
function reportMissing(name: string, entries: Entries, settings: BoardSettings, context: Context): void {
  const gaps = incompleteRuns(
    entries,
    distinct(entries, 'topic').filter((topic) => topic !== ALL),
  )
  // autojudge-evaluate also misses "all" rows; here they are computed from the topics.
  const holes = holesOf(entries, settings.compat === 'autojudge')
  if (settings.onMissing === 'error') {
    const places = gaps.map(({ run, lacks }) => `run ${run}, topic ${lacks}`)
    if (gaps.length > 0)
      throw new Fatal(EXIT.data, `${name}: ${someNames(places)}: no value (--on-missing error)`)
    if (holes.length > 0)
      throw new Fatal(EXIT.data, `${name}: no value for ${someNames(holes)} (--on-missing error)`)
  }
  const note = (message: string) => context.note(`${name}: ${message}`, { kind: 'missing value' })
  for (const { run, lacks } of gaps) note(`run ${run} has no value for topic ${lacks}`)
  for (const hole of holes) note(`no value for ${hole}`)
}

/**
 * The entries without NaN, which `default` and `fix_aggregate` replace with the default. Reports NaN, and topics and
 * measures that a run lacks.
 * @throws Fatal (data) under `error`
 */
function withValues(name: string, entries: Entries, settings: BoardSettings, context: Context): BoardEntry[] {
  const { onMissing } = settings
  if (onMissing === 'error' || onMissing === 'warn') reportMissing(name, entries, settings, context)
  if (settings.compat === 'autojudge') return [...entries]
  const missing = entries.filter(({ value }) => Number.isNaN(value))
  const [first] = missing
  if (first && onMissing === 'error')
    throw new Fatal(EXIT.data, `${first.place}: ${first.measure} is NaN (--on-missing error)`)
  if (first && onMissing !== 'skip')
    context.note(
      `${first.place}: ${missing.length === 1 ? 'a value is' : `${missing.length} values are`} NaN: ${fills(onMissing) ? `counted as ${settings.default}` : 'left out'}`,
    )
  const present = entries.filter(({ value }) => !Number.isNaN(value))
  if (!fills(onMissing)) return present
  // "all" rows with NaN are computed from the topics instead.
  const filled = missing.filter(({ topic }) => topic !== ALL)
  return [...present, ...filled.map((entry) => ({ ...entry, value: settings.default }))]
}

/**
 * A folder of leaderboards, each with one or more runs, or of files `nuggets_TOPIC.json`, each of which maps questions to
 * `["OR", {"OPEN_ENDED_ANSWER": [ids]}]`: the ids are the topic's relevant documents.
 */
async function loadFolder(path: string, settings: LoadSettings, context: Context): Promise<BoardFile> {
  const name = basename(path)
  const paths = filesIn(path, 1)
  const documents = paths.filter((one) => /^nuggets_.*\.json$/.test(basename(one)))
  if (documents.length > 0) return { name, entries: [], qrels: documents.flatMap(documentQrels) }
  if (paths.length === 0) throw new Fatal(EXIT.noInput, `${path}: no files in this folder`)
  const boards: BoardFile[] = []
  for (const one of paths) boards.push(await loadBoard(fileSource(one), settings, context))
  const qrels = boards.flatMap((board) => board.qrels ?? [])
  const entries = boards.flatMap((board) => board.entries)
  return { name, entries, ...(qrels.length > 0 && { qrels }) }
}

/** @throws Fatal (data) */
function documentQrels(path: string): Qrel[] {
  const topic = /^nuggets_(.*)\.json$/.exec(basename(path))![1]!
  const docs = new Set<string>()
  for (const value of Object.values(parsedObject(readText(path), path))) {
    const [answers] = Array.isArray(value) ? Object.values((value[1] ?? {}) as JsonObject) : []
    if (!Array.isArray(answers) || !answers.every((id) => typeof id === 'string'))
      throw new Fatal(
        EXIT.data,
        `${path}: expected {question: ["OR", {"OPEN_ENDED_ANSWER": [document ids]}]}`,
      )
    for (const id of answers) docs.add(id)
  }
  return [...docs].sort(byCodePoint).map((doc) => ({ topic, doc, grade: 1, place: path }))
}

/** Whether a file holds judged rows: JSON lines that are not a leaderboard. */
function holdsRows(start: Buffer): boolean {
  const line = start.toString('utf8').trimStart().split('\n', 1)[0]!
  return (
    line.startsWith('{') &&
    !(/"measure"\s*:/.test(line) && /"value"\s*:/.test(line) && !line.includes('"jb"'))
  )
}

/** `topic 0 docid grade` in every row. */
function looksLikeQrels(text: string): boolean {
  const rows = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 50)
  return rows.length > 0 && rows.every((line) => /^\s*\S+\s+0\s+\S+\s+(?:-?\d+|True|False)\s*$/.test(line))
}

/** Qrels as a leaderboard of one measure, with documents as runs; `all` is the mean grade, unless the qrels have it. */
function gradesAsEntries(qrels: readonly Qrel[]): BoardEntry[] {
  return withMissingAll(
    qrels.map(({ topic, doc, grade, place }) => ({
      run: doc,
      topic,
      measure: 'QRELS_GRADE',
      value: grade,
      place,
    })),
    false,
  )
}
