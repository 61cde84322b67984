/* The interface that every template language implements. */
import type { ValueUse } from '../python/json.ts'
import type { Value } from '../python/values.ts'

export interface LanguageOptions {
  /** A missing field is an error that names it (the default), or empty. */
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
  /** What is printed for a list or mapping; undefined for what the language prints. */
  readable?: ((value: Value) => string | undefined) | undefined
}

/** Finds the value of a name. */
export type FindValue = (name: string, use: ValueUse) => Value | undefined

/** Text, or a printed field. */
export type PlainPart = string | { readonly field: string }

export interface CompiledTemplate {
  /** Renders, and finds values on demand. @throws TemplateError */
  renderWith(find: FindValue): string
  /** The names that the template looks up in its context, in order. */
  readonly variables: string[]
  /** Set if the template consists only of text and bare names: its parts, in order. */
  readonly plain?: readonly PlainPart[]
}
