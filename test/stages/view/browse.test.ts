/** What the page does with its data, without a browser: filters, the address, search, words in replies, labels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldAt, linesWith } from '../../../src/stages/view/page/data.ts'
import { disagree, numberColumns, select } from '../../../src/stages/view/page/filter.ts'
import { decisionFor, Labels, shownOrder } from '../../../src/stages/view/page/labels.ts'
import { inline, markdown } from '../../../src/stages/view/page/markdown.ts'
import { fromHash, NO_FILTERS, START_STATE, type State, toHash } from '../../../src/stages/view/page/state.ts'
import { beginning, verdictPlace, wordDifferences } from '../../../src/stages/view/page/words.ts'
import { game } from '../../helpers/rows.ts'
import { dataOf, made, madeOf } from './_page.ts'

const of = (change: Partial<State>): State => ({ ...START_STATE, ...change })

test('an address holds the whole state and gives it again', () => {
  const state = of({
    view: 'items',
    item: 'p 1/ü#&=',
    q: 'two words',
    is: ['wrong', 'failed'],
    run: 2,
    verdict: 'A>B',
    label: '',
    groups: { 'a.b': 'x', source: 'law & order' },
    number: 'length',
    min: -1.5,
    max: 0,
    sort: '-run.score',
    markdown: true,
    diff: true,
  })
  assert.deepEqual(fromHash(toHash(state)), state)
  assert.equal(toHash(START_STATE), '')
  assert.deepEqual(fromHash('#view=nonsense&run=0&min=abc&is=&%%%'), START_STATE)
})

async function sample() {
  const rows = ['m1', 'm2'].flatMap((model) =>
    ['i1', 'i2', 'i3', 'i4'].map((item, i) =>
      model === 'm2' && item === 'i4'
        ? {
            pair_id: item,
            jb: {
              judge: 'j',
              item,
              trial: { n: 0, of: 1 },
              error: { stage: 'call', code: 'timeout', message: 'm', model },
            },
          }
        : game(item, 0, 1, model === 'm2' && item === 'i2' ? 'B>A' : 'A>B', {
            source: i < 2 ? 'law' : 'code',
            size: i,
            words: `needle ${i} “quoted" ${'x'.repeat(i)}`,
            jb: { judge: 'j', reply: { text: `reply ${item} of ${model}`, model } },
          }),
    ),
  )
  return dataOf(await madeOf(rows))
}

test('filters combine', async () => {
  const { index } = await sample()
  const ids = (change: Partial<State>, found?: Set<number>) =>
    select(index, of(change), found).map((item) => index.ids[item])
  assert.deepEqual(ids({}), ['i1', 'i2', 'i3', 'i4'])
  assert.deepEqual(ids({ is: ['wrong'] }), ['i2'])
  assert.deepEqual(ids({ is: ['wrong'], run: 0 }), [])
  assert.deepEqual(ids({ is: ['wrong'], groups: { source: 'code' } }), [])
  assert.deepEqual(ids({ is: ['failed'] }), ['i4'])
  assert.deepEqual(ids({ is: ['disagree'] }), ['i2'])
  assert.deepEqual(ids({ verdict: 'A>B', run: 1 }), ['i1', 'i3'])
  assert.deepEqual(ids({ number: 'size', min: 1, max: 2 }), ['i2', 'i3'])
  assert.deepEqual(ids({ number: 'size', min: 1, groups: { source: 'law' } }), ['i2'])
  assert.deepEqual(ids({ label: 'no such label' }), [])
  assert.deepEqual(ids({ sort: '-size' }), ['i4', 'i3', 'i2', 'i1'])
  assert.deepEqual(ids({}, new Set([2])), ['i3'])
  assert.deepEqual(ids({ is: ['nonsense'] }), ['i1', 'i2', 'i3', 'i4'])
  assert.ok(numberColumns(index).includes('size'))
  assert.equal(disagree(index.runs, 3), false)
})

test('search looks at everything, also at what JSON writes as an escape', async () => {
  const data = await sample()
  const found = async (words: string) => {
    let items = new Set<number>()
    for await (const step of data.search(words, () => false)) items = step.items
    return [...items].map((item) => data.index.ids[item])
  }
  assert.deepEqual(await found('NEEDLE 2'), ['i3'])
  assert.deepEqual(await found('quoted"'), ['i1', 'i2', 'i3', 'i4'])
  assert.deepEqual(await found('reply i2 of m2'), ['i2'])
  assert.deepEqual(await found('nowhere'), [])
})

test('lines are found by their place', () => {
  assert.deepEqual([...linesWith('ab\ncab\n\nab ab\nx', 'ab')], [0, 1, 3])
})

test('the words a verdict was read from are found where they were read', () => {
  const at = (text: string, label: unknown) => {
    const place = verdictPlace(text, label)
    return place && text.slice(...place)
  }
  assert.equal(at('[[A>B]] at first, but [[B>A]]', 'B>A'), '[[B>A]]')
  assert.equal(at('<think>[[A]]</think> I say [[B]]', 'A'), undefined)
  assert.equal(verdictPlace('A as a word, in CAN, then A.', 'A')?.[0], 26)
  assert.equal(at('Rating: [[7]]', 7), '[[7]]')
  assert.equal(at('no', null), undefined)
  assert.equal(at('a'.repeat(300_000), 'a'), undefined)
})

test('what only one of two answers says', () => {
  const [a, b] = wordDifferences('the cat sat down', 'the dog sat')
  assert.deepEqual(
    a.filter(({ own }) => own).map(({ text }) => text),
    ['cat', 'down'],
  )
  assert.deepEqual(
    b.filter(({ own }) => own).map(({ text }) => text),
    ['dog'],
  )
  assert.equal(a.map(({ text }) => text).join(''), 'the cat sat down')
  assert.equal(
    beginning(a, 5)
      .map(({ text }) => text)
      .join(''),
    'the c',
  )
  // Different texts, and those too long for the table: the words that the other one does not have.
  const owned = (pair: ReturnType<typeof wordDifferences>) =>
    pair.map((list) => list.flatMap(({ text, own }) => (own ? [text] : [])))
  assert.deepEqual(
    owned(wordDifferences('13:05 minus 09:48 is 3 hours', 'From 09:48 to 13:05 it takes 3 hours')),
    [
      ['minus', 'is'],
      ['From', 'to', 'it takes'],
    ],
  )
  const long = (seed: number) => Array.from({ length: 5000 }, (_, i) => `w${(i * seed) % 4999}`).join(' ')
  assert.deepEqual(owned(wordDifferences(`${long(7)} cat`, `${long(11)} dog`)), [['cat'], ['dog']])
})

test('Markdown becomes a tree without HTML, links or images; formulas stay as they are', () => {
  assert.deepEqual(inline('a **b** `c<d>` $x_1*y_2$ [here](javascript:alert(1)) 2_000_000'), [
    { kind: 'text', text: 'a ' },
    { kind: 'strong', inner: [{ kind: 'text', text: 'b' }] },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'c<d>' },
    { kind: 'text', text: ' ' },
    { kind: 'math', text: '$x_1*y_2$' },
    { kind: 'text', text: ' [here](javascript:alert(1)) 2_000_000' },
  ])
  assert.deepEqual(
    markdown('# T\n\ntext\n- one\n- two\n\n```js\n<b>\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n$$\nx\n$$').map(
      ({ kind }) => kind,
    ),
    ['heading', 'paragraph', 'list', 'code', 'table', 'math'],
  )
  for (const odd of [
    '*'.repeat(20_000),
    '['.repeat(20_000),
    '`'.repeat(19_999),
    '$ '.repeat(10_000),
    '_a'.repeat(9_000),
  ])
    markdown(odd)
  // Each line is read a bounded number of times; in quadratic time this took ten seconds.
  const started = performance.now()
  assert.equal(markdown('```\n'.repeat(150_000)).length, 75_000)
  assert.ok(performance.now() - started < 2000)
})

test('labels are kept under the page’s data and written one a line', () => {
  const kept = new Map<string, string>()
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  const labels = new Labels('d1', store)
  labels.set('i1', { label: 'A>B', shown: 'BA' })
  labels.set('i2', { label: 3, note: 'hm' })
  labels.set('i3', { label: 'A=B' })
  labels.set('i3', undefined)
  const again = new Labels('d1', store)
  assert.equal(
    again.ndjson(),
    '{"item":"i1","label":"A>B","shown":"BA"}\n{"item":"i2","label":3,"note":"hm"}\n',
  )
  again.set('i4', { criteria: { tone: 'Good', truth: null }, note: 'hm' })
  assert.equal(again.ndjson().split('\n')[2], '{"item":"i4","criterion":"tone","label":"Good","note":"hm"}')
  assert.deepEqual([again.has('i4'), again.size], [false, 3])
  again.set('i4', { criteria: { tone: 'Good', truth: 'No' } })
  assert.deepEqual([again.has('i4'), again.size], [true, 4])
  assert.equal(new Labels('d2', store).size, 0)
  kept.set('jb-view labels d1', '[broken')
  assert.equal(new Labels('d1', store).size, 0)
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full')
    },
  }
  assert.equal(new Labels('d', full).set('i', { label: 1 }), false)
})

test('answers are shown in an order that is the item’s own and half of the time the other way round', () => {
  const orders = Array.from({ length: 1000 }, (_, i) => shownOrder('seed', `item-${i}`, 2)[0]!)
  const turned = orders.filter((first) => first === 1).length
  assert.ok(turned > 420 && turned < 580, String(turned))
  assert.deepEqual(shownOrder('seed', 'x', 5), shownOrder('seed', 'x', 5))
  assert.deepEqual([...shownOrder('seed', 'x', 5)].sort(), [0, 1, 2, 3, 4])
  assert.deepEqual([decisionFor(0), decisionFor(1)], ['A>B', 'B>A'])
})

test('search finds characters that the rows write as escapes', async () => {
  const lines = ['caf\\u00e9 \\ud83d\\ude00 a\\/b \\u003cb\\u003e', 'caf\\\\u00e9 plain']
  const data = await dataOf(
    await made(lines.map((text, i) => `{"id":"i${i}","question":"q","note":"${text}"}`)),
  )
  const found = async (words: string) => {
    let items = new Set<number>()
    for await (const step of data.search(words, () => false)) items = step.items
    return [...items].map((item) => data.index.ids[item])
  }
  for (const words of ['CAFÉ', '😀', 'a/b', '<b>']) assert.deepEqual(await found(words), ['i0'], words)
  assert.deepEqual(await found('caf\\u00e9'), ['i1'])
})

test('a dotted path of the page leads into lists, as in the filters', () => {
  const item = { turns: [{ q: 'a' }, { q: 'b' }], 'x.y': 1 }
  assert.deepEqual(
    ['turns.0.q', 'turns.-1.q', 'x.y', 'turns.2.q'].map((path) => fieldAt(item, path)),
    ['a', 'b', 1, undefined],
  )
})

test('filters are cleared without a change of sorting or of how texts are shown', () => {
  const state = { ...START_STATE, view: 'items', q: 'x', run: 1, sort: '-id', markdown: true, diff: true }
  const kept = { view: 'items', sort: '-id', markdown: true, diff: true }
  assert.deepEqual({ ...state, ...NO_FILTERS }, { ...START_STATE, ...kept })
})
