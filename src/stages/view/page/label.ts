/** Label mode: shows an item without verdicts, its answers in random order, and a button and key for each label. */
import { answersOf, differingFields, itemsOfRuns } from '../item_values.ts'
import { asText } from '../verdict_word.ts'
import type { App } from './app.ts'
import type { Any, ItemRows } from './data.ts'
import { button, download, h, marked, name } from './dom.ts'
import { columns, questionSections } from './item.ts'
import { decisionFor, type GivenLabel, shownOrder } from './labels.ts'
import { thousands } from './words_for.ts'

interface Choice {
  key: string
  words: string
  label: string | number
}

/** The possible labels of an item: the better answer, an option, or a score. */
function choicesOf({ overview, data }: App, order: number[], criterion: Any): Choice[] {
  if (order.length === 2)
    return [
      { key: 'a', words: 'first is better', label: decisionFor(order[0]!) },
      { key: 'b', words: 'second is better', label: decisionFor(order[1]!) },
      { key: 't', words: 'tie', label: 'A=B' },
    ]
  if (order.length > 2)
    return [
      ...order
        .slice(0, 9)
        .map((index, at) => ({ key: String(at + 1), words: `answer ${at + 1}`, label: index })),
      { key: 't', words: 'tie', label: 'tie' },
    ]
  const judged = new Set(data!.index.runs.flatMap(({ verdict }) => verdict.words))
  const own: string[] = optionsOf(criterion).map(({ name }) => name)
  const options = own.length > 0 ? own : overview.words.filter((word) => judged.has(word))
  if (options.length > 1 && options.length <= 9)
    return options.map((label, i) => ({ key: String(i + 1), words: label, label }))
  const range = overview.runs.map(({ report }) => report.range).find(Array.isArray) as
    | [number, number]
    | undefined
  const [low, high] = range && range[1] - range[0] <= 10 ? range : [1, 9]
  const scores = []
  for (let score = Math.ceil(low); score <= high; score++) scores.push(score)
  return scores.map((score) => ({
    key: score === 10 ? '0' : String(score),
    words: String(score),
    label: score,
  }))
}

/** The criteria in the rows, each once. */
function criteriaIn(rows: ItemRows['rows']): Any[] {
  const named = new Map<string, Any>()
  for (const { jb } of rows)
    for (const one of [jb.criterion, jb.criteria].flat())
      if (typeof one?.name === 'string' && !named.has(one.name)) named.set(one.name, one)
  return [...named.values()]
}

const optionsOf = (criterion: Any): Any[] =>
  (Array.isArray(criterion?.options) ? criterion.options : []).filter(
    (option: Any) => typeof option?.name === 'string',
  )

export function labelView(app: App, place: number, found: ItemRows, next: (by: number) => void): HTMLElement {
  const { item, rows } = found
  const id = app.data!.index.ids[place]!
  const runs = [...app.overview.runs.keys()].filter((run) => rows.some((row) => row.run === run))
  const apart = differingFields(app.overview.roles, itemsOfRuns(found, runs))
  const answers = answersOf(app.overview.roles, item)
  const order = shownOrder(app.overview.digest, id, answers.length)
  const criteria = criteriaIn(rows)
  return h(
    'article.item.labelling',
    { 'aria-label': `item ${id}` },
    header(app, id),
    criteria.map(criterionSection),
    apart.length > 0 &&
      h('p.note', 'The runs differ in ', name(apart.join(', ')), '. This is what the first row has.'),
    questionSections(app, item, () => false, answers),
    columns(
      app,
      order.map((one, at) => ({
        name:
          order.length === 1 ? 'answer' : order.length === 2 ? ['first', 'second'][at]! : `answer ${at + 1}`,
        value: answers[one]!.value,
      })),
    ),
    answers.length === 0 &&
      h('p.note', 'The field with the answer is not known: name it with jb-view --map answer=FIELD.'),
    choicesView(app, id, order, criteria, () => next(1)),
  )
}

/** Buttons for the label, or for the label of each criterion, and the note. */
function choicesView(app: App, id: string, order: number[], criteria: Any[], done: () => void): HTMLElement {
  const { labels } = app
  const names: string[] = criteria.length > 1 ? criteria.map(({ name }) => name) : []
  const current = (): GivenLabel => {
    const given = labels.get(id) ?? {}
    if (names.length === 0) return given
    return {
      ...given,
      criteria: Object.fromEntries(names.map((one) => [one, given.criteria?.[one] ?? null])),
    }
  }
  const keep = ({ label, criteria = {} }: GivenLabel) => {
    const text = note.value.trim()
    const shown =
      order.length > 1 ? order.map((one) => (order.length === 2 ? 'AB'[one] : one + 1)).join('') : undefined
    const some = Object.values(criteria).some((one) => one !== null)
    const given = some ? { criteria } : label !== undefined && { label }
    const kept = labels.set(
      id,
      given || text ? { ...given, ...(given && shown && { shown }), ...(text && { note: text }) } : undefined,
    )
    if (!kept) app.say('This browser does not store labels of files: download them before closing the page.')
  }
  const note = h('textarea', {
    rows: 1,
    'aria-label': 'note',
    placeholder: 'note',
    id: 'note',
    value: labels.get(id)?.note ?? '',
    // Does not draw again, which would lose the click on a button that takes the focus.
    onchange: () => keep(current()),
  })
  const give = (criterion: string | undefined, label: string | number | null) => {
    const before = current()
    keep(
      criterion === undefined
        ? { label: label ?? undefined }
        : { criteria: { ...before.criteria, [criterion]: label } },
    )
    app.labelled()
  }
  const given = current().criteria ?? {}
  const first = names.find((one) => given[one] === null) ?? names[0]
  return h(
    'div.choices',
    (names.length > 0 ? names : [undefined]).map((criterion) =>
      choiceButtons(
        choicesOf(
          app,
          order,
          names.length > 0 ? criteria.find((one) => one.name === criterion) : criteria[0],
        ),
        criterion === undefined ? labels.get(id)?.label : given[criterion],
        { criterion, keys: criterion === first },
        ({ words, label }) => {
          give(criterion, label)
          app.say(criterion === undefined ? `labelled ${words}` : `${criterion}: labelled ${words}`)
          if (labels.has(id)) done()
        },
        () => give(criterion, null),
      ),
    ),
    note,
  )
}

/** The item's id, the number of labelled items, and a button to download the labels. */
function header({ data, labels, selected }: App, id: string): HTMLElement {
  const labelled = selected.filter((one) => labels.has(data!.index.ids[one]!)).length
  return h(
    'header',
    h('h2', { tabindex: -1 }, name(id)),
    h('span.note', `${thousands(labelled)} of ${thousands(selected.length)} labelled`),
    h('span.spacer'),
    button('Download labels.ndjson', () => download('labels.ndjson', labels.ndjson()), {
      disabled: labels.size === 0,
    }),
  )
}

function criterionSection(criterion: Any): HTMLElement {
  const { name: called, description } = criterion
  const worded = optionsOf(criterion).filter((option) => option.description)
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

/** A button for each label, and one to remove it. */
function choiceButtons(
  choices: readonly Choice[],
  given: string | number | null | undefined,
  { criterion, keys }: { criterion: string | undefined; keys: boolean },
  choose: (choice: Choice) => void,
  takeBack: () => void,
): HTMLElement {
  const buttons = choices.map((choice) =>
    h(
      'button',
      {
        type: 'button',
        class: 'choice',
        'data-choice': keys && choice.key,
        'aria-pressed': String(choice.label === given),
        onclick: () => choose(choice),
      },
      // A score is its own key.
      keys && choice.key !== choice.words && h('kbd', choice.key),
      name(choice.words),
    ),
  )
  return h(
    'div.choice-row',
    { role: 'group', 'aria-label': `your label ${criterion ?? ''}`.trim() },
    criterion !== undefined && h('span.choice-criterion', name(criterion)),
    buttons,
    (given ?? undefined) !== undefined && button('take back', takeBack),
  )
}
