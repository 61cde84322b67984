/*
 * str.format: literal text with {fields}. A field is name[[index]]...[!conversion][:spec]
 * (https://docs.python.org/3/library/string.html#format-string-syntax). Attributes, !a and fields within a spec are
 * refused.
 */
import { syntaxError, unsupported } from './error.ts'
import { formatSpec } from './format_spec.ts'
import { spendLength } from './limits.ts'
import { repr, str } from './print.ts'
import { getItem } from './sequences.ts'
import type { Value } from './values.ts'

/** A field as it stands in the text. */
export interface Field {
  /** The first part of the name: a position or a key. */
  first: number | string
  /** Where the field stands in the text. */
  at: number
  /** The indices after it. */
  path: (string | number)[]
  conversion: string
  spec: string
}

export type FormatPart = string | Field

/** Finds the value a field begins with; `at` is where the field stands. */
export type Lookup = (first: number | string, at: number) => Value

/** Writes text and fields. */
export const fillFields = (parts: readonly FormatPart[], lookup: Lookup): string => {
  let result = ''
  for (const part of parts) {
    result += typeof part === 'string' ? part : formatSpec(fieldValue(part, lookup), part.spec)
    spendLength(result.length)
  }
  return result
}

const CONVERSIONS: Record<string, (value: Value) => Value> = {
  '': (value) => value,
  r: repr,
  s: str,
}

const fieldValue = (field: Field, lookup: Lookup): Value => {
  const value = field.path.reduce(getItem, lookup(field.first, field.at))
  return CONVERSIONS[field.conversion]!(value)
}

/** Text, an escaped brace, a field (its name, conversion and spec), or a brace that stands alone. */
const PART =
  /([^{}]+)|(\{\{|\}\})|\{((?:[^{}[\]!:]|\[[^{}[\]]*\])*)(?:!([rs]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/gsu
const NAME = /^([^.[]*)((?:\.[^.[]+|\[[^\]]+\])*)$/su

/** Reads a format string into text and fields; `progress.at` is where it stands. @throws TemplateSyntaxError */
export const parseFormat = (source: string, progress = { at: 0 }): FormatPart[] => {
  let automatic = 0
  let manual = false
  const position = (name: string): number | string => {
    if (name !== '' && !/^\d+$/.test(name)) return name
    if (name === '' ? manual : automatic > 0) throw syntaxError('fields with and without numbers are mixed')
    if (name === '') return automatic++
    manual = true
    return Number(name)
  }
  const parts: FormatPart[] = []
  const write = (literal: string): void => {
    if (typeof parts.at(-1) === 'string') parts.push(`${parts.pop()}${literal}`)
    else parts.push(literal)
  }
  for (const { 0: whole, 1: literal, 2: escaped, 3: name, 4: conversion, 5: spec, index } of source.matchAll(
    PART,
  )) {
    progress.at = index
    const names = name === undefined ? undefined : NAME.exec(name)
    if (literal !== undefined || escaped) write(literal ?? whole[0]!)
    else if (!names) throw syntaxError(`Single '${whole[0]}' or invalid field in format string`)
    else if (spec?.includes('{')) throw unsupported('a field within a format specifier')
    else {
      const path = Array.from(names[2]!.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g), ([, attribute, key]) => {
        // What an attribute leads to is no JSON.
        if (key === undefined) throw unsupported(`an attribute (.${attribute}) in a format string`)
        return /^\d+$/.test(key) ? Number(key) : key
      })
      const first = position(names[1]!)
      parts.push({ first, at: index, path, conversion: conversion ?? '', spec: spec ?? '' })
    }
  }
  return parts
}
