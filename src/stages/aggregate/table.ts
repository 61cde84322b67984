/** Reports as tables for people: on a terminal, or in Markdown. */

import { fittedLines, type Room, sentenceLines } from '../../formats/_fit.ts'
import { markdownTable, type Style, type Table } from '../../formats/_table.ts'
import { inLine, inMarkdown } from '../../rows/controls.ts'
import { byKey } from '../../rows/maps.ts'
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { FIGURE_WORDS } from '../../scoring/group.ts'
import { identityTitle } from '../../scoring/run_identity.ts'
import type { RunSums } from '../../scoring/run_sums.ts'
import { reportWarnings } from '../../scoring/run_warnings.ts'
import { type GradeScale, scaleWords } from '../../scoring/scale.ts'
import { answerNames, shareLines } from '../../scoring/share_words.ts'
import { warningLines } from '../../scoring/warnings.ts'
import { madeOf, type Printed, type PrintSettings, partReport, wholeReport } from './print.ts'

/** A table with a line a run where there are several, then one a run with a line a group. */
export function printMarkdown({ runs, differ }: Printed, settings: PrintSettings): string {
  const several = runs.length > 1
  const warnings = (run: RunSums) => warningLines(reportWarnings(run, runs, settings))
  const line = (words: string) => `\n${inMarkdown(words)}\n`
  const facts = (run: RunSums) =>
    (run.all.failed > 0 ? line(factsOf(run)) : '') +
    answersOf(run, settings).map(line).join('') +
    warnings(run).map(line).join('') +
    line(madeWords(run))
  const single = (run: RunSums) =>
    `**${inMarkdown(headingOf(run))}**\n\n${markdownTable(groups(run, settings))}${facts(run)}`
  const all = () =>
    markdownTable(overview(runs, settings)) + notesOf(runs, differ, settings).map(line).join('')
  return [...(several ? [all()] : []), ...broken(runs).map(single)].join('\n')
}

/** The same for a terminal, with what does not fit a column in words. */
export function printTable(
  { runs, differ }: Printed,
  settings: PrintSettings,
  style: Style,
  room: Room,
): string {
  const say = (code: number, words: string) => sentenceLines([words], room).map((line) => style(code, line))
  const single = (run: RunSums) => {
    const closed = closing(run, settings)
    return [
      ...say(1, headingOf(run)),
      ...say(run.all.failed > 0 ? 33 : 2, factsOf(run)),
      '',
      ...fittedLines(groups(run, settings, run.all.failed === 0), style, { room, total: true }),
      '',
      ...sentenceLines(closed, room),
      ...warningLines(reportWarnings(run, runs, settings)).flatMap((words) => say(33, words)),
      ...say(2, madeWords(run)),
    ]
  }
  const blocks = broken(runs).map(single)
  if (runs.length > 1) {
    const notes = notesOf(runs, differ, settings).flatMap((words) => say(33, words))
    blocks.unshift([
      ...fittedLines(overview(runs, settings), style, { room }),
      ...(notes.length > 0 ? ['', ...notes] : []),
    ])
  }
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n')
}

/** Runs that say more than a line of the overview does. */
const broken = (runs: RunSums[]) => (runs.length > 1 ? runs.filter(({ by }) => by.size > 0) : runs)

/** What follows the overview: for runs with only a line in it, what failed and what made them. */
function notesOf(runs: RunSums[], differ: boolean, settings: PrintSettings): string[] {
  const rest = runs.filter((run) => !broken(runs).includes(run))
  return [
    ...rest.filter(({ all }) => all.failed > 0).map((run) => `${headingOf(run)}: ${factsOf(run)}`),
    ...rest.flatMap((run) => answersOf(run, settings).map((words) => `${headingOf(run)}: ${words}`)),
    ...(differ ? ['the valid items are not the same in all lines: --common takes those that are'] : []),
    ...rest.flatMap((run) => warningLines(reportWarnings(run, runs, settings), headingOf(run))),
    ...rest.map((run) => `${headingOf(run)}: ${madeWords(run)}`),
  ]
}

/** What made a report, in a line. */
function madeWords(run: RunSums): string {
  const { jb, parameters, orders, ...rest } = madeOf(run) as { [key: string]: Json }
  const words = (value: Json): string =>
    Array.isArray(value)
      ? value.map(words).join(isObject(value[0]) ? ' / ' : ', ')
      : value !== null && typeof value === 'object'
        ? settings(value) || 'no options'
        : String(value)
  const settings = (of: JsonObject) =>
    Object.entries(of)
      .map(
        ([key, value]) =>
          `${key} ${typeof value === 'object' ? JSON.stringify(value).replace(/(.{40}).+/, '$1…') : value}`,
      )
      .join(', ')
  const parts = [
    `jb ${jb}`,
    ...Object.entries(rest).map(([key, value]) => `${key.replaceAll('_', ' ')} ${words(value)}`),
    parameters && words(parameters),
    orders && `order ${words(orders)}`,
  ]
  return parts.filter(Boolean).join('; ')
}

const headingOf = ({ identity, ambiguous }: RunSums) =>
  inLine(identityTitle(identity, ambiguous && identity.judge_digest)) || 'no judge'

/** How many items there were, and how many failed of which code. */
function factsOf({ all: { items, valid, failed, failures, leftOut } }: RunSums): string {
  if (items === 0) return 'no items'
  const all = count(items, 'item')
  if (failed === 0 && leftOut === 0) return `${all}, all valid`
  const codes = byKey(failures)
    .map(([code, n]) => `${code} ${n}`)
    .join(', ')
  return [
    all,
    `${valid} valid`,
    ...(failed > 0 ? [`${failed} failed (${codes})`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out: not valid for all judges`] : []),
  ].join(', ')
}

/** A line a run. */
function overview(runs: RunSums[], settings: PrintSettings): Table {
  return table(
    'judge',
    runs.map((run) => [headingOf(run), wholeReport(run.all, settings)]),
  )
}

/** A line a group, and one for all. */
function groups(run: RunSums, settings: PrintSettings, allValid = false): Table {
  const named: [string, JsonObject][] = []
  for (const [field, values] of run.by)
    for (const [value, group] of byKey(values))
      named.push([run.by.size > 1 ? `${field}=${value}` : value, partReport(group, settings)])
  named.push(['all', wholeReport(run.all, settings)])
  return table(run.by.size === 1 ? [...run.by.keys()][0]! : '', named, allValid)
}

/** @param allValid is said above the table: no column of zeros is needed */
function table(heading: string, named: [string, JsonObject][], allValid = false): Table {
  const has = (report: JsonObject, key: string) => report[key] !== undefined && report[key] !== null
  const reports = named.map(([, report]) => report)
  const columns = COLUMNS.filter(
    ([key, , , wanted = () => true]) =>
      !(allValid && key === 'failed') &&
      reports.some((report) => has(report, key) && wanted(report, reports)),
  )
  const names = answerNames(reports)
  const scales = new Set(reports.filter((report) => has(report, 'score')).map(scaleOf))
  const [only] = scales.size === 1 ? scales : []
  const scaled = (words: string, scale = '') => (scale === '' ? words : `${words} (${scale})`)
  const shown = (key: string, form: Column[2], report: JsonObject) => {
    const words = form(report[key]!)
    return key === 'score' && only === undefined ? scaled(words, scaleOf(report)) : words
  }
  const cells = (report: JsonObject) =>
    columns.map(([key, , form, wanted = () => true]) =>
      has(report, key) && wanted(report, reports) ? shown(key, form, report) : report.valid === 0 ? '–' : '',
    )
  return {
    head: [
      heading,
      ...columns.map(([key, heading]) => {
        const words = typeof heading === 'string' ? heading : heading(names.map(inLine))
        return key === 'score' ? scaled(words, only) : words
      }),
    ],
    lines: named.map(([name, report]) => [inLine(name), ...cells(report)]),
  }
}

/** The scale of a report's scores, as `1 to 5`; empty if it is not known. */
const scaleOf = ({ range }: JsonObject): string => (range ? scaleWords([range as GradeScale]) : '')

type Column = [
  key: string,
  /** Or what it is of the names of the first and the second answer. */
  heading: string | ((names: string[]) => string),
  form: (value: Json) => string,
  /** Where the value is shown, of the reports in the table: everywhere where nothing is said. */
  wanted?: (report: JsonObject, all: JsonObject[]) => boolean,
]

const hasAccuracy = (report: JsonObject) => report.accuracy !== undefined
const isShare = (report: JsonObject) => hasAccuracy(report) || report.share !== undefined

/** Columns of a table: a report's keys that stand for a person, with their headings. */
const COLUMNS: Column[] = [
  ['items', 'items', integer],
  ['failed', 'failed', integer],
  ['accuracy', 'accuracy', percent],
  // Where labels say which answer is right, they say more.
  ['share', ([a]) => `share of ${a}`, percent, (_, all) => !all.some(hasAccuracy)],
  ['ci', 'interval', percents, isShare],
  ['score', 'score', decimal],
  ['ci', 'interval', decimals, (report) => !isShare(report)],
  ['score_ci', 'interval', decimals],
  ['clusters', 'clusters', integer],
  ['median', 'median', decimal],
  ['std', 'std', decimal],
  ['min', 'min', decimal],
  ['max', 'max', decimal],
  ['correct', 'correct', integer],
  ['incorrect', 'incorrect', integer],
  ['a_better', ([a]) => `${a} better`, integer, (_, all) => !all.some(hasAccuracy)],
  ['b_better', ([, b]) => `${b} better`, integer, (_, all) => !all.some(hasAccuracy)],
  ['tie', 'tie', integer],
  ['inconsistent', 'inconsistent', integer],
  ['macro_f1', 'macro F1', decimal],
  ['kappa', 'kappa', decimal],
  ['pearson', 'Pearson', decimal],
  ['spearman', 'Spearman', decimal],
  ['agreement', 'agreement', percent],
  ['positional_bias_rate', 'bias rate', percent],
]

/** What --until decides, or how models compare, in sentences. */
const answersOf = (run: RunSums, settings: PrintSettings): string[] =>
  settings.decided ? [settings.decided.sentence] : shareLines(run.all.report(settings), settings.ci)

/** What does not fit a column: preference for a place, tokens, cost. */
function closing(run: RunSums, settings: PrintSettings): string[] {
  const report = run.all.report(settings)
  const lines = answersOf(run, settings)
  const options = counted(report.options)
  if (options.length > 0) lines.push(`options chosen: ${options.join(', ')}`)
  if (report.pass_hat_k) {
    // Of items with one sample each the items of a cluster are the attempts.
    const tries = report.unanimous === undefined ? 'attempts' : 'samples'
    lines.push(
      `all of k ${tries} pass (pass^k): ${passWords(report.pass_hat_k)}`,
      `at least one of k ${tries} passes (pass@k): ${passWords(report.pass_at_k!)}`,
    )
  }
  const winners = counted(report.winners)
  if (winners.length > 0) lines.push(`answers that won (0 is the first): ${winners.join(', ')}`)
  for (const [name, of] of Object.entries((report.criteria ?? {}) as Record<string, JsonObject>))
    lines.push(`${name}: ${criterionWords(of).join(', ')}`)
  if (typeof report.first_slot_share === 'number') {
    const slots =
      typeof report.same_slot === 'number'
        ? `; the same slot in both orders: ${count(report.same_slot, 'item')}`
        : ''
    lines.push(
      `first slot chosen in ${percent(report.first_slot_share)} of ${report.decisive} decisive games${slots}`,
    )
  }
  if (report.unread_labels)
    lines.push(
      `${count(report.unread_labels as number, 'label')} could not be read, and no accuracy has them`,
    )
  if (report.unread)
    lines.push(`${report.unread} replies could not be read and count as the original counts them`)
  if (report.cascade) lines.push(cascadeWords(report.cascade as JsonObject))
  const { usage } = report as { usage?: Record<string, number> }
  const totals = FIGURE_WORDS.filter((word) => report[word] !== undefined).map((word) => {
    const value = report[word] as number
    return `${word}: ${word === 'cost' ? `$${value.toFixed(4)}` : value.toLocaleString('en')}`
  })
  if (usage?.prompt_tokens !== undefined)
    totals.unshift(`tokens: ${integer(usage.prompt_tokens)} in, ${integer(usage.completion_tokens ?? 0)} out`)
  if (totals.length > 0) lines.push(totals.join('; '))
  return lines
}

/** `1 62.50 % (50.1–73.2), 2 …`. */
const passWords = (figures: Json): string =>
  (figures as JsonObject[])
    .map(({ k, value, ci }) => `k ${k} ${percent(value!)}${ci ? ` (${percents(ci)})` : ''}`)
    .join(', ')

function cascadeWords({ share, why, stages }: JsonObject): string {
  const asked = (stages as JsonObject[]).map(
    ({ model, items, cost }) =>
      `${model} ${count(items as number, 'item')}${cost ? ` $${(cost as number).toFixed(4)}` : ''}`,
  )
  return `asked: ${asked.join(', ')}; asked again: ${percent(share!)} (${counted(why).join(', ')})`
}

/** The figures of one of several criteria. */
function criterionWords({ score, accuracy, options, winners, tie }: JsonObject): string[] {
  return [
    ...(typeof score === 'number' ? [`score ${decimal(score)}`] : []),
    ...(typeof accuracy === 'number' ? [`accuracy ${percent(accuracy)}`] : []),
    ...counted(options),
    ...Object.entries((winners ?? {}) as JsonObject).map(([i, n]) => `answer ${i} won ${n}`),
    ...(typeof tie === 'number' && tie > 0 ? [`tie ${tie}`] : []),
  ]
}

const counted = (counts: Json | undefined) =>
  Object.entries((counts ?? {}) as JsonObject).map(([name, n]) => `${name} (${n})`)

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`

function integer(value: Json): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

function percent(value: Json): string {
  return `${(Number(value) * 100).toFixed(2)} %`
}

function decimal(value: Json): string {
  return typeof value === 'number' ? value.toFixed(3) : String(value)
}

/** An interval of a share, in percent. */
function percents(value: Json): string {
  const [low, high] = value as [number, number]
  return `${(low * 100).toFixed(1)}–${(high * 100).toFixed(1)}`
}

function decimals(value: Json): string {
  const [low, high] = value as [number, number]
  return `${low.toFixed(2)}–${high.toFixed(2)}`
}
