/** Whether two runs are of one design, and in what they differ. */
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { type Aspect, differencesOf, type RunDifference } from '../../scoring/provenance.ts'
import type { CompareOptions } from './options.ts'
import type { ComparedRun } from './runs.ts'

export type RunPair = readonly [a: ComparedRun, b: ComparedRun]

/** Runs that differ in one of these are not compared without a word. */
const DESIGN: readonly Aspect[] = ['orders', 'samples', 'criteria']

const apart = ([a, b]: RunPair) => differencesOf(a.judgedBy, b.judgedBy)

/** @throws Fatal (data) for runs of different designs, unless --differ allows them */
export function checkDesigns(
  pairs: readonly RunPair[],
  { differ }: CompareOptions,
  note: Context['note'],
): void {
  for (const pair of pairs) {
    const found = apart(pair).filter(({ aspect }) => DESIGN.includes(aspect))
    if (found.length === 0) continue
    const names = pair.map(({ name }) => name)
    const words = found.map(
      ({ what, values }) => `${what} ${values[0]} in ${names[0]}, ${values[1]} in ${names[1]}`,
    )
    const refused = found.filter(({ aspect }) => !differ.includes(aspect))
    if (refused.length === 0) note(`runs of another design are compared: ${words.join('; ')}`)
    else
      throw new Fatal(
        EXIT.data,
        `not of the same design: ${words.join('; ')} (${refused.map(({ aspect }) => `--differ ${aspect}`).join(' ')} compares them all the same)`,
      )
  }
}

/** Who judged: the parts of the name of a run that no file or field names. */
const NAMED: readonly Aspect[] = ['judge', 'name', 'variant', 'digest', 'model']

/** The names of two runs, with that in which they differ. */
export function titlesOf(pair: RunPair): { a: string; b: string } {
  const all = apart(pair)
  // Another judge has another digest, and parameters of its own.
  const isOther = all.some(({ aspect }) => aspect === 'judge')
  const [a, b] = pair.map((run, side) => {
    const told = ({ aspect }: RunDifference) =>
      !(isOther && (aspect === 'digest' || aspect === 'parameters')) &&
      !(run.judges === undefined && NAMED.includes(aspect))
    const words = all.filter(told).map(({ what, values }) => `${what} ${values[side]}`)
    return words.length > 0 ? `${run.name} (${words.join(', ')})` : run.name
  })
  return { a: a!, b: b! }
}
