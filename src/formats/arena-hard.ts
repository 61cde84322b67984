/**
 * arena-hard-auto's judgments, v0.1 and v2.0: one row per question and model, with two games. The baseline is A in the first,
 * the model in the second. --answers adds token and markdown counts of the answers.
 */
import { basename, join } from 'node:path'
import { fileSource } from '../files/files.ts'
import { isFolder } from '../files/folder.ts'
import type { Source } from '../rows/reader.ts'
import { type Decision, EXIT, Fatal, flip, type Json, type JsonObject } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import {
  ANSWERS_OPTION,
  bothCounts,
  jsonFiles,
  type Metadata,
  metadataOf,
  ofAnswer,
} from './_arena_answers.ts'
import { lacking, rowsMade, withoutVerdict } from './_bad_rows.ts'
import type { Format } from './_format.ts'

/** Labels in shown terms; v2.0 also has the mirrored ones. */
const LABELS: ReadonlyMap<Json, [Decision, strength: number]> = new Map<Json, [Decision, number]>([
  ['A>>B', ['A>B', 2]],
  ['A>B', ['A>B', 1]],
  ['A=B', ['A=B', 1]],
  ['B>A', ['B>A', 1]],
  ['B>>A', ['B>A', 2]],
  ['A<B', ['B>A', 1]],
  ['A<<B', ['B>A', 2]],
  ['B<A', ['A>B', 1]],
  ['B<<A', ['A>B', 2]],
  ['B=A', ['A=B', 1]],
])

export const format: Format = {
  about:
    'arena-hard judgments, v0.1 and v2.0 (files, or the folder with model_judgment) → trials of both games',
  readOptions: [
    ANSWERS_OPTION,
    {
      name: 'baseline',
      type: 'string',
      value: 'MODEL',
      about: 'what v0.1’s judgments compare with [the one model with answers that is not judged]',
    },
  ],
  async *read(sources, options, context) {
    const files = sources.flatMap(judgmentFiles)
    const folder = (options.answers as string | undefined) ?? answersBeside(sources)
    const answers = folder === undefined ? [] : jsonFiles(folder)
    const baseline = (options.baseline as string | undefined) ?? unjudged(answers, files)
    const metadata = options.answers === undefined ? undefined : await metadataOf(answers, context)
    for await (const batch of context.rows(files))
      yield batch.flatMap((row) => rowsMade(row, (one) => trialsOf(one, baseline, metadata)))
  },
}

const nameOf = (path: string) => basename(path).replace(/\.jsonl(\.gz)?$/, '')

function judgmentFiles(source: Source): Source[] {
  if (source.path === undefined || !isFolder(source.path)) return [source]
  const inner = join(source.path, 'model_judgment')
  const found = jsonFiles(isFolder(inner) ? inner : source.path)
  if (found.length === 0) throw new Fatal(EXIT.noInput, `${source.path}: no .jsonl files of judgments`)
  return found.map(fileSource)
}

function answersBeside(sources: readonly Source[]): string | undefined {
  const folders = sources.flatMap(({ path }) => (path === undefined ? [] : [join(path, 'model_answer')]))
  return folders.find(isFolder)
}

/** The baseline: the only model with answers but without judgments. */
function unjudged(answers: readonly string[], judgments: readonly Source[]): string | undefined {
  const judged = new Set(judgments.map(({ name }) => nameOf(name)))
  const rest = answers.map(nameOf).filter((name) => !judged.has(name))
  return rest.length === 1 ? rest[0] : undefined
}

interface Judgment extends JsonObject {
  games: (null | { score?: string | null; judgment?: string | { answer?: string } | null })[]
}

function trialsOf(row: Row, fallback: string | undefined, metadata: Metadata | undefined): Row | Row[] {
  const { games, model, judge, baseline: own, ...rest } = row.item as Judgment
  if (!Array.isArray(games) || typeof model !== 'string')
    return lacking(row, 'arena-hard', 'no "games" and "model": this is not a judgment of arena-hard')
  const baseline = own ?? fallback
  // In v2.0 the baseline depends on the category, which jb-rank does not know.
  if (baseline === undefined && rest.uid !== undefined && rest.category !== 'arena-hard-v0.1')
    return lacking(
      row,
      'arena-hard',
      'no "baseline" (--baseline MODEL says what the model was compared with)',
    )
  const question = rest.uid ?? rest.question_id ?? null
  if (question === null)
    return lacking(row, 'arena-hard', 'neither "uid" nor "question_id": this is not a judgment of arena-hard')
  const meta = metadata && bothCounts(ofAnswer(metadata, baseline, rest), ofAnswer(metadata, model, rest))
  const item: JsonObject = {
    ...rest,
    ...(baseline !== undefined && { model_a: baseline }),
    model_b: model,
    ...(meta && { conv_metadata: meta }),
  }
  // arena-hard reads two games; it defines nothing for more.
  return [0, 1].map((n) => {
    const game = games[n]
    const made = Row.make(item, row.file, row.line)
      .set('judge', 'arena_hard')
      .set('item', `${question}:${model}`)
      .set('trial', { n, of: 2, order: n === 0 ? 'AB' : 'BA' })
    const judgment = game?.judgment
    const text = typeof judgment === 'string' ? judgment : judgment?.answer
    if (text) made.set('reply', { text, model: String(judge ?? 'judge') })
    const label = LABELS.get(game?.score ?? null)
    if (!label) return withoutVerdict(made, 'score', game?.score, { model: judge! })
    const decision = n === 0 ? label[0] : flip(label[0])
    return made.set('verdict', {
      label: String(game!.score),
      decision,
      strength: label[1],
      ...(!text && { model: judge }),
    })
  })
}
