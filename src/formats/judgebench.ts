/** `jb-write judgebench`: the lines that the original prints, a percentage per source bucket and overall. */

import { toFixed } from '../python/numbers.ts'
import { getOrInsert } from '../rows/maps.ts'
import { configError, type Decision } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { identityOf, type RunIdentity, runKey } from '../scoring/run_identity.ts'
import type { Format } from './_format.ts'

/** Prefixes of `source`, in the original's order; the empty one is the overall bucket. */
const BUCKETS = ['mmlu-pro', 'livebench-reasoning', 'livebench-math', 'livecodebench', '']

export const format: Format = {
  about: 'JudgeBench: the lines it prints, % correct for each source bucket and over all',
  fields: ['response_model'],
  async *write(rows) {
    const blocks = new Map<string, Block>()
    for await (const batch of rows)
      for (const row of batch) {
        const judged = row.field('response_model')
        const identity = { ...identityOf(row), variant: typeof judged === 'string' ? judged : undefined }
        getOrInsert(blocks, runKey(identity), () => new Block(identity)).add(row)
      }
    const several = blocks.size > 1
    for (const block of blocks.values()) yield* block.lines(several)
  },
}

/** One file of the original: judge, model, and (`variant`) the model whose responses were judged. */
class Block {
  readonly identity: RunIdentity
  private readonly sums = new Map(BUCKETS.map((bucket) => [bucket, { correct: 0, pairs: 0 }]))
  private failed = 0

  constructor(identity: RunIdentity) {
    this.identity = identity
  }

  add(row: Row): void {
    const source = row.field('source')
    const result = row.get('result')
    if (!result) this.failed++
    else if (result.label === undefined)
      throw configError(`${row.place}: no label to compare with (--label FIELD)`)
    for (const [bucket, sum] of this.sums) {
      if (!String(source ?? '').startsWith(bucket)) continue
      sum.pairs++
      if (result && (result.decision as Decision) === result.label) sum.correct++
    }
  }

  /** @param named begin with a line that names the run */
  *lines(named: boolean): Generator<string> {
    const { judge, judge_digest, name, variant, model = '?' } = this.identity
    const parts = [judge, judge_digest, name, variant, model].filter((part) => part !== undefined)
    if (named) yield `# ${parts.join(' ')}\n`
    for (const [bucket, { correct, pairs }] of this.sums) {
      if (pairs > 0) yield `${bucket || 'Overall'}: ${toFixed((100 * correct) / pairs, 2)}%.\n`
    }
    if (this.failed > 0)
      yield `failed: ${this.failed} (counted as not correct; the original counts the game that did not fail)\n`
  }
}
