/**
 * Rule `list`: reads things that a judge made: nuggets, questions, personas.
 *
 * ```yaml
 * verdict:
 *   rule: list
 *   at: nuggets        # a list inside an object: its key
 *   lines: true        # a reply without a list: its bulleted or numbered lines
 *   min: 1
 *   max: 30            # further elements are left out
 * ```
 * The last list in the reply counts, as JSON or as a Python literal, in a fence or between words. Elements are texts or
 * mappings; empty texts and repetitions are left out.
 */
import { isObject, type Json, RowFailure } from '../rows/record.ts'
import { valuesIn } from './_json.ts'
import type { Rule } from './_rule.ts'

export const kinds = ['list'] as const

export const structured = () => true

/** The keys of its `verdict`. */
export const keys = ['at', 'lines', 'min', 'max', 'example']

export const rule: Rule = (config) => {
  const at = config.at === undefined ? undefined : String(config.at)
  const min = Number(config.min ?? 1)
  const max = config.max === undefined ? undefined : Number(config.max)
  return (text) => {
    const found = lastList(text, at) ?? (config.lines ? bullets(text) : undefined)
    if (!found) throw new RowFailure('no_verdict', `the reply holds no list${at ? ` under "${at}"` : ''}`)
    const items = distinct(found)
    if (items.length < min)
      throw new RowFailure('no_verdict', `${items.length} elements in the list, at least ${min} are needed`)
    const kept = max === undefined ? items : items.slice(0, max)
    return {
      label: String(items.length),
      items: kept,
      ...(kept.length < items.length && { left_out: items.length - kept.length }),
    }
  }
}

function lastList(text: string, at: string | undefined): Json[] | undefined {
  for (const found of valuesIn(text, true)) {
    const lists = found.flatMap(({ value }) => {
      const list = listOf(value, at)
      return list ? [list] : []
    })
    if (lists.length > 0) return lists.at(-1)
  }
  return undefined
}

/** The list that a value is or holds. Numbers in brackets, such as [1, 2], cite sources. */
function listOf(value: Json, at: string | undefined): Json[] | undefined {
  if (Array.isArray(value))
    return value.length === 0 || value.some((one) => one !== null && typeof one !== 'number')
      ? value
      : undefined
  if (!isObject(value)) return undefined
  const inner = at === undefined ? Object.values(value).filter(Array.isArray) : [value[at]]
  return inner.length === 1 && Array.isArray(inner[0]) ? inner[0] : undefined
}

/** Trimmed texts and unchanged mappings, each once. */
function distinct(list: readonly Json[]): Json[] {
  const seen = new Set<string>()
  return list
    .map((one) => (typeof one === 'string' ? one.trim() : one))
    .filter((one) => {
      if (one === '' || one === null) return false
      const key = JSON.stringify(one)
      return !seen.has(key) && seen.add(key)
    })
}

function bullets(text: string): string[] | undefined {
  const lines = text
    .split('\n')
    .flatMap((line) => /^\s*(?:[-*•]|\d{1,3}[.)])\s+(\S.*)$/.exec(line)?.[1] ?? [])
  return lines.length > 0 ? lines.map((line) => line.trim()) : undefined
}
