/** Comparisons in the formats of reports. Tables have a line per pair, with sentences below for what fits no column. */
import { tableForms } from '../../formats/_fit.ts'
import type { ReportForms } from '../../formats/_report.ts'
import { type RecordColumn, recordTable } from '../../formats/_table.ts'
import type { Json, JsonObject } from '../../rows/record.ts'
import { decimalsIn, isShare, range, sizeOf } from '../../scoring/difference_verdict.ts'
import { type Identity, identityWords } from '../../scoring/provenance.ts'
import { warningLines, withoutWarnings } from '../../scoring/warnings.ts'

const isWhole = ({ by }: JsonObject) => by === undefined

export function pairForms(pairs: readonly JsonObject[]): ReportForms {
  const isSlice = (pair: JsonObject) => !isWhole(pair)
  // A narrow terminal drops the last columns first: the difference and its interval are in the sentence, too.
  const columns: RecordColumn<JsonObject>[] = [
    ['slice', (pair) => (isSlice(pair) ? `${pair.by}=${pair.group}` : 'all'), isSlice],
    ['a', ({ a }) => String(a)],
    ['b', ({ b }) => String(b)],
    ['items', ({ items }) => String(items)],
    ['mean a', (pair) => figure(pair.mean_a, pair)],
    ['mean b', (pair) => figure(pair.mean_b, pair)],
    ['b − a', (pair) => signed(pair.difference, pair)],
    [
      'interval',
      (pair) => (Array.isArray(pair.ci) ? pair.ci.map((one) => signed(one, pair)).join(' to ') : ''),
    ],
    ['p', ({ p }) => probability(p)],
    ['p (Holm)', ({ p_holm }) => probability(p_holm), () => pairs.length > 1],
    ['a above', ({ losses }) => String(losses ?? '')],
    ['b above', ({ wins }) => String(wins ?? '')],
  ]
  const names = pairs.some(isSlice) ? 3 : 2
  return {
    json: () => pairs,
    records: () => withoutWarnings(pairs).map(flat),
    ...tableForms(recordTable(columns, pairs), sentences(pairs), names, pairs.filter(isWhole).length),
  }
}

/** Each run of `made` in columns of its own. */
function flat({ made, ...pair }: JsonObject): JsonObject {
  if (made === undefined) return pair
  const { a, b } = made as { a: Json; b: Json }
  return { ...pair, made_a: a, made_b: b }
}

function figure(value: Json | undefined, pair: JsonObject): string {
  if (typeof value !== 'number') return ''
  return isShare(pair) ? `${(value * 100).toFixed(2)} %` : value.toPrecision(4)
}

function signed(value: Json | undefined, pair: JsonObject): string {
  if (typeof value !== 'number') return ''
  const text = isShare(pair) ? (value * 100).toFixed(2) : value.toFixed(decimalsIn(pair))
  return value > 0 ? `+${text}` : text
}

function probability(value: Json | undefined): string {
  if (typeof value !== 'number') return ''
  return value < 0.0001 ? value.toExponential(1) : value.toFixed(4)
}

/** The methods, the items left out, and the difference that the items could have shown. */
function sentences(pairs: readonly JsonObject[]): string[] {
  const whole = pairs.filter(isWhole)
  const methods = new Set(
    whole
      .filter(({ method }) => method)
      .map(
        (pair) =>
          `b − a of ${pair.value}${isShare(pair) ? ' in points' : ''}: interval by ${pair.method}, p by ${pair.test}`,
      ),
  )
  const lines = [...whole.map(({ sentence }) => String(sentence)), ...judgedBy(whole), ...methods]
  for (const pair of whole) {
    const who = `${pair.a} and ${pair.b}`
    const left = [...leftOut(pair, 'failed'), ...leftOut(pair, 'missing')]
    if (typeof pair.unlabelled === 'number')
      lines.push(`${who}: left out: ${counted(pair.unlabelled)} without a label`)
    if (left.length > 0) lines.push(`${who}: left out: ${left.join(', ')}${boundsWords(pair)}`)
    if (pair.verdict === 'undecided' && typeof pair.mde === 'number')
      lines.push(
        `${who}: with ${counted(pair.items as number)} items, a true difference of ${sizeOf(pair.mde, pair)} would be significant in four of five cases`,
      )
  }
  return [
    ...lines,
    ...whole.flatMap((pair) => warningLines(pair.warnings, whole.length > 1 && `${pair.a} and ${pair.b}`)),
  ]
}

/** Who judged each run, and how: a line each. */
function judgedBy(pairs: readonly JsonObject[]): string[] {
  const lines = new Set<string>()
  for (const { a, b, made } of pairs) {
    const sides = made as unknown as { a: Identity; b: Identity }
    for (const [name, run] of [
      [a, sides.a],
      [b, sides.b],
    ] as const) {
      const known = identityWords(run)
      if (known !== '') lines.add(`${name}: ${known}`)
    }
  }
  return [...lines]
}

const counted = (items: number) => items.toLocaleString('en')

/** An item without an outcome failed. */
const LEFT_OUT = { failed: 'without an outcome', missing: 'missing' }

function leftOut(pair: JsonObject, key: 'failed' | 'missing'): string[] {
  const counts = pair[key] as { a: number; b: number }
  return (['a', 'b'] as const)
    .filter((side) => counts[side] > 0)
    .map((side) => `${counts[side]} ${LEFT_OUT[key]} in ${pair[side]}`)
}

function boundsWords(pair: JsonObject): string {
  if (!Array.isArray(pair.bounds)) return ''
  const bounds = range(pair.bounds as [number, number], pair)
  return ` (with them b − a would be between ${bounds.replace(' to ', ' and ')})`
}
