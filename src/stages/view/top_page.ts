/** A page of `jb-rank --top`: a line a model. It has no script. */
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, isObject, type JsonObject } from '../../rows/record.ts'
import { warningLines } from '../../scoring/warnings.ts'
import { drawn, isInterval, isNumber, recordsIn, reportPage, sentencesHtml, table } from './report_page.ts'

interface ModelLine {
  model: string
  rating: number
  rating_ci: [number, number]
  battles: number
  failed: number
  top: { of: number; in: boolean; settled: boolean; sentence: string }
  warnings: JsonObject['warnings']
}

/** @throws Fatal (data) for a line that is not of such a leaderboard, or of another one */
export async function topPage(path: string, rows: Rows): Promise<string> {
  const models = (await recordsIn(rows, 'jb-rank --top', isWhole)) as unknown as ModelLine[]
  if (new Set(models.map(({ top }) => top.sentence)).size > 1)
    throw new Fatal(EXIT.data, `${path}: lines of several leaderboards: give a file for each`)
  return reportPage(path, models.length === 0 ? '' : boardHtml(models))
}

const isWhole = ({ model, rating, rating_ci: ci, battles, failed, top }: JsonObject): boolean =>
  typeof model === 'string' &&
  [rating, battles, failed].every(isNumber) &&
  isInterval(ci) &&
  isObject(top) &&
  typeof top.sentence === 'string'

function boardHtml(models: readonly ModelLine[]): string {
  const { top, warnings } = models[0]!
  const ends = models.flatMap(({ rating_ci: ci }) => ci)
  const span = [Math.min(...ends), Math.max(...ends)] as const
  return `${sentencesHtml([top.sentence, ...warningLines(warnings)])}\n${table(
    ['model', `top ${top.of}`, 'rating', 'battles', 'failed'],
    models.map((one) => ({
      name: one.model,
      cells: [
        one.top.settled ? (one.top.in ? 'in' : 'out') : 'open',
        `<span>${one.rating.toFixed(0)}</span> ${drawn(one.rating, one.rating_ci, span)} <small>${one.rating_ci.map((end) => end.toFixed(0)).join(' to ')}</small>`,
        String(one.battles),
        String(one.failed),
      ],
      marked: one.top.settled && one.top.in,
    })),
  )}\n<p>in, out: settled; open: not yet. Ratings are Bradley–Terry’s, 400 points for odds of 10 to 1, with intervals that hold however often one looks.</p>`
}
