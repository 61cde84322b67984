/** Label mode: the item without any verdict, its answers in an order that gives nothing away, keys to say which is better. */
import type { App } from './app.ts'
import type { ItemRows } from './data.ts'
import { button, type Child, download, h, marked, name } from './dom.ts'
import { answersOf, columns, questionSections } from './item.ts'
import { itemDecision, shownOrder } from './labels.ts'
import { asText } from './text.ts'
import { thousands } from './words_for.ts'

/** What can be said of an item: a key, words, and the label it gives. */
interface Choice {
  key: string
  words: string
  label: string | number
}

/** The labels that fit the item: which answer is better, an option the judges chose from, or a score. */
function choicesOf(app: App, order: number[]): Choice[] {
  const { runs } = app.overview
  if (order.length === 2)
    return [
      { key: 'a', words: 'first is better', label: itemDecision('first', order) },
      { key: 'b', words: 'second is better', label: itemDecision('second', order) },
      { key: 't', words: 'tie', label: 'A=B' },
    ]
  if (order.length > 2)
    return [
      ...order
        .slice(0, 9)
        .map((place, at) => ({ key: String(at + 1), words: `answer ${at + 1}`, label: place })),
      { key: 't', words: 'tie', label: 'tie' },
    ]
  const said = new Set(app.data!.index.runs.flatMap(({ verdict }) => verdict.words))
  const options = app.overview.words.filter((word) => said.has(word))
  if (options.length > 1 && options.length <= 9)
    return options.map((label, i) => ({ key: String(i + 1), words: label, label }))
  const range = runs.map(({ report }) => report.range).find(Array.isArray) as [number, number] | undefined
  const [low, high] = range && range[1] - range[0] <= 10 ? range : [1, 9]
  const scores = []
  for (let score = Math.ceil(low); score <= high; score++) scores.push(score)
  return scores.map((score) => ({
    key: score === 10 ? '0' : String(score),
    words: String(score),
    label: score,
  }))
}

export function labelView(
  app: App,
  place: number,
  { item, rows }: ItemRows,
  next: (by: number) => void,
): HTMLElement {
  const { data, labels, overview } = app
  const id = data!.index.ids[place]!
  const answers = answersOf(app, item)
  const order = shownOrder(overview.digest, id, answers.length)
  const choices = choicesOf(app, order)
  const own = labels.get(id)
  const note = h('textarea', {
    rows: 1,
    'aria-label': 'note',
    placeholder: 'note  ( n )',
    id: 'note',
    value: own?.note ?? '',
    // Drawn again, the button that takes the focus away from it would not be pressed.
    onchange: () => keep(labels.get(id)?.label),
  })
  const keep = (label: string | number | undefined) => {
    const text = note.value.trim()
    const shown =
      answers.length > 1
        ? order.map((one) => (answers.length === 2 ? 'AB'[one] : one + 1)).join('')
        : undefined
    const given = label !== undefined && { label, ...(shown && { shown }) }
    const kept = labels.set(id, given || text ? { ...given, ...(text && { note: text }) } : undefined)
    if (!kept) app.say('This browser keeps no labels of files: download them before you close the page.')
  }
  return h(
    'article',
    { class: 'item labelling', 'aria-label': `item ${id}` },
    header(app, id),
    criterionSection(rows),
    questionSections(app, item),
    columns(
      app,
      order.map((one, at) => ({
        name:
          order.length === 1 ? 'answer' : order.length === 2 ? ['first', 'second'][at]! : `answer ${at + 1}`,
        text: answers[one]!.text,
      })),
    ),
    answers.length === 0 &&
      h(
        'p',
        { class: 'note' },
        'No field of this item is known as an answer: jb-view --map answer=FIELD says which is.',
      ),
    h(
      'div',
      { class: 'choices' },
      choiceButtons(
        choices,
        own?.label,
        ({ words, label }) => {
          keep(label)
          app.labelled()
          app.say(`labelled ${words}`)
          next(1)
        },
        () => {
          keep(undefined)
          app.labelled()
        },
      ),
      note,
    ),
  )
}

/** The item, how many are labelled, and the labels as a file. */
function header({ data, labels, selected }: App, id: string): HTMLElement {
  const labelled = selected.filter((one) => labels.has(data!.index.ids[one]!)).length
  return h(
    'header',
    h('h2', { tabindex: -1 }, name(id)),
    h('span', { class: 'note' }, `${thousands(labelled)} of ${thousands(selected.length)} labelled`),
    h('span', { class: 'spacer' }),
    button('Download labels.ndjson', () => download('labels.ndjson', labels.ndjson()), {
      class: 'chip',
      disabled: labels.size === 0,
    }),
  )
}

/** What the judges were asked to judge by, where the rows say it. */
function criterionSection(rows: ItemRows['rows']): Child {
  const criterion = rows.map(({ jb }) => jb.criterion).find((one) => one !== null && typeof one === 'object')
  if (!criterion) return null
  const { name: called, description, options } = criterion
  const worded = (Array.isArray(options) ? options : []).filter(
    (option) => typeof option?.name === 'string' && option.description,
  )
  return h(
    'section',
    h('h3', 'criterion'),
    h(
      'p',
      [called, description]
        .filter((one) => typeof one === 'string' && one !== '')
        .map((one, i) => [i > 0 && ': ', marked(one)]),
    ),
    worded.length > 0 &&
      h(
        'dl',
        worded.map((option) => [h('dt', name(option.name)), h('dd', marked(asText(option.description)))]),
      ),
  )
}

/** A button for each label that may be given, the one given pressed, and one that takes it back. */
function choiceButtons(
  choices: readonly Choice[],
  given: string | number | undefined,
  choose: (choice: Choice) => void,
  takeBack: () => void,
): HTMLElement {
  const buttons = choices.map((choice) =>
    h(
      'button',
      {
        type: 'button',
        class: 'choice',
        'data-choice': choice.key,
        'aria-pressed': String(choice.label === given),
        onclick: () => choose(choice),
      },
      // A score is its own key.
      choice.key !== choice.words && h('kbd', choice.key),
      h('bdi', choice.words),
    ),
  )
  return h(
    'div',
    { class: 'choice-row', role: 'group', 'aria-label': 'your label' },
    buttons,
    given !== undefined && button('take back', takeBack, { class: 'chip' }),
  )
}
