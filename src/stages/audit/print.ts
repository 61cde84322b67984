/** A card for people: a judge's sections, a line a figure. */
import { styled } from '../../formats/_table.ts'
import { inLine } from '../../rows/controls.ts'
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'

/** Beside a figure of this name, its interval. */
const INTERVALS: Record<string, string> = {
  po: 'ci',
  first_share: 'ci',
  longer_share: 'ci',
  share: 'ci',
  estimate: 'ci',
  difference: 'ci',
  kappa: 'kappa_ci',
  slope: 'slope_ci',
}

export function printCards(lines: readonly JsonObject[], color: boolean): string {
  const style = styled(color)
  const out: string[] = []
  let judge = ''
  for (const { section, judge: named, by, group, ...figures } of lines) {
    const name = [named, by && `${by} ${group}`].filter(Boolean).join(', ')
    if (name !== judge && name !== '') out.push(style(1, inLine(name)), '')
    judge = name
    out.push(style(1, String(section).replaceAll('_', ' ')))
    out.push(...figureLines(figures, '  '), '')
  }
  return `${out.join('\n').trimEnd()}\n`
}

function figureLines(figures: JsonObject, indent: string): string[] {
  const shown = new Set(
    Object.entries(INTERVALS).flatMap(([key, interval]) => (key in figures ? [interval] : [])),
  )
  return Object.entries(figures).flatMap(([key, value]) => {
    if (shown.has(key)) return []
    const name = `${indent}${key.replaceAll('_', ' ')}`
    if (isObject(value)) return [name, ...figureLines(value, `${indent}  `)]
    if (Array.isArray(value) && value.some((one) => one !== null && typeof one === 'object'))
      return [
        name,
        ...value.map(
          (one) =>
            `${indent}  ${inLine(Array.isArray(one) ? one.map(text).join('  ') : JSON.stringify(one))}`,
        ),
      ]
    const interval = figures[INTERVALS[key] ?? '']
    const range = Array.isArray(interval) ? `  (${interval.map(text).join(' to ')})` : ''
    return [
      `${name.padEnd(30)}  ${inLine(Array.isArray(value) ? value.map(text).join(' to ') : text(value))}${range}`,
    ]
  })
}

const text = (value: Json | undefined): string =>
  typeof value === 'number' && !Number.isInteger(value)
    ? String(Number(value.toPrecision(4)))
    : value === null || value === undefined
      ? '–'
      : String(value)
