/**
 * The ledger: every row that a command reads, in columns of numbers, and what counts once, decided when all rows are in.
 *
 * An item is a run and an id; its rows are those of its trials. Of several rows of one trial a reply counts before a
 * failure, equal replies count once, different ones contradict each other, and of failures the one whose code comes first
 * counts. The order of the rows never matters. A row that adds nothing to those before takes no room.
 */
import { ERROR_CODES, type ErrorCode } from '../rows/record.ts'
import { Interned } from './interned.ts'

/** What the ledger takes of a row. */
export interface Entry {
  run: number
  /** The hash of the item's id. */
  readonly key: Uint32Array
  /** Without an id the row is an item of its own. */
  named: boolean
  /** The trial, and how many the item has. */
  n: number
  of: number
  /** The number of what the trial asked; of what its reply means (0: not known). For a failure {@link FAILED} and the number of its code. */
  ask: number
  said: number
  /** A number in the verdict; NaN for none. */
  value: number
  /** Digest of the reply, and of the verdict that was read from it. */
  reply: number
  /** Digest of the prompt; 0 where it is not known. */
  asked: number
  /** Digest of what tells two calls apart. */
  call: number
  /** Amounts of the call by number, such as its cost; 0 for none. */
  readonly amounts: number[]
  /** The row is one of a trial, not of a result. */
  plain: boolean
  /** It failed before it had a model. */
  lost: boolean
}

/** Fields of an item's first row, which a command numbers as it needs. */
export interface Leads {
  /** The number of what the row that is read says. */
  take(): number
  /** The number of what two rows of an item's first trial say together, in any order. @param replied both are replies */
  join(one: number, other: number, replied: boolean): number
  /** The number that a row gave, of what it joins: that of the row whose fields count. */
  from(number: number): number
  /** Whether what it joins differs: replies that differ in it contradict each other. */
  differs(number: number): boolean
}

/** Of a ledger that only numbers items. */
export const NO_LEADS: Leads = {
  take: () => 0,
  join: (one) => one,
  from: (one) => one,
  differs: () => false,
}

/** Said by a failure, with the number of its code. */
export const FAILED = 0x80000000
/** Replies come first, then results whose trials are not known, then failures. */
const order = (said: number) => (said >= FAILED ? 2 : said === UNTRIED ? 1 : 0)

/** Said by a result whose trials are not known. */
export const UNTRIED = 0
/** Said by a call of which only the cost counts. */
const COST = 0xffffffff

/** How a row stands to earlier rows: its trial is new, or one of the two failed. */
export const FRESH = 0
const KNOWN = 1
/** The same reply of the same call; the same reply of another call; another reply, or a prompt that differs. */
export const SAME = 2
export const CALL = 3
export const OTHER = 4

/** What is known of a row's trial, and of its call; the row says nothing new. */
const TRIAL = 1
const PAID = 2
const THERE = 4

/** Flags of an item. */
const LEAD_REPLIED = 1
const CONFLICT = 2
const PLAIN = 4
const RELEASED = 8
const REPEATED = 16

/** Before there is a row. */
const NONE = 0xffffffff

/** The share of slots in use at most. */
const FULLEST = 0.75

type Numbers = Uint32Array | Float64Array | Uint8Array

/** A copy with room for at least `least` numbers, and for twice as many as before. */
export function grown<T extends Numbers>(column: T, least: number): T {
  const length = Math.max(least, 2 * column.length)
  const copy = new (column.constructor as new (length: number) => T)(length)
  copy.set(column)
  return copy
}

/** Columns that grow together. */
class Table<C extends Record<string, Numbers>> {
  /** The number of rows; the first is 1, and 0 stands for none. */
  size = 0
  private room = 64
  readonly columns: C

  constructor(columns: (room: number) => C) {
    this.columns = columns(64)
  }

  /** Adds a row. @returns whether the columns are new arrays */
  add(): boolean {
    if (++this.size < this.room) return false
    this.room = 2 * this.room
    for (const name of Object.keys(this.columns))
      (this.columns as Record<string, Numbers>)[name] = grown(this.columns[name]!, this.room)
    return true
  }
}

export class Ledger {
  /** Codes of failures. */
  readonly codes = new Interned<string>()
  readonly incomplete = this.code('incomplete')
  readonly conflict = this.code('conflict')
  private readonly items = new Table((room) => ({
    high: new Uint32Array(room),
    low: new Uint32Array(room),
    run: new Uint32Array(room),
    first: new Uint32Array(room),
    of: new Uint32Array(room),
    /** How many different trials there are. */
    trials: new Uint32Array(room),
    leadN: new Uint32Array(room),
    lead: new Uint32Array(room),
    flags: new Uint8Array(room),
  }))
  private readonly rows = new Table((room) => ({
    next: new Uint32Array(room),
    n: new Uint32Array(room),
    ask: new Uint32Array(room),
    said: new Uint32Array(room),
    reply: new Uint32Array(room),
    asked: new Uint32Array(room),
    call: new Uint32Array(room),
  }))
  /** Values of verdicts; empty until there is one. By number of the amount: those of each record. */
  private values = new Float64Array(0)
  private readonly amountColumns: Float64Array[] = []
  /** Items by the hash of their id: open addressing. */
  private slots = new Uint32Array(64)
  private named = 0
  /** Files by the first record of each. */
  private readonly files: { name: string; first: number }[] = []
  private lines = new Uint32Array(64)
  private results = new Uint32Array(0)
  /** How many trials the rows of a run without a model say that there are, by record. */
  private readonly lostOf = new Map<number, number>()
  /** Of the item that was decided last: the records that count, in the order of its trials; trials whose rows differ. */
  readonly kept: number[] = []
  readonly differing: number[] = []
  /** How the row that was added last stands to earlier ones. */
  stands = FRESH
  /** Its record, and the same if it is new; else 0. */
  record = 0
  added = 0
  private readonly leads: Leads
  /** --combine: all replies to a trial count. */
  private readonly combines: boolean
  /** The amounts of calls are kept. */
  private readonly costs: boolean

  constructor(
    leads: Leads,
    { combine, costs = true }: { combine?: string | undefined; costs?: boolean | undefined } = {},
  ) {
    this.leads = leads
    this.combines = combine !== undefined
    this.costs = costs
  }

  get size(): number {
    return this.items.size
  }

  /** The number of records: rows that say something new. */
  get records(): number {
    return this.rows.size
  }

  code(code: string): number {
    return this.codes.number(code, () => code)
  }

  /** Adds a row. @param item where it is known. @returns its item */
  add(entry: Entry, file: string, line: number, item = this.itemOf(entry)): number {
    if (entry.of > this.items.columns.of[item]!) this.items.columns.of[item] = entry.of
    const counts = entry.said !== COST
    const replies = entry.said < FAILED
    // First, for a row whose fields cannot be read is none: nothing of it is kept.
    if (counts) this.takeLead(item, entry.n, replies)
    const found = this.compare(item, entry)
    const isPaid = (found & PAID) !== 0
    if (counts && (found & TRIAL) === 0) this.items.columns.trials[item]!++
    if ((found & THERE) === 0 && (counts || !isPaid)) this.addRecord(item, entry, isPaid, file, line)
    if (this.stands >= SAME) this.items.columns.flags[item]! |= REPEATED
    if (entry.plain && replies) this.items.columns.flags[item]! |= PLAIN
    return item
  }

  /** Compares a row with earlier ones of its trial. @returns what is known of it already */
  private compare(item: number, entry: Entry): number {
    const { next, n, said, call } = this.rows.columns
    let found = 0
    this.stands = FRESH
    this.added = 0
    for (let record = this.items.columns.first[item]!; record !== 0; record = next[record]!) {
      if (n[record] !== entry.n) continue
      if (call[record] === entry.call) found |= PAID
      if (said[record] === COST) continue
      found |= TRIAL
      if (this.compareWith(record, entry)) found |= THERE
    }
    if (entry.said < FAILED && this.stands === CALL && (found & PAID) !== 0) this.stands = SAME
    return found
  }

  /** Sets how a row stands to another of its trial. @returns whether it says nothing new */
  private compareWith(record: number, entry: Entry): boolean {
    const { said, reply, asked, call, ask } = this.rows.columns
    const replies = entry.said < FAILED
    const apart = asked[record] !== 0 && entry.asked !== 0 && asked[record] !== entry.asked
    const alike = order(said[record]!) === order(entry.said)
    const sameReply = reply[record] === entry.reply && (replies || said[record] === entry.said)
    let stands = KNOWN
    if (apart || (alike && replies && !sameReply)) stands = OTHER
    else if (alike && replies) stands = CALL
    this.stands = Math.max(this.stands, stands)
    if (apart || !alike || !sameReply || call[record] !== entry.call || ask[record] !== entry.ask)
      return false
    this.record = record
    asked[record] ||= entry.asked
    if (!replies) this.noteLost(entry, record)
    return true
  }

  /** Adds a call of a trial, of which only the cost counts. */
  addCall(entry: Entry, file: string, line: number, item: number): void {
    entry.said = COST
    this.add(entry, file, line, item)
  }

  private addRecord(item: number, entry: Entry, isPaid: boolean, file: string, line: number): void {
    this.rows.add()
    const record = this.rows.size
    this.added = record
    this.record = record
    const { first } = this.items.columns
    const { next, n, ask, said, reply, asked, call } = this.rows.columns
    next[record] = first[item]!
    first[item] = record
    n[record] = entry.n
    ask[record] = entry.ask
    said[record] = entry.said
    reply[record] = entry.reply
    asked[record] = entry.asked
    call[record] = entry.call
    if (!Number.isNaN(entry.value)) this.setValue(record, entry.value)
    const { amounts } = entry
    for (let i = 0; i < amounts.length && this.costs && !isPaid; i++)
      if (amounts[i] !== 0) this.setAmount(i, record, amounts[i]!)
    if (record >= this.lines.length) this.lines = grown(this.lines, n.length)
    this.lines[record] = line
    if (this.files.at(-1)?.name !== file) this.files.push({ name: file, first: record })
    if (entry.said >= FAILED) this.noteLost(entry, record)
  }

  private noteLost({ of, lost }: Entry, record: number): void {
    if (lost && of > (this.lostOf.get(record) ?? 1)) this.lostOf.set(record, of)
  }

  private setValue(record: number, value: number): void {
    const { values } = this
    if (record >= values.length) {
      this.values = new Float64Array(this.rows.columns.n.length).fill(Number.NaN)
      this.values.set(values)
    }
    this.values[record] = value
  }

  private setAmount(amount: number, record: number, value: number): void {
    const column = (this.amountColumns[amount] ??= new Float64Array(0))
    if (record >= column.length) this.amountColumns[amount] = grown(column, this.rows.columns.n.length)
    this.amountColumns[amount]![record] = value
  }

  /** What an item's fields say is said by the rows of its lowest trial: by those with a reply, if there is one. */
  private takeLead(item: number, trial: number, replies: boolean, number?: number): void {
    const { leadN, lead, flags } = this.items.columns
    if (trial > leadN[item]!) return
    const replied = (flags[item]! & LEAD_REPLIED) !== 0
    if (trial === leadN[item]! && replied === replies) {
      lead[item] = this.leads.join(lead[item]!, number ?? this.leads.take(), replies)
    } else if (trial < leadN[item]! || replies) {
      lead[item] = number ?? this.leads.take()
      leadN[item] = trial
      flags[item] = replies ? flags[item]! | LEAD_REPLIED : flags[item]! & ~LEAD_REPLIED
    }
  }

  /** The item of a run and a key; a new one if there is none. */
  itemOf({ run, key, named }: Pick<Entry, 'run' | 'key' | 'named'>): number {
    if (!named) return this.addItem(run, key)
    const slot = this.slotOf(run, key)
    if (this.slots[slot] !== 0) return this.slots[slot]!
    const item = this.addItem(run, key)
    this.slots[slot] = item
    if (++this.named > this.slots.length * FULLEST) this.growSlots()
    return item
  }

  /** The item of a run with this key; 0 if there is none. */
  find(run: number, key: Uint32Array): number {
    return this.slots[this.slotOf(run, key)]!
  }

  /** Whether a run has an item of another run, too. */
  has(item: number, run: number): boolean {
    return this.isNamed(item) && this.find(run, Uint32Array.from(this.keyOf(item))) !== 0
  }

  private slotOf(run: number, key: Uint32Array): number {
    const { slots } = this
    const { high, low, run: runs } = this.items.columns
    const last = slots.length - 1
    let slot = (key[0]! + Math.imul(run, 0x9e3779b1)) & last
    for (let item = slots[slot]!; item !== 0; item = slots[slot]!) {
      if (high[item] === key[0] && low[item] === key[1] && runs[item] === run) break
      slot = (slot + 1) & last
    }
    return slot
  }

  private growSlots(): void {
    const { high, run } = this.items.columns
    const slots = new Uint32Array(this.slots.length * 2)
    const last = slots.length - 1
    for (const item of this.slots) {
      if (item === 0) continue
      let slot = (high[item]! + Math.imul(run[item]!, 0x9e3779b1)) & last
      while (slots[slot] !== 0) slot = (slot + 1) & last
      slots[slot] = item
    }
    this.slots = slots
  }

  private addItem(run: number, key: Uint32Array): number {
    this.items.add()
    const item = this.items.size
    const { high, low, run: runs, of, leadN } = this.items.columns
    high[item] = key[0]!
    low[item] = key[1]!
    runs[item] = run
    of[item] = 1
    leadN[item] = NONE
    return item
  }

  /**
   * Decides what an item comes to, and puts the records that count into {@link kept}.
   * @returns the number of the code with which it fails; 0 if it does not
   */
  decide(item: number): number {
    const { kept } = this
    const { of, trials, lead } = this.items.columns
    const { said } = this.rows.columns
    kept.length = 0
    this.differing.length = 0
    if (this.leads.differs(lead[item]!)) this.differing.push(this.items.columns.leadN[item]!)
    const chain = this.chain(item)
    for (let from = 0; from < chain.length; ) {
      const to = this.trialEnd(chain, from)
      if (this.keep(chain, from, to)) this.differing.push(this.trialOf(chain[from]!))
      from = to
    }
    if (trials[item]! < of[item]!) return this.incomplete
    if (this.differing.length > 0 || this.hasConflict(item)) return this.conflict
    for (const record of kept) if (said[record]! >= FAILED) return said[record]! - FAILED
    return 0
  }

  /** Records of an item by trial: of each the replies, by digest, then the failures, by code. */
  private chain(item: number): number[] {
    const chain: number[] = []
    const { next, said } = this.rows.columns
    for (let record = this.items.columns.first[item]!; record !== 0; record = next[record]!)
      if (said[record] !== COST) chain.push(record)
    return chain.length > 1 ? chain.sort(this.byTrial) : chain
  }

  private readonly byTrial = (one: number, other: number): number => {
    const { n, said, reply, ask } = this.rows.columns
    if (n[one] !== n[other]) return n[one]! - n[other]!
    const difference = order(said[one]!) - order(said[other]!)
    if (difference !== 0) return difference
    const codes = said[one]! >= FAILED ? this.compareCodes(said[one]! - FAILED, said[other]! - FAILED) : 0
    return codes || reply[one]! - reply[other]! || ask[one]! - ask[other]!
  }

  /** The order in which codes of failures count: jb's own, then others by name. */
  compareCodes(one: number, other: number): number {
    const [a, b] = [this.codes.values[one]!, this.codes.values[other]!]
    return rank(a) - rank(b) || (a < b ? -1 : Number(a > b))
  }

  private trialEnd(chain: readonly number[], from: number): number {
    const { n } = this.rows.columns
    let to = from + 1
    while (to < chain.length && n[chain[to]!] === n[chain[from]!]) to++
    return to
  }

  /** Keeps what counts of a trial's records. @returns whether they contradict each other */
  private keep(chain: readonly number[], from: number, to: number): boolean {
    const { said, reply, asked } = this.rows.columns
    this.kept.push(chain[from]!)
    let [conflicts, prompt] = [false, 0]
    for (let at = from; at < to; at++) {
      const record = chain[at]!
      if (asked[record] !== 0 && prompt !== 0 && asked[record] !== prompt) conflicts = true
      prompt ||= asked[record]!
      if (at === from || order(said[record]!) > 0 || reply[record] === reply[chain[at - 1]!]) continue
      if (this.combines) this.kept.push(record)
      else conflicts = true
    }
    return conflicts
  }

  /** Two records of one trial that were asked differently; undefined if there are none. */
  asksApart(item: number): [number, number] | undefined {
    const { n, asked } = this.rows.columns
    const chain = this.chain(item).filter((record) => asked[record] !== 0)
    for (const one of chain) {
      const other = chain.find((other) => n[other] === n[one] && asked[other] !== asked[one])
      if (other !== undefined) return [Math.min(one, other), Math.max(one, other)]
    }
    return undefined
  }

  /** Marks an item as failed with a conflict, whatever else its rows say. */
  setConflict(item: number): void {
    this.items.columns.flags[item]! |= CONFLICT
  }

  /** Whether it was marked so. */
  hasConflict(item: number): boolean {
    return (this.items.columns.flags[item]! & CONFLICT) !== 0
  }

  release(item: number): void {
    this.items.columns.flags[item]! |= RELEASED
  }

  isReleased(item: number): boolean {
    return (this.items.columns.flags[item]! & RELEASED) !== 0
  }

  /** Whether several rows have a reply to one of its trials. */
  isRepeated(item: number): boolean {
    return (this.items.columns.flags[item]! & REPEATED) !== 0
  }

  /** Whether a row of a trial, not only one of a result, has a reply. */
  isPlain(item: number): boolean {
    return (this.items.columns.flags[item]! & PLAIN) !== 0
  }

  /** Whether all trials of an item are there. */
  isWhole(item: number): boolean {
    const { of, trials } = this.items.columns
    return trials[item]! >= of[item]!
  }

  /** How many trials an item has. */
  countOf(item: number): number {
    return this.items.columns.of[item]!
  }

  runOf(item: number): number {
    return this.items.columns.run[item]!
  }

  leadOf(item: number): number {
    return this.items.columns.lead[item]!
  }

  /** Both halves of the hash of its id. */
  keyOf(item: number): [high: number, low: number] {
    const { high, low } = this.items.columns
    return [high[item]!, low[item]!]
  }

  /** Whether the item has an id. */
  isNamed(item: number): boolean {
    const [high, low] = this.keyOf(item)
    return high !== 0 || low !== 0
  }

  trialOf(record: number): number {
    return this.rows.columns.n[record]!
  }

  askOf(record: number): number {
    return this.rows.columns.ask[record]!
  }

  saidOf(record: number): number {
    return this.rows.columns.said[record]!
  }

  valueOf(record: number): number {
    return record < this.values.length ? this.values[record]! : Number.NaN
  }

  /** All records of an item, those of calls of which only the cost counts as well. */
  *recordsOf(item: number): Generator<number> {
    const { next } = this.rows.columns
    for (let record = this.items.columns.first[item]!; record !== 0; record = next[record]!) yield record
  }

  /** The amounts of an item's calls, each call once. */
  amountsOf(item: number, amount: number): number[] {
    const column = this.amountColumns[amount]
    if (!column) return []
    const amounts: number[] = []
    const { next } = this.rows.columns
    for (let record = this.items.columns.first[item]!; record !== 0; record = next[record]!)
      if (record < column.length && column[record] !== 0) amounts.push(column[record]!)
    return amounts
  }

  /** The place of a record's row. */
  placeOf(record: number): { file: string; line: number } {
    const { name } = this.files.findLast(({ first }) => first <= record)!
    return { file: name, line: this.lines[record]! }
  }

  /** The record of an item's last row that said something new. */
  lastOf(item: number): number {
    return this.items.columns.first[item]!
  }

  /** The number of an item's result, which a row of jb-score has; 0 for none. */
  resultOf(item: number): number {
    return item < this.results.length ? this.results[item]! : 0
  }

  setResult(item: number, number: number): void {
    if (item >= this.results.length) this.results = grown(this.results, this.items.columns.run.length)
    this.results[item] = number
  }

  /**
   * Gives the failures of a run without a model to another run: each trial that has no row there. Then both have the item.
   * @returns the item there, and each record that it has now with the one that it is a copy of
   */
  give(item: number, run: number): [home: number, copies: [copy: number, record: number][]] {
    const named = this.isNamed(item)
    const key = Uint32Array.from(this.keyOf(item))
    const home = this.itemOf({ run, key, named })
    const { n, said } = this.rows.columns
    const known = new Set<number>()
    for (const record of this.recordsOf(home)) if (said[record] !== COST) known.add(n[record]!)
    const given = [...this.recordsOf(item)].filter((record) => !known.has(n[record]!)).reverse()
    const copies = given.map((record): [number, number] => [this.copy(record, home), record])
    const { of, trials, leadN, lead } = this.items.columns
    trials[home]! += new Set(given.map((record) => this.trialOf(record))).size
    for (const record of given) of[home] = Math.max(of[home]!, this.lostOf.get(record) ?? 1)
    const first = leadN[item]!
    if (given.length > 0 && !known.has(first)) this.takeLead(home, first, false, lead[item]!)
    return [home, copies]
  }

  private copy(record: number, item: number): number {
    this.rows.add()
    const copy = this.rows.size
    for (const column of Object.values(this.rows.columns)) column[copy] = column[record]!
    const { first } = this.items.columns
    this.rows.columns.next[copy] = first[item]!
    first[item] = copy
    for (const [amount, column] of this.amountColumns.entries())
      if (column && record < column.length && column[record] !== 0)
        this.setAmount(amount, copy, column[record]!)
    if (copy >= this.lines.length) this.lines = grown(this.lines, this.rows.columns.n.length)
    this.lines[copy] = this.lines[record]!
    this.files.push({ name: this.placeOf(record).file, first: copy })
    return copy
  }
}

const RANKS = new Map<string, number>(ERROR_CODES.map((code, i) => [code, i]))
const rank = (code: string): number => RANKS.get(code as ErrorCode) ?? ERROR_CODES.length
