/** A card's sections as figures, a line each: for CSV and Markdown. */
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

/** What the places of a list are. */
const PLACES: Record<string, string[]> = {
  se: ['intercept', 'slope'],
  bins: ['bin', 'n', 'p', 'share'],
}

/** Members without the intervals that stand beside others. */
export function shownMembers(figures: JsonObject): [name: string, value: Json][] {
  const beside = new Set(Object.entries(INTERVALS).map(([name, ci]) => (name in figures ? ci : '')))
  return Object.entries(figures).filter(([name]) => !beside.has(name))
}

export const intervalOf = (figures: JsonObject, name: string): number[] | undefined => {
  const interval = figures[INTERVALS[name] ?? '']
  return Array.isArray(interval) ? (interval as number[]) : undefined
}

/** A list by the names of its places; undefined for what is no such list. */
export const namedPlaces = (name: string, value: Json): JsonObject | undefined =>
  Array.isArray(value) && PLACES[name]?.length === value.length && !value.some(Array.isArray)
    ? Object.fromEntries(PLACES[name].map((place, i) => [place, value[i]!]))
    : undefined

export interface Figure {
  /** A path: `confusion.A>B.A=B`, `bins.3.share`. */
  figure: string
  value: Json
  interval: number[] | undefined
}

/** Every figure of a section. */
export function figuresOf(section: JsonObject, before = ''): Figure[] {
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
