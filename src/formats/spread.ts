/** Spread of a run's values over its topics: one row per file, measure and run. */

import type { Exact } from '../python/json.ts'
import { byCodePoint } from '../python/unicode.ts'
import { exactMean } from '../statistics/mean.ts'
import { tenDecimals } from '../trec/correlation.ts'
import { ALL, distinct } from '../trec/leaderboard.ts'
import { loadBoard } from '../trec/load_board.ts'
import type { TrecSettings } from '../trec/options.ts'
import { printExact } from './_exact_rows.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'AutoJudge: topics, mean, standard error and deviation, least and most of each run and measure',
  unscored: true,
  measured: true,
  countsMissing: true,
  async *write(_rows, options, context) {
    const settings = options as TrecSettings & { from?: string; format?: string; wide: boolean }
    const rows: Record<string, Exact>[] = []
    for (const source of context.sources) {
      const { name, entries } = await loadBoard(source, settings, context)
      for (const measure of distinct(entries, 'measure').sort(byCodePoint)) {
        const ofMeasure = entries.filter((entry) => entry.measure === measure && entry.topic !== ALL)
        const runs = distinct(ofMeasure, 'run').sort(byCodePoint)
        const counted = runs.flatMap((run) => {
          const values = ofMeasure.filter((entry) => entry.run === run).map(({ value }) => value)
          const isNumber = values.every((value) => typeof value === 'number')
          return isNumber ? [{ Judge: name, RunID: run, Measure: measure, ...spreadOf(values) }] : []
        })
        rows.push(...counted.sort((a, b) => b.Mean! - a.Mean!))
      }
    }
    yield await printExact(rows, settings, context)
  },
}

/** The standard deviation is that of a sample (n − 1), 0 for one topic. */
function spreadOf(values: number[]) {
  const topics = values.length
  const mean = exactMean(values)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const deviation = topics === 1 ? 0 : Math.sqrt(squares / (topics - 1))
  return {
    Topics: BigInt(topics),
    Mean: tenDecimals(mean),
    Stderr: tenDecimals(deviation / Math.sqrt(topics)),
    Stdev: tenDecimals(deviation),
    Min: tenDecimals(Math.min(...values)),
    Max: tenDecimals(Math.max(...values)),
  }
}
