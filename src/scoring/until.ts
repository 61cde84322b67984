/** --until decided: takes units in a random order until a question about all of them is decided. */
import { ignoredOptions, type OptionOrName } from '../options/ignored.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, FAILED_CALLS, Fatal, type JsonObject, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { meanOf } from '../statistics/clusters.ts'
import { type Conclusion, type Hypotheses, Sequence, type Weighted } from '../statistics/evidence.ts'
import type { Item } from './item.ts'
import type { Ledger } from './ledger.ts'
import { ABOUT_OPTION } from './options.ts'
import type { Outcome } from './outcome.ts'
import { identityTitle } from './run_identity.ts'
import { Units } from './units.ts'

export interface UntilOptions {
  until?: string | undefined
  about: string
  range?: string | undefined
  shuffled?: number | undefined
  ci: number
}

type Told = Pick<Context, 'stage' | 'note' | 'env'>

/** Reports options that go with --until alone, or not with it. @throws Fatal (usage) */
export function checkUntil(options: UntilOptions, without: readonly OptionOrName[], context: Context): void {
  if (options.until === undefined)
    ignoredOptions([ABOUT_OPTION, 'range', 'shuffled'], options, 'it goes with --until decided', context)
  else ignoredOptions(without, options, 'it does not go with --until decided', context)
}

/** Items whose call failed are left out as if not asked, because outages do not come at random. */
const isFailedCall = (row: Row) => row.has('error') && FAILED_CALLS.includes(row.get('error')?.code)

/** Outcomes as numbers from 0 to 1, by the range of the first, or that of --range. */
export class Scaling {
  private measure: Outcome['measure'] | undefined
  private readonly given: [low: number, high: number] | undefined
  private range: readonly [low: number, high: number] = [0, 1]

  /** @param range LOW:HIGH @throws Fatal (usage) */
  constructor(range: string | undefined) {
    if (range === undefined) return
    const [low, high, ...more] = range.split(':').map((one) => (one.trim() === '' ? Number.NaN : Number(one)))
    if (!(low! < high!) || !Number.isFinite(high! - low!) || more.length > 0)
      throw usageError(`--range ${range}: expected the least and the largest score, such as 1:5`)
    this.given = [low!, high!]
  }

  /**
   * An outcome from 0 to 1; undefined for one without the label or score that those before have.
   * @throws Fatal (usage) if its range is not known, (data) if it is outside, or the first with a label or score
   */
  share({ measure, value, range }: Outcome, { place }: Pick<Row, 'place'>): number | undefined {
    if (this.measure === undefined) {
      const known = measure === 'score' ? (this.given ?? range) : range
      if (!known) throw usageError(`${place}: it is not known what scores there can be: --range LOW:HIGH`)
      this.range = known
      this.measure = measure
    }
    if (measure !== this.measure) {
      if (measure === 'share') return undefined
      const what = measure === 'correct' ? 'label' : 'score'
      throw new Fatal(EXIT.data, `${place}: --until: this item has a ${what}, and those before have none`)
    }
    if (!this.given && range && (range[0] !== this.range[0] || range[1] !== this.range[1]))
      throw new Fatal(
        EXIT.data,
        `${place}: scores of ${range.join(' to ')} and of ${this.range.join(' to ')} have no mean (--range LOW:HIGH)`,
      )
    const share = this.scaled(value)
    if (share >= 0 && share <= 1) return share
    throw new Fatal(
      EXIT.data,
      `${place}: a score of ${value} is not within ${this.range.join(' to ')} (--range LOW:HIGH)`,
    )
  }

  /** A threshold from 0 to 1. @throws Fatal (usage) for one outside */
  threshold(option: string, value: number): number {
    const scaled = this.scaled(value)
    if (scaled >= 0 && scaled <= 1) return scaled
    const hint = this.range[1] === 1 && value > 1 ? ` (${value / 100}?)` : ''
    throw usageError(`--${option} ${value}: the values are from ${this.range.join(' to ')}${hint}`)
  }

  /** A difference of 0 or more, from 0 to 1. @throws Fatal (usage) for one above */
  distance(option: string, value: number): number {
    const share = value / this.width
    if (share <= 1) return share
    const hint = this.isShare ? ` (${value / 100}?)` : ''
    throw usageError(`--${option} ${value}: a difference is at most ${this.width}${hint}`)
  }

  get width(): number {
    return this.range[1] - this.range[0]
  }

  /** Whether values are shares, told in percent. */
  get isShare(): boolean {
    return this.measure !== 'score'
  }

  scaled(value: number): number {
    return (value - this.range[0]) / this.width
  }

  unscaled(share: number): number {
    return this.range[0] + share * this.width
  }
}

/** What is to be decided, and how items count. */
interface Query {
  /** For the report. */
  asked: { gate: number } | { margin: number }
  /** The same of means from 0 to 1; called once an item has a value, or none is left. */
  hypotheses(): Hypotheses
  /** A mean from 0 to 1 as the report has it. */
  unscaled(mean: number): number
  /** The rows that count go here. */
  ledger: Ledger
  /** What an item is worth, from 0 to 1, when all its rows are taken; undefined if it failed. */
  worth(item: Item, row: Row): number | undefined
}

export interface Decided {
  conclusion: Conclusion
  /** The interval that is true however often it is looked at. */
  ci: [low: number, high: number]
  /** For the report. */
  report: JsonObject & { at_least: number; at_most: number }
  /** Units are clusters of items. */
  clustered: boolean
  /** In a sentence. @param what is known */
  words(what: string): string
}

/** Takes rows until the question is decided, or they end. */
export async function untilDecided(
  rows: Rows,
  question: Query,
  options: UntilOptions,
  context: Told,
): Promise<Decided> {
  const units = new Units(options.shuffled, context)
  const population = options.about === 'population'
  let sequence: Sequence | undefined
  /** Units before the first with a value: only then the scale of values is known. */
  const waiting: (Weighted | undefined)[] = []
  const begun = () => {
    sequence ??= new Sequence(question.hypotheses(), { of: units.of, ci: options.ci, population })
    for (const value of waiting.splice(0)) sequence.add(value)
    return sequence
  }
  for await (const unit of units.read(rows)) {
    const items = new Map<Item, Row>()
    for (const row of unit) {
      const item = question.ledger.add(row)
      if (item) items.set(item, row)
    }
    checkOneRun(question.ledger)
    const worth = [...items].flatMap(([item, row]) => question.worth(item, row) ?? [])
    waiting.push(unit.some(isFailedCall) ? undefined : unitValue(worth, units.most))
    if ((sequence || worth.length > 0) && begun().decision !== 'undecided') break
  }
  return decidedBy(begun(), units, question, options)
}

/** @throws Fatal (usage) for rows of several runs */
function checkOneRun({ runs }: Ledger): void {
  const known = [...runs.values()].filter(({ named }) => named)
  if (known.length > 1)
    throw usageError(
      `--until decides about one judge and model, and there are ${known.map(({ identity }) => identityTitle(identity, identity.judge_digest)).join(' and ')}`,
    )
}

/** What a unit stands for. @param worth of its items that have a value @param most items of the largest unit */
export const unitValue = (worth: readonly number[], most: number): Weighted =>
  worth.length === 0 ? [0.5, 0] : [meanOf(worth), worth.length / most]

/** What a sequence came to, for a report and in words. */
export function decidedBy(
  sequence: Sequence,
  units: Pick<Units, 'of' | 'seed' | 'most'>,
  question: Pick<Query, 'asked' | 'unscaled'>,
  options: Pick<UntilOptions, 'about' | 'ci'>,
): Decided {
  const { at, valid, failed, skipped, certain, evidence, decision: conclusion } = sequence
  const { of, seed } = units
  const unscaled = (one: number) => question.unscaled(one)
  const clustered = units.most > 1
  const [at_least, at_most] = sequence.interval(1).map(unscaled) as [number, number]
  const error = Number((1 - options.ci).toPrecision(12))
  // JSON has no infinity.
  const amount = (log: number) => (log > 700 ? null : Math.exp(log))
  return {
    conclusion,
    clustered,
    ci: sequence.interval().map(unscaled) as [number, number],
    report: {
      decision: conclusion,
      ...question.asked,
      at,
      of: of ?? null,
      valid,
      failed,
      ...(skipped > 0 && { skipped }),
      certain,
      at_least,
      at_most,
      evidence: { above: amount(evidence.above), below: amount(evidence.below) },
      error,
      about: options.about,
      seed: seed ?? null,
    },
    words(what) {
      const one = clustered ? 'cluster' : 'item'
      const asked = of === undefined ? `${at} ${one}s` : `${at} of ${of} ${one}s`
      const all = options.about === 'population' ? ' in general' : of === undefined ? '' : ` on all ${of}`
      const risk = certain ? '' : ` (wrong in at most ${Number((error * 100).toPrecision(4))} % of orders)`
      return conclusion === 'undecided'
        ? `not decided after ${asked}: ${what}${all}`
        : `decided after ${asked}: ${what}${all}${risk}`
    },
  }
}

/** A sentence about the gate. */
export function gateSentence({ conclusion, words, report }: Decided, gate: number, scaling: Scaling): string {
  const shown = (value: number) =>
    scaling.isShare ? `${Number((value * 100).toFixed(1))} %` : String(Number(value.toFixed(3)))
  const known = {
    pass: `at least ${shown(gate)}`,
    fail: `below ${shown(gate)}`,
    undecided: `from ${shown(report.at_least)} to ${shown(report.at_most)}`,
  }
  return words(known[conclusion as keyof typeof known])
}
