/** `--diagnostics-dir`: the runs and scores behind each correlation, in the files of autojudge-evaluate. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type FileNames, fileName } from '../files/file_names.ts'
import { pythonJson } from '../python/json.ts'
import { floatRepr } from '../python/numbers.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Diagnosis } from './pair.ts'

/**
 * Writes `JUDGE/TRUTH__MEASURE/METHOD.jsonl`, a line per run, and `METHOD.ranking.tsv`, the compared runs sorted by the
 * judge's score.
 * @param judge name of the judge's file
 * @param names of all judges' files
 * @throws Fatal (io)
 */
export function writeDiagnosis(folder: string, judge: string, diagnosis: Diagnosis, names: FileNames): void {
  const { truthMeasure, evalMeasure, method, issue, runs } = diagnosis
  const stem = basename(judge).replace(/(?<=.)\.[^.]*$/, '')
  const ofJudge = names.of(stem, '', judge)
  const measures = JSON.stringify([truthMeasure, evalMeasure])
  const into = join(folder, ofJudge, names.of(`${truthMeasure}__${evalMeasure}`, '', measures, ofJudge))
  const number = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value)
  const lines = runs.map(({ run, truth, judge: score, inTop, kept }) =>
    pythonJson(
      { run, truth_score: number(truth), eval_score: number(score), in_top_k: inTop, kept, issue },
      { unicode: true },
    ),
  )
  const text = (value: number | undefined) => (value === undefined ? '' : floatRepr(value))
  const ranking = runs
    .filter(({ kept }) => kept)
    .sort((a, b) => (b.judge ?? Number.NEGATIVE_INFINITY) - (a.judge ?? Number.NEGATIVE_INFINITY) || 0)
    .map(({ run, truth, judge: score }) => `${run}\t${text(score)}\t${text(truth)}`)
  try {
    mkdirSync(into, { recursive: true })
    writeFileSync(join(into, fileName(method, '.jsonl')), lines.map((line) => `${line}\n`).join(''))
    writeFileSync(
      join(into, fileName(method, '.ranking.tsv')),
      ['run\teval_score\ttruth_score', ...ranking].map((line) => `${line}\n`).join(''),
    )
  } catch (error) {
    throw new Fatal(EXIT.io, `cannot write below ${into}: ${(error as Error).message}`, { cause: error })
  }
}
