/** Numbers in words. */
import type { Estimate, Interval } from '../model.ts'

export const percent = (value: number): string => `${(value * 100).toFixed(1)} %`

/** The same without zeros at the end: for axes and levels. */
export const roundPercent = (value: number): string => `${Number((value * 100).toFixed(1))} %`

/** At most so many decimals, without zeros at the end. */
export const fixed = (value: number, decimals: number): string =>
  String(Number(value.toFixed(decimals))).replace('-', '−')

export const count = (n: number): string => n.toLocaleString('en')

export const counted = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`

/** An interval in the unit of what it is of. */
export function interval(ci: Interval, what: Estimate['what']): string {
  if (!ci) return ''
  const [low, high] = ci
  if (what === 'score') return `${fixed(low, 2)} to ${fixed(high, 2)}`
  return `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`
}

export const amount = (value: number, what: Estimate['what']): string =>
  what === 'score' ? fixed(value, 3) : percent(value)

/** A difference, with its sign: points for shares. */
export const change = (value: number, what: Estimate['what']): string => {
  const size = what === 'score' ? fixed(Math.abs(value), 2) : (Math.abs(value) * 100).toFixed(1)
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${size}`
}

export const WHAT: Record<Estimate['what'], string> = {
  accuracy: 'accuracy',
  preferred: 'A preferred',
  score: 'mean score',
}

export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${fixed(ms / 1000, 1)} s`
}

export const money = (dollars: number): string => `$${dollars < 1 ? dollars.toFixed(4) : dollars.toFixed(2)}`
