/** Texts as the page shows them. */
import type { App } from './app.ts'
import { block, marked } from './dom.ts'
import { rendered } from './render_markdown.ts'

/** A text, plain or as Markdown. */
export const textBlock = (app: App, text: string) =>
  app.state.markdown ? block(text, 'markdown', rendered) : block(text, '', marked)
