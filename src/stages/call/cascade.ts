/** --where: a cascade. Only items on which an earlier model was unsure are asked of this one. */
import { itemId } from '../../rows/item_id.ts'
import type { Rows } from '../../rows/reader.ts'
import { type Cascade, type Criterion, EXIT, FAILED_CALLS, Fatal, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, forget } from '../../rows/stage.ts'
import { itemConfidence, partOf, saidIn } from '../../scoring/confidence.ts'
import { decidedBy, type Tried, trialsApart } from '../../scoring/item_result.ts'

/** Of what all trials of an item say, of a window each element by itself. @param asked the criteria that they asked about */
type Condition = (trials: readonly Tried[], asked: readonly Criterion[]) => boolean

/** What a trial decided; undefined if it has no verdict. */
const saidBy = ({ verdict }: Tried): unknown => verdict && saidIn(verdict)

/** Whether two trials about the same, alike in one member of `jb.trial` and not in another one, differ in what they decided. */
const differ = (trials: readonly Tried[], alike: 'order' | 'sample', other: 'order' | 'sample') =>
  trials.some((one, i) =>
    trials.slice(i + 1).some((next) => {
      const [first, second] = [one.trial, next.trial]
      if (first[alike] !== second[alike] || first[other] === second[other]) return false
      if (partOf(one) !== partOf(next)) return false
      const [a, b] = [saidBy(one), saidBy(next)]
      return a !== undefined && b !== undefined && a !== b
    }),
  )

/** What trials of an item have to differ in for a condition to hold, and how jb-render makes such trials. */
const NEEDS: Readonly<Record<string, [key: 'order' | 'sample', how: string]>> = {
  inconsistent: ['order', '--order both'],
  split: ['sample', '--samples N'],
}

const CONDITIONS: Record<string, Condition> = {
  error: (trials) =>
    trials.some(({ error, verdict }) => (error ? !FAILED_CALLS.includes(error.code) : !verdict)),
  inconsistent: (trials) => differ(trials, 'sample', 'order'),
  split: (trials) => differ(trials, 'order', 'sample'),
  tie(trials) {
    const balance = { 'A>B': 1, 'B>A': -1, 'A=B': 0 } as Record<string, number>
    const said = trials.map(saidBy)
    if (said.includes('tie')) return true
    return (
      said.every((one) => String(one) in balance) &&
      said.reduce<number>((sum, one) => sum + balance[String(one)]!, 0) === 0
    )
  },
}

interface Named {
  why: string
  holds: Condition
  /** It compares confidences from 0 to 1. */
  isShare: boolean
}

/** @throws Fatal (usage) */
function conditionsOf(where: string): Named[] {
  return where.split(',').map((text) => {
    const why = text.trim()
    const least = Number(/^confidence\s*<\s*(\d*\.?\d+)$/.exec(why)?.[1] ?? Number.NaN)
    if (!Number.isNaN(least))
      return { why, holds: (trials, asked) => confidenceOf(trials, asked) < least, isShare: least <= 1 }
    if (Object.hasOwn(CONDITIONS, why)) return { why, holds: CONDITIONS[why]!, isShare: false }
    throw usageError(`--where: one of ${Object.keys(CONDITIONS).join(', ')}, confidence<C, not "${why}"`)
  })
}

/** That of what the trials come to; 0 where they come to nothing, or one states none. */
function confidenceOf(trials: readonly Tried[], asked: readonly Criterion[]): number {
  const { result } = decidedBy({ of: trials.length, trials, asked, about: () => ({}) }, {}, () => {})
  return (result && itemConfidence(result, trials)) ?? 0
}

/** What a row says of its trial. */
const triedIn = (row: Row): Tried[] =>
  trialsApart({
    trial: row.get('trial') ?? {},
    verdict: row.get('verdict'),
    error: row.has('error') ? row.get('error') : undefined,
  })

/** Models in the order in which they are asked, as a name. */
const JOINED = ' > '

export class Escalation {
  /** Rows that are passed on without a call. */
  readonly settled = new WeakSet<Row>()
  private readonly conditions: Named[]
  private readonly model: string
  private readonly done = new Set<string>()
  /** Conditions that no item so far could fulfil. */
  private readonly idle: Set<string>
  private readonly note: Context['note']

  /** @throws Fatal (usage) */
  constructor(where: string, model: string | undefined, note: Context['note']) {
    this.conditions = conditionsOf(where)
    this.idle = new Set(this.conditions.flatMap(({ why }) => (Object.hasOwn(NEEDS, why) ? why : [])))
    this.note = note
    if (model === undefined) throw usageError('--where: --model names the model that is asked then')
    this.model = model
  }

  /** The same rows, marked: an item's are yielded together, as soon as all of its trials are there. */
  async *mark(rows: Rows): Rows {
    const trials: Row[] = []
    let item: string | undefined
    for await (const batch of rows)
      for (const row of batch) {
        const next = JSON.stringify([row.get('judge'), row.get('name'), row.get('item') ?? itemId(row)])
        if (trials.length > 0 && next !== item) yield this.decided(item!, trials.splice(0), row)
        item = next
        trials.push(row)
        if (trials.length >= (row.get('trial')?.of ?? 1)) yield this.decided(item, trials.splice(0), row)
      }
    if (trials.length > 0) yield this.decided(item!, trials, trials[0]!)
    if (this.done.size === 0) return
    for (const why of this.idle)
      this.note(`--where ${why}: no item has several ${NEEDS[why]![0]}s (jb-render ${NEEDS[why]![1]})`)
  }

  private decided(item: string, trials: Row[], { place }: Row): Row[] {
    if (this.done.has(item))
      throw new Fatal(
        EXIT.data,
        `${place}: --where: the trials of an item do not follow one another: jb-call --unordered? (${item})`,
      )
    this.done.add(item)
    for (const why of this.idle)
      if (new Set(trials.map((row) => row.get('trial')?.[NEEDS[why]![0]])).size > 1) this.idle.delete(why)
    const before = trials.find((row) => row.has('cascade'))?.get('cascade')
    if (before?.name.split(JOINED).at(-1) !== this.model) for (const row of trials) this.check(row)
    const small = before?.name ?? trials.map(modelOf).find((model) => model !== undefined)
    // It failed before it was asked.
    if (small === undefined) for (const row of trials) this.settled.add(row)
    else this.advance(trials, small, before)
    return trials
  }

  /** @throws Fatal for a row without a verdict, or with a confidence on another scale than that of the condition */
  private check(row: Row): void {
    checkRead(row)
    if (!this.conditions.some(({ isShare }) => isShare)) return
    for (const { verdict } of triedIn(row)) {
      const confidence = verdict?.confidence
      if (typeof confidence === 'number' && confidence > 1)
        throw new Fatal(
          EXIT.data,
          `${row.place}: jb.verdict.confidence is ${confidence}, expected 0 to 1: divide it, or compare with C on its scale`,
        )
    }
  }

  private advance(trials: readonly Row[], small: string, before: Cascade | undefined): void {
    const models = small.split(JOINED)
    // Rows of this very stage, run again: only what it failed on is asked again.
    if (before && models.at(-1) === this.model) {
      if (before.stage < models.length) for (const row of trials) this.settled.add(row)
      return
    }
    const isAsked = trials.every((row) => row.has('request'))
    const tried = isAsked ? trials.flatMap(triedIn) : []
    const asked = trials.flatMap((row) => row.get('criteria') ?? row.get('criterion') ?? [])
    const why = isAsked && this.conditions.find(({ holds }) => holds(tried, asked))?.why
    const name = [small, this.model].join(JOINED)
    for (const row of trials) {
      if (why) {
        escalate(row)
        row.set('cascade', { name, stage: models.length + 1, why })
      } else {
        row.set('cascade', { ...before, name, stage: before?.stage ?? 1 })
        this.settled.add(row)
      }
    }
  }
}

/** @throws Fatal (usage) for a row whose verdict is not there to be looked at: every item would seem unsure, or none */
function checkRead(row: Row): void {
  if (row.has('trials'))
    throw usageError(`${row.place}: --where takes the rows of jb-parse, not those of jb-score`)
  if (row.has('verdict') || row.has('error')) return
  throw usageError(
    `${row.place}: --where looks at verdicts, and ${row.has('reply') ? 'this reply was not read: jb-parse comes before it' : 'no model was asked: jb-call -m MODEL, then jb-parse, come before it'}`,
  )
}

function modelOf(row: Row): string | undefined {
  const model = row.get('reply')?.model ?? row.get('verdict')?.model ?? row.get('error')?.model
  return typeof model === 'string' ? model : undefined
}

/** Moves what the model before came to. */
function escalate(row: Row): void {
  const [reply, verdict, error] = [row.get('reply'), row.get('verdict'), row.get('error')]
  const one = { ...(reply && { reply }), ...(verdict && { verdict }), ...(error && { error }) }
  row.set('earlier', [...(row.get('earlier') ?? []), one])
  forget(row, ['reply', 'verdict', 'error', 'result', 'trials'])
}
