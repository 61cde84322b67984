/** Spread of a run's values over its topics: one row per measure and run. */

import { formatOption } from '../options/common.ts'
import type { Exact } from '../python/json.ts'
import { byCodePoint } from '../python/unicode.ts'
import { grouped } from '../rows/maps.ts'
import { exactMean } from '../statistics/mean.ts'
import { tenDecimals } from '../trec/correlation.ts'
import { board } from '../trec/judged_board.ts'
import { ALL } from '../trec/leaderboard.ts'
import { LEADERBOARD_OPTIONS, type ValueSettings } from '../trec/options.ts'
import { printExact } from './_exact_rows.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'AutoJudge: topics, mean, standard error and deviation, least and most of each run and measure',
  unjudged: 'pass',
  writeOptions: [...LEADERBOARD_OPTIONS, formatOption('run and measure')],
  async *write(rows, options, context) {
    const settings = options as ValueSettings & { format?: string }
    const entries = await board(rows, settings, context)
    const spreads: Record<string, Exact>[] = []
    const ofTopics = entries.filter(({ topic }) => topic !== ALL)
    for (const [measure, ofMeasure] of sorted(grouped(ofTopics, (entry) => entry.measure))) {
      const counted = sorted(grouped(ofMeasure, ({ run }) => run)).flatMap(([run, ofRun]) => {
        const values = ofRun.map(({ value }) => value)
        const isNumber = values.every((value) => typeof value === 'number')
        return isNumber ? [{ RunID: run, Measure: measure, ...spreadOf(values) }] : []
      })
      for (const one of counted.sort((a, b) => b.Mean! - a.Mean!)) spreads.push(one)
    }
    yield await printExact(spreads, settings, context)
  },
}

const sorted = <V>(groups: Map<string, V>) => [...groups].sort(([a], [b]) => byCodePoint(a, b))

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
    Min: tenDecimals(values.reduce((least, value) => Math.min(least, value))),
    Max: tenDecimals(values.reduce((most, value) => Math.max(most, value))),
  }
}
