/** What an item's own fields say for a report: its label, the models that it compares, and the groups it counts in. */

import { fieldNames } from '../rows/item_id.ts'
import { getOrInsert } from '../rows/maps.ts'
import { MODEL_FIELDS, textsIn } from '../rows/pair_fields.ts'
import { Plan, scan } from '../rows/plan.ts'
import { type Criterion, type Json, type Kind, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { Combinations } from '../rows/values.ts'
import type { Current } from './intake.ts'
import { Interned } from './interned.ts'
import type { About, ScoreSettings } from './kind.ts'
import { KIND } from './kinds.ts'
import { labelIn } from './label.ts'
import type { Leads, Ledger } from './ledger.ts'

/** Without --by, a report has groups by the first of these fields that rows have. */
export const BY_DEFAULT = ['source', 'category', 'subset', 'task']

/** Fields of --by; undefined without the option. */
export const groupFields = (by: readonly string[] = []): readonly string[] | undefined =>
  by.includes('none') ? [] : by.length > 0 ? by : undefined

const MODELS = MODEL_FIELDS.flat()

/** Rows whose labels differ contradict each other, whatever the groups are. */
const ALWAYS = -1
const NEVER = Number.POSITIVE_INFINITY
/** In place of the places of a plan: the row was not scanned. */
const UNSCANNED = -2

export interface Lead extends Omit<About, 'asked'> {
  /** What its label means, as text. */
  meaning: string
  /** Its values of the fields of --by; without --by one value, of the first usual field that it has. */
  groups: (string | undefined)[]
  /** The models whose answers a pair compares, if the row names them. */
  models: [string, string] | undefined
  /** Without --by: the index of that field. */
  usual: number
  /** The first usual field in which its rows differ, or {@link ALWAYS}, or {@link NEVER}. */
  apart: number
  /** The number of the lead that counts, of those that this one joins. */
  from?: number
  /** Why the criteria of --criteria cannot be read. */
  failure?: RowFailure
}

export class ItemLeads implements Leads {
  /** The fields of --by; undefined for the usual ones. */
  readonly by: readonly string[] | undefined
  /** Fields of a row that lacks one of --by. */
  fields: string[] | undefined
  /** The index of the usual field that groups are by: known once all rows are in. */
  best = BY_DEFAULT.length
  /** Rows whose usual groups differ contradict each other, whichever field groups are by. */
  strict = false
  /** The number that was taken last. */
  taken = 0
  private readonly leads = new Interned<Lead>()
  private readonly settings: ScoreSettings
  private readonly current: () => Current
  private readonly labels: readonly string[]
  private readonly plan: Plan | undefined
  /** Of the fields that the plan has: their slots. */
  private readonly slots = new Map<string, number>()
  /** Numbers what the fields of a row are, if the plan has all of them; by kind and number the lead. */
  private readonly combinations: Combinations | undefined
  private readonly known = new Map<Kind | undefined, number[]>()

  constructor(by: readonly string[], settings: ScoreSettings, current: () => Current) {
    this.by = groupFields(by)
    this.settings = settings
    this.current = current
    const { label } = settings
    this.labels = label === undefined ? ['label', 'expected_result'] : [label]
    const fields = [...new Set([...this.labels, ...(this.by ?? BY_DEFAULT), ...MODELS])]
    const plain = fields.filter((field) => !/[.*]/.test(field))
    if (plain.length > 0) this.plan = new Plan(...plain)
    for (const field of plain) this.slots.set(field, this.plan!.slot(field))
    this.combinations = plain.length === fields.length ? new Combinations(plain.length) : undefined
  }

  get(number: number): Lead {
    return this.leads.values[number]!
  }

  /** Without --by, groups are by the first usual field that an item has: to be called once all rows are in. */
  findGroups(ledger: Ledger): void {
    if (this.by) return
    for (let item = 1; item <= ledger.size; item++)
      this.best = Math.min(this.best, this.get(ledger.leadOf(item)).usual)
  }

  take(): number {
    const current = this.current()
    const { kind } = current
    const { by, settings } = this
    this.scan(current)
    const known = getOrInsert(this.known, kind, () => [])
    const combination = this.combination(current)
    this.taken = known[combination] ?? 0
    if (this.taken > 0) return this.taken
    const fields = kind === undefined ? [] : settings.label === undefined ? KIND[kind].labels : this.labels
    const labels = fields.map((field) => this.text(field, current))
    const groups = by
      ? by.map((field) => this.text(field, current))
      : [BY_DEFAULT.map((field) => this.text(field, current)).find((text) => text !== undefined)]
    const usual = by ? -1 : this.usualOf(current)
    if (by?.length && groups.includes(undefined)) this.fields ??= fieldNames(current.row())
    const criteria = this.criteriaOf(current)
    const models = kind === 'pairwise' ? MODELS.map((field) => this.text(field, current)) : []
    const key = JSON.stringify([kind, labels, usual, groups, criteria.key, models])
    this.taken = this.leads.number(key, () => this.lead(current, usual, groups, criteria))
    if (combination >= 0) known[combination] = this.taken
    return this.taken
  }

  /** A number for all fields that a lead depends on, as they stand in the row; -1: not known without reading it. */
  private combination({ lines }: Current): number {
    const { combinations, plan, settings } = this
    if (!lines || !combinations || !plan || plan.at[0] === UNSCANNED) return -1
    if (settings.criteriaSource && !settings.criteriaSource.fixed) return -1
    let number = 0
    let place = 0
    for (const slot of this.slots.values()) {
      const from = plan.at[2 * slot]!
      if (from >= 0) {
        const code = combinations.codes[place]!.code(lines.bytes, from, plan.at[2 * slot + 1]!)
        number = combinations.step(number, place, code)
      }
      place++
    }
    return number
  }

  /** Finds the fields in the bytes of the row. */
  private scan({ lines }: Current): void {
    const { plan } = this
    if (!plan) return
    const isRead = lines && scan(lines.bytes, lines.begin, lines.end, plan, lines.userEnd) >= 0
    if (!isRead) plan.at.fill(UNSCANNED)
  }

  /** The JSON text of a field, as Latin-1. */
  private text(field: string, { lines, row }: Current): string | undefined {
    const slot = this.slots.get(field)
    const from = slot === undefined ? UNSCANNED : this.plan!.at[2 * slot]!
    if (from === UNSCANNED) return row().fieldText(field)
    return from < 0 ? undefined : lines!.bytes.utf8Slice(from, this.plan!.at[2 * slot! + 1]!)
  }

  private usualOf(current: Current): number {
    const found = BY_DEFAULT.findIndex((field) => this.text(field, current) !== undefined)
    return found < 0 ? BY_DEFAULT.length : found
  }

  private criteriaOf({ kind, row }: Current): {
    key?: string
    of?: readonly Criterion[]
    failure?: RowFailure
  } {
    const { criteriaSource } = this.settings
    if (!criteriaSource || kind !== 'choice') return {}
    if (criteriaSource.fixed) return { of: criteriaSource.fixed }
    try {
      const of = criteriaSource.of(row())
      return { key: JSON.stringify(of), of }
    } catch (failure) {
      if (failure instanceof RowFailure) return { key: failure.message, failure }
      throw failure
    }
  }

  private lead(
    { kind, row }: Current,
    usual: number,
    groups: (string | undefined)[],
    { of, failure }: { of?: readonly Criterion[]; failure?: RowFailure },
  ): Lead {
    const said = kind === undefined ? {} : labelIn(row(), KIND[kind], this.settings)
    const field = this.by ? undefined : BY_DEFAULT[usual]
    return {
      ...said,
      ...(of && { criteria: of }),
      ...(failure && { failure }),
      meaning: meaningOf(said.label ?? said.lack, (label) => (kind ? KIND[kind].meaning(label) : '')),
      groups: groups.map((text, i) =>
        text === undefined ? undefined : groupName(row(), this.by?.[i] ?? field!),
      ),
      models: kind === 'pairwise' ? textsIn(row(), MODEL_FIELDS) : undefined,
      usual,
      apart: NEVER,
    }
  }

  join(one: number, other: number, replied: boolean): number {
    if (one === other) return one
    const [a, b] = [this.get(one), this.get(other)]
    const least = this.compare(a, b) <= 0 ? a : b
    const sameGroups = a.usual === b.usual && a.groups.every((group, i) => group === b.groups[i])
    const apart = !replied
      ? NEVER
      : Math.min(
          a.apart,
          b.apart,
          a.meaning !== b.meaning || String(a.models) !== String(b.models) ? ALWAYS : NEVER,
          sameGroups ? NEVER : this.by ? ALWAYS : Math.min(a.usual, b.usual),
        )
    if (apart === least.apart) return least === a ? one : other
    const { criteria, from: _, ...rest } = least
    return this.leads.number(JSON.stringify([rest, apart, criteria]), () => ({
      ...least,
      apart,
      from: this.from(least === a ? one : other),
    }))
  }

  /** The order of what rows say: by their labels, then by their groups; a group comes before none. */
  private compare(a: Lead, b: Lead): number {
    if (a.usual !== b.usual) return a.usual - b.usual
    for (const [i, group] of a.groups.entries()) {
      const order = compareTexts(group, b.groups[i])
      if (order !== 0) return order
    }
    return compareTexts(a.meaning, b.meaning) || compareTexts(a.models?.join(), b.models?.join())
  }

  from(number: number): number {
    return this.get(number).from ?? number
  }

  differs(number: number): boolean {
    const { apart } = this.get(number)
    return apart === ALWAYS || (apart !== NEVER && (this.strict || apart === this.best))
  }

  /** The groups of an item by field: those that it counts in. */
  groupsOf(number: number): [field: string, value: string][] {
    const { groups, usual } = this.get(number)
    if (!this.by)
      return usual === this.best && usual < BY_DEFAULT.length ? [[BY_DEFAULT[usual]!, groups[0]!]] : []
    return this.by.flatMap((field, i) =>
      groups[i] === undefined ? [] : [[field, groups[i]] as [string, string]],
    )
  }
}

const compareTexts = (a: string | undefined, b: string | undefined) =>
  a === b ? 0 : b === undefined ? -1 : a === undefined ? 1 : a < b ? -1 : 1

function meaningOf(label: Json | undefined, meaning: (label: Json) => string): string {
  if (label === undefined) return ''
  try {
    return meaning(label)
  } catch {
    // It is nested too deeply to be compared by value.
    return JSON.stringify([typeof label])
  }
}

/** The name of a group: a string itself, else compact JSON, or the row's own text if it is nested too deeply for that. */
export function groupName(row: Row, field: string): string {
  const value = row.field(field)
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return row.fieldText(field)!
  }
}

/** Fields of which any difference is a contradiction: for commands that write or measure them. */
export class FieldLeads implements Leads {
  taken = 0
  private readonly leads = new Interned<{ text: string; apart: boolean }>()
  private readonly fields: readonly string[] | 'all'
  private readonly current: () => Current

  constructor(fields: readonly string[] | 'all', current: () => Current) {
    this.fields = fields
    this.current = current
  }

  take(): number {
    const row = this.current().row()
    const { fields } = this
    const text =
      fields === 'all' ? row.itemText() : fields.map((field) => row.fieldText(field) ?? '').join('\n')
    this.taken = this.number(text, false)
    return this.taken
  }

  private number(text: string, apart: boolean): number {
    return this.leads.number(`${apart}${text}`, () => ({ text, apart }))
  }

  join(one: number, other: number, replied: boolean): number {
    if (one === other) return one
    const [a, b] = [this.leads.values[one]!, this.leads.values[other]!]
    const isApart = replied && (a.apart || b.apart || a.text !== b.text)
    return this.number(a.text < b.text ? a.text : b.text, isApart)
  }

  from(number: number): number {
    return this.number(this.leads.values[number]!.text, false)
  }

  differs(number: number): boolean {
    return this.leads.values[number]!.apart
  }
}
