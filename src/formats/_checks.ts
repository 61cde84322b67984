/** Items as checks that passed or failed, and gates: what CI shows. */
import type { Option } from '../options/option.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, type Kind, type Result, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { type ExpectOptions, expectedItems, expectedNumber } from '../scoring/expected.ts'
import { GATE_OPTIONS, type GateAnswer, type Gates, gatesOf } from '../scoring/gates.ts'
import { Group } from '../scoring/group.ts'
import { groupName } from '../scoring/group_name.ts'
import type { ScoreSettings } from '../scoring/kind.ts'
import { identityOf, nameOfRun, runKey } from '../scoring/run_identity.ts'
import type { GradeScale } from '../scoring/scale.ts'
import type { FormatOptions } from './_format.ts'

export const CHECK_OPTIONS = [
  {
    name: 'pass',
    type: 'number',
    value: 'X',
    about: 'an item whose score is below X fails (one with a label fails where the judge differs from it)',
  },
  {
    name: 'by',
    type: 'list',
    value: 'FIELD',
    about: 'also apart for each value of this field (dotted path)',
  },
  {
    name: 'expect',
    type: 'string',
    value: 'N|FILE',
    about: 'how many items there should be, or the file that holds them: missing ones fail',
  },
  {
    name: 'id',
    type: 'string',
    value: 'FIELD',
    about: 'with --expect FILE: the field that jb-render --id named',
  },
  ...GATE_OPTIONS,
] as const satisfies readonly Option[]

/** Beside the usual fields: rows of an item may not differ in those of --by. */
export const checkFields = ({ by }: FormatOptions): string[] => (by as string[] | undefined) ?? []

export interface CheckOptions extends ScoreSettings, ExpectOptions, Gates {
  pass?: number
  by?: string[]
  expect?: string
}

/** What an item's check came to. */
interface CheckOutcome {
  is: 'passed' | 'failed' | 'error' | 'skipped'
  /** `wrong`, `tie` or `below`; of an error its code. */
  type: string
  message: string
  /** What the judge said of it. */
  reason: string
}

/** A run, or a group in it (--by). */
export class Suite {
  readonly name: string
  readonly group = new Group()
  readonly items = new Set<string>()

  constructor(name: string) {
    this.name = name
  }
}

export interface CheckedItem {
  suite: Suite
  item: string
  outcome: CheckOutcome
  /** Of its replies. */
  ms: number
}

/** The checks of a run's items, then of those that are missing; when all are read, `gates` says which were missed. */
export class Checks {
  readonly suites = new Map<string, Suite>()
  /** Runs as a whole, by their keys. */
  private readonly runs = new Map<string, Suite>()
  /** Items that passed or not. */
  private checked = 0
  private readonly options: CheckOptions
  private readonly context: Context

  constructor(options: CheckOptions, context: Context) {
    this.options = options
    this.context = context
    if (options.expect !== undefined) expectedNumber(options.expect)
  }

  /** @param rows scored */
  async *of(rows: Rows): AsyncGenerator<CheckedItem> {
    for await (const batch of rows) for (const row of batch) yield* this.added(row)
    if (!this.context.cut()) yield* this.missing()
  }

  private *added(row: Row): Generator<CheckedItem> {
    const identity = identityOf(row)
    const key = runKey(identity)
    const item = row.get('item') ?? ''
    const name = nameOfRun({ identity })
    const run = getOrInsert(this.runs, key, () => new Suite(name))
    const { by = [] } = this.options
    const groups = by.filter((field) => row.field(field) !== undefined)
    const names =
      groups.length > 0 ? groups.map((field) => `${name} ${field}=${groupName(row, field)}`) : [name]
    const result = row.get('result')
    const outcome = outcomeOf(row, this.options)
    const trials = row.get('trials') ?? []
    const ms = trials.reduce((sum, { ms }) => sum + (typeof ms === 'number' ? ms : 0), 0)
    const counted = {
      result,
      failure: row.get('error'),
      kind: (result?.kind ?? 'grade') as Kind,
      trials,
      calls: [],
    }
    if (this.options.expect !== undefined) run.items.add(item)
    run.group.add(counted)
    for (const one of names) {
      const suite = getOrInsert(this.suites, key + one, () => new Suite(one))
      suite.group.add(counted)
      yield { suite, item, outcome, ms }
    }
    if (outcome.is !== 'skipped') this.checked++
  }

  private async *missing(): AsyncGenerator<CheckedItem> {
    const { expect } = this.options
    if (expect === undefined) return
    const lost = (run: Suite, key: string, item: string, items: number, message: string): CheckedItem => {
      run.group.addFailed('missing', items)
      const suite = getOrInsert(this.suites, key + run.name, () => new Suite(run.name))
      suite.group.addFailed('missing', items)
      return { suite, item, ms: 0, outcome: { is: 'error', type: 'missing', message, reason: '' } }
    }
    const number = expectedNumber(expect)
    if (number !== undefined) {
      for (const [key, run] of this.runs) {
        const lack = number - run.group.items
        if (lack > 0) yield lost(run, key, 'missing items', lack, `${lack} of ${number} items are missing`)
      }
      return
    }
    for await (const batch of expectedItems(expect, this.options, this.context))
      for (const { id } of batch)
        for (const [key, run] of this.runs)
          if (!run.items.has(id)) yield lost(run, key, id, 1, `it is in ${expect}, and has no row here`)
  }

  /** The gates of each run; a missed one ends this one with exit code 1, as does a missing item. */
  gates(): (GateAnswer & { run: string })[] {
    const gates = [...this.runs.values()].flatMap(({ name, group }) =>
      gatesOf(group, this.options).map((gate) => ({ ...gate, run: name })),
    )
    for (const { run, missed, isWrong } of gates)
      if (missed !== undefined)
        this.context.finish(isWrong ? EXIT.usage : EXIT.gate, isWrong ? missed : `${run}: ${missed}`)
    if (this.checked === 0 && gates.length === 0)
      this.context.finish(
        EXIT.gate,
        `nothing was checked: no item has a label (--label FIELD names where it is)${this.options.pass === undefined ? ', and --pass X is not given' : ''}`,
      )
    for (const { name, group } of this.runs.values()) {
      const missing = group.failures.get('missing')
      if (missing) this.context.finish(EXIT.gate, `${name}: ${missing} items are missing`)
    }
    return gates
  }
}

const shown = ({ decision, option, winner, score }: Result): string =>
  decision ?? option ?? (winner === undefined ? `score ${score}` : `answer ${winner}`)

/** What an item's row says, as a check. */
function outcomeOf(row: Row, { pass }: CheckOptions): CheckOutcome {
  const error = row.get('error')
  const reason = reasonOf(row)
  // Others may have written it, without a message.
  if (error) return { is: 'error', type: `${error.code}`, message: `${error.message ?? ''}`, reason }
  const result = row.get('result') ?? {}
  const { correct, score, range, decision, winner, label } = result
  if (correct === false) {
    const type = decision === 'A=B' || winner === 'tie' ? 'tie' : 'wrong'
    const right = typeof label === 'string' ? label : JSON.stringify(label ?? null)
    return { is: 'failed', type, message: `${shown(result)}, the label is ${right}`, reason }
  }
  if (pass !== undefined && typeof score === 'number') {
    const [low, high] = (range as GradeScale | undefined) ?? [pass, pass]
    if (pass < low || pass > high)
      throw usageError(`--pass ${pass}: the scores of this judge are from ${low} to ${high}`)
    if (score >= pass) return { is: 'passed', type: '', message: '', reason }
    return { is: 'failed', type: 'below', message: `score ${score} is below ${pass}`, reason }
  }
  if (correct === true) return { is: 'passed', type: '', message: '', reason }
  return { is: 'skipped', type: '', message: 'no label', reason }
}

/** What the judge said in the first trial that gives a reason. */
export function reasonOf(row: Row): string {
  for (const { verdict } of row.get('trials') ?? [])
    for (const said of [verdict?.explanation, verdict?.reason, verdict?.feedback])
      if (typeof said === 'string' && said !== '') return said
  return ''
}
