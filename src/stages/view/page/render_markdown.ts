/** Texts of the data, plain or as Markdown. */
import type { App } from './app.ts'
import { block, type Child, h, marked } from './dom.ts'
import { type Inline, type MarkdownBlock, markdown } from './markdown.ts'

/** A text, plain or as Markdown. */
export const textBlock = (app: App, text: string) =>
  app.state.markdown ? block(text, 'markdown', rendered) : block(text, '', marked)

export const rendered = (text: string): Child[] => markdown(text).map(element)

function element(block: MarkdownBlock): Child {
  switch (block.kind) {
    case 'paragraph':
      return h('p', inlines(block.inner))
    case 'quote':
      return h('blockquote', inlines(block.inner))
    case 'heading':
      // The page's own headings are those of the outline.
      return h('p', { class: `heading level-${block.level}` }, inlines(block.inner))
    case 'code':
    case 'math':
      return h('pre', { class: block.kind, dir: 'ltr' }, marked(block.text))
    case 'rule':
      return h('hr')
    case 'list':
      return h(
        block.ordered ? 'ol' : 'ul',
        block.items.map(({ depth, inner }) =>
          h('li', { style: { '--depth': Math.min(depth, 3) } }, inlines(inner)),
        ),
      )
    case 'table':
      return h(
        'table',
        h(
          'tbody',
          block.rows.map((row) =>
            h(
              'tr',
              row.map((cell) => h('td', inlines(cell))),
            ),
          ),
        ),
      )
  }
}

function inlines(list: Inline[]): Child[] {
  return list.map((one) => {
    switch (one.kind) {
      case 'text':
        return marked(one.text)
      case 'code':
        return h('code', marked(one.text))
      case 'math':
        return h('span.math', { dir: 'ltr' }, marked(one.text))
      case 'link':
        return [marked(one.text), h('span.address', ` (${one.address})`)]
      default:
        return h(one.kind, inlines(one.inner))
    }
  })
}
