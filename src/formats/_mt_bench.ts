/** MT-bench's files: questions, models' answers and reference answers, recognised by what is in them. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getOrInsert } from '../rows/maps.ts'
import { EXIT, Fatal, type JsonObject } from '../rows/record.ts'
import { BadRow, encode, Row } from '../rows/row.ts'
import type { BadRecord } from './_bad_rows.ts'

export interface BenchQuestion {
  question_id: number | string
  category: string
  turns: string[]
}

export interface Bench {
  questions: BenchQuestion[]
  /** Turns by model, by question. */
  answers: Map<string, Map<string, string[]>>
  references: Map<string, string[]>
}

/** Categories whose judgments need a reference answer. */
export const NEED_REFERENCE = new Set(['math', 'reasoning', 'coding', 'arena-hard-200'])
/** Whose reference answers count where several are there. */
const REFERENCE = 'gpt-4'

const dataError = (message: string) => new Fatal(EXIT.data, message)

/** All .jsonl files of the folders named, and the files named. @throws Fatal where one cannot be read */
function filesOf(paths: string[]): string[] {
  return paths.flatMap((path) => {
    if (!existsSync(path)) throw new Fatal(EXIT.noInput, `${path}: no such file`)
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const inner = join(path, entry.name)
        // Judgments are what comes out of judging.
        if (entry.isDirectory()) return entry.name === 'model_judgment' ? [] : filesOf([inner])
        return entry.name.endsWith('.jsonl') ? [inner] : []
      })
  })
}

/** @throws Fatal (data) for a folder with the folders of several benches, as FastChat's data/ is */
function checkOneBench(path: string): void {
  if (!existsSync(path) || !statSync(path).isDirectory() || existsSync(join(path, 'question.jsonl'))) return
  const benches = readdirSync(path).filter((name) => existsSync(join(path, name, 'question.jsonl')))
  if (benches.length > 1)
    throw dataError(
      `${path}: the folder holds several benches (${benches.join(', ')}): name one, as ${join(path, benches[0]!)}`,
    )
}

/** The lines of a file as objects; `bad` is called for those that are not. */
function linesOf(path: string, bad: (record: BadRecord) => void): JsonObject[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      if (text.trim() === '') return []
      try {
        return [Row.read(encode(text), path, index + 1).item]
      } catch (error) {
        if (!(error instanceof BadRow)) throw error
        bad({ text, message: error.message, file: path, line: index + 1 })
        return []
      }
    })
}

/**
 * Questions, answers and references out of the files; every other file is left alone, and `bad` is called for lines that
 * are no objects.
 * @throws Fatal (data) where one of them is not there
 */
export function readBench(paths: string[], bad: (record: BadRecord) => void): Bench {
  const bench: Bench = { questions: [], answers: new Map(), references: new Map() }
  const references = new Map<string, Map<string, string[]>>()
  const newest = new Map<string, number>()
  for (const path of paths) checkOneBench(path)
  for (const path of filesOf(paths)) {
    for (const line of linesOf(path, bad)) {
      if (line.question_id === undefined) break
      const id = String(line.question_id)
      if (Array.isArray(line.turns)) {
        bench.questions.push({ category: 'unknown', ...line } as unknown as BenchQuestion)
      } else if (Array.isArray(line.choices)) {
        const turns = (line.choices[0] as { turns?: string[] } | undefined)?.turns ?? []
        const model = String(line.model_id ?? basename(path, '.jsonl'))
        const into = /reference_answer/.test(path) ? references : bench.answers
        // Of several answers to a question the newest; where nothing says when, the last.
        const key = JSON.stringify([path, model, id])
        const time = Number(line.tstamp ?? 0)
        if (time < (newest.get(key) ?? Number.NEGATIVE_INFINITY)) continue
        newest.set(key, time)
        getOrInsert(into, model, () => new Map<string, string[]>()).set(id, turns)
      } else break
    }
  }
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
  return bench
}
