/** An item: question, answers, and each run's results. */

import { wordAt } from '../model.ts'
import { asText } from '../verdict_word.ts'
import type { App } from './app.ts'
import { cutText } from './cut_text.ts'
import { type Any, fieldAt, type ItemRows } from './data.ts'
import { block, type Child, fold, h, marked, name, toggle } from './dom.ts'
import { saidOf } from './filter.ts'
import { runCard } from './reply.ts'
import { runName } from './run_names.ts'
import { outcomeKind, SIGN, textBlock } from './text.ts'
import { beginning, wordDifferences } from './words.ts'
import { counted } from './words_for.ts'

/** The answers of an item with their names: fields, or the list in one field. */
export function answersOf(app: App, item: Any): { name: string; text: string }[] {
  const fields = app.overview.roles.answers
  if (fields.length === 1) {
    const value = fieldAt(item, fields[0])
    if (Array.isArray(value) && value.length > 1)
      return value.map((one, i) => ({ name: `${fields[0]} ${i + 1}`, text: asText(one) }))
  }
  return fields.flatMap((field, i) => {
    const value = fieldAt(item, field)
    const letter = fields.length === 2 ? `${'AB'[i]} · ` : ''
    return value === undefined ? [] : [{ name: letter + field, text: asText(value) }]
  })
}

export function itemView(app: App, place: number, { item, rows }: ItemRows): HTMLElement {
  const { data, state, overview } = app
  const { index } = data!
  const { roles } = overview
  const id = index.ids[place]!
  const answers = answersOf(app, item)
  const label = wordAt(index.label, place)
  const runs = overview.runs.map((_, run) => rows.filter((row) => row.run === run))
  const shown = runs.flatMap((own, run) =>
    own.length > 0 && (state.run === null || state.run === run) ? [run] : [],
  )
  return h(
    'article.item',
    { 'aria-label': `item ${id}` },
    h(
      'header',
      h('h2', { tabindex: -1 }, name(id)),
      label !== undefined && h('span.label', 'label ', name(label)),
      h('span.spacer'),
      toggle('Markdown', state.markdown, () => app.go({ markdown: !state.markdown }, true), { title: 'm' }),
      roles.answers.length === 2 &&
        toggle('Differences', state.diff, () => app.go({ diff: !state.diff }, true), { title: 'd' }),
    ),
    questionSections(app, item),
    answers.length > 0 && columns(app, answers),
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
    otherFields(app, item),
  )
}

/** The question, and other texts that the judge is shown. */
export function questionSections(app: App, item: Any): Child[] {
  const section = (field: string | undefined, kind?: string): Child => {
    const value = fieldAt(item, field)
    return (
      value !== undefined &&
      h('section', { class: kind }, h('h3', name(field!)), textBlock(app, asText(value)))
    )
  }
  const { question, shown } = app.overview.roles
  return [section(question, 'question'), ...shown.map((field) => section(field))]
}

export function columns(app: App, answers: { name: string; text: string }[]): HTMLElement {
  const [a, b] = answers
  const pieces = app.state.diff && answers.length === 2 ? wordDifferences(a!.text, b!.text) : undefined
  return h(
    'div',
    { class: `answers n${Math.min(answers.length, 4)}` },
    answers.map((answer, i) =>
      h(
        'section.answer',
        h('h3', name(answer.name), h('small', ` ${answer.text.length.toLocaleString('en')} characters`)),
        pieces
          ? block(answer.text, '', (shown) =>
              beginning(pieces[i]!, shown.length).map(({ text, own }) =>
                own ? h('mark', marked(text)) : marked(text),
              ),
            )
          : textBlock(app, answer.text),
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
      const kind = outcomeKind(columns[i]!.correct[place], error)
      const said = error ?? saidOf(columns[i]!, place)
      const words = [
        h('span', runName(app, i)),
        said !== undefined && h('span', { class: `mark ${kind}` }, h('bdi', cutText(said, 30)), SIGN[kind]),
      ]
      const disabled = runs[i]!.length === 0
      return toggle(words, state.run === i, () => app.go({ run: i }, true), { disabled })
    }),
  )
}

function otherFields(app: App, item: Any): Child {
  const { question, answers, shown } = app.overview.roles
  const taken = new Set([question, ...answers, ...shown])
  const rest = Object.entries(item).filter(([field]) => !taken.has(field))
  if (rest.length === 0) return null
  return fold(
    counted(rest.length, 'other field'),
    () =>
      h(
        'dl.fields',
        rest.map(([field, value]) => [h('dt', name(field)), h('dd', block(asText(value)))]),
      ),
    { class: 'other' },
  )
}
