/** What a night of a watch comes to: figures, and a sentence. */
import type { JsonObject } from '../rows/record.ts'
import {
  BASE,
  type Base,
  baseOf,
  type Figures,
  type JudgeMoved,
  judgeMoved,
  type Moved,
  type SystemBase,
  type SystemMoved,
  systemBaseOf,
  systemMoved,
  type WatchSettings,
} from '../statistics/watch.ts'
import { meanWords, range, signedAmount } from './difference_verdict.ts'
import { baseNight, systemNight, type Watch, type WatchedSystem } from './watch_file.ts'

/** Changes are looked for in nights of about this number. */
const SOON = 10
/** The least change that a watch should find. */
const WANTED = 0.05
/** Errors of the difference within which a change is not found. */
const ERRORS = 4.5

type Answer = 'base' | 'none' | 'judge' | 'system' | 'both'

export interface NightReport {
  answer: Answer
  /** From 1. */
  night: number
  base: Base | undefined
  judge: JudgeMoved | undefined
  system: SystemMoved | undefined
  /** Nights of the system's base so far; undefined where that is complete, or there is no system. */
  systemNights: number | undefined
}

/** The base of a watch; undefined before its nights are there. */
export const watchBase = (watch: Watch): Base | undefined =>
  watch.nights.length < BASE ? undefined : baseIn(watch)

/** @throws where no anchor has two verdicts, which a night that counts excludes */
export const baseIn = (watch: Pick<Watch, 'anchors'>): Base =>
  baseOf(
    Array.from({ length: BASE }, (_, k) => baseNight(watch, k)),
    [...watch.anchors.keys()],
  )!

/** The same of the system. */
export const systemBaseIn = (system: Pick<WatchedSystem, 'items'>): SystemBase =>
  systemBaseOf(
    Array.from({ length: BASE }, (_, k) => systemNight(system, k)),
    [...system.items.keys()],
  )!

/** What is said stays said. */
const saidBy = (moved: Moved | null, night: number) => (moved && moved.night <= night ? moved : null)

/**
 * What was to be said after a night.
 * @param night from 1 to the last one
 * @param base of the watch, where it is at hand
 */
export function nightReport(
  watch: Watch,
  night: number,
  settings: WatchSettings,
  base = watchBase(watch),
): NightReport {
  const { system } = watch
  const systemNights = system?.nights.filter((one) => one.night <= night) ?? []
  const isIncomplete = watch.withSystem && systemNights.length <= BASE
  const report: NightReport = {
    answer: 'base',
    night,
    base: night < BASE ? undefined : base,
    judge: undefined,
    system: undefined,
    systemNights: isIncomplete ? systemNights.length : undefined,
  }
  if (night <= BASE || !base) return report
  const nights = watch.nights.slice(0, night) as Figures[]
  const threshold = (watch.withSystem ? 2 : 1) / settings.alpha
  const judge = judgeMoved(base, nights, saidBy(watch.moved, night), threshold, settings)
  report.judge = judge
  if (system && !isIncomplete) {
    const changes = systemNights.map((one) => [one.night, one.change!] as const)
    const before = saidBy(system.moved, night)
    report.system = systemMoved(systemBaseIn(system), changes, before, base, nights, judge, settings)
  }
  const [one, other] = [judge.moved !== null, !!report.system?.moved]
  report.answer = one ? (other ? 'both' : 'judge') : other ? 'system' : 'none'
  return report
}

/** Whether a base tells a change of 5 points within ten nights; undefined before it is complete. */
export const foundSoon = ({ noise, said }: Base): boolean =>
  ERRORS * Math.sqrt((noise / said.size) * (1 / BASE + 1 / SOON)) <= WANTED

const SHARE = { value: 'share' }
const percent = (share: number) => `${(100 * share).toFixed(0)} %`
const points = (change: number) => signedAmount(change, SHARE)
const within = (ci: [number, number]) => range(ci, SHARE)

/** The report's parts, as jb-audit prints them. */
export function reportFigures(
  { answer, night, base, judge, system }: NightReport,
  anchors: number,
  { margin }: WatchSettings,
): JsonObject {
  const said = <T extends JudgeMoved | SystemMoved>({ moved, since, evidence, threshold }: T) => ({
    moved: moved !== null,
    night: moved?.night ?? null,
    ...{ since, evidence, threshold },
  })
  const { score, differs, right } = judge?.figures ?? {}
  return {
    ...{ answer, night, anchors: base?.said.size ?? anchors },
    ...(base && { noise: base.noise }),
    margin,
    ...(judge && {
      judge_moved: { ...said(judge), ...(score && { score }), differs, ...(right && { right }) },
    }),
    ...(system && { system_moved: { ...said(system), items: system.items, score: system.score } }),
  } as unknown as JsonObject
}

/** The answer in words. */
export function reportWords(report: NightReport): string {
  const { answer, night, judge, base } = report
  if (!judge || !base) return `night ${night} of the ${BASE} that are the base: nothing is compared yet`
  const system = systemWords(report)
  const more = system === undefined ? '' : `; ${system}`
  if (answer === 'none') {
    const anchors = `on ${base.said.size} anchors`
    return `none moved in ${night - BASE} nights: the judge ${[levelWords(judge), anchors].filter(Boolean).join(' ')}, ${differsWords(judge, base)}${more}`
  }
  if (answer === 'system') return system!
  const moved = `since night ${judge.since}: ${movedWords(judge, base)}`
  return answer === 'both' ? `both moved: the judge ${moved}${more}` : `the judge moved, ${moved}${more}`
}

/** The share that is right, where anchors have labels, else the score. */
const figureOf = ({ figures: { right, score } }: JudgeMoved) => right ?? score

function levelWords(judge: JudgeMoved): string | undefined {
  const figure = figureOf(judge)
  if (!figure) return undefined
  return `${points(figure.change)}${judge.figures.right ? ' of right' : ''} (${within(figure.ci)})`
}

function movedWords(judge: JudgeMoved, base: Base): string {
  const figure = figureOf(judge)
  if (!figure) return differsWords(judge, base)
  const [before, now] = [figure.before, figure.now].map((level) => meanWords(level, 'share'))
  const change = `${points(figure.change)}, ${within(figure.ci)}`
  return `${judge.figures.right ? 'right' : 'score'} ${before} → ${now} (${change}), ${differsWords(judge, base)}`
}

function differsWords({ figures }: JudgeMoved, { said }: Base): string {
  const { before, now } = figures.differs!
  const isGraded = [...said.values()].flat().some((one) => typeof one?.said === 'number')
  return isGraded
    ? `grades ${meanWords(now, 'share')} of the scale from those of the base (${meanWords(before, 'share')} within it)`
    : `${percent(now)} of verdicts other than in the base (${percent(before)} within it)`
}

function systemWords({ answer, judge, system, systemNights }: NightReport): string | undefined {
  if (systemNights !== undefined)
    return `the system is not compared yet: night ${systemNights} of the ${BASE} that are its base`
  if (!system) return undefined
  const { change, ci } = system.score
  const words = `${points(change)} (${within(ci)})`
  if (answer === 'system')
    return `the system moved, since night ${system.since}: ${words} by a judge that did not`
  if (answer === 'both') return `the system, since night ${system.since}: ${words}`
  return `the system ${words}${answer === 'judge' && system.since >= judge!.since ? ' after that' : ''}`
}
