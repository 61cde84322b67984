/** --until decided: whether the mean of all items is at least --fail-under. */
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { expectedItems, expectedNumber } from '../../scoring/expected.ts'
import { itemResult } from '../../scoring/item_result.ts'
import type { Ledger } from '../../scoring/ledger.ts'
import { outcomeOf } from '../../scoring/outcome.ts'
import {
  checkUntil,
  type Decided,
  gateSentence,
  Scaling,
  type UntilOptions,
  untilDecided,
} from '../../scoring/until.ts'
import type { AggregateOptions } from './options.ts'

/** A decision, with a sentence about it. */
export interface DecidedGate extends Decided {
  sentence: string
}

const WITHOUT = ['labels', 'partial', 'merge', 'compat', 'common']

/** @throws Fatal (usage) for options that do not go together */
export function checkGate(options: AggregateOptions, context: Context): void {
  checkUntil(options, WITHOUT, context)
  if (options.until !== undefined && options.failUnder === undefined)
    throw usageError('--until decided: what is to be decided? --fail-under X')
}

export async function gateDecided(
  rows: Rows,
  ledger: Ledger,
  options: AggregateOptions & UntilOptions,
  context: Context,
): Promise<DecidedGate> {
  const gate = options.failUnder!
  const scaling = new Scaling(options.range)
  const decided = await untilDecided(
    rows,
    {
      asked: { gate },
      hypotheses: () => ({ gate: scaling.threshold('fail-under', gate) }),
      unscaled: (mean) => scaling.unscaled(mean),
      ledger,
      worth(item, row) {
        const { result, trials } = itemResult(item)
        const found = result && outcomeOf(result, trials)
        return found && scaling.share(found, row)
      },
    },
    options,
    context,
  )
  await checkExpected(decided, options, context)
  return { ...decided, sentence: gateSentence(decided, gate, scaling) }
}

/** @throws Fatal (data) if the order has another number of items than --expect */
async function checkExpected(
  { report: { of }, clustered }: Decided,
  { expect, ...options }: AggregateOptions,
  context: Context,
): Promise<void> {
  if (expect === undefined || of === null || clustered) return
  let expected = expectedNumber(expect) ?? 0
  if (expected === 0)
    for await (const batch of expectedItems(expect, options, context)) expected += batch.length
  if (expected !== of)
    throw new Fatal(
      EXIT.data,
      `--expect ${expect}: there should be ${expected} items, and the order is of ${of}`,
    )
}
