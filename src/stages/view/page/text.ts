/** Texts and outcomes as the page shows them. */
import type { App } from './app.ts'
import { block, marked } from './dom.ts'
import { rendered } from './render_markdown.ts'

/** A text, plain or as Markdown. */
export const textBlock = (app: App, text: string) =>
  app.state.markdown ? block(text, 'markdown', rendered) : block(text, '', marked)

export const outcomeKind = (
  correct: number | null | undefined,
  error: string | undefined,
): keyof typeof SIGN =>
  error !== undefined ? 'failed' : correct === 1 ? 'right' : correct === 0 ? 'wrong' : 'open'

/** Signs for readers who cannot distinguish the colours. */
export const SIGN = { failed: ' !', right: ' ✓', wrong: ' ✗', open: '' }
