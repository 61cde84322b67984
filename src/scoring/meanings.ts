/** What trials ask and what replies mean, each numbered by value: rows share them. */
import type { Criterion, Trial, Verdict } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { Combinations, type RowValues } from '../rows/values.ts'
import { mixed, mixedNumber, textDigest } from './digest.ts'
import { Interned } from './interned.ts'
import { canonical } from './kind.ts'
import { KIND } from './kinds.ts'

/** What a trial asks, besides its number. */
export const ASKS = [
  'order',
  'member',
  'sample',
  'seed',
  'criterion',
  'nugget',
  'nuggets',
  'window',
  'pair',
  'answers',
  'turn',
  'shown',
  'options',
] as const

const WINDOW = ASKS.indexOf('window')

/** What counts of a verdict, whatever its kind; its score is a number of its own. */
export const READS = [...new Set(Object.values(KIND).flatMap(({ reads }) => reads))].filter(
  (key) => key !== 'score' && key !== 'label',
)
/** Any other decision is read with its label. */
const PLAIN: unknown[] = [undefined, 'A>B', 'B>A', 'A=B']

interface Asked {
  trial: Partial<Trial>
  criterion: Criterion | undefined
}

interface Said {
  verdict: Verdict
  digest: number
}

export class Meanings {
  private readonly asks = new Interned<Asked>()
  private readonly said = new Interned<Said>()
  /** Members of a verdict that the command reads besides. */
  private readonly more: readonly string[]
  /** By combination of the values in a row: their numbers by value. */
  private readonly asksIn = new Combinations(ASKS.length + 1)
  private readonly saidIn: Combinations
  private readonly askNumbers: number[] = []
  private readonly saidNumbers: number[] = []

  constructor(more: readonly string[]) {
    this.more = more
    this.saidIn = new Combinations(READS.length + more.length + 3)
  }

  /** The number of what a row's trial asks. @param slots of ASKS and of the criterion */
  askIn(values: RowValues, slots: readonly number[], row: () => Row): number {
    // Ids of a window stand under a key of the judge's own.
    if (values.has(slots[WINDOW]!)) return this.ask(row().get('trial')!, row().get('criterion'))
    const node = this.asksIn.number(values, slots)
    return (this.askNumbers[node] ??= this.ask(row().get('trial') ?? {}, row().get('criterion')))
  }

  /** The same of a trial. */
  ask(trial: Partial<Trial>, criterion: Criterion | undefined): number {
    const names = [...ASKS, ...Object.values(trial.window ?? {})]
    const known = Object.fromEntries(names.filter((name) => name in trial).map((name) => [name, trial[name]]))
    return this.asks.number(canonical([known, criterion ?? null]), () => ({ trial: known, criterion }))
  }

  asked(number: number): Asked {
    return this.asks.values[number]!
  }

  /**
   * The number of what a row's verdict means, without its score.
   * @param slots of READS and of the further members, then of the decision's label
   * @param score whether there is one, which may be null
   */
  sayingIn(values: RowValues, slots: readonly number[], score: boolean, row: () => Row): number {
    let node = score ? this.saidIn.step(0, slots.length, 1) : 0
    for (let place = 0; place < slots.length - 1; place++) {
      const slot = slots[place]!
      if (values.from(slot) >= 0) node = this.saidIn.step(node, place, this.saidIn.code(values, place, slot))
    }
    let number = this.saidNumbers[node]
    if (number !== undefined && number >= 0) return number
    const verdict = row().get('verdict')!
    if (PLAIN.includes(verdict.decision)) return (this.saidNumbers[node] = this.saying(verdict))
    // A decision that is no plain one is read with its label.
    this.saidNumbers[node] = -1
    number = this.saidIn.number(values, slots, this.saidIn.step(node, slots.length, 2))
    return (this.saidNumbers[number] ??= this.saying(verdict))
  }

  /** The same of a verdict. */
  saying(verdict: Verdict): number {
    const read = readOf(verdict)
    if ('score' in read) read.score = null
    const more = this.more.filter((name) => name in verdict)
    const known = { ...read, ...Object.fromEntries(more.map((name) => [name, verdict[name]])) }
    return this.said.number(canonical(known), () => ({ verdict: known, digest: textDigest(canonical(read)) }))
  }

  /** What a reply means; its score is null. Undefined for {@link UNTRIED}. */
  verdict(number: number): Verdict | undefined {
    return this.said.values[number]?.verdict
  }

  /** The digest of a reply. @param value its score; NaN for none @param text digest of its text @param ask number */
  digest(number: number, value: number, text: number, ask: number): number {
    return replyDigest(this.said.values[number]!.digest, value, text, this.asked(ask).criterion?.name)
  }
}

/** The members of a verdict that count. */
function readOf(verdict: Verdict): Verdict {
  const names = [...READS, 'score', ...(PLAIN.includes(verdict.decision) ? [] : ['label'])]
  return Object.fromEntries(
    names.filter((name) => name in verdict).map((name) => [name, verdict[name]]),
  ) as Verdict
}

function replyDigest(said: number, value: number, text: number, criterion: string | undefined): number {
  let digest = mixed(said, text)
  if (!Number.isNaN(value)) digest = mixedNumber(digest, value)
  if (criterion !== undefined) digest = mixed(digest, textDigest(criterion))
  return digest >>> 0
}
