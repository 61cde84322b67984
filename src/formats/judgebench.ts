/** `--as judgebench`: the lines the original prints, a percentage for each source bucket and over all. */
import type { Decision } from '../rows/record.ts'
import { configError } from '../rows/record.ts'
import { type Format, share } from './_format.ts'
import { OneJudge } from './_one_judge.ts'

/** Buckets in the original's order: a source belongs to the one it begins with. */
const BUCKETS = ['mmlu-pro', 'livebench-reasoning', 'livebench-math', 'livecodebench', '']

export const format: Format = {
  about: 'JudgeBench: the lines it prints, % correct for each source bucket and over all',
  // Failed items count as not correct here.
  overall: ({ correct, items }) => ['accuracy', share(correct, items)],
  async *write(rows) {
    const sums = new Map(BUCKETS.map((bucket) => [bucket, { correct: 0, pairs: 0 }]))
    const one = new OneJudge('judgebench')
    let failed = 0
    for await (const batch of rows) {
      for (const row of batch) {
        one.check(row)
        const source = row.field('source')
        const result = row.get('result')
        if (!result) failed++
        else if (result.label === undefined)
          throw configError(`${row.place}: no label to compare with (--label FIELD)`)
        for (const [bucket, sum] of sums) {
          if (!String(source ?? '').startsWith(bucket)) continue
          sum.pairs++
          if (result && (result.decision as Decision) === result.label) sum.correct++
        }
      }
    }
    for (const [bucket, { correct, pairs }] of sums) {
      if (pairs > 0) yield `${bucket || 'Overall'}: ${twoDigits((100 * correct) / pairs)}%.\n`
    }
    if (failed > 0) yield `failed: ${failed} (counted as not correct, as the original counts them)\n`
  },
}

/** As Python's `.2f`, which rounds a half to the even digit: 3.125 is 3.12. */
function twoDigits(value: number): string {
  // Among halves of a hundredth only odd eighths are exact; all others lie to one side.
  const half = (value * 8) % 2 === 1
  const hundredths = Math.floor(value * 100)
  return half && hundredths % 2 === 0 ? (hundredths / 100).toFixed(2) : value.toFixed(2)
}
