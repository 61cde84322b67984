/**
 * `--jury`: several judges or models of an item come to one result. Each member's result is a trial of a judge called `jury`:
 * n of as many as there are votes. A member that failed, or that has no row of the item, is never left out in silence.
 */
import { hash } from 'node:crypto'
import { replaceFile } from '../../files/part_file.ts'
import { count, getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import {
  EXIT,
  Fatal,
  isObject,
  type Json,
  type JsonObject,
  type Kind,
  type Result,
  type TrialResult,
  type Usage,
  usageError,
  type Verdict,
} from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { juryAgreement, verdictValue } from '../../scoring/jury_agreement.ts'
import type { ScoreSettings } from '../../scoring/kind.ts'
import { identityOf, identityTitle, type RunIdentity, runKey } from '../../scoring/run_identity.ts'
import { scaleWords } from '../../scoring/scale.ts'
import { scoredRow, scoredRows, together } from '../../scoring/scored_rows.ts'
import { StoredRows } from '../../scoring/stored_rows.ts'
import { itemRow } from '../../scoring/trial_result.ts'
import type { Ballot, Ballots, Case, Cases, Member } from './ballots.ts'
import { type LearnedJury, learnedJury, type Saved, savedIn } from './learned.ts'
import type { ScoreOptions } from './options.ts'
import { passed } from './pass.ts'
import { modelsOf } from './release.ts'

const MODES = ['majority', 'mean', 'weighted', 'learned'] as const
/** The most votes of a member. */
const MOST_VOTES = 100

export interface JuryMode {
  mode: (typeof MODES)[number]
  /** Of `weighted`: the votes of the members of a judge, a name or a model. */
  votes: Map<string, number>
  /** Of `learned`: the file with the weights, and what is in it. */
  file?: string
  saved?: Saved
}

/** @throws Fatal (usage), and for a file that cannot be read or that --save did not write */
export function juryMode(text: string): JuryMode {
  const at = text.indexOf(':')
  const [mode, rest] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
  const takesMore = mode === 'weighted' || mode === 'learned'
  if (!MODES.includes(mode as JuryMode['mode']) || (rest !== undefined && !takesMore) || text === 'learned:')
    throw usageError(`--jury ${text}: expected majority, mean, weighted:NAME=VOTES,… or learned[:FILE]`)
  if (mode === 'learned')
    return { mode, votes: new Map(), ...(rest !== undefined && { file: rest, saved: savedIn(rest) }) }
  if (mode === 'weighted' && !rest)
    throw usageError(
      '--jury weighted: says how many votes a member has, as in weighted:gpt-6-luna=2,vanilla=3',
    )
  const votes = new Map<string, number>()
  for (const pair of rest?.split(',') ?? []) {
    const cut = pair.lastIndexOf('=')
    const number = Number(pair.slice(cut + 1))
    if (cut < 1 || !Number.isInteger(number) || number < 1 || number > MOST_VOTES)
      throw usageError(`--jury: expected NAME=VOTES with 1 to ${MOST_VOTES} whole votes, not "${pair}"`)
    votes.set(pair.slice(0, cut).trim(), number)
  }
  return { mode: mode as JuryMode['mode'], votes }
}

/**
 * One row for each item, when all rows are in, since only then it is known who the members are: the items' rows wait in a file,
 * their ballots in memory.
 */
export async function* juryItems(rows: Rows, options: ScoreOptions, mode: JuryMode, context: Context): Rows {
  const stored = new StoredRows()
  try {
    yield* decidedItems(rows, stored, options, mode, context)
  } finally {
    stored.close()
  }
}

async function* decidedItems(
  rows: Rows,
  stored: StoredRows,
  options: ScoreOptions,
  { mode, votes, ...known }: JuryMode,
  context: Context,
): Rows {
  const cases = new Map<string, Case>()
  const all: Cases = { cases, rowOf: ({ row }) => stored.read(row) }
  const runs = new Map<string, Pick<Member, 'identity' | 'place'>>()
  const seen = new Kinds()
  const reader = new BallotReader()
  const each = { ...options, isLabelled: () => false, label: undefined, subject: modelsOf, probes: true }
  const { pass } = options
  for await (const batch of scoredRows(rows, each as ScoreSettings, context))
    for (const scored of batch) {
      const row = pass === undefined ? scored : passed(scored, { ...(each as ScoreSettings), pass }, context)
      const identity = identityOf(row)
      const { place } = getOrInsert(runs, runKey(identity), () => ({ identity, place: runs.size }))
      const item = JSON.stringify([row.get('item'), modelsOf(row) ?? null])
      const one = getOrInsert(cases, item, () => ({ row: stored.store(row), ballots: [] }))
      const ballot = reader.of(row)
      if (ballot.verdict) seen.add(row.get('result')!, identity)
      one.ballots[place] = ballot
    }
  if (context.cut()) return
  const members = membersOf(runs, votes)
  const { quorum = members.size } = options
  if (quorum > members.size)
    throw usageError(`--quorum ${quorum}: the jury has ${members.size} members: ${titles(members)}`)
  const settings = { ...options, quorum }
  const learned =
    mode === 'learned'
      ? learnedJury({ members, ...all, kind: seen.kind }, { ...options, ...known })
      : undefined
  const jury = new Jury(members, mode, seen.kind, settings, context, learned)
  yield* together(jury.rows(all))
  if (context.cut()) return
  jury.tell()
  learned?.tell(context.note)
  if (options.save !== undefined) replaceFile(options.save, learned!.saved())
}

const titles = (members: ReadonlyMap<string, Member>) =>
  [...members.values()].map(({ title }) => title).join(', ')

/** The most members of a jury: of each it is said how it agrees with all others. */
const MOST_MEMBERS = 500

/** By run. @throws Fatal for one member alone, for too many, and for votes of somebody who is no member */
function membersOf(
  runs: ReadonlyMap<string, Pick<Member, 'identity' | 'place'>>,
  votes: ReadonlyMap<string, number>,
): Map<string, Member> {
  const all = [...runs].map(([key, run]) => ({ ...run, key, title: identityTitle(run.identity) }))
  const known = all.map(({ title }) => title)
  if (all.length < 2)
    throw new Fatal(
      EXIT.data,
      `--jury: the rows are of ${all.length === 0 ? 'no judge' : `one judge and model, ${known[0]}`}; a jury has several`,
    )
  if (all.length > MOST_MEMBERS)
    throw new Fatal(
      EXIT.data,
      `--jury: the rows are of ${all.length.toLocaleString('en')} judges and models; a jury has at most ${MOST_MEMBERS} (jq 'select(.jb.reply.model == "…")' takes those of one)`,
    )
  const unused = new Set(votes.keys())
  const members = all.map(({ key, identity, place, title }): [string, Member] => {
    const { judge, judge_digest, name, model } = identity
    const isAlone = known.indexOf(title) === known.lastIndexOf(title)
    const named = [title, name, model, judge].find((one) => one !== undefined && votes.has(one))
    unused.delete(named ?? '')
    const given = named === undefined ? 1 : votes.get(named)!
    return [key, { title: isAlone ? title : `${title} · ${judge_digest}`, identity, votes: given, place }]
  })
  const [nobody] = unused
  if (nobody !== undefined)
    throw usageError(`--jury weighted: no member is called "${nobody}": there are ${known.join(', ')}`)
  return new Map(members.sort(([, a], [, b]) => (a.title < b.title ? -1 : 1)))
}

/** The kind and the scale of the members' verdicts, which have to be the same. */
class Kinds {
  kind: Kind | undefined
  private scale: string | undefined
  private of: string | undefined

  /** @throws Fatal (data) for a verdict that cannot be put together with the others */
  add({ kind = 'grade', option, winner, range }: Result, identity: RunIdentity): void {
    const title = identityTitle(identity)
    const isWhole = kind === 'choice' ? option : kind === 'listwise' ? winner : kind
    if (kind === 'list' || isWhole === undefined)
      throw new Fatal(EXIT.data, `--jury: ${title} gives an item several verdicts (criteria, nuggets, lists)`)
    const scale = kind === 'grade' ? JSON.stringify(range ?? null) : ''
    this.kind ??= kind
    this.scale ??= scale
    this.of ??= title
    if (this.kind !== kind)
      throw new Fatal(EXIT.data, `--jury: ${this.of} is ${this.kind}, and ${title} is ${kind}`)
    if (this.scale === scale) return
    const scales = [this.scale, scale].map((text) => JSON.parse(text) as [number, number] | null)
    const words = scales.map((one) => (one ? scaleWords([one]) : 'not known'))
    throw new Fatal(EXIT.data, `--jury: the scale of ${this.of} is ${words[0]}, and of ${title} ${words[1]}`)
  }
}

class BallotReader {
  /** Verdicts that say the same are one object. */
  private readonly verdicts = new Map<string, Verdict>()

  of(row: Row): Ballot {
    const trials = row.get('trials') ?? []
    const orders = new Set(trials.map(({ trial }) => trial.order))
    const [order] = orders
    const error = row.has('error') ? row.get('error') : undefined
    // Begun with spent's members it would have a shape of its own, and take five times as much.
    return {
      verdict: error ? undefined : this.verdictOf(row.get('result')!),
      error,
      // In both orders it is nothing about a slot.
      order: orders.size === 1 ? order : undefined,
      answers: trials[0]?.trial.answers,
      ...spent(trials),
    }
  }

  private verdictOf({ decision, option, options, score, range, winner, explanation }: Result): Verdict {
    const said = { decision, option, options, winner, score, range, explanation }
    const known = Object.entries(said).filter(([, value]) => value !== undefined && value !== null)
    const label = String(decision ?? option ?? winner ?? score)
    const verdict: Verdict = { label, ...Object.fromEntries(known) }
    // An explanation is of one item.
    if (explanation !== undefined && explanation !== null) return verdict
    return getOrInsert(this.verdicts, JSON.stringify(verdict), () => verdict)
  }
}

/** The tokens and dollars of all calls. */
function spent(trials: readonly TrialResult[]): Pick<Ballot, 'usage' | 'cost'> {
  const calls: Partial<TrialResult>[] = trials.flatMap((one) => [one, ...(one.calls ?? [])])
  const usages = calls.flatMap(({ usage }) => (usage ?? []) as JsonObject[])
  const costs = calls.flatMap(({ cost }) => cost ?? [])
  return {
    usage: usages.length > 0 ? (usages.reduce<JsonObject>(added, {}) as Usage) : undefined,
    cost: costs.length > 0 ? costs.reduce((sum, one) => sum + one, 0) : undefined,
  }
}

/** Numbers of the same names are added, of objects in them as well. */
function added(sum: JsonObject, more: object): JsonObject {
  const all: JsonObject = Object.assign({}, sum)
  for (const [key, value] of Object.entries(more) as [string, Json][]) {
    const before = all[key]
    if (isObject(value)) all[key] = added(isObject(before) ? before : {}, value)
    else if (typeof value === 'number') all[key] = value + (typeof before === 'number' ? before : 0)
  }
  return all
}

class Jury {
  private readonly members: ReadonlyMap<string, Member>
  private readonly identity: RunIdentity & { model: string }
  private readonly settings: ScoreSettings
  private readonly quorum: number
  private readonly context: Context
  private readonly areGrades: boolean
  /** Of each item what each member said. */
  private readonly units: ReturnType<typeof verdictValue>[][] = []
  /** How often each member has no verdict, and of how many items the result is of fewer members than there are. */
  private readonly absent = new Map<string, number>()
  private fewer = 0
  private failed = 0
  private readonly learned: LearnedJury | undefined

  constructor(
    members: ReadonlyMap<string, Member>,
    mode: JuryMode['mode'],
    kind: Kind | undefined,
    { jury, quorum, combine: _, ...options }: ScoreOptions & { quorum: number },
    context: Context,
    learned: LearnedJury | undefined,
  ) {
    this.members = members
    this.quorum = quorum
    this.context = context
    this.learned = learned
    const ofMode =
      mode === 'learned'
        ? undefined
        : mode === 'weighted'
          ? kind === 'grade' || kind === 'choice'
            ? 'mean'
            : 'majority'
          : mode
    this.settings = { ...options, combine: ofMode } as ScoreSettings
    const made = learned ? learned.made : jury
    const digest = hash('sha256', JSON.stringify([made, [...members.keys()].sort()]), 'hex').slice(0, 12)
    this.identity = { judge: 'jury', judge_digest: digest, model: `${mode} of ${members.size}` }
    this.areGrades = kind === 'grade'
  }

  *rows({ cases, rowOf }: Cases): Generator<Row> {
    for (const [key, one] of cases) {
      cases.delete(key)
      yield this.decide(rowOf(one), one.ballots, key)
    }
  }

  private decide(row: Row, ballots: Ballots, item: string): Row {
    const trials: TrialResult[] = []
    const left: Partial<TrialResult>[] = []
    const voters = [...this.members.values()].filter(({ place }) => ballots[place]?.verdict).length
    const isQuorum = voters >= this.quorum
    this.noteAbsent(ballots, isQuorum)
    let of = 0
    for (const [key, member] of this.members) {
      const ballot = ballots[member.place]
      if (ballot && !ballot.verdict && isQuorum)
        left.push({ ...callOf(ballot, member), digest: left.length + 1 })
      if (isQuorum && !ballot?.verdict) continue
      const weight = this.learned?.weightOf(item, key)
      for (let vote = 0; vote < member.votes; vote++, of++)
        if (ballot) trials.push(trialOf(ballot, member, { n: of, first: vote === 0, weight }))
    }
    for (const { trial } of trials) trial.of = of
    if (left.length > 0) trials[0]!.calls = left
    this.units.push([...this.members.values()].map(({ place }) => verdictValue(ballots[place]?.verdict)))
    const asked = row.get('criteria') ?? []
    const given = { row: itemRow(row, this.identity), trials, of, asked }
    const decided = isQuorum && this.learned?.scored({ item, ballots, given }, this.settings, this.context)
    const scored = decided || scoredRow(given, this.settings, this.context)
    this.setModel(scored, ballots)
    return scored
  }

  private noteAbsent(ballots: Ballots, isQuorum: boolean): void {
    const absent = [...this.members.values()].filter(({ place }) => !ballots[place]?.verdict)
    for (const { title } of absent) count(this.absent, title)
    if (absent.length > 0 && isQuorum) this.fewer++
  }

  private setModel(row: Row, ballots: Ballots): void {
    const { model } = this.identity
    if (!row.has('error')) {
      const { scored_with, ...result } = row.get('result')!
      const { combine: _, ...options } = (scored_with ?? {}) as JsonObject
      // That of the jury is in the name of its model.
      const given = Object.keys(options).length > 0 && { scored_with: options }
      row.set('result', Object.assign({}, result, { model }, given))
      return
    }
    this.failed++
    const error = row.get('error')!
    const missing = [...this.members.values()].flatMap(({ place, title }) => (ballots[place] ? [] : title))
    const why =
      error.code === 'incomplete' && missing.length > 0 ? `no row of ${missing.join(', ')}` : error.message
    row.set('error', { ...error, message: why, model })
  }

  /** Says how the members agree, and who had no verdict. */
  tell(): void {
    const { note } = this.context
    const titles = [...this.members.values()].map(({ title }) => title)
    const { items, alpha, members } = juryAgreement(titles, this.units, this.areGrades)
    note(
      `${this.identity.model}: Krippendorff's alpha ${alpha === null ? 'is not defined' : alpha.toFixed(3)}, ${items} items`,
    )
    for (const one of members) note(`${one.member}: ${memberWords(one)} (${one.items} items)`)
    for (const [title, times] of this.absent) note(`${title}: no verdict on ${counted(times, 'item')}`)
    if (this.failed > 0)
      note(
        `${counted(this.failed, 'item')} failed, since a member has no verdict (run it again, or let --quorum N members be enough)`,
      )
    if (this.fewer > 0)
      note(`${counted(this.fewer, 'item')} decided by fewer than ${this.members.size} members (--quorum)`)
  }
}

const callOf = ({ usage, cost, error }: Ballot, { identity: { model } }: Member): Partial<TrialResult> => ({
  ...(model !== undefined && { model }),
  ...(usage && { usage }),
  ...(cost !== undefined && { cost }),
  ...(error && { error }),
})

/** A vote; what the member's calls cost stands beside its first. */
function trialOf(
  ballot: Ballot,
  member: Member,
  { n, first, weight }: { n: number; first: boolean; weight: number | undefined },
): TrialResult {
  const { verdict, error, order, answers } = ballot
  const { title } = member
  const { usage, cost, ...call } = callOf(ballot, member)
  return {
    trial: { n, of: 0, member: title, ...(order && { order }), ...(answers !== undefined && { answers }) },
    ...call,
    ...(first && usage && { usage }),
    ...(first && cost !== undefined && { cost }),
    ...(verdict && { verdict }),
    ...(error && { error: { ...error, message: `${title}: ${error.message}` } }),
    ...(weight !== undefined && { weight }),
  }
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** How a member stands to the others. */
function memberWords({
  same,
  difference = 0,
  pearson,
}: ReturnType<typeof juryAgreement>['members'][number]): string {
  if (same !== undefined) return `${(100 * same).toFixed(1)} % of the others' verdicts are the same`
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : ''
  const r = typeof pearson === 'number' ? pearson.toFixed(3) : 'not defined'
  return `${sign}${Math.abs(difference).toFixed(2)} from the others' mean, correlation ${r}`
}
