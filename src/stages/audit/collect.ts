/** Reads rows into judged items, by judge, with people's labels. */

import { labelPlaces } from '../../formats/_label_file.ts'
import { clusterField } from '../../options/common.ts'
import { UnseenFields } from '../../options/nearest.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type Json, type JsonObject } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { byCriterion } from '../../scoring/by_criterion.ts'
import { statedConfidence } from '../../scoring/confidence.ts'
import { wordOf } from '../../scoring/label_map.ts'
import { LabelNotes, type Terms, termsOf } from '../../scoring/label_terms.ts'
import {
  type Identity,
  identityOfRun,
  type ProvenanceSums,
  provenanceSums,
} from '../../scoring/provenance.ts'
import { identityTitle, type RunIdentity, runKey, runsOfVersions } from '../../scoring/run_identity.ts'
import { LabelScales, scaleOption } from '../../scoring/scale.ts'
import type { Warning } from '../../scoring/warnings.ts'
import type { Label } from '../../statistics/agreement.ts'
import type { JudgedItem, JudgedItems, RawLabel } from './items.ts'
import { type Judgement, takeJudgements } from './judgements.ts'
import { rangeOf } from './numbers.ts'
import type { AuditOptions } from './options.ts'
import {
  asGiven,
  isFor,
  noTruth,
  noteUnmatched,
  ofCriterion,
  ownLabel,
  type PeoplesLabels,
  peoplesLabels,
  plainLabel,
  readChances,
  readPeople,
  termsOfValue,
  truthKey,
  weightFile,
} from './truth.ts'

/** A section that a gate is about. */
export interface Look {
  figures: JsonObject
  warnings: Warning[]
  missed: boolean
  save?(): void
}

export interface AuditedJudge {
  name: string
  items: JudgedItems
  /** Where `items` are those of a group: all of them. */
  whole?: JudgedItems
  criterion: string | undefined
  /** Who judged, and how. */
  judgedBy?: Identity
  /** With --since: what it said earlier, and who it was. */
  before?: JudgedItems
  judgedBefore?: Identity | undefined
  /** What --watch, or --bridge, comes to. */
  watch?: Look | undefined
  bridge?: Look | undefined
  /** With --calibration: what it said of those items. */
  calibration?: JudgedItems
  /** The model that judged. */
  model?: string | undefined
  /** Where the rows have several versions of the judge: these. */
  versions?: string[]
}

export type AuditedJudges = readonly AuditedJudge[]

/**
 * Each judge's items in the order of their ids, so that figures do not depend on the order of rows.
 * @param aside the rows are those of --since or --calibration: labels may be missing
 */
export async function collectJudges(
  rows: Rows,
  options: AuditOptions,
  context: Context,
  aside = false,
): Promise<AuditedJudges> {
  const { files, fields } = labelPlaces(options.truth, '--truth')
  const people = files.length === 0 ? undefined : await readPeople(files, options, context)
  const criteria = new Set<Json>(people?.criteria)
  const chances = await chancesOf(people, options, context)
  const judges = new Map<string, AuditedRun>()
  const beside = aside || options.since !== undefined || options.calibration !== undefined
  let lacking = fields
  const clustered = clusterField(options)
  const notes = new LabelNotes()
  const scales = new LabelScales(scaleOption(options), people?.numbers)
  const { value, p, lengthA, lengthB } = options
  const unseen = new UnseenFields({
    value,
    p,
    'length-a': lengthA,
    'length-b': lengthB,
    by: options.by,
    cluster: clustered,
  })
  let there: readonly string[] = []
  const see = (row: Row) => {
    lacking = lacking.filter((field) => (row.field(field) ?? null) === null)
    if (lacking.length > 0) there = Object.keys(row.item)
    unseen.see(row)
  }
  const add = (one: Judgement) => {
    const all = people ? namesOf(one) : severalCriteria(one)
    const labels = people ? [] : peoplesLabels(one.own, fields, one.own.first)
    for (const name of all) if (labels.some((label) => isFor(label, name))) criteria.add(name)
    // Without files, which criteria have labels is known when all rows are in.
    const possible = people ? all.filter((name) => criteria.has(name)) : all
    if (!people || possible.length === 0) addOne(one, undefined)
    for (const criterion of possible) addOne(one, criterion)
  }
  const addOne = (judgement: Judgement, criterion: string | undefined) => {
    const [one, terms] = judgedOf(judgement, criterion, fields, people?.labels, options, { notes, scales })
    const { identity, own } = judgement
    if (chances) one.chance = chances.get(truthKey(own.id, criterion)) ?? own.chance
    const judge = getOrInsert(judges, truthKey(runKey(identity), criterion), () => {
      const all: JudgedItem[] = []
      return {
        identity,
        criterion,
        name: identityTitle(identity, criterion),
        model: identity.model,
        items: all,
        all,
        terms,
        provenance: undefined,
      }
    })
    judge.terms ??= terms
    judge.provenance ??= judgement.provenance
    judge.all.push(one)
  }
  await takeJudgements(rows, options, context, { fields, see, take: add })
  if (people && !beside && !context.cut()) noteUnmatched(people.labels, judges.values(), context.note)
  scales.tell(context.note)
  for (const field of judges.size === 0 || beside ? [] : lacking)
    context.finish(EXIT.gate, noTruth(field, there))
  unseen.tell(context.note)
  if (unseen.saw('p') && ![...judges.values()].some(({ items }) => items.some(({ p }) => p !== undefined)))
    context.note(`--p ${p}: no row has a number in this field`)
  if (options.weight !== undefined && !aside && !context.cut()) checkWeighted(options.weight, judges.values())
  for (const run of judges.values()) oneSpelling(run, value !== undefined, notes)
  notes.tell('', context.note)
  return finished([...judges.values()], criteria, context.note)
}

/**
 * Words that differ in capital letters and blanks at their ends alone are one: in the judge's spelling, else in the first one by
 * the alphabet, whatever the order of the rows. @param isValue what the judge said is a word of the rows too (--value)
 */
function oneSpelling({ items }: AuditedRun, isValue: boolean, notes: LabelNotes): void {
  const spellings = new Map<string, { judge: Set<string>; all: Set<string> }>()
  const see = (label: Label | null | undefined, isJudge: boolean) => {
    if (typeof label !== 'string') return
    const of = getOrInsert(spellings, wordOf(label), () => ({ judge: new Set(), all: new Set() }))
    of.all.add(label)
    if (isJudge) of.judge.add(label)
  }
  for (const { judged, truth } of items) {
    see(judged, true)
    for (const label of truth) see(label, false)
  }
  const chosen = new Map<string, string>()
  for (const [word, { judge, all }] of [...spellings].sort(([x], [y]) => (x < y ? -1 : 1))) {
    // Options of a judge are as its file has them.
    if (all.size < 2 || (judge.size > 1 && !isValue)) continue
    const spelling = [...(judge.size > 0 ? judge : all)].sort()[0]!
    chosen.set(word, spelling)
    for (const label of all) notes.read(label, spelling)
  }
  if (chosen.size === 0) return
  const spelled = <T>(label: T) =>
    typeof label === 'string' ? ((chosen.get(wordOf(label)) ?? label) as T & string) : label
  for (const one of items) {
    one.judged = spelled(one.judged)
    one.truth = one.truth.map(spelled)
  }
}

/** @throws Fatal (data) if no item has a probability of --weight: its figures would be unweighted */
function checkWeighted(weight: string, judges: Iterable<AuditedRun>): void {
  const all = [...judges]
  if (all.length === 0 || all.some(({ items }) => items.some(({ chance }) => chance !== undefined))) return
  const reason = weightFile(weight)
    ? 'no item of these rows is in this file'
    : 'no such file, and no row of items or labels has a field of this name'
  throw new Fatal(EXIT.data, `--weight ${weight}: ${reason}`)
}

/** With --weight: the probabilities that its file, or the rows of labels, have; undefined without. */
async function chancesOf(
  people: PeoplesLabels | undefined,
  options: AuditOptions,
  context: Context,
): Promise<ReadonlyMap<string, number> | undefined> {
  const { weight } = options
  if (weight === undefined) return undefined
  return weightFile(weight) ? await readChances(weight, options, context) : (people?.chances ?? new Map())
}

const namesOf = ({ criteria }: Judgement) => criteria.map(({ name }) => name)

const severalCriteria = (one: Judgement) => (one.criteria.length > 1 ? namesOf(one) : [])

/** Runs with their names and in order. */
function finished(judges: AuditedRun[], labelled: ReadonlySet<Json>, note: Context['note']): AuditedRun[] {
  // An item with labels by criterion is on their cards, any other on that of the whole.
  const isHere = ({ criterion, criteria = [] }: JudgedItem) =>
    criterion === undefined ? !criteria.some((name) => labelled.has(name)) : labelled.has(criterion)
  for (const run of judges) run.items = run.items.filter(isHere)
  const all = judges.filter(({ items }) => items.length > 0)
  for (const run of all) readOfFailed(run)
  const versions = runsOfVersions(all, note)
  for (const run of versions) {
    const { judge, judge_digest } = run.identity
    run.name = identityTitle(run.identity, judge_digest, run.criterion)
    const same = versions.filter(({ identity }) => identity.judge === judge)
    run.versions = [...new Set(same.map(({ identity }) => identity.judge_digest ?? 'unknown'))].sort()
  }
  all.sort((x, y) => (x.name < y.name ? -1 : 1))
  for (const run of all) {
    run.items = inOrder(run.items)
    run.judgedBy = identityOfRun([run.identity], run.provenance ?? provenanceSums(), run.items.length)
  }
  return all
}

/** Items in the order of their ids. */
const inOrder = (items: JudgedItems): JudgedItems =>
  [...items].sort(({ id: x }, { id: y }) => (x < y ? -1 : Number(x > y)))

interface AuditedRun extends AuditedJudge {
  identity: RunIdentity
  provenance: ProvenanceSums | undefined
  /** All of its items, as they come. */
  all: JudgedItem[]
  /** Those of the first verdict. */
  terms: Terms | undefined
}

/** Identifies what was judged: several pairs of models may share an id. */
export const subjectKey = ({ id, models, criterion }: Pick<JudgedItem, 'id' | 'models' | 'criterion'>) =>
  JSON.stringify([id, models, criterion])

function judgedOf(
  judgement: Judgement,
  criterion: string | undefined,
  fields: readonly string[],
  people: ReadonlyMap<string, RawLabel[]> | undefined,
  options: AuditOptions,
  { notes, scales }: { notes: LabelNotes; scales: LabelScales },
): [JudgedItem, Terms | undefined] {
  const { own, result: whole, criteria } = judgement
  const { id, longer, models, probe, groups, cluster, asks } = own
  const result = whole && criterion !== undefined ? byCriterion(whole, criteria, criterion) : whole
  const trials =
    criterion === undefined
      ? judgement.trials
      : judgement.trials.filter(({ trial }) => trial.criterion === criterion)
  const names = severalCriteria(judgement)
  const { value } = options
  const terms =
    value !== undefined
      ? termsOfValue(own.value)
      : result
        ? termsOf(result, judgement, criterion, scales)
        : undefined
  const label = criterion === undefined ? ownLabel(own, result, terms, options) : own.first
  const labels = people
    ? (people.get(truthKey(id, criterion)) ?? peoplesLabels(own, fields, undefined))
    : ofCriterion(peoplesLabels(own, fields, label), criterion)
  const truth = labels.map((label, i) => {
    if (label === undefined || label === null || label === '') return null
    if (!terms) return value === undefined ? asGiven(label) : plainLabel(label)
    const read = terms.read(label)
    if (read === undefined && !(criterion === undefined && names.some((name) => isFor(label, name))))
      notes.unread(label, terms.expected, id, JSON.stringify([criterion, i]))
    notes.read(label, read)
    return asGiven(read)
  })
  // By name: an object that begins with those of another has a shape of its own, five times as large.
  const one: JudgedItem = {
    id,
    criterion,
    criteria: names.length > 0 ? names : undefined,
    judged: asGiven(terms?.said) ?? undefined,
    isOpen: terms?.isOpen === true,
    score: (result?.score_of_option ?? result?.score ?? undefined) as number | undefined,
    range: result && rangeOf(result, criteria, criterion),
    truth,
    trials,
    p: options.p !== undefined ? own.p : result && statedConfidence(result, trials),
    chance: undefined,
    longer,
    models,
    probe,
    groups,
    cluster,
    asks,
    asked: judgement.asked,
    figures: criterion === undefined ? judgement.figures : undefined,
  }
  return [one, terms]
}

/** Reads the labels of failed items as those of the others: people are compared with each other, too. */
function readOfFailed({ items, terms }: AuditedRun): void {
  for (const one of items)
    if (one.judged === undefined)
      one.truth = one.truth.map((label) =>
        label === null || !terms ? plainLabel(label) : (terms.read(label) ?? null),
      )
}
