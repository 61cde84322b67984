/** MT-bench's files: questions, models' answers and reference answers, recognised by their keys. */

import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileSource } from '../files/files.ts'
import { isFolder } from '../files/folder.ts'
import { getOrInsert } from '../rows/maps.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { exactRow } from './_bad_rows.ts'

export interface BenchQuestion {
  question_id: number | string
  category: string
  turns: string[]
}

export interface Bench {
  questions: BenchQuestion[]
  /** Turns by model and question. */
  answers: Map<string, Map<string, string[]>>
  references: Map<string, string[]>
}

/** Categories whose judgments need a reference answer. */
export const NEED_REFERENCE = new Set(['math', 'reasoning', 'coding', 'arena-hard-200'])
/** The model whose reference answers count, if there are several. */
const REFERENCE = 'gpt-4'

const dataError = (message: string) => new Fatal(EXIT.data, message)

/** The named files, and all .jsonl files of the named folders. @throws Fatal (no input) */
function filesOf(paths: string[]): string[] {
  return paths.flatMap((path) => {
    if (!existsSync(path)) throw new Fatal(EXIT.noInput, `${path}: no such file`)
    if (!isFolder(path)) return [path]
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const inner = join(path, entry.name)
        // A judge's output is no input.
        if (entry.isDirectory()) return entry.name === 'model_judgment' ? [] : filesOf([inner])
        return entry.name.endsWith('.jsonl') ? [inner] : []
      })
  })
}

/** @throws Fatal (data) for a folder that holds several benches, such as FastChat's data/ */
function checkOneBench(path: string): void {
  if (!isFolder(path) || existsSync(join(path, 'question.jsonl'))) return
  const benches = readdirSync(path).filter((name) => existsSync(join(path, name, 'question.jsonl')))
  if (benches.length > 1)
    throw dataError(
      `${path}: the folder holds several benches (${benches.join(', ')}): name one, as ${join(path, benches[0]!)}`,
    )
}

/**
 * Reads questions, answers and references; ignores every other file.
 * @returns the bench, and a failed row for each bad line that --bad-rows pass lets through; undefined where the run is to
 *   stop, at a bad line or an interrupt
 * @throws Fatal (data) if there are no questions or no answers, or two files' answers of one model to a question
 */
export async function readBench(
  paths: string[],
  context: Context,
): Promise<{ bench: Bench; failed: Row[] } | undefined> {
  const bench: Bench = { questions: [], answers: new Map(), references: new Map() }
  const references = new Map<string, Map<string, string[]>>()
  const newest = new Map<string, { time: number; path: string }>()
  for (const path of paths) checkOneBench(path)
  const failed: Row[] = []
  for (const path of filesOf(paths)) {
    /** Rows before were of a bench. */
    let known = false
    file: for await (const batch of context.rows([fileSource(path)]))
      for (const row of batch) {
        const line = row.failure ? {} : exactRow(row).item
        if (row.failure) failed.push(row)
        else if (line.question_id === undefined) {
          if (known) throw dataError(`${row.place}: no "question_id"`)
          break file
        } else if (Array.isArray(line.turns))
          bench.questions.push({ category: 'unknown', ...line } as unknown as BenchQuestion)
        else if (Array.isArray(line.choices)) {
          const id = String(line.question_id)
          const turns = (line.choices[0] as { turns?: string[] } | undefined)?.turns ?? []
          const model = String(line.model_id ?? basename(path, '.jsonl'))
          const into = /reference_answer/.test(path) ? references : bench.answers
          const key = JSON.stringify([into === references, model, id])
          const known = newest.get(key)
          if (known && known.path !== path)
            throw dataError(
              `${known.path} and ${path} both have an answer of ${model} to question ${id}: name the files you want`,
            )
          // Of several answers to a question the newest counts, or the last of the newest.
          const time = Number(line.tstamp ?? 0)
          if (known && time < known.time) continue
          newest.set(key, { time, path })
          getOrInsert(into, model, () => new Map<string, string[]>()).set(id, turns)
        } else if (known) throw dataError(`${row.place}: neither "turns" nor "choices" in the row`)
        else break file
        known ||= !row.failure
      }
  }
  if (context.cut()) return undefined
  if (bench.questions.length === 0)
    throw dataError(`${paths.join(', ')}: no questions found (rows with question_id, category and turns)`)
  if (bench.answers.size === 0)
    throw dataError(`${paths.join(', ')}: no models' answers found (rows with question_id and choices)`)
  const [only] = references.size === 1 ? references.values() : [references.get(REFERENCE)]
  if (!only && references.size > 1)
    throw dataError(
      `reference answers of several models (${[...references.keys()].join(', ')}), none of ${REFERENCE}: name the files you want`,
    )
  bench.references = only ?? new Map()
  return { bench, failed }
}
