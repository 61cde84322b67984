/** MT-bench's files: questions, models' answers and reference answers, recognised by their keys. */

import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileSource } from '../files/files.ts'
import { isFolder } from '../files/folder.ts'
import { getOrInsert } from '../rows/maps.ts'
import { EXIT, Fatal, type JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

export interface BenchQuestion {
  question_id: number | string
  category: string
  turns: string[]
}

interface Answer {
  turns: string[]
  time: number
  path: string
}

/** By model and question. */
type Answers = Map<string, Map<string, Answer>>

export interface Bench {
  questions: BenchQuestion[]
  answers: Answers
  /** By question. */
  references: Map<string, Answer>
}

/** FastChat's record of a call that failed, in place of an answer or a judgment. */
export const FAILED_CALL = '$ERROR$'

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

/** Why an object is not of a bench; undefined for a question or an answer. */
function lackOf({ question_id, turns, choices }: JsonObject): string | undefined {
  if (question_id === undefined) return 'no "question_id"'
  return Array.isArray(turns) || Array.isArray(choices)
    ? undefined
    : 'neither "turns" nor "choices" in the row'
}

/** The questions and answers of a file: none, if its first row is neither. Failed rows are added to `failed`. */
async function* benchObjects(path: string, context: Context, failed: Row[]): AsyncGenerator<JsonObject> {
  let some = false
  for await (const batch of context.rows([fileSource(path)]))
    for (const row of batch) {
      if (row.failure) {
        failed.push(row)
        continue
      }
      const { item } = row.exact()
      const lack = lackOf(item)
      if (lack !== undefined && some) throw dataError(`${row.place}: ${lack}`)
      if (lack !== undefined) return
      some = true
      yield item
    }
}

/** Adds an answer, unless there is a newer one. @throws Fatal (data) if another file has one */
function addAnswer(
  answers: Answers,
  { question_id, model_id, choices, tstamp }: JsonObject,
  path: string,
): void {
  const id = String(question_id)
  const model = String(model_id ?? basename(path, '.jsonl'))
  const byQuestion = getOrInsert(answers, model, () => new Map<string, Answer>())
  const before = byQuestion.get(id)
  if (before && before.path !== path)
    throw dataError(
      `${before.path} and ${path} both have an answer of ${model} to question ${id}: name the files you want`,
    )
  const time = Number(tstamp ?? 0)
  if (before && time < before.time) return
  const [choice] = choices as { turns?: string[] }[]
  byQuestion.set(id, { turns: choice?.turns ?? [], time, path })
}

/** The reference answers that count. @throws Fatal (data) if there are several models and REFERENCE is none of them */
function referencesOf(answers: Answers): Map<string, Answer> {
  const models = [...answers.keys()]
  if (models.length > 1 && !answers.has(REFERENCE))
    throw dataError(
      `reference answers of several models (${models.join(', ')}), none of ${REFERENCE}: name the files you want`,
    )
  return answers.get(models.length === 1 ? models[0]! : REFERENCE) ?? new Map()
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
  for (const path of paths) checkOneBench(path)
  const questions: BenchQuestion[] = []
  const answers: Answers = new Map()
  const references: Answers = new Map()
  const failed: Row[] = []
  for (const path of filesOf(paths)) {
    const into = /reference_answer/.test(path) ? references : answers
    for await (const item of benchObjects(path, context, failed))
      if (Array.isArray(item.turns))
        questions.push({ category: 'unknown', ...item } as unknown as BenchQuestion)
      else addAnswer(into, item, path)
  }
  if (context.cut()) return undefined
  if (questions.length === 0)
    throw dataError(`${paths.join(', ')}: no questions found (rows with question_id, category and turns)`)
  if (answers.size === 0)
    throw dataError(`${paths.join(', ')}: no models' answers found (rows with question_id and choices)`)
  return { bench: { questions, answers, references: referencesOf(references) }, failed }
}
