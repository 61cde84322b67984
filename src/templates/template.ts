/* The interface that every template language implements. */
import type { ValueUse } from '../python/json.ts'
import type { Value } from '../python/values.ts'

export interface LanguageOptions {
  /** What a missing field is: an error that names it (the default), or Jinja2's empty text. */
  undefined?: 'error' | 'empty' | undefined
  /** Removes the newline after a block tag. */
  trim_blocks?: boolean | undefined
  /** Removes the space before a block tag that begins its line. */
  lstrip_blocks?: boolean | undefined
  /** Keeps the newline at the end of the template. */
  keep_trailing_newline?: boolean | undefined
  /** The template's file name, for messages. */
  name?: string | undefined
  /** Where included templates are; nothing outside of it is read. */
  folder?: string | undefined
}

/** The value of a name for some use of it, or undefined. */
export type FindValue = (name: string, use: ValueUse) => Value | undefined

/** Text, or the field that is printed. */
export type PlainPart = string | { readonly field: string }

export interface CompiledTemplate {
  /** Renders with values that are found when they are needed. @throws TemplateError */
  renderWith(find: FindValue): string
  /** The names that the template looks up in its context, in order. */
  readonly variables: string[]
  /** Set where the template is nothing but text and bare names: what is printed, in order. */
  readonly plain?: readonly PlainPart[]
}
