/*
 * str.format: literal text with {fields}. A field is name[.attribute|[index]]...[!conversion][:spec]
 * (https://docs.python.org/3/library/string.html#format-string-syntax). Attributes and !a are refused.
 */
import { unsupported, valueError } from './error.ts'
import { formatSpec } from './format_spec.ts'
import { spendLength } from './limits.ts'
import { repr, str } from './print.ts'
import { getItem } from './sequences.ts'
import type { Value } from './values.ts'

/** A field as it stands in the text. */
export interface Field {
  /** The first part of the name: a position or a key. */
  first: number | string
  /** Where the outermost field stands in the text. */
  at: number
  path: { attribute: boolean; key: string | number }[]
  conversion: string
  /** The spec, cut into text and fields like the whole. */
  spec: FormatPart[]
}

export type FormatPart = string | Field

/** Finds the value a field begins with; `at` is where the field stands. */
export type Lookup = (first: number | string, at: number) => Value

/** Writes text and fields. */
export const fillFields = (parts: readonly FormatPart[], lookup: Lookup): string => {
  let result = ''
  for (const part of parts) {
    result +=
      typeof part === 'string' ? part : formatSpec(fieldValue(part, lookup), fillFields(part.spec, lookup))
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
  let value = lookup(field.first, field.at)
  for (const { attribute, key } of field.path) {
    // What an attribute leads to is no JSON.
    if (attribute) throw unsupported(`an attribute (.${key}) in a format string`)
    value = getItem(value, key)
  }
  return CONVERSIONS[field.conversion]!(value)
}

/** Text, an escaped brace, a field (its name, conversion and spec), or a brace that stands alone. */
const PART =
  /([^{}]+)|(\{\{|\}\})|\{((?:[^{}[\]!:]|\[[^{}[\]]*\])*)(?:!([rs]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/gsu
const NAME = /^([^.[]*)((?:\.[^.[]+|\[[^\]]+\])*)$/su

/** Reads a format string into text and fields; `progress.at` is where it stands. @throws ValueError */
export const parseFormat = (source: string, progress = { at: 0 }): FormatPart[] => {
  let automatic = 0
  let manual = false
  const position = (name: string): number | string => {
    if (name !== '' && !/^\d+$/.test(name)) return name
    if (name === '' ? manual : automatic > 0) throw valueError('fields with and without numbers are mixed')
    if (name === '') return automatic++
    manual = true
    return Number(name)
  }
  const parse = (text: string, outermost: boolean): FormatPart[] => {
    const parts: FormatPart[] = []
    const write = (literal: string): void => {
      if (typeof parts.at(-1) === 'string') parts.push(`${parts.pop()}${literal}`)
      else parts.push(literal)
    }
    for (const { 0: whole, 1: literal, 2: escaped, 3: name, 4: conversion, 5: spec, index } of text.matchAll(
      PART,
    )) {
      if (outermost) progress.at = index
      const names = name === undefined ? undefined : NAME.exec(name)
      if (literal !== undefined || escaped) write(literal ?? whole[0]!)
      else if (!names) throw valueError(`Single '${whole[0]}' or invalid field in format string`)
      else {
        const first = position(names[1]!)
        const path = Array.from(names[2]!.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g), ([, attribute, key]) => ({
          attribute: attribute !== undefined,
          key: key !== undefined && /^\d+$/.test(key) ? Number(key) : (attribute ?? key)!,
        }))
        parts.push({
          first,
          at: progress.at,
          path,
          conversion: conversion ?? '',
          spec: parse(spec ?? '', false),
        })
      }
    }
    return parts
  }
  return parse(source, true)
}
