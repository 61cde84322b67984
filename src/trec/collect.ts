/** Judged rows → the values of each run and topic, for leaderboards and qrels. */
import type { Judge } from '../judges/_judge.ts'
import { type Allowed, allowJudges, judgeOfRow, nameOfRow } from '../judges/_of_row.ts'
import { ignoredOption } from '../options/ignored.ts'
import { nearest, someNames } from '../options/nearest.ts'
import { jsonAssignment } from '../options/option.ts'
import { getOrInsert } from '../rows/maps.ts'
import { seededUniform } from '../rows/python_random.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, type JsonObject, RowFailure, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { identityOf, identityTitle } from '../scoring/run_identity.ts'
import { entryValue } from './columns.ts'
import { ALL, type BoardEntry, type Gap } from './leaderboard.ts'
import { MEASURE_TYPES } from './measure_types.ts'
import { type Measure, measuresOf, noteThresholds } from './measures.ts'
import type { ValueSettings } from './options.ts'

interface Collected {
  entries: BoardEntry[]
  /** In output order. */
  measures: string[]
  gaps: Gap[]
  /** Notes the thresholds that decide these measures, if they are the judges' own. */
  noteThresholds(measures: readonly string[]): void
}

type Values = Map<string, number | string>

/** Measures computed from the item itself, without a judge. */
const OF_ITEM: Record<string, (item: JsonObject, run: string, topic: string) => number> = {
  LENGTH: ({ text }) => String(text ?? '').match(/\S+/g)?.length ?? 0,
  RANDOM: (_item, run, topic) => seededUniform(run + topic),
}

/** The values of scored rows and of those without a judge, and the runs and topics that failed. @throws Fatal (data) for a row without run and topic */
export async function collect(rows: Rows, settings: ValueSettings, context: Context): Promise<Collected> {
  const collector = new Collector(settings, context)
  for await (const batch of rows) for (const row of batch) await collector.add(row)
  return collector.finish()
}

/** The comparisons of a run with others. */
interface Borda {
  run: string
  topic: string
  wins: number
  losses: number
  games: number
}

class Collector {
  private readonly settings: ValueSettings
  private readonly context: Context
  private readonly allowed: Allowed
  private readonly set: Record<string, unknown>
  private readonly entries: BoardEntry[] = []
  private readonly names = new Set<string>()
  private readonly gaps: Gap[] = []
  private readonly judges = new Map<string, { judge: Judge; measures?: Measure[]; name: string }>()
  /** By run and topic. */
  private readonly borda = new Map<string, Borda>()
  /** Who compared runs. */
  private readonly voices = new Set<string>()

  constructor(settings: ValueSettings, context: Context) {
    this.settings = settings
    this.allowed = allowJudges(settings.judge ?? [], context.env)
    this.context = context
    const set = settings.set.map((text) => jsonAssignment(text, '--set'))
    this.set = Object.fromEntries(set.map(([key, json]) => [key, JSON.parse(json)]))
  }

  async add(row: Row): Promise<void> {
    const { item } = row
    if (item.measure !== undefined && item.value !== undefined && !row.has('judge')) return this.addEntry(row)
    const topic = idOf(item.topic_id)
    if (topic !== undefined && item.run_a !== undefined) return this.addPair(row, topic)
    const run = idOf(item.run_id)
    if (run === undefined || topic === undefined)
      return this.unplaced(row, 'no "run_id" and "topic_id" in the row (jb-read autojudge writes them)')
    if (topic === ALL)
      this.context.note(
        `run ${run}: an item of topic "${ALL}" counts as the summary row of the run: give the topic another name`,
        { file: row.file, line: row.line, kind: 'topic all' },
      )
    let values: Values
    try {
      values = await this.valuesOf(row, run, topic)
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      const { file, line } = row
      if (!row.has('error')) this.context.note(error.message, { file, line, kind: error.code })
      this.gaps.push({ run, topic, why: row.get('error')?.code ?? error.code })
      return
    }
    const place = row.place
    for (const [measure, value] of values) this.put({ run, topic, measure, value, place })
    if (values.size === 0) this.gaps.push({ run, topic, why: row.get('error')?.code ?? 'no_verdict' })
  }

  /** Adds a row of a leaderboard. */
  private addEntry(row: Row): void {
    const { run_id, topic_id, measure, value } = row.item
    const [run, topic] = [idOf(run_id), idOf(topic_id)]
    if (run === undefined || topic === undefined)
      return void this.unplaced(row, 'a "measure" without a "run_id" and "topic_id"')
    if (row.has('error') || value === null)
      return void this.gaps.push({ run, topic, why: row.get('error')?.code ?? 'no value' })
    const dtype = MEASURE_TYPES.find((type) => type === row.item.dtype)
    const { place } = row
    this.put({ run, topic, measure: String(measure), value: entryValue(value), dtype, place })
  }

  /** Leaves out a failed row without run and topic, such as a line that is not JSON under --bad-rows pass. @throws Fatal (data) */
  private unplaced(row: Row, problem: string): void {
    const { place, file, line } = row
    if (!row.has('error')) throw new Fatal(EXIT.data, `${place}: ${problem}`)
    const message = 'the row failed and has no "run_id" and "topic_id": it is left out'
    this.context.note(message, { file, line, kind: 'no run and topic' })
  }

  private put(entry: BoardEntry): void {
    const { measure } = this.settings
    this.names.add(entry.measure)
    if (measure.length === 0 || measure.includes(entry.measure)) this.entries.push(entry)
  }

  /** The row's values by measure; empty if it failed. */
  private async valuesOf(row: Row, run: string, topic: string): Promise<Values> {
    const values: Values = new Map()
    for (const name of this.settings.measure)
      if (Object.hasOwn(OF_ITEM, name)) values.set(name, OF_ITEM[name]!(row.item, run, topic))
    if (row.has('judge')) for (const [name, value] of await this.judged(row)) values.set(name, value)
    else if (values.size === 0 && !row.has('error'))
      throw new Fatal(
        EXIT.data,
        `${row.place}: the row has no verdict (--measure ${Object.keys(OF_ITEM).join(' or ')} needs none)`,
      )
    return values
  }

  /** What the row's judge says, by measure. */
  private async judged(row: Row): Promise<Values> {
    const { name, measures } = await this.judgeOf(row)
    const result = row.get('result')
    if (!measures) {
      const value = result?.score ?? result?.option ?? result?.winner
      return new Map(value == null ? [] : [[name, value]])
    }
    const trials = row.get('trials') ?? []
    const missing = this.settings.onMissing === 'default' ? this.settings.default : undefined
    const some = missing !== undefined && trials.some(({ verdict }) => verdict)
    const values: Values = new Map()
    if (!result && !some) return values
    const nuggets = (row.item.nuggets as JsonObject[] | undefined) ?? []
    for (const measure of measures) {
      const value = measure.of(trials, nuggets, missing)
      if (value !== undefined) values.set(measure.name, value)
    }
    return values
  }

  private async judgeOf(row: Row) {
    const { name } = nameOfRow(row, this.allowed, { reading: true })
    const key = row.get('name') ?? row.get('judge')!
    const known = this.judges.get(key)
    if (known) return known
    const judge = await judgeOfRow(row, this.allowed, { reading: true })
    this.checkSet(name, Object.keys(judge.set ?? {}))
    const measures = measuresOf(judge, this.set)
    if (measures && this.settings.combine !== undefined)
      ignoredOption('combine', `the measures of ${name} are taken of all its trials`, this.context)
    const made = {
      judge,
      measures,
      name: key
        .replace(/^.*\//, '')
        .replace(/\.\w+$/, '')
        .toUpperCase(),
    }
    this.judges.set(key, made)
    return made
  }

  /** Refuses a misspelt name of --set. Others may be names that the prompt uses. @throws Fatal (usage) */
  private checkSet(judge: string, known: readonly string[]): void {
    for (const name of Object.keys(this.set)) {
      const near = known.includes(name) ? undefined : nearest(name, known)
      if (near !== undefined)
        throw usageError(`--set ${name}=…: ${judge} has no such value: did you mean ${near}?`)
    }
  }

  /** Counts a comparison of two runs: a win and a loss, or a tie. */
  private addPair(row: Row, topic: string): void {
    const [a, b] = [idOf(row.item.run_a)!, idOf(row.item.run_b)!]
    const decision = row.get('result')?.decision
    if (decision !== undefined) this.voices.add(identityTitle(identityOf(row)))
    for (const [run, won, lost] of [
      [a, 'A>B', 'B>A'],
      [b, 'B>A', 'A>B'],
    ] as const) {
      const key = JSON.stringify([run, topic])
      const sums = getOrInsert(this.borda, key, () => ({ run, topic, wins: 0, losses: 0, games: 0 }))
      if (decision === undefined) continue
      sums.games++
      if (decision === won) sums.wins++
      if (decision === lost) sums.losses++
    }
    if (decision === undefined)
      this.context.note(
        `runs ${a} and ${b}, topic ${topic}: not compared (${row.get('error')?.code ?? 'no_verdict'})`,
        { kind: 'failed pair' },
      )
  }

  finish(): Collected {
    const voices = [...this.voices].sort()
    if (voices.length > 1)
      this.context.note(`comparisons of ${voices.length} judges or models are added up: ${someNames(voices)}`)
    for (const { run, topic, wins, losses, games } of this.borda.values()) {
      if (games === 0) this.gaps.push({ run, topic, why: 'no pair was compared' })
      else {
        const ties = games - wins - losses
        this.put({ run, topic, measure: 'BORDA', value: wins - losses })
        this.put({ run, topic, measure: 'WIN_FRACTION', value: (wins + ties / 2) / games })
      }
    }
    const { measure } = this.settings
    for (const name of measure)
      if (this.names.size > 0 && !this.names.has(name))
        throw usageError(`--measure ${name}: the rows have ${someNames([...this.names])}`)
    const measures = measure.length > 0 ? measure : [...this.names]
    return {
      entries: this.entries,
      measures,
      gaps: this.gaps,
      noteThresholds: (written) => {
        for (const { judge } of this.judges.values())
          noteThresholds(judge, this.set, written, this.context.note)
      },
    }
  }
}

const idOf = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
