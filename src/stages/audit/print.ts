/** Cards in any format of reports; for people a judge's sections, a line a figure. */

import { fittedLines, type Room, sentenceLines } from '../../formats/_fit.ts'
import type { ReportForms } from '../../formats/_report.ts'
import { markdownTable, type Style, styled, type Table } from '../../formats/_table.ts'
import { textWidth } from '../../formats/_text_width.ts'
import { inLine, inMarkdown } from '../../rows/controls.ts'
import { grouped } from '../../rows/maps.ts'
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { decimalsOf } from '../../scoring/digits.ts'
import { type Identity, identityWords } from '../../scoring/provenance.ts'
import { warningLines } from '../../scoring/warnings.ts'
import { wordsOf } from './words.ts'

export const cardForms = (lines: readonly JsonObject[]): ReportForms => ({
  json: () => lines,
  records: () => recordsOf(lines),
  table: (style, room) => printPage(lines, style, room),
  markdown: () => printMarkdown(lines),
})

const withoutConclusions = (lines: readonly JsonObject[]) =>
  lines.filter(({ section }) => section !== 'conclusion')

/** A record a figure. */
const recordsOf = (lines: readonly JsonObject[]): JsonObject[] =>
  withoutConclusions(lines).flatMap(({ section, judge, by, group, ...figures }) =>
    figuresOf(figures).map(({ figure, value, interval }) => ({
      judge: judge ?? '',
      by: by ?? '',
      group: group ?? '',
      section,
      figure,
      value,
      ...(interval && { low: interval[0], high: interval[1] }),
    })),
  ) as JsonObject[]

/** Whose card a line belongs to. */
const nameOf = ({ judge, by, group }: JsonObject) =>
  [judge, by && `${by} ${group}`].filter(Boolean).join(', ')

const figuresIn = ({
  section: _,
  judge: __,
  by: ___,
  group: ____,
  warnings: _____,
  ...figures
}: JsonObject): JsonObject => figures

/** A table a card. */
function printMarkdown(lines: readonly JsonObject[]): string {
  const cards = grouped(lines, nameOf)
  const tables = [...cards].map(([name, sections]) => {
    const cells = withoutConclusions(sections).flatMap((line) =>
      figuresOf(figuresIn(line)).map(({ figure, value, interval }) => [
        wordsOf(String(line.section)),
        figure,
        text(value),
        interval?.map(text).join(' to ') ?? '',
      ]),
    )
    const title = name === '' ? '' : `**${inMarkdown(name)}**\n\n`
    const warnings = sections.flatMap((line) => warningLines(line.warnings))
    const table = markdownTable({ head: ['section', 'figure', 'value', 'interval'], lines: cells }, 2)
    const conclusions = sections
      .filter(({ section }) => section === 'conclusion')
      .flatMap((line) => Object.entries(figuresIn(line)))
      .map(([name, words]) => `- ${inMarkdown(`${wordsOf(name)}: ${words}`)}\n`)
    return (
      `${title}${conclusions.join('')}\n${table}` +
      warnings.map((words) => `\n${inMarkdown(words)}\n`).join('')
    )
  })
  return tables.join('\n')
}

function printPage(lines: readonly JsonObject[], style: Style, room: Room): string {
  const out: string[] = []
  let judge = ''
  for (const line of lines) {
    const name = nameOf(line)
    if (name !== judge && name !== '')
      out.push(...sentenceLines([name], room).map((one) => style(1, one)), '')
    judge = name
    const section = String(line.section)
    const warnings = warningLines(line.warnings).flatMap((words) => sentenceLines([words], room))
    out.push(style(1, wordsOf(section)), ...figureLines(section, inWords(figuresIn(line)), '  ', room))
    out.push(...warnings.map((one) => style(33, one)), '')
  }
  return `${out.join('\n').trimEnd()}\n`
}

/** Who judged, and how, as one figure. */
const inWords = (figures: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) =>
      name === 'judged_before' || name === 'judged_now'
        ? [name, identityWords(value as unknown as Identity) || null]
        : [name, value],
    ),
  )

function figureLines(section: string, figures: JsonObject, indent: string, room: Room): string[] {
  const out: string[] = []
  for (const [key, value] of shownMembers(figures)) {
    const name = `${indent}${inLine(wordsOf(key, section))}`
    const inner = isObject(value) ? value : namedPlaces(key, value)
    if (key === 'prevalence') out.push(name, ...labelLines(value as JsonObject, `${indent}  `, room))
    else if (key === 'confusion') out.push(...matrixLines(value as JsonObject, indent, room))
    else if (inner) out.push(name, ...figureLines(section, inner, `${indent}  `, room))
    else if (Array.isArray(value) && value.some((one) => one !== null && typeof one === 'object'))
      out.push(name, ...listLines(key, value, indent, room))
    else {
      const words = Array.isArray(value)
        ? value.map(text).join(', ')
        : withInterval(value, intervalOf(figures, key))
      out.push(...beside(name, inLine(words), room))
    }
  }
  return out
}

/** Labels stay as they are. */
const labelLines = (shares: JsonObject, indent: string, room: Room): string[] =>
  inOrder(shares).flatMap((label) => beside(indent + inLine(label), text(shares[label]), room))

/** Columns of the names of figures. */
const NAMES = 30

/** A name and its value, which continues on further lines if it is too long. */
function beside(name: string, words: string, room: Room): string[] {
  const start = `${name}${' '.repeat(Math.max(0, NAMES - textWidth(name)))}  `
  if (room === undefined || start.length + words.length <= room) return [start + words]
  const [first, ...rest] = sentenceLines([words], Math.max(20, room - start.length))
  return [start + first, ...rest.map((line) => ' '.repeat(start.length) + line)]
}

/** Labels; numbers by size (an object has its whole ones first). */
function inOrder(labels: JsonObject): string[] {
  const names = Object.keys(labels)
  const numbers = names.every((name) => name.trim() !== '' && Number.isFinite(Number(name)))
  return numbers ? names.sort((x, y) => Number(x) - Number(y)) : names
}

/** What people said, a line each, by what the judge said. */
function matrixLines(confusion: JsonObject, indent: string, room: Room): string[] {
  const labels = inOrder(confusion)
  const head = ['people \\ judge', ...labels.map(inLine)]
  const lines = labels.map((label) => [
    inLine(label),
    ...labels.map((other) => text((confusion[label] as JsonObject)[other])),
  ])
  return [`${indent}confusion`, ...innerTable({ head, lines }, `${indent}  `, room)]
}

/** A list of objects, or of lists whose places have names, as a table. */
function listLines(key: string, list: readonly Json[], indent: string, room: Room): string[] {
  const records = list.map((one) => (isObject(one) ? one : (namedPlaces(key, one) ?? { '': one })))
  const head = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const lines = records.map((record) => head.map((name) => inLine(text(record[name]))))
  return innerTable({ head: head.map((name) => wordsOf(name)), lines }, `${indent}  `, room, 0)
}

function innerTable(table: Table, indent: string, room: Room, names = 1): string[] {
  const inside = room === undefined ? undefined : room - indent.length
  return fittedLines(table, styled(false), { room: inside, names }).map((line) => indent + line)
}

const text = (value: Json | undefined): string =>
  typeof value === 'number' && !Number.isInteger(value)
    ? String(Number(value.toPrecision(4)))
    : value == null
      ? '–'
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)

/** A figure and its interval, with the same decimals. */
function withInterval(value: Json, interval: readonly number[] | undefined): string {
  if (!interval || typeof value !== 'number') return text(value)
  const decimals = decimalsOf([value, ...interval], 4)
  const [figure, ...ends] = [value, ...interval].map((one) => one.toFixed(decimals))
  return `${figure}  (${ends.join(' to ')})`
}

/** Beside a figure of this name, its interval. */
const INTERVALS: Record<string, string> = {
  po: 'ci',
  first_share: 'ci',
  longer_share: 'ci',
  share: 'ci',
  estimate: 'ci',
  difference: 'ci',
  change: 'ci',
  kappa: 'kappa_ci',
  kappa_linear: 'kappa_linear_ci',
  kappa_quadratic: 'kappa_quadratic_ci',
  sensitivity: 'sensitivity_ci',
  specificity: 'specificity_ci',
  overconfidence: 'overconfidence_ci',
  slope: 'slope_ci',
}

/** What the places of a list are. */
const PLACES: Record<string, string[]> = {
  se: ['intercept', 'slope'],
  bins: ['bin', 'n', 'p', 'share'],
}

/** Members without the intervals that stand beside others. */
function shownMembers(figures: JsonObject): [name: string, value: Json][] {
  const beside = new Set(Object.entries(INTERVALS).map(([name, ci]) => (name in figures ? ci : '')))
  return Object.entries(figures).filter(([name]) => !beside.has(name))
}

const intervalOf = (figures: JsonObject, name: string): number[] | undefined => {
  const interval = figures[INTERVALS[name] ?? '']
  return Array.isArray(interval) ? (interval as number[]) : undefined
}

/** A list by the names of its places; undefined for what is no such list. */
const namedPlaces = (name: string, value: Json): JsonObject | undefined =>
  Array.isArray(value) && PLACES[name]?.length === value.length && !value.some(Array.isArray)
    ? Object.fromEntries(PLACES[name].map((place, i) => [place, value[i]!]))
    : undefined

interface Figure {
  /** A path: `confusion.A>B.A=B`, `bins.3.share`. */
  figure: string
  value: Json
  interval: number[] | undefined
}

/** Every figure of a section. */
function figuresOf(section: JsonObject, before = ''): Figure[] {
  return shownMembers(section).flatMap(([name, value]): Figure[] => {
    const figure = before + name
    const inner = isObject(value) ? value : namedPlaces(name, value)
    if (inner) return figuresOf(inner, `${figure}.`)
    if (!Array.isArray(value)) return [{ figure, value, interval: intervalOf(section, name) }]
    return value.flatMap((one, i) => {
      const of = isObject(one) ? one : namedPlaces(name, one)
      return of
        ? figuresOf(of, `${figure}.${i + 1}.`)
        : [{ figure: `${figure}.${i + 1}`, value: one, interval: undefined }]
    })
  })
}
