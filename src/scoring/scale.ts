/** Scales of grades. */
import { EXIT, Fatal, type Json, usageError } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import type { Outcome } from './outcome.ts'

export type GradeScale = [low: number, high: number]

/** The scale of --rescale; undefined without the option. @throws Fatal (usage) */
export function scaleOption({ rescale }: { rescale?: string | undefined }): GradeScale | undefined {
  if (rescale === undefined) return undefined
  const [low, high, ...more] = rescale
    .split(',')
    .map((text) => (text.trim() === '' ? Number.NaN : Number(text)))
  if (more.length === 0 && low! < high! && high! - low! < Number.POSITIVE_INFINITY) return [low!, high!]
  throw usageError(
    `--rescale: expected the least and the largest number of a scale, as in 1,5, not "${rescale}"`,
  )
}

/** A number of one scale on another, end to end. */
const onScale = (value: number, [low, high]: GradeScale, [to, top]: GradeScale): number =>
  to + ((value - low) * (top - to)) / (high - low)

/** An outcome on this scale, if it is a grade whose scale is known. */
export function rescaled(outcome: Outcome | undefined, scale: GradeScale | undefined): Outcome | undefined {
  if (!scale || outcome?.measure !== 'score' || !outcome.range) return outcome
  return { ...outcome, value: onScale(outcome.value, outcome.range, scale), range: scale }
}

/** `1 to 5`; of several `1 to 5 and 1 to 10`. */
export const scaleWords = (scales: readonly GradeScale[]): string =>
  scales.map(([low, high]) => `${low} to ${high}`).join(' and ')

/** The least and the largest of numbers. */
export class Span {
  low = Number.POSITIVE_INFINITY
  high = Number.NEGATIVE_INFINITY

  add(number: number): void {
    if (number < this.low) this.low = number
    if (number > this.high) this.high = number
  }

  within([low, high]: GradeScale): boolean {
    return low <= this.low && this.high <= high
  }

  /** Whether all of them are in one half of a scale, and not all in its middle. */
  isHalf([low, high]: GradeScale): boolean {
    const middle = (low + high) / 2
    return this.low < this.high && (this.high <= middle || this.low >= middle)
  }
}

/** Grades that people gave, beside the scale of the judge's. */
export class LabelScales {
  /** That of --rescale. */
  private readonly scale: GradeScale | undefined
  private readonly labels = new Map<string, { scale: GradeScale; labels: Span }>()
  private readonly numbers: ReadonlySet<number> | undefined

  /** @param numbers those of all labels, where all are known */
  constructor(scale: GradeScale | undefined, numbers?: ReadonlySet<number>) {
    this.scale = scale
    this.numbers = numbers
  }

  /**
   * The index of the answer that a number means, where the labels count answers from 1: all numbers are from 1 to how many
   * answers there are, and both of these are among them. Where there is a 0, two ways to count are possible.
   */
  place(label: Json, answers: number | undefined): number | undefined {
    const { numbers } = this
    if (!answers || !numbers?.has(1) || !numbers.has(answers) || typeof label === 'boolean') return undefined
    const counts = [...numbers].every((one) => Number.isInteger(one) && one >= 1 && one <= answers)
    const number = Number(label)
    return counts && numbers.has(number) ? number - 1 : undefined
  }

  /** A grade on the judge's scale; as it is where that is not known. */
  read(label: number | undefined, judged: GradeScale | undefined): number | undefined {
    if (label === undefined || !judged) return label
    const key = judged.join()
    let of = this.labels.get(key)
    if (!of) this.labels.set(key, (of = { scale: judged, labels: new Span() }))
    of.labels.add(label)
    return this.scale ? onScale(label, this.scale, judged) : label
  }

  /** Tells of labels that seem to be of another scale. @throws Fatal (data) for labels that cannot be of the judge's */
  tell(note: Context['note']): void {
    for (const { scale, labels } of this.labels.values()) {
      const words = `people's grades are from ${labels.low} to ${labels.high}`
      const judged = `the judge's scale is ${scaleWords([scale])}`
      if (this.scale) {
        if (labels.within(this.scale)) continue
        throw new Fatal(EXIT.data, `--rescale ${this.scale}: ${words}, beyond that scale`)
      }
      const ends = labels.low < labels.high ? `${labels.low},${labels.high}` : 'LOW,HIGH'
      const how = `--rescale ${ends}, if these are the ends of their scale, takes them to the judge's`
      if (!labels.within(scale)) throw new Fatal(EXIT.data, `${words}, and ${judged} (${how})`)
      if (labels.isHalf(scale))
        note(
          `${words}, in one half of the judge's scale, which is ${scaleWords([scale])} (--rescale LOW,HIGH: people had another)`,
        )
    }
    if (this.scale && this.labels.size === 0)
      note(
        `--rescale ${this.scale}: no grade of a judge has a scale (verdict.range of its file), so nothing was taken to it`,
      )
  }
}
