/** An item: question, answers, and each run's results. */

import { imageIn } from '../../../chat/image.ts'
import { isConversation } from '../../../chat/message.ts'
import { isObject } from '../../../rows/json.ts'
import {
  answersOf,
  beforeAnswer,
  changesIn,
  conversationIn,
  differingFields,
  itemsOfRuns,
  messageKey,
  type Named,
  type OfRuns,
  ofRuns,
} from '../item_values.ts'
import { wordAt } from '../model.ts'
import { asText, outcomeKind, SIGN } from '../verdict_word.ts'
import type { App } from './app.ts'
import { conversation, course, image } from './conversation.ts'
import { cutText } from './cut_text.ts'
import { type Any, fieldAt, type ItemRows } from './data.ts'
import { block, type Child, fold, h, marked, name, toggle } from './dom.ts'
import { saidOf } from './filter.ts'
import { textBlock } from './render_markdown.ts'
import { runCard } from './reply.ts'
import { runName } from './run_names.ts'
import { beginning, differing, type Piece, wordDifferences } from './words.ts'
import { counted, verdictText } from './words_for.ts'

/** @param original of a copy with a change */
export function itemView(
  app: App,
  place: number,
  found: ItemRows,
  original: ItemRows['item'] | undefined,
): HTMLElement {
  const { data, state, overview } = app
  const { index } = data!
  const { rows } = found
  const id = index.ids[place]!
  const label = wordAt(index.label, place)
  const runs = overview.runs.map((_, run) => rows.filter((row) => row.run === run))
  const shown = runs.flatMap((own, run) =>
    own.length > 0 && (state.run === null || state.run === run) ? [run] : [],
  )
  const items = itemsOfRuns(found, shown)
  const [item] = items.values()
  const apart = differingFields(overview.roles, items)
  const isApart = (field: string) => apart.includes(field)
  const { answers } = overview.roles
  const shownAnswers = answers.some(isApart) ? [] : answersOf(overview.roles, item)
  return h(
    'article.item',
    { 'aria-label': `item ${id}` },
    h(
      'header',
      h('h2', { tabindex: -1 }, name(id)),
      label !== undefined && h('span.label', 'label ', name(label)),
      h('span.spacer'),
      toggle('Markdown', state.markdown, () => app.go({ markdown: !state.markdown }, true), { title: 'm' }),
      (answers.length === 2 || apart.length > 0) &&
        toggle('Differences', state.diff, () => app.go({ diff: !state.diff }, true), { title: 'd' }),
    ),
    changes(app, found, original),
    questionSections(app, item, isApart, shownAnswers),
    apart.map((field) =>
      h(
        'section',
        h('h3', name(field)),
        columns(
          app,
          ofRuns(items, field).map((one) => ({ name: runsOf(app, one), value: one.value })),
        ),
      ),
    ),
    columns(app, shownAnswers),
    rows.length > 0 &&
      runs.some((own) => own.length > 0) && [
        h(
          'section',
          h('h3', shown.length === 1 ? 'Verdict' : 'Verdicts'),
          overview.runs.length > 1 && runSwitch(app, place, runs),
        ),
        h(
          'div.runs-of-item',
          shown.map((run) => runCard(app, run, runs[run]!, place)),
        ),
      ],
    otherFields(app, items),
  )
}

/** Of a copy what was changed, beside the original. */
function changes(app: App, found: ItemRows, original: ItemRows['item'] | undefined): Child {
  const { probe } = found.rows[0]?.jb ?? {}
  if (!probe) return null
  const side = (title: string, pieces: Piece[], tag: 'del' | 'ins') =>
    h(
      'section.answer',
      h('h3', title),
      block(pieces.map(({ text }) => text).join(''), '', (shown) =>
        beginning(pieces, shown.length).map(({ text, own }) => (own ? h(tag, marked(text)) : marked(text))),
      ),
    )
  return h(
    'section.copy',
    h(
      'p.note',
      'A copy of ',
      original ? h('a', { href: app.link({ item: probe.of }) }, name(probe.of)) : name(probe.of),
      ' with a change (',
      name(probe.kind),
      '), which no figure of the run counts.',
      typeof probe.expect === 'string' && EXPECTED[probe.expect],
    ),
    changesIn(found, original).map((one) => [
      h('h3', name(one.name)),
      h('div.answers.n2', side('was', one.was, 'del'), side('is', one.now, 'ins')),
    ]),
  )
}

const EXPECTED: Record<string, string> = {
  worse: ' Its verdict should be worse.',
  same: ' Its verdict should be the same.',
}

const runsOf = (app: App, { runs }: OfRuns): string =>
  runs.map((run) => `${run + 1} ${app.names.own[run]}`).join(', ')

/**
 * The question, and other fields that the judge is shown.
 * @param except fields that are shown elsewhere @param answers that follow: a conversation does not end with one of them
 */
export function questionSections(
  app: App,
  item: Any,
  except: (field: string) => boolean,
  answers: readonly Named[],
): Child[] {
  const section = (field: string | undefined, kind?: string): Child => {
    const value = fieldAt(item, field)
    return (
      value !== undefined &&
      !except(field!) &&
      h('section', { class: kind }, h('h3', name(field!)), shownValue(app, value, answers))
    )
  }
  const { question, shown } = app.overview.roles
  return [section(question, 'question'), ...shown.map((field) => section(field))]
}

/** A conversation, images, or a text. */
function shownValue(app: App, value: Any, answers: readonly Named[] = []): Child {
  const all = conversationIn(value)
  const messages = all && beforeAnswer(all, answers)
  if (messages) return [course(messages), conversation(app, messages)]
  const images = imagesIn(app, value)
  return images ? images.map((source) => image(app, source, 'image')) : textBlock(app, asText(value))
}

/** The sources of a value that is an image, or a list of images. */
function imagesIn(app: App, value: Any): string[] | undefined {
  const sources = (Array.isArray(value) ? value : [value]).map((one) =>
    typeof one === 'string'
      ? /^data:image\//.test(one) || app.media(one) !== undefined
        ? one
        : undefined
      : isObject(one)
        ? imageIn(one)
        : undefined,
  )
  return sources.length > 0 && sources.every((one) => one !== undefined) ? sources : undefined
}

/** Values side by side; of two or more, what the first and the others do not have in common can be marked. */
export function columns(app: App, parts: readonly Named[]): Child {
  if (parts.length === 0) return null
  return h(
    'div',
    { class: `answers n${Math.min(parts.length, 4)}` },
    (app.state.diff && parts.length > 1
      ? withDifferences(app, parts)
      : parts.map(({ value }) => shownValue(app, value))
    ).map((content, i) => h('section.answer', heading(app, parts[i]!), content)),
  )
}

const isText = (app: App, value: Any) => !isConversation(value) && !imagesIn(app, value)

const heading = (app: App, { name: called, value }: Named): HTMLElement =>
  h('h3', name(called), isText(app, value) && h('small', ` ${counted(asText(value).length, 'character')}`))

/** Marked is what the first value does not have; in the first, what none of the others has. */
function withDifferences(app: App, parts: readonly Named[]): Child[] {
  const talks = parts.map(({ value }) => conversationIn(value))
  if (talks.every((one) => one !== undefined)) {
    const [first, ...others] = talks
    const pairs = others.map((other) => differing(first!.map(messageKey), other.map(messageKey)))
    const own = [first!.map((_, i) => pairs.every(([one]) => one[i])), ...pairs.map(([, other]) => other)]
    return talks.map((messages, i) => [course(messages, own[i]), conversation(app, messages, own[i])])
  }
  if (parts.length !== 2 || !parts.every(({ value }) => isText(app, value)))
    return parts.map(({ value }) => shownValue(app, value))
  const texts = parts.map(({ value }) => asText(value))
  const pieces = wordDifferences(texts[0]!, texts[1]!)
  return texts.map((text, i) =>
    block(text, '', (shown) =>
      beginning(pieces[i]!, shown.length).map(({ text, own }) =>
        own ? h('mark', marked(text)) : marked(text),
      ),
    ),
  )
}

/** Buttons to show all runs, or one. */
function runSwitch(app: App, place: number, runs: Any[][]): HTMLElement {
  const { state, overview, data } = app
  const columns = data!.index.runs
  return h(
    'div.run-switch',
    { role: 'group', 'aria-label': 'runs' },
    toggle('all', state.run === null, () => app.go({ run: null }, true), { title: '0' }),
    overview.runs.map((_, i) => {
      const error = wordAt(columns[i]!.error, place)
      const kind = outcomeKind(columns[i]!, place)
      const said = error ?? saidOf(columns[i]!, place)
      const words = [
        h('span', runName(app, i)),
        said !== undefined &&
          h('span', { class: `mark ${kind}` }, h('bdi', cutText(verdictText(said), 30)), SIGN[kind]),
      ]
      const disabled = runs[i]!.length === 0
      return toggle(words, state.run === i, () => app.go({ run: i }, true), { disabled })
    }),
  )
}

function otherFields(app: App, items: ReadonlyMap<number, Any>): Child {
  const { question, answers, shown } = app.overview.roles
  const taken = new Set([question, ...answers, ...shown])
  const rest = new Set([...items.values()].flatMap(Object.keys).filter((field) => !taken.has(field)))
  if (rest.size === 0) return null
  const values = (field: string) => {
    const found = ofRuns(items, field)
    return found.map((one) =>
      h('dd', found.length > 1 && h('h5', name(runsOf(app, one))), shownValue(app, one.value)),
    )
  }
  return fold(
    counted(rest.size, 'other field'),
    () =>
      h(
        'dl.fields',
        [...rest].map((field) => [h('dt', name(field)), values(field)]),
      ),
    { class: 'other' },
  )
}
