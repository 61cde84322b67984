/** jb-audit: one judge's card. */

import { fileSource } from '../../files/files.ts'
import { jsonLines, writtenReport } from '../../formats/_report.ts'
import { rounded } from '../../formats/_table.ts'
import { clusterField } from '../../options/common.ts'
import { ignoredOptions } from '../../options/ignored.ts'
import { append, byKey, grouped } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, type JsonObject, usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { checkLimits, endByGate, MIN_COMMON } from '../../scoring/difference_gate.ts'
import { Marks } from '../../scoring/followed.ts'
import { figureTotals } from '../../scoring/group.ts'
import { consistency, jury, lengths, majority, positionBias, probes, triads } from './biases.ts'
import { bridgeBetween } from './bridge.ts'
import { type AuditedJudge, type AuditedJudges, collectJudges, type Look } from './collect.ts'
import { conclusionOf } from './conclusion.ts'
import { corrected } from './corrected.ts'
import { drift, driftPair } from './drift.ts'
import { faults, missedFaults } from './faults.ts'
import type { JudgedItems } from './items.ts'
import { nextItems } from './next.ts'
import { checkLook, oneJudge } from './opinions.ts'
import type { AuditOptions } from './options.ts'
import { agreement, annotators, calibrated } from './people.ts'
import { cardForms } from './print.ts'
import { selfPreference } from './self_preference.ts'
import { earlierOf } from './since.ts'
import { adjustBiases } from './tests.ts'
import { type Section, Votes } from './votes.ts'
import { cardWarnings } from './warnings.ts'
import { NightRows, watchNight } from './watch.ts'

/** In the order of the card. They measure unchanged items; those of changed copies follow. */
const SECTIONS: Record<string, Section> = {
  agreement,
  annotators,
  calibration: calibrated,
  corrected,
  drift,
  watch: ({ watch }) => watch?.figures,
  bridge: ({ bridge }) => bridge?.figures,
  self_preference: selfPreference,
  position: positionBias,
  length: lengths,
  consistency,
  majority,
  jury,
  transitivity: triads,
}

/** They measure copies of items. */
const OF_COPIES: Record<string, Section> = { probes, faults }

/** Yields a section a line, judge by judge; nothing where the input ended before its end. */
export const audit: Stage<AuditOptions> = async function* (rows, options, context) {
  if ((options.lengthA === undefined) !== (options.lengthB === undefined))
    throw usageError('--length-a and --length-b go together')
  if (options.calibration !== undefined && clusterField(options) !== undefined)
    throw usageError(
      '--cluster FIELD with --calibration: the interval of Rogan and Gladen’s estimate is of independent items',
    )
  checkLook(options)
  if (options.cascade || options.next !== undefined)
    ignoredOptions(['fail-caught'], options, 'it goes with a card', context)
  if (!options.cascade) {
    ignoredOptions([{ name: 'agree', default: 0.95 }], options, 'it goes with --cascade', context)
    if ([options.since, options.watch, options.bridge].every((one) => one === undefined))
      ignoredOptions(['fail-drift'], options, 'it goes with --since, --watch and --bridge', context)
    return yield* card(rows, options, context)
  }
  const { auditCascade } = await import('./cascade.ts')
  yield* auditCascade(options, context)
}

async function* card(given: Rows, asked: AuditOptions, context: Context): AsyncGenerator<string> {
  const marks = marksOf(asked, context)
  const { rows, compat } = await marks.of(given)
  const options = { ...asked, compat }
  const judges = await judgesOf(rows, options, marks, context)
  if (context.cut()) return
  if (options.next !== undefined) {
    const { next, seed } = options
    const items = nextItems(judges, { next, seed }, context)
    if (items.length === 0)
      context.finish(EXIT.gate, '--next: there is nothing to label: every item with a verdict has a label')
    yield jsonLines(items)
    return
  }
  const cards = cardsOf(judges, options)
  // Of each judge, what its card says of biases is one set of tests, and what those of groups say is another.
  for (const { sections } of cards) adjustBiases([sections])
  const ofGroups = groupCards(judges, options)
  for (const of of grouped(ofGroups, ({ judge }) => judge.name).values())
    adjustBiases(of.map(({ sections }) => sections))
  const lines = [...cards, ...ofGroups].flatMap((one) => linesOf(one, options))
  if (lines.length === 0)
    context.finish(
      EXIT.gate,
      'nothing was measured: the rows allow no section: they need verdicts, and people’s labels (--truth FIELD or FILE), both orders, samples or several judges',
    )
  const isDrift = options.failDrift !== undefined && options.since !== undefined
  const drifts = isDrift ? driftsIn(lines, options) : undefined
  yield await writtenReport(cardForms(lines), options, context)
  for (const { watch, bridge } of judges) endLook(watch ?? bridge, options, context)
  if (drifts) gateDrift(drifts, options, context)
  gateFaults(lines, options.failCaught, context)
}

/** The originals' marks, unless --value takes answers as they are. */
function marksOf(options: AuditOptions, context: Context): Marks {
  if (options.value === undefined) return new Marks(options, context)
  ignoredOptions(['compat'], options, '--value takes answers as they are, nothing is scored', context)
  return new Marks({ compat: 'none' }, context)
}

/** Ends with exit code 1 if a judge misses planted faults. Of cards of groups only the whole counts. */
function gateFaults(lines: readonly JsonObject[], least: number | undefined, context: Context): void {
  if (least === undefined) return
  const cards = lines.filter(({ section, by }) => section === 'faults' && by === undefined)
  const judges = new Set(lines.filter(({ by }) => by === undefined).map(({ judge }) => judge))
  const ofJudge = new Map(cards.map((one) => [one.judge, one]))
  const missed = [...judges].flatMap((judge) => {
    const card = ofJudge.get(judge)
    const reason = card
      ? missedFaults(card, least)
      : 'there are no copies with planted faults: jb-render --probe faults'
    return reason === undefined ? [] : [judges.size === 1 ? reason : `${judge}: ${reason}`]
  })
  if (missed.length > 0) context.finish(EXIT.gate, missed.join('\n'))
}

/** The judges, with what they are compared with. */
async function judgesOf(
  rows: Rows,
  options: AuditOptions,
  marks: Marks,
  context: Context,
): Promise<AuditedJudges> {
  if (options.watch === undefined)
    return await withOthers(await collectJudges(rows, options, context), options, marks, context)
  const night = new NightRows()
  const judges = await collectJudges(night.of(rows), options, context)
  if (context.cut()) return judges
  const judge = oneJudge(judges, '--watch', 'the rows')
  return [{ ...judge, watch: await watchNight(judge, night.digest(), options, marks, context) }]
}

/** Writes the file of --watch, when the report is out, and ends with exit code 1 if --fail-drift is missed. */
function endLook(look: Look | undefined, { failDrift }: AuditOptions, context: Context): void {
  if (!look) return
  const { figures, missed, save } = look
  save?.()
  if (missed) context.finish(EXIT.gate, String(figures.sentence))
  else if (failDrift !== undefined) context.note(String(figures.sentence))
}

type Drift = readonly [figures: JsonObject, base: { items: number }]

/** The drifts that --fail-drift is about: of cards of groups only the whole counts. @throws Fatal (usage) for a limit beyond any */
function driftsIn(lines: readonly JsonObject[], { ci, failDrift }: AuditOptions): Drift[] {
  const drifts = lines
    .filter(({ section, by }) => section === 'drift' && by === undefined)
    .map((section): Drift => [driftPair(section), { items: Number(section.anchors) }])
  checkLimits(
    drifts.map(([figures]) => figures),
    { ci, failDrift, minCommon: MIN_COMMON },
  )
  return drifts
}

/** Ends with exit code 1 if a judge has drifted. */
function gateDrift(pairs: readonly Drift[], { ci, failDrift }: AuditOptions, context: Context): void {
  if (pairs.length === 0) context.finish(EXIT.gate, 'no drift was measured: --since has no rows')
  endByGate(pairs, { ci, failDrift, minCommon: MIN_COMMON }, context)
}

/** The judges with what they said of the items of --since and --calibration. */
async function withOthers(
  judges: AuditedJudges,
  options: AuditOptions,
  marks: Marks,
  context: Context,
): Promise<AuditedJudges> {
  const { since, calibration, bridge } = options
  const read = async (file: string | undefined) => {
    if (file === undefined) return undefined
    if (context.sources.some(({ name }) => name === file))
      throw usageError(`${file} is the input as well: --since, --bridge and --calibration take other rows`)
    const { rows } = await marks.of(context.rows([fileSource(file)]))
    return await collectJudges(rows, options, context, true)
  }
  const [earlier, labelled, old] = [await read(since), await read(calibration), await read(bridge)]
  const unchanged = (items: JudgedItems | undefined) => items?.filter(({ probe }) => !probe)
  const before = earlier && !context.cut() ? earlierOf(judges, earlier, context.note) : undefined
  const bridged = old && !context.cut() ? bridgeBetween(old, judges, options) : undefined
  return judges.map((judge) => ({
    ...judge,
    bridge: bridged,
    ...(before && {
      before: unchanged(before.get(judge)?.items),
      judgedBefore: before.get(judge)?.judgedBy,
    }),
    ...(labelled && { calibration: unchanged(sameIn(labelled, judge)?.items) }),
  }))
}

const sameIn = (judges: AuditedJudges, { name }: AuditedJudge) => judges.find((one) => one.name === name)

interface Card {
  /** With its unchanged items. */
  judge: AuditedJudge
  name: JsonObject
  sections: JsonObject[]
}

/** The cards of each group of --by, of the judges that have items in it. */
function groupCards(judges: AuditedJudges, options: AuditOptions): Card[] {
  return options.by.flatMap((field, place) => {
    const parts = new Map<string, AuditedJudge[]>()
    for (const { items: whole, ...judge } of judges)
      for (const [group, items] of grouped(whole, ({ groups }) => groups![place]))
        if (group !== undefined) append(parts, group, { ...judge, whole, items })
    return byKey(parts).flatMap(([group, within]) => cardsOf(within, options, { by: field, group }))
  })
}

/** Each judge's sections; none of a judge whose rows allow none. */
function cardsOf(judges: AuditedJudges, options: AuditOptions, group: JsonObject = {}): Card[] {
  const unchanged = judges.map((one) => ({ ...one, items: one.items.filter(({ probe }) => !probe) }))
  const votes = new Votes(unchanged)
  return judges.flatMap((judge, i): Card[] => {
    const name = { ...(judge.name !== '' && { judge: judge.name }), ...group }
    const found = [
      ...Object.entries(SECTIONS).map(
        ([section, figures]) => [section, figures(unchanged[i]!, options, votes)] as const,
      ),
      ...Object.entries(OF_COPIES).map(
        ([section, figures]) => [section, figures(judge, options, votes)] as const,
      ),
    ]
    const sections = found.flatMap(([section, figures]) =>
      figures ? [rounded({ section, ...name, ...figures }) as JsonObject] : [],
    )
    if (sections.length === 0) return []
    const totals = figureTotals(unchanged[i]!.items.map(({ figures = {} }) => figures))
    const isSpent = Object.keys(totals).length > 0
    return [
      {
        judge: unchanged[i]!,
        name,
        sections: isSpent ? [...sections, { section: 'totals', ...name, ...totals }] : sections,
      },
    ]
  })
}

/** A line a section, after what they come to. */
function linesOf({ judge, name, sections }: Card, { ci }: AuditOptions): JsonObject[] {
  const own = (judge.watch ?? judge.bridge)?.warnings ?? []
  const warnings = [...own, ...cardWarnings(judge, sections)]
  const conclusion = conclusionOf(sections, judge.items.length, ci)
  return [{ section: 'conclusion', ...name, ...conclusion, warnings }, ...sections]
}
