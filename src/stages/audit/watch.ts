/** --watch: tonight's verdicts on the anchors, and of --system on the system's answers, beside those of all nights before. */
import { fileSource } from '../../files/files.ts'
import { someNames } from '../../options/nearest.ts'
import { crypto } from '../../rows/crypto.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { amountOf } from '../../scoring/amount.ts'
import type { Marks } from '../../scoring/followed.ts'
import { differencesOf } from '../../scoring/provenance.ts'
import { fewAnchors } from '../../scoring/warnings.ts'
import {
  type Anchor,
  readWatch,
  rightness,
  systemNight,
  type Watch,
  type WatchedSystem,
  writeWatch,
} from '../../scoring/watch_file.ts'
import {
  baseIn,
  foundSoon,
  type NightReport,
  nightReport,
  reportFigures,
  reportWords,
  systemBaseIn,
  watchBase,
} from '../../scoring/watch_report.ts'
import {
  BASE,
  figuresOf,
  type Night,
  type Opinion,
  SEEN,
  systemChange,
  type WatchSettings,
} from '../../statistics/watch.ts'
import { type AuditedJudge, collectJudges, type Look } from './collect.ts'
import { oneJudge, type Said, saidOf } from './opinions.ts'
import type { AuditOptions } from './options.ts'
import { noteUnknown, otherJudge } from './since.ts'

/** The rows of a night. */
export class NightRows {
  private lines: Buffer[] = []

  /** The same rows, which are read once. */
  async *of(rows: Rows): AsyncGenerator<Row[]> {
    for await (const batch of rows) {
      for (const row of batch) this.lines.push(Buffer.from(`${row.toText()}\n`))
      yield batch
    }
  }

  /** The SHA-256 of the sorted lines: that of `LC_ALL=C sort rows.ndjson`. */
  digest(): string {
    const hash = crypto().createHash('sha256')
    for (const line of this.lines.sort(Buffer.compare)) hash.update(line)
    this.lines = []
    return hash.digest('hex')
  }
}

/** Verdicts of a night, with its rows' digest. */
interface Judged {
  judge: AuditedJudge
  said: Map<string, Said>
  digest: string
}

/**
 * Takes a night, in memory.
 * @param judge of the anchors' rows
 * @param digest of these rows
 * @throws Fatal (usage, data) for what cannot be compared with the nights before
 */
export async function watchNight(
  judge: AuditedJudge,
  digest: string,
  options: AuditOptions,
  marks: Marks,
  context: Context,
): Promise<Look | undefined> {
  const { note } = context
  const path = options.watch!
  const known = readWatch(path)
  const watch = known ?? begun(judge, options.system !== undefined)
  checkSystem(watch, options)
  checkJudge(watch, judge, path, note)
  const said = saidOf(judge, '--watch')
  checkAnchors(watch, judge, note)
  const system = options.system === undefined ? undefined : await systemOf(watch, options, marks, context)
  if (context.cut()) return undefined
  const { failDrift, ci } = options
  const settings = { margin: failDrift ?? 0, alpha: 1 - ci, isGate: failDrift !== undefined }
  const report = (night: number) => nightReport(watch, night, settings)
  const served = servedWords(watch, judge)
  const outcome = (of: NightReport, more: Partial<Outcome> = {}) =>
    outcomeOf(of, watch, { settings, served, ...more })
  const same = watch.nights.findIndex(({ rows }) => rows === digest) + 1
  if (same > 0) {
    note(`these are the rows of night ${same}: not counted again (jb-call --refresh asks anew)`)
    return outcome(report(same))
  }
  const uncounted = takeAnchors(watch, { judge, said, digest }, note)
  if (uncounted !== undefined) return outcome(report(watch.nights.length), { uncounted })
  const systemUncounted = system && takeSystem(watch, system, note)
  if (systemUncounted !== undefined) note(`--system: ${systemUncounted}: tonight counts for the judge alone`)
  const tonight = report(watch.nights.length)
  watch.moved = tonight.judge?.moved ?? null
  if (watch.system && tonight.system) watch.system.moved = tonight.system.moved
  return outcome(tonight, { systemUncounted, save: () => writeWatch(path, watch) })
}

const begun = (judge: AuditedJudge, withSystem: boolean): Watch => ({
  judge: judge.judgedBy!,
  withSystem,
  anchors: new Map(),
  nights: [],
  moved: null,
  system: undefined,
})

/** @throws Fatal (usage) if --system comes or goes */
function checkSystem({ withSystem }: Watch, { watch, system }: AuditOptions): void {
  if (withSystem === (system !== undefined)) return
  throw usageError(
    withSystem
      ? `--watch ${watch}: it was begun with --system, which every night needs`
      : `--system: ${watch} was begun without it (begin a new watch: move ${watch} away)`,
  )
}

/** @throws Fatal (data) for another judge than that of the first night */
function checkJudge(watch: Watch, { judgedBy }: AuditedJudge, path: string, note: Context['note']): void {
  const words = otherJudge(watch.judge, judgedBy!)
  if (words !== undefined)
    throw new Fatal(
      EXIT.data,
      `--watch: not the same judge: ${words} (begin a new watch: move ${path} away; --bridge says what the change does to the numbers)`,
    )
  noteUnknown('--watch', watch.judge, judgedBy!, note)
}

const unchanged = ({ items }: AuditedJudge) => items.filter(({ probe }) => !probe)

/** @throws Fatal (data) for an anchor that was asked otherwise on the first night */
function checkAnchors({ anchors }: Watch, judge: AuditedJudge, note: Context['note']): void {
  const items = unchanged(judge)
  const others = items.filter(({ id, asked }) => {
    const before = anchors.get(id)?.asked
    return before !== undefined && asked !== undefined && asked !== before
  })
  if (others.length > 0) {
    const more = others.length > 1 ? `; nor are ${others.length - 1} more` : ''
    throw new Fatal(
      EXIT.data,
      `anchor ${others[0]!.id} is not what it was on night 1 (another question, answer or prompt)${more}`,
    )
  }
  const unknown = items.filter(({ judged, asked }) => judged !== undefined && asked === undefined)
  if (unknown.length > 0)
    note(`${unknown.length} anchors have no jb.request: whether they are what they were is not checked`)
}

/** The rows of --system. */
async function systemOf(
  watch: Watch,
  options: AuditOptions,
  marks: Marks,
  context: Context,
): Promise<Judged> {
  const rows = new NightRows()
  const source = await marks.of(context.rows([fileSource(options.system!)]))
  const judges = await collectJudges(rows.of(source.rows), options, context, true)
  const judge = oneJudge(judges, '--system', 'its rows')
  const words = otherJudge(watch.judge, judge.judgedBy!, 'on the anchors', 'here')
  if (words !== undefined) throw new Fatal(EXIT.data, `--system: not the judge of the anchors: ${words}`)
  const said = saidOf(judge, '--system')
  for (const [id, { amount, item }] of said)
    if (amount === null)
      throw new Fatal(
        EXIT.data,
        `--system: the verdict on ${id} is ${JSON.stringify(item.judged)}, which is no amount: the system is compared by grades, decisions or options with scores`,
      )
  return { judge, said, digest: rows.digest() }
}

/** Tells of ids that the first night does not have. */
function noteOthers(
  known: ReadonlyMap<string, unknown>,
  judge: AuditedJudge,
  what: string,
  note: Context['note'],
): void {
  const others = unchanged(judge).flatMap(({ id }) => (known.has(id) ? [] : id))
  if (others.length > 0) note(`${what} are those of night 1: ${someNames(others)} left out`)
}

/** How many of the first night's items have a verdict, if these are too few. */
function tooFew(known: ReadonlyMap<string, unknown>, said: ReadonlyMap<string, unknown>, what: string) {
  const seen = [...known.keys()].filter((id) => said.has(id)).length
  return seen >= SEEN * known.size && seen > 0
    ? undefined
    : `${seen} of ${known.size} ${what} have a verdict, fewer than ${100 * SEEN} %`
}

/** Adds a night. @returns why it does not count; undefined if it does */
function takeAnchors(
  watch: Watch,
  { judge, said, digest }: Judged,
  note: Context['note'],
): string | undefined {
  const { nights } = watch
  if (nights.length === 0)
    watch.anchors = new Map(unchanged(judge).map(({ id }): [string, Anchor] => [id, { said: [] }]))
  const { anchors } = watch
  noteOthers(anchors, judge, 'the anchors', note)
  const few = tooFew(anchors, said, 'anchors')
  if (few !== undefined) return few
  const night: Watch['nights'][number] = { rows: digest }
  noteLabels(watch, said, note)
  if (nights.length >= BASE) {
    const figures = figuresOf(watchBase(watch)!, opinionsOf(watch, said))
    const lost = Object.entries(figures).find(([, value]) => !Number.isFinite(value))
    if (lost)
      return `${lost[0]} is not known: no anchor has ${lost[0] === 'right' ? 'a label and a verdict' : 'an amount'}`
    Object.assign(night, figures)
  } else for (const [id, anchor] of anchors) addToBase(anchor, said.get(id), nights.length)
  for (const { id, asked } of unchanged(judge)) {
    const anchor = anchors.get(id)
    if (anchor && asked !== undefined) anchor.asked ??= asked
  }
  nights.push(night)
  if (nights.length === BASE)
    for (const [k, figures] of baseIn(watch).nights.entries()) Object.assign(nights[k]!, figures)
  return undefined
}

function addToBase(anchor: Anchor, said: Said | undefined, night: number): void {
  anchor.said.push(said?.said ?? null)
  if (said === undefined) {
    anchor.amounts?.push(null)
    return
  }
  anchor.label ??= said.label
  // Of words, only what amountOf does not say is kept.
  const isOwn = said.amount !== null && said.amount !== amountOf(said.said)
  if (isOwn)
    anchor.amounts ??= Array.from({ length: night }, (_, k) => amountOf(anchor.said[k] ?? '') ?? null)
  anchor.amounts?.push(said.amount)
}

/** Labels are those of the file, so that nights are measured alike. */
function noteLabels(
  { anchors, nights }: Watch,
  said: ReadonlyMap<string, Said>,
  note: Context['note'],
): void {
  const others: string[] = []
  for (const [id, { label }] of anchors) {
    const now = said.get(id)?.label
    if (now !== undefined && (label === undefined ? nights.length >= BASE : label !== now)) others.push(id)
  }
  if (others.length > 0) note(`labels are those of the base: others, of ${someNames(others)}, are left out`)
}

function opinionsOf({ anchors }: Watch, said: ReadonlyMap<string, Said>): Night {
  const all = new Map<string, Opinion>()
  for (const [id, { label }] of anchors) {
    const one = said.get(id)
    if (one) all.set(id, { said: one.said, amount: one.amount, right: rightness(one.said, label) })
  }
  return all
}

/** Adds the system's part of the night that was added last. @returns why it does not count; undefined if it does */
function takeSystem(
  watch: Watch,
  { judge, said, digest }: Judged,
  note: Context['note'],
): string | undefined {
  watch.system ??= {
    items: new Map(unchanged(judge).map(({ id }) => [id, []])),
    nights: [],
    moved: null,
  }
  const { items, nights }: WatchedSystem = watch.system
  noteOthers(items, judge, 'the system’s items', note)
  const same = nights.find(({ rows }) => rows === digest)
  if (same) return `these are the rows of night ${same.night} (jb-call --refresh asks anew)`
  const few = tooFew(items, said, 'items')
  if (few !== undefined) return few
  const night: WatchedSystem['nights'][number] = { rows: digest, night: watch.nights.length }
  if (nights.length >= BASE) night.change = systemChange(systemBaseIn(watch.system), opinionsIn(said))
  else for (const [id, amounts] of items) amounts.push(said.get(id)?.amount ?? null)
  nights.push(night)
  if (nights.length === BASE) {
    const base = systemBaseIn(watch.system)
    for (const [k, one] of nights.entries()) one.change = systemChange(base, systemNight(watch.system, k))
  }
  return undefined
}

const opinionsIn = (said: ReadonlyMap<string, Said>): Night =>
  new Map([...said].map(([id, { said, amount }]) => [id, { said, amount, right: null }]))

/** Which models the server named, where these are others than on the first night. */
function servedWords({ judge: before }: Watch, { judgedBy: now }: AuditedJudge): string {
  const served = differencesOf(before, now!).find(({ aspect }) => aspect === 'served_models')
  return served ? ` (served by ${served.values[0]} then, ${served.values[1]} now)` : ''
}

interface Outcome {
  settings: WatchSettings & { isGate: boolean }
  served: string
  /** Why the night, and the system's part of it, does not count. */
  uncounted?: string | undefined
  systemUncounted?: string | undefined
  save?: () => void
}

function outcomeOf(
  report: NightReport,
  { anchors }: Watch,
  { settings, served, uncounted, systemUncounted, save = () => {} }: Outcome,
): Look {
  const { answer, night, ...more } = reportFigures(report, anchors.size, settings)
  const { judge, system, base } = report
  const words = [
    ...(uncounted === undefined ? [] : [`tonight is not counted: ${uncounted}`]),
    reportWords(report) + served,
    ...(systemUncounted === undefined ? [] : [`tonight the system is not counted: ${systemUncounted}`]),
  ]
  const isDown = !!system?.moved && system.score.change < 0
  return {
    figures: {
      ...{ answer: answer!, night: night!, counted: uncounted === undefined },
      ...(systemUncounted !== undefined && { system_counted: false }),
      ...more,
      sentence: words.join('; '),
    },
    warnings: base && !foundSoon(base) ? [fewAnchors(base.said.size)] : [],
    missed: settings.isGate && (!!judge?.moved || isDown || uncounted !== undefined),
    save,
  }
}
