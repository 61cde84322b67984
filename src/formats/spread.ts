/** Spread of a run's values over its topics: one row per file, measure and run. */

import { byCodePoint } from '../python/unicode.ts'
import { exactMean } from '../statistics/mean.ts'
import { ALL, distinct } from '../trec/leaderboard.ts'
import { type LoadSettings, loadBoard } from '../trec/load_board.ts'
import { type PrintedRow, printRows } from '../trec/print.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'AutoJudge: topics, mean, standard error and deviation, least and most of each run and measure',
  unscored: true,
  measured: true,
  countsMissing: true,
  async *write(_rows, options, context) {
    const rows: PrintedRow[] = []
    for (const source of context.sources) {
      const settings = options as unknown as LoadSettings & { from?: string }
      const { name, entries } = await loadBoard(source, settings.from, settings, context)
      for (const measure of distinct(entries, 'measure').sort(byCodePoint)) {
        const ofMeasure = entries.filter((entry) => entry.measure === measure && entry.topic !== ALL)
        const runs = distinct(ofMeasure, 'run').map((run) => ({
          run,
          values: ofMeasure.filter((entry) => entry.run === run).map(({ value }) => value),
        }))
        const counted = runs.flatMap(({ run, values }) =>
          values.every((value) => typeof value === 'number') ? [{ run, ...statistics(values) }] : [],
        )
        counted.sort((a, b) => b.mean - a.mean)
        for (const { run, topics, mean, error, deviation, least, most } of counted)
          rows.push({
            Judge: name,
            RunID: run,
            Measure: measure,
            Topics: BigInt(topics),
            Mean: rounded(mean),
            Stderr: rounded(error),
            Stdev: rounded(deviation),
            Min: rounded(least),
            Max: rounded(most),
          })
      }
    }
    yield await printRows(rows, options.format as string | undefined, context)
  },
}

const rounded = (value: number) => Number(value.toFixed(10)) + 0

/** Standard deviation (n − 1; 0 for one topic) and standard error of the mean. */
function statistics(values: number[]) {
  const topics = values.length
  const mean = exactMean(values)
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const deviation = topics === 1 ? 0 : Math.sqrt(square / (topics - 1))
  return {
    topics,
    mean,
    error: deviation / Math.sqrt(topics),
    deviation,
    least: Math.min(...values),
    most: Math.max(...values),
  }
}
