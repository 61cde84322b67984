/* HTML: what the filter escape gives is not escaped again (MarkupSafe's Markup). */
import { spendLength } from './limits.ts'
import { str } from './print.ts'
import { Markup, type Value } from './values.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}

export const escapeText = (text: string): string => {
  spendLength(text.length)
  if (!/[&<>'"]/.test(text)) return text
  const escaped = text.replace(/[&<>'"]/g, (char) => ENTITIES[char]!)
  spendLength(escaped.length)
  return escaped
}

/** Escaped text; Markup as it is. */
export const markupOf = (value: Value): Markup =>
  value instanceof Markup ? value : new Markup(escapeText(str(value)))
