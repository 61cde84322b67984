/** Comparisons in the formats of reports. Tables have a line per pair, with sentences below for what fits no column. */
import { tableForms } from '../../formats/_fit.ts'
import type { ReportForms } from '../../formats/_report.ts'
import { type RecordColumn, recordTable } from '../../formats/_table.ts'
import type { Json, JsonObject } from '../../rows/record.ts'

export function pairForms(pairs: readonly JsonObject[]): ReportForms {
  const isSlice = ({ by }: JsonObject) => by !== undefined
  // A narrow terminal drops the last columns first.
  const columns: RecordColumn<JsonObject>[] = [
    ['slice', (pair) => (isSlice(pair) ? `${pair.by}=${pair.group}` : 'all'), isSlice],
    ['a', ({ a }) => String(a)],
    ['b', ({ b }) => String(b)],
    ['items', ({ items }) => String(items)],
    ['difference', (pair) => signed(pair.difference, pair)],
    [
      'interval',
      (pair) => (Array.isArray(pair.ci) ? pair.ci.map((one) => signed(one, pair)).join(' to ') : ''),
    ],
    ['p', ({ p }) => probability(p)],
    ['p (Holm)', ({ p_holm }) => probability(p_holm), () => pairs.length > 1],
    ['mean a', (pair) => figure(pair.mean_a, pair)],
    ['mean b', (pair) => figure(pair.mean_b, pair)],
    ['wins', ({ wins }) => String(wins ?? '')],
    ['losses', ({ losses }) => String(losses ?? '')],
  ]
  const names = pairs.some(isSlice) ? 3 : 2
  return { json: () => pairs, ...tableForms(recordTable(columns, pairs), sentences(pairs), names) }
}

/** Shares are percentages, and their differences percentage points. */
export const isShare = ({ value }: JsonObject) => value === 'correct' || value === 'share'

function figure(value: Json | undefined, pair: JsonObject): string {
  if (typeof value !== 'number') return ''
  return isShare(pair) ? `${(value * 100).toFixed(2)} %` : value.toPrecision(4)
}

function signed(value: Json | undefined, pair: JsonObject): string {
  if (typeof value !== 'number') return ''
  const text = isShare(pair) ? (value * 100).toFixed(2) : value.toPrecision(3)
  return value > 0 ? `+${text}` : text
}

function probability(value: Json | undefined): string {
  if (typeof value !== 'number') return ''
  return value < 0.0001 ? value.toExponential(1) : value.toFixed(4)
}

/** The methods, the items left out, and the difference that the items could have shown. */
function sentences(pairs: readonly JsonObject[]): string[] {
  const whole = pairs.filter(({ by }) => by === undefined)
  const methods = new Set(
    whole
      .filter(({ method }) => method)
      .map(
        (pair) =>
          `${pair.value}: the difference is a − b${isShare(pair) ? ' in points' : ''}; interval ${pair.method}, p ${pair.test}`,
      ),
  )
  const lines = [...methods]
  for (const pair of whole) {
    const who = `${pair.a} and ${pair.b}`
    if (pair.reason !== undefined) lines.push(`${who}: ${pair.reason}`)
    const left = [...leftOut(pair, 'failed'), ...leftOut(pair, 'missing')]
    if (left.length > 0) lines.push(`${who}: left out: ${left.join(', ')}${boundsWords(pair)}`)
    if (typeof pair.p === 'number' && pair.p >= 0.05 && typeof pair.mde === 'number')
      lines.push(`${who}: ${powerWords(pair)}`)
  }
  return lines
}

/** The difference that so many items can show, and how many items the observed one needs. */
function powerWords(pair: JsonObject): string {
  const { items, mde, difference, items_needed: needed } = pair
  const more =
    typeof needed === 'number'
      ? `; one of ${sizeOf(difference as number, pair)}, as seen here, takes about ${counted(needed)} items`
      : ''
  return `with ${counted(items as number)} items, a true difference of ${sizeOf(mde as number, pair)} would be significant in four of five cases${more}`
}

/** Without a sign, with its unit. */
function sizeOf(difference: number, pair: JsonObject): string {
  const digits = signed(Math.abs(difference), pair).replace('+', '')
  return isShare(pair) ? `${digits} points` : digits
}

const counted = (items: number) => items.toLocaleString('en')

/** An item without an outcome failed or has no label. */
const LEFT_OUT = { failed: 'without an outcome', missing: 'missing' }

function leftOut(pair: JsonObject, key: 'failed' | 'missing'): string[] {
  const counts = pair[key] as { a: number; b: number }
  return (['a', 'b'] as const)
    .filter((side) => counts[side] > 0)
    .map((side) => `${counts[side]} ${LEFT_OUT[key]} in ${pair[side]}`)
}

function boundsWords(pair: JsonObject): string {
  if (!Array.isArray(pair.bounds)) return ''
  const [low, high] = pair.bounds
  return ` (with them the difference would be between ${signed(low, pair)} and ${signed(high, pair)})`
}

/** A comparison in words, for gates and their messages. */
export function verdictOf(pair: JsonObject): string {
  const { a, b, difference, ci, p, items } = pair
  if (typeof difference !== 'number' || !Array.isArray(ci))
    return `${b} cannot be compared with ${a}: ${pair.reason ?? 'the values have no spread'}`
  const [low, high] = ci as [number, number]
  const size = sizeOf(difference, pair)
  const how = difference > 0 ? `${size} below` : difference < 0 ? `${size} above` : 'level with'
  const sure = low > 0 || high < 0 ? 'beyond chance' : 'within chance'
  return `${b} is ${how} ${a} on ${items} items, ${sure} (interval of b − a ${signed(-high, pair)} to ${signed(-low, pair)}, p ${probability(p)})`
}
