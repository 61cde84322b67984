/** A conversation, message by message: calls, results and reasoning are folded. */
import { imageWords } from '../../../chat/image.ts'
import type { ChatMessage } from '../../../chat/message.ts'
import { argumentsOf } from '../item_values.ts'
import type { App } from './app.ts'
import { cutText } from './cut_text.ts'
import { block, type Child, fold, h, marked, name } from './dom.ts'
import { textBlock } from './render_markdown.ts'
import { counted, thousands } from './words_for.ts'

/** Messages that are made at once; more are folded. */
const AT_ONCE = 100
/** Calls that are named in one line. */
const CALLS = 30
/** The first characters of a folded text that are shown. */
const PREVIEW = 90

/** @param own which messages are marked, as those that another conversation does not have */
export function conversation(app: App, messages: ChatMessage[], own: boolean[] = []): HTMLElement {
  const part = (from: number) =>
    h(
      'ol.conversation',
      messages.slice(from, from + AT_ONCE).map((one, i) => said(app, one, own[from + i] === true)),
    )
  const later = []
  for (let from = AT_ONCE; from < messages.length; from += AT_ONCE) {
    const to = Math.min(messages.length, from + AT_ONCE)
    later.push(fold(`messages ${thousands(from + 1)} to ${thousands(to)}`, () => part(from)))
  }
  return h('div', part(0), later)
}

/** How many messages there are, and the names of the calls in their order. */
export function course(messages: ChatMessage[], own: boolean[] = []): HTMLElement {
  const calls = messages.flatMap(({ calls }, i) => calls.map((call) => ({ call, isOwn: own[i] === true })))
  return h(
    'p.note.small.course',
    counted(messages.length, 'message'),
    calls.length > 0 && `, ${counted(calls.length, 'call')}: `,
    calls
      .slice(0, CALLS)
      .map(({ call, isOwn }, i) => [i > 0 && ' → ', h(isOwn ? 'mark' : 'span', name(call.name))]),
    calls.length > CALLS && ' → …',
  )
}

function said(app: App, message: ChatMessage, own: boolean): HTMLElement {
  const { n, role, text, calls, media, reasoning } = message
  const who = [h('span.run-number', n), ' ', name(role)]
  const content =
    role === 'tool'
      ? result(message)
      : role === 'system'
        ? folded(who, text, () => textBlock(app, text))
        : [h('p.who', who), text !== '' && textBlock(app, text)]
  return h(
    'li',
    { class: `said ${own ? 'own' : ''}`, title: own ? 'not in the other' : undefined },
    reasoning !== undefined && fold([who, ' thinks'], () => textBlock(app, reasoning)),
    content,
    media.map(({ kind, source = '', k }) =>
      kind === 'image'
        ? image(app, source, `image ${k}`)
        : h('p.note', 'a part “', name(kind), '”, which is not shown'),
    ),
    calls.map((call) => {
      const given = argumentsOf(call.arguments)
      return folded(['calls ', h('strong', name(call.name))], given, () => block(given, 'code'))
    }),
  )
}

function result({ n, tool = '', text, error, called }: ChatMessage): HTMLElement {
  const words = [
    h('span.run-number', n),
    ' tool ',
    h('strong', name(tool)),
    error ? h('span.bad', ' fails') : ' returns',
    called === false && ', which no message calls',
  ]
  return folded(words, text, () => block(text, 'code'))
}

/** An element that can be opened, with the beginning of its text. */
const folded = (words: Child, text: string, content: () => Child): HTMLElement =>
  text === '' ? h('p.who', words) : fold([words, ' ', h('span.preview', marked(beginningOf(text)))], content)

const beginningOf = (text: string): string =>
  cutText(
    cutText(text, 10 * PREVIEW)
      .trim()
      .replace(/\s+/g, ' '),
    PREVIEW,
  )

/** The types of images that browsers draw and that hold no code. */
const DRAWN = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/

/** An image that is in the page, or else its type and size, address or path: the page loads nothing. */
export function image(app: App, source: string, caption: string): HTMLElement {
  const data = app.media(source) ?? source
  return h(
    'figure.image',
    DRAWN.test(data) && h('img', { src: data, alt: caption, decoding: 'async' }),
    h('figcaption', `${caption} (`, name(cutText(imageWords(source), 200)), ')'),
  )
}
