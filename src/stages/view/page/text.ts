/** Values and texts as the page shows them. */
import type { App } from './app.ts'
import type { Any } from './data.ts'
import { block, marked } from './dom.ts'
import { rendered } from './render_markdown.ts'

/** A value of the data as text for people: a text as it is, turns one after the other, else JSON. */
export function asText(value: Any): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((one) => typeof one === 'string')) return value.join('\n\n')
    if (value.every((one) => typeof one?.content === 'string'))
      return value.map((one) => `${one.role ?? ''}: ${one.content}`).join('\n\n')
  }
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** How long texts are shown: plain, or as Markdown. */
export const textBlock = (app: App, text: string) =>
  app.state.markdown ? block(text, 'markdown', rendered) : block(text, '', marked)

export const outcomeKind = (
  correct: number | null | undefined,
  error: string | undefined,
): keyof typeof SIGN =>
  error !== undefined ? 'failed' : correct === 1 ? 'right' : correct === 0 ? 'wrong' : 'open'

/** A sign after the words, for readers who cannot tell the colours apart. */
export const SIGN = { failed: ' !', right: ' ✓', wrong: ' ✗', open: '' }
