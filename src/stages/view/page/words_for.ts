/** Formats numbers. */
import type { Interval, RunFigure } from '../model.ts'

export const percent = (value: number): string => `${(value * 100).toFixed(1)} %`

/** A percentage without trailing zeros. */
export const roundPercent = (value: number): string => `${Number((value * 100).toFixed(1))} %`

/** A number with at most this many decimals, without trailing zeros. */
export const fixed = (value: number, decimals: number): string =>
  String(Number(value.toFixed(decimals))).replace('-', '−')

/** A verdict, of a number no more than three decimals. */
export const verdictText = (said: string): string =>
  /^-?\d+\.\d{4}/.test(said) ? fixed(Number(said), 3) : said

export const thousands = (n: number): string => n.toLocaleString('en')

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** `1.33M` */
export const shortCount = (n: number): string => SHORT.format(n)

export const counted = (n: number, noun: string): string => `${thousands(n)} ${noun}${n === 1 ? '' : 's'}`

/** An interval, in the unit of its figure. */
export function interval(ci: Interval, what: RunFigure['what']): string {
  if (!ci) return ''
  const [low, high] = ci
  if (what === 'score') return `${score(low, ci)} to ${score(high, ci)}`
  return `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`
}

/** A mean score with two significant digits of its interval's width. */
function score(value: number, ci: Interval): string {
  const width = ci ? ci[1] - ci[0] : 0
  const decimals = width > 0 ? Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(width)))) : 2
  return value.toFixed(decimals).replace('-', '−')
}

export const amount = ({ value, what, ci }: Pick<RunFigure, 'value' | 'what' | 'ci'>): string =>
  what === 'score' ? score(value, ci) : percent(value)

/** A difference, or an end of its interval, with its sign; shares in points. */
export const change = (value: number, what: RunFigure['what'], ci: Interval): string => {
  const size = what === 'score' ? score(Math.abs(value), ci) : (Math.abs(value) * 100).toFixed(1)
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${size}`
}

export const WHAT: Record<RunFigure['what'], string> = {
  accuracy: 'accuracy',
  preferred: 'share of A',
  score: 'mean score',
}

/** What a figure is; of a mean also its scale, of a share whose it is. */
export function figureName({ what, range, answers }: Pick<RunFigure, 'what' | 'range' | 'answers'>): string {
  if (answers) return `share of ${answers[0]}`
  return range ? `${WHAT[what]} of ${range[0]} to ${range[1]}` : WHAT[what]
}

export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${fixed(ms / 1000, 1)} s`
}

export const money = (dollars: number): string => `$${dollars < 1 ? dollars.toFixed(4) : dollars.toFixed(2)}`

export const capital = (words: string): string => words.replace(/^./, (letter) => letter.toUpperCase())
