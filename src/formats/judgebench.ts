/** `--as judgebench`: the lines the original prints, a percentage for each source bucket and over all. */

import { getOrInsert } from '../rows/maps.ts'
import { configError, type Decision } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { type Format, share } from './_format.ts'

/** Buckets in the original's order: a source belongs to the one it begins with. */
const BUCKETS = ['mmlu-pro', 'livebench-reasoning', 'livebench-math', 'livecodebench', '']

export const format: Format = {
  about: 'JudgeBench: the lines it prints, % correct for each source bucket and over all',
  // Failed items count as not correct here.
  overall: ({ correct, items }) => ['accuracy', share(correct, items)],
  async *write(rows) {
    const blocks = new Map<string, Block>()
    for await (const batch of rows)
      for (const row of batch) {
        const name = nameOf(row)
        const block = getOrInsert(blocks, name, () => new Block(name))
        block.add(row)
      }
    joinNameless(blocks)
    const several = blocks.size > 1
    for (const block of blocks.values()) yield* block.lines(several)
  },
}

/** What the original has a file for: judge and model, and the model whose responses were judged. */
function nameOf(row: Row): string {
  const model =
    row.get('result')?.model ?? row.get('trials')?.find((one) => one.model)?.model ?? row.get('error')?.model
  const judged = row.field('response_model')
  return [row.get('judge'), row.get('judge_digest'), row.get('name'), judged, model ?? NO_MODEL]
    .filter((part) => typeof part === 'string')
    .join(' ')
}

/** Stands for the model of a row that failed before it had one. */
const NO_MODEL = '?'

/** Failed rows that name no model belong to the only block of their judge. */
function joinNameless(blocks: Map<string, Block>): void {
  for (const [name, block] of blocks) {
    if (!name.endsWith(NO_MODEL)) continue
    const others = [...blocks].filter(
      ([other]) => other !== name && other.startsWith(name.slice(0, -NO_MODEL.length)),
    )
    if (others.length !== 1) continue
    others[0]![1].join(block)
    blocks.delete(name)
  }
}

/** One judge, model and set of responses. */
class Block {
  private readonly name: string
  private readonly sums = new Map(BUCKETS.map((bucket) => [bucket, { correct: 0, pairs: 0 }]))
  private failed = 0

  constructor(name: string) {
    this.name = name
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

  join(other: Block): void {
    this.failed += other.failed
    for (const [bucket, { correct, pairs }] of other.sums) {
      const sum = this.sums.get(bucket)!
      sum.correct += correct
      sum.pairs += pairs
    }
  }

  /** @param named with a line that says whose they are */
  *lines(named: boolean): Generator<string> {
    if (named) yield `# ${this.name}\n`
    for (const [bucket, { correct, pairs }] of this.sums) {
      if (pairs > 0) yield `${bucket || 'Overall'}: ${twoDigits((100 * correct) / pairs)}%.\n`
    }
    if (this.failed > 0)
      yield `failed: ${this.failed} (counted as not correct, as the original counts them)\n`
  }
}

/** As Python's `.2f`, which rounds a half to the even digit: 3.125 is 3.12. */
function twoDigits(value: number): string {
  // Among halves of a hundredth only odd eighths are exact; all others lie to one side.
  const half = (value * 8) % 2 === 1
  const hundredths = Math.floor(value * 100)
  return half && hundredths % 2 === 0 ? (hundredths / 100).toFixed(2) : value.toFixed(2)
}
