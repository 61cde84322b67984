/** `--jury learned`: each member's weight, from the labelled items among the rows or from a file that --save wrote. */
import { readFileSync } from 'node:fs'
import { sha256 } from '../../rows/crypto.ts'
import { configError, EXIT, Fatal, isObject, type Json, type Kind, type Verdict } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import type { ScoreSettings } from '../../scoring/kind.ts'
import { firstOf, labelFields } from '../../scoring/label.ts'
import { meantBy } from '../../scoring/label_map.ts'
import { decisionOf, optionOf, PASS } from '../../scoring/label_terms.ts'
import type { RunIdentity } from '../../scoring/run_identity.ts'
import { type GivenItem, scoredRow } from '../../scoring/scored_rows.ts'
import { wilson } from '../../statistics/interval.ts'
import { type JuryWeights, juryScore, learnWeights, type Vote } from '../../statistics/jury_weights.ts'
import type { Ballots, Cases, Member } from './ballots.ts'

/** Fewer labelled items teach nothing. */
const LEAST = 20
/** Of each of two options. */
const LEAST_OF_A_KIND = 5
const FOLDS = 10
/** By which labelled items are put into folds. */
const SEED = '0'
const LEVEL = 0.95

type Settings = ScoreSettings & { file?: string | undefined; saved?: Saved | undefined }

/** What --save writes, and `learned:FILE` reads. */
export interface Saved {
  jury: 'learned'
  kind: 'pairwise' | 'choice'
  /** Of options yes and no. */
  options: [string, string] | null
  fit: JuryWeights['fit']
  constant: number
  labels: number
  right: number
  ci: [number, number]
  members: SavedMember[]
}

interface SavedMember {
  member: string
  judge?: string
  digest?: string
  name?: string
  variant?: string
  model?: string
  weight: number
  right: number
}

/** An item that is labelled, and has a verdict of some member. */
interface Lesson {
  key: string
  votes: Vote[]
  label: Vote
}

interface Seen extends Cases {
  members: ReadonlyMap<string, Member>
  kind: Kind | undefined
}

/** @throws Fatal for verdicts of other kinds (data), too few labels (gate), or weights that are not of these members */
export function learnedJury(seen: Seen, settings: Settings): LearnedJury {
  const options = optionsOf(seen)
  const { file, saved } = settings
  if (saved === undefined) return taught(seen, options, settings)
  checkSaved(saved, seen, options, file!)
  return new LearnedJury(seen.members, saved, () => undefined, settings)
}

export class LearnedJury {
  private readonly members: ReadonlyMap<string, Member>
  private readonly learned: Saved
  private readonly whole: JuryWeights
  /** The weights of a labelled item: of a fit without it. */
  private readonly foldOf: (key: string) => JuryWeights | undefined
  private readonly settings: Settings
  /** Beside the jury's: right share of the majority; of the best member. */
  private readonly others: { majority: number } | undefined

  constructor(
    members: ReadonlyMap<string, Member>,
    learned: Saved,
    foldOf: (key: string) => JuryWeights | undefined,
    settings: Settings,
    others?: { majority: number },
  ) {
    this.members = members
    this.learned = learned
    this.foldOf = foldOf
    this.settings = settings
    this.others = others
    const { fit, constant } = learned
    this.whole = { fit, constant, weights: [...members.values()].map((one) => this.savedOf(one).weight) }
  }

  private savedOf({ identity }: Member): SavedMember {
    return this.learned.members.find((one) => isSame(one, identity))!
  }

  /** What made it: juries with the same weights are one. */
  get made(): Json {
    return this.learned as unknown as Json
  }

  weightOf(item: string, key: string): number {
    const { weights } = this.foldOf(item) ?? this.whole
    return weights[[...this.members.keys()].indexOf(key)]!
  }

  /** The jury's row of an item: its verdict by the weights, with the members' votes as trials. */
  scored(
    { item, ballots, given }: { item: string; ballots: Ballots; given: GivenItem },
    settings: ScoreSettings,
    context: Pick<Context, 'stage' | 'note'>,
  ): Row {
    const { options } = this.learned
    const votes = votesOf(this.members, ballots, options)
    const score = juryScore(this.foldOf(item) ?? this.whole, votes)
    const verdict = verdictOf(score, options)
    const trial = { trial: { n: 0, of: 1 }, verdict }
    // A label that is not there is no failure, also where --label names its field; weights of a file read none.
    const isLabelled = (row: Row) => this.settings.file === undefined && labelIn(row, settings) !== undefined
    const row = scoredRow({ ...given, of: 1, trials: [trial] }, { ...settings, isLabelled }, context)
    row.set('trials', [...given.trials])
    if (row.has('error')) return row
    return row.set('result', { ...row.get('result')!, confidence: 1 / (1 + Math.exp(-Math.abs(score))) })
  }

  saved(): string {
    return `${JSON.stringify(this.learned)}\n`
  }

  /** How good the jury is, and what each member counts. */
  tell(note: Context['note']): void {
    const { labels, right, ci, members } = this.learned
    if (this.others) {
      const best = members.reduce((most, one) => (one.right > most.right ? one : most))
      note(
        `learned of ${members.length}: from ${labels} labels, right in ${percent(right)} (cross-fitted; ${ci.map((one) => (100 * one).toFixed(1)).join(' to ')}), majority ${percent(this.others.majority)}, best member ${best.member} ${percent(best.right)} (chosen on these labels)`,
      )
    }
    for (const { member, weight, right } of members) {
      note(`${member}: weight ${words(weight)}, right in ${percent(right)}`)
      if (weight < 0) note(`${member}: its vote counts against (weight ${words(weight)})`)
    }
  }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const words = (weight: number) => `${weight < 0 ? '−' : ''}${Math.abs(weight).toFixed(2)}`

/** Yes and no of options; null of pairs. @throws Fatal (data) for other verdicts */
function optionsOf({ members, cases, rowOf, kind }: Seen): [string, string] | null {
  if (kind === 'pairwise' || kind === undefined) return null
  const [{ identity }] = members.values() as unknown as [Member]
  const judge = identity.judge ?? 'the judge'
  if (kind === 'grade')
    throw new Fatal(EXIT.data, `--jury learned: ${judge} gives grades; --pass X makes pass and fail of them`)
  const refused = (why: string) =>
    new Fatal(EXIT.data, `--jury learned takes verdicts of two kinds: ${judge} ${why}`)
  if (kind !== 'choice') throw refused('chooses from a list')
  const scores = new Map<string, number | null>()
  for (const one of cases.values()) {
    for (const { name, score } of rowOf(one).get('criteria')?.[0]?.options ?? []) scores.set(name, score)
    for (const { verdict } of one.ballots.flatMap((ballot) => ballot ?? []))
      if (verdict?.option !== undefined && !scores.has(verdict.option))
        scores.set(verdict.option, verdict.score ?? null)
  }
  const names = [...scores.keys()].sort((x, y) => Number(scores.get(y)) - Number(scores.get(x)))
  const [yes, no] = names
  if (names.length !== 2) throw refused(`has ${names.length} options`)
  if (scores.get(yes!) === scores.get(no!))
    throw refused(`gives ${yes} and ${no} no scores that differ: which is a yes is not known`)
  return [yes!, no!]
}

function voteOf(verdict: Verdict | undefined, options: Saved['options']): Vote {
  if (!verdict) return 0
  if (options) return verdict.option === options[0] ? 1 : -1
  return verdict.decision === 'A>B' ? 1 : verdict.decision === 'B>A' ? -1 : 0
}

const votesOf = (members: ReadonlyMap<string, Member>, ballots: Ballots, options: Saved['options']): Vote[] =>
  [...members.values()].map(({ place }) => voteOf(ballots[place]?.verdict, options))

function verdictOf(score: number, options: Saved['options']): Verdict {
  if (options) {
    const option = score > 0 ? options[0] : options[1]
    return { label: option, option, options: { [options[0]]: 1, [options[1]]: 0 }, score: Number(score > 0) }
  }
  const decision = score > 0 ? 'A>B' : score < 0 ? 'B>A' : 'A=B'
  return { label: decision, decision }
}

const labelIn = (row: Row, settings: ScoreSettings) =>
  meantBy(firstOf(row, labelFields(settings)), settings.labelMap)

/** 1 or −1; 0 for a tie, and for what is no label of these verdicts. */
function labelOf(row: Row, options: Saved['options'], settings: ScoreSettings): Vote {
  const label = labelIn(row, settings)
  if (label === undefined) return 0
  if (!options) return voteOf({ label: null, decision: decisionOf(label) ?? null }, null)
  const [known] = row.get('criteria') ?? []
  const named = options.map((name, i) => ({ name, description: '', score: 1 - i }))
  const option = optionOf(label, known?.options.length ? known : { ...PASS, options: named })
  return option === undefined ? 0 : voteOf({ label: null, option }, options)
}

/** @throws Fatal (gate) for too few labels */
function taught(
  { members, cases, rowOf, kind }: Seen,
  options: Saved['options'],
  settings: Settings,
): LearnedJury {
  const lessons: (Lesson & { hash: string })[] = []
  for (const [key, one] of cases) {
    const { ballots } = one
    const row = rowOf(one)
    const label = labelOf(row, options, settings)
    if (label === 0 || !ballots.some((one) => one?.verdict)) continue
    const hash = sha256(`${SEED}\0${row.get('item')}`)
    lessons.push({ key, hash: `${hash} ${key}`, votes: votesOf(members, ballots, options), label })
  }
  lessons.sort((x, y) => (x.hash < y.hash ? -1 : 1))
  checkLessons(lessons, options)
  const learn = (from: readonly Lesson[]) =>
    learnWeights(
      from.map(({ votes }) => votes),
      from.map(({ label }) => label),
      options !== null,
    )
  const whole = learn(lessons)
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    learn(lessons.filter((_, at) => at % FOLDS !== fold)),
  )
  const foldOf = new Map(lessons.map(({ key }, at) => [key, folds[at % FOLDS]!]))
  const share = (isRight: (lesson: Lesson) => boolean) => lessons.filter(isRight).length / lessons.length
  // A tie is not right; of options it is a no.
  const said = (score: number) => (options && score === 0 ? -1 : Math.sign(score))
  const right = share(({ key, votes, label }) => said(juryScore(foldOf.get(key)!, votes)) === label)
  const saved: Saved = {
    ...{ jury: 'learned', kind: kind === 'choice' ? 'choice' : 'pairwise', options },
    ...{ fit: whole.fit, constant: whole.constant, labels: lessons.length, right },
    ci: wilson(right * lessons.length, lessons.length, LEVEL)!,
    members: [...members.values()].map(({ title, identity }, i) => ({
      member: title,
      ...savedIdentity(identity),
      weight: whole.weights[i]!,
      right: share(({ votes, label }) => votes[i] === label),
    })),
  }
  const sum = ({ votes }: Lesson) => votes.reduce((all: number, vote) => all + vote, 0)
  const majority = share((lesson) => said(sum(lesson)) === lesson.label)
  return new LearnedJury(members, saved, (key) => foldOf.get(key), settings, { majority })
}

function checkLessons(lessons: readonly Lesson[], options: Saved['options']): void {
  const n = lessons.length
  const refused = (what: string) =>
    new Fatal(EXIT.gate, `--jury learned: ${what}; --jury majority needs none`)
  if (n < LEAST) throw refused(`${n} labelled items, at least ${LEAST} are needed`)
  for (const [i, option] of options?.entries() ?? []) {
    const count = lessons.filter(({ label }) => label === (i === 0 ? 1 : -1)).length
    if (count < LEAST_OF_A_KIND)
      throw refused(
        `${count} items are labelled ${option}, at least ${LEAST_OF_A_KIND} of each kind are needed`,
      )
  }
}

const savedIdentity = ({ judge, judge_digest: digest, name, variant, model }: RunIdentity) =>
  Object.fromEntries(
    Object.entries({ judge, digest, name, variant, model }).filter(([, value]) => value !== undefined),
  ) as Pick<SavedMember, 'judge' | 'digest' | 'name' | 'variant' | 'model'>

/** Whatever its version. */
const isSameMember = (saved: SavedMember, { judge, name, variant, model }: RunIdentity): boolean =>
  saved.judge === judge && saved.name === name && saved.variant === variant && saved.model === model

const isSame = (saved: SavedMember, identity: RunIdentity): boolean =>
  isSameMember(saved, identity) && saved.digest === identity.judge_digest

/** @throws Fatal (no input) for a file that cannot be read, (configuration) for one that --save did not write */
export function savedIn(file: string): Saved {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Fatal(EXIT.noInput, `--jury learned: ${file}: ${(error as Error).message}`)
  }
  const other = () => configError(`--jury learned: ${file} is no file of weights that --save wrote`)
  let read: Json
  try {
    read = JSON.parse(text)
  } catch {
    throw other()
  }
  return isSaved(read)
    ? read
    : (() => {
        throw other()
      })()
}

function isSaved(read: Json): read is Json & Saved {
  if (!isObject(read)) return false
  const { jury, kind, options, constant, members } = read as unknown as Saved
  const areOptions =
    kind === 'pairwise'
      ? options === null
      : kind === 'choice' &&
        Array.isArray(options) &&
        options.length === 2 &&
        options.every((one) => typeof one === 'string')
  return (
    jury === 'learned' &&
    areOptions &&
    Number.isFinite(constant) &&
    Array.isArray(members) &&
    members.every(
      (one) =>
        isObject(one as unknown as Json) && typeof one.member === 'string' && Number.isFinite(one.weight),
    )
  )
}

/** @throws Fatal (data) */
function checkSaved(saved: Saved, { members, kind }: Seen, options: Saved['options'], file: string): void {
  const refused = (what: string) => new Fatal(EXIT.data, `--jury learned: ${what}`)
  if (kind !== undefined && saved.kind !== kind)
    throw refused(`the weights in ${file} are of ${saved.kind}, and the rows are ${kind}`)
  if (options && String(options) !== String(saved.options))
    throw refused(
      `the weights in ${file} are of ${saved.options!.join(' and ')}, and the rows have ${options.join(' and ')}`,
    )
  for (const { title, identity } of members.values()) {
    if (saved.members.some((one) => isSame(one, identity))) continue
    const [before] = saved.members.filter((one) => isSameMember(one, identity))
    if (!before) throw refused(`${file} has no weight of ${title}`)
    throw refused(
      `${title} has changed since the weights were learned (digest ${before.digest} then, ${identity.judge_digest} now): learn again`,
    )
  }
  const absent = saved.members.find(
    (one) => ![...members.values()].some(({ identity }) => isSame(one, identity)),
  )
  if (absent) throw refused(`no row is of ${absent.member}, which has a weight in ${file}`)
}
