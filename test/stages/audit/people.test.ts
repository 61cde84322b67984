/** jb-audit: agreement with people and among them, against recorded values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../../src/stages/aggregate/options.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { cases } from '../../statistics/_vectors.ts'
import { card, near, run } from './_audit.ts'

const MAP = "(--label-map 'LABEL=MEANING,…' says what they mean)"

test('agreement with people: kappas, AC1, alpha', async () => {
  for (const { name, input, expect } of cases('agreement_two').slice(1, 9)) {
    const rows = input.a.map((human: unknown, i: number) => ({ id: `i${i}`, human, said: input.b[i] }))
    const { agreement } = await card(['--truth', 'human', '--value', 'said'], rows)
    near(agreement.po, expect.agreement, `${name} po`)
    near(agreement.kappa, expect.kappa, `${name} kappa`)
    near(agreement.ac1, expect.gwet_ac1, `${name} ac1`)
    near(agreement.alpha, expect.alpha_nominal, `${name} alpha`)
    if (typeof input.a[0] === 'number')
      near(agreement.kappa_quadratic, expect.kappa_quadratic, `${name} quadratic`)
  }
})

test('several annotators: their own agreement, and the alternative annotator test', async (t) => {
  for (const { name, input, expect } of cases('agreement_many').slice(1, 6)) {
    const rows = input.rows.map((human: unknown, i: number) => ({ id: `i${i}`, human, said: 'A' }))
    const { annotators } = await card(['--truth', 'human', '--value', 'said'], rows)
    near(annotators.people.po, expect.gwet_pa, `${name} po`)
    near(annotators.people.ac1, expect.gwet_ac1, `${name} ac1`)
    near(annotators.people.alpha, expect.alpha_nominal, `${name} alpha`)
  }
  // A judge that says what two of three say, and one that says anything.
  const people = Array.from({ length: 60 }, (_, i) => {
    const right = i % 2 ? 'yes' : 'no'
    const wrong = i % 2 ? 'no' : 'yes'
    return [right, i % 5 === 0 ? wrong : right, i % 7 === 0 ? wrong : right]
  })
  const rows = (said: (i: number) => string) =>
    people.map((human, i) => ({ id: `i${i}`, human, said: said(i) }))
  const good = await card(
    ['--truth', 'human', '--value', 'said'],
    rows((i) => (i % 2 ? 'yes' : 'no')),
  )
  assert.equal(good.annotators.alternative_annotator.passed, true)
  const bad = await card(
    ['--truth', 'human', '--value', 'said'],
    rows(() => 'yes'),
  )
  assert.equal(bad.annotators.alternative_annotator.passed, false)
  // Of two annotators, of few items, and where people toss coins, nothing can be told.
  const reasonOf = async (of: object[]) => {
    const { annotators, conclusion } = await card(['--truth', 'human', '--value', 'said'], of)
    assert.equal(annotators.alternative_annotator.passed, undefined)
    assert.match(conclusion.annotators, /whether it may take the place of one cannot be told: /)
    return annotators.alternative_annotator.reason
  }
  const all = rows((i) => (i % 2 ? 'yes' : 'no'))
  assert.match(
    await reasonOf(all.map((row) => ({ ...row, human: row.human.slice(1) }))),
    /fewer than 3 annotators/,
  )
  assert.match(await reasonOf(all.slice(0, 29)), /fewer than 30 items/)
  const coins = all.map((row, i) => ({ ...row, human: [1, 2, 4].map((bit) => (i & bit ? 'yes' : 'no')) }))
  assert.match(await reasonOf(coins), /people do not agree with each other beyond chance/)
  // The same labels from a file of rows, one an annotator.
  const file = people.flatMap((labels, i) =>
    labels.map((label, k) => ({ id: `i${i}`, annotator: `p${k}`, label })),
  )
  const dir = folder(t, { 'labels.jsonl': ndjson(file) })
  const fromFile = await card(
    ['--truth', `${dir}/labels.jsonl`, '--value', 'said'],
    rows((i) => (i % 2 ? 'yes' : 'no')),
  )
  assert.deepEqual(fromFile.annotators.people, good.annotators.people)
})

test('of pairs, people’s labels may be anywhere: a field called label is then not read', async (t) => {
  const rows = (fields: (i: number) => object) =>
    Array.from({ length: 8 }, (_, i) => {
      const { label: _label, ...row } = game(`p${i}`, 0, 1, 'A>B') as { label?: string }
      return { ...row, ...fields(i) }
    })
  const human = (i: number) => (i % 4 ? 'A>B' : 'B>A')
  const counts = ({ agreement }: Awaited<ReturnType<typeof card>>) =>
    agreement && [agreement.items, agreement.unlabelled, agreement.failed, agreement.po]
  const other = rows((i) => ({ human: human(i), label: 'positive' }))
  const dir = folder(t, { 'people.jsonl': ndjson(other.map((_, i) => ({ id: `p${i}`, label: human(i) }))) })
  for (const truth of ['human', `${dir}/people.jsonl`])
    assert.deepEqual(counts(await card(['--truth', truth], other)), [8, 0, 0, 0.75], truth)
  // A list in the item's own label: several annotators.
  const lists = rows((i) => ({ label: [human(i), human(i), 'A>B'] }))
  assert.deepEqual(counts(await card([], lists)), [8, 0, 0, 0.75])
  const named = rows((i) => ({ human: [human(i), human(i), 'A>B'] }))
  assert.deepEqual(counts(await card(['--label', 'human'], named)), [8, 0, 0, 0.75])
  // Where the file of labels has none, the row's own is no substitute.
  const few = folder(t, { 'people.jsonl': ndjson([{ id: 'p0', label: 'B>A' }]) })
  const rest = rows((i) => ({ label: i ? 'A>B' : 'B>A' }))
  assert.deepEqual(counts(await card(['--truth', `${few}/people.jsonl`], rest)), [1, 7, 0, 0])
  // One that is no decision is not another opinion.
  const odd = await run(
    ['--truth', 'human'],
    rows((i) => ({ human: i === 1 ? 'maybe' : human(i) })),
  )
  const [agreement] = objects(odd.text).filter(({ section }) => section === 'agreement')
  assert.deepEqual([agreement!.items, agreement!.unlabelled, agreement!.po], [7, 1, 0.7142857143])
  assert.match(odd.notes.join(), /the label "maybe" of item "p1" is left out: expected A>B, B>A or A=B/)
  const wrong = await run(
    [],
    rows((i) => ({ label: i === 1 ? 'maybe' : human(i) })),
  )
  assert.match(wrong.notes.join(), /missing_field: the label "label" is "maybe"/)
})

test('people’s labels are read in the terms of the judge’s verdict, or left out with a note', async (t) => {
  const options = [
    { name: 'Yes', score: 1 },
    { name: 'No', score: 0 },
  ]
  const criterion = {
    name: 'c',
    description: 'd',
    to_evaluate_field: 'response',
    context_fields: [],
    options,
  }
  const row = (i: number, human: unknown, result: object) => ({
    id: `i${i}`,
    human,
    jb: { judge: 'j', item: `i${i}`, criteria: [criterion], result },
  })
  const option = { kind: 'choice', option: 'Yes', score: 1 }
  const cases: [result: object, agree: unknown[], not: unknown[], expected: string][] = [
    [{ kind: 'grade', score: 8 }, [8, '8', ' 8.0 '], ['good', 'A>B', {}], 'a number'],
    [
      option,
      ['Yes', ' Yes ', 'yes', 'PASS', 1, '1', true],
      ['good', 0.5, '0.5', 'A>B'],
      'one of Yes, No, or a score that one of them has',
    ],
    [{ kind: 'pairwise', decision: 'A>B' }, ['A>B', 'A', 'model_a'], [1, '1', true], 'A>B, B>A or A=B'],
    [
      { kind: 'listwise', winner: 1 },
      [1, '1', 'B', 'model_b'],
      ['first', true, -1],
      'the index of an answer from 0, or "tie"',
    ],
  ]
  for (const [result, agree, not, expected] of cases) {
    const rows = [...agree, ...not].map((human, i) => row(i, human, result))
    const { text, notes } = await run(['--truth', 'human'], rows)
    const [, agreement] = objects(text)
    assert.deepEqual(
      [agreement!.items, agreement!.unlabelled, agreement!.po],
      [agree.length, not.length, 1],
      expected,
    )
    const first = `${JSON.stringify(not[0])} of item "i${agree.length}"`
    assert.deepEqual(
      notes.filter((one) => one.includes('left out')),
      [`${not.length} labels are left out: expected ${expected}, such as ${first} ${MAP}`],
    )
    // jb-aggregate --labels and jb-audit --truth read a file alike.
    const people = rows.map(({ human, id }) => ({ item: id, label: human }))
    const place = folder(t, { 'people.ndjson': ndjson(people), 'rows.ndjson': ndjson(rows) })
    const args = ['--labels', `${place}/people.ndjson`, `${place}/rows.ndjson`]
    const [compared] = objects((await staged(aggregateSpec, aggregate, args)).text)
    const fromFile = await card(['--truth', `${place}/people.ndjson`], rows)
    assert.deepEqual(
      [compared.compared, compared.agreement, compared.failed, compared.left_out],
      [agree.length, 1, 0, not.length],
      expected,
    )
    assert.deepEqual([fromFile.agreement.items, fromFile.agreement.po], [agree.length, 1], expected)
  }
})

test('labels of failed items are read as those of the others: people are compared with each other', async () => {
  const row = (i: number, human: unknown[], more: object) => ({
    id: `i${i}`,
    human,
    jb: { judge: 'j', item: `i${i}`, ...more },
  })
  const error = { stage: 'call', code: 'timeout', message: 'm' }
  const rows = [row(0, [8, '8'], { error }), row(1, [7, '7.0'], { result: { kind: 'grade', score: 7 } })]
  const { annotators } = await card(['--truth', 'human'], rows)
  assert.equal(annotators.people.po, 1)
})

test('of three answers, a tie among people is no failure of the judge', async () => {
  const winner = (i: number, human: unknown) => ({
    human,
    jb: { judge: 'j', item: `i${i}`, trial: { n: 0, of: 1, answers: 3 }, verdict: { label: '2', winner: 2 } },
  })
  const { agreement } = await card(['--truth', 'human'], [winner(0, 'tie'), winner(1, 2)])
  assert.deepEqual(
    [agreement.items, agreement.failed, agreement.po, agreement.confusion.tie],
    [2, 0, 0.5, { 2: 1, tie: 0 }],
  )
})

test('--value: numbers that are texts, as in CSV files, are numbers on both sides', async () => {
  const rows = [1, 2, 3].map((n) => ({ id: `i${n}`, human: n, said: `${n}.0` }))
  const { agreement } = await card(['--truth', 'human', '--value', 'said'], rows)
  assert.deepEqual([agreement.po, agreement.mae], [1, 0])
})

test('numbers of several annotators: who is nearer by the root of the mean square, as the test’s authors', async () => {
  // Two others said 1 and 3: 2 is 1 away from both, 2.5 is 1.5 and 0.5 away: the same by the mean, farther by the square.
  const rows = Array.from({ length: 40 }, (_, i) => ({
    id: `i${i}`,
    human: [i % 2 ? 0.8 : 2, 1, 3].map((label) => label + i),
    said: (i % 2 ? 2 : 2.5) + i,
  }))
  const { annotators } = await card(['--truth', 'human', '--value', 'said'], rows)
  const [first] = annotators.alternative_annotator.annotators
  assert.deepEqual([first.items, first.judge, first.annotator], [40, 0.5, 0.5])
  assert.equal(typeof annotators.people.alpha_interval, 'number')
})

test('without people, the judge’s own model fares as most of two other judges say, or better', async () => {
  const rows = ['j1', 'j2', 'j3'].flatMap((judge) =>
    Array.from({ length: 8 }, (_, i) => ({
      id: `i${i}`,
      model_a: i % 2 ? 'x' : 'y',
      model_b: i % 2 ? 'y' : 'x',
      jb: { item: `i${i}`, judge, result: { decision: judge === 'j1' && i % 2 ? 'A>B' : 'B>A' } },
    })),
  )
  const found = objects((await run(['--own', 'x'], rows)).text)
  const { judge, win_rate_judge, win_rate_judges, difference, equal_opportunity } = found.find(
    ({ section }) => section === 'self_preference',
  )
  assert.deepEqual(
    [judge, win_rate_judge, win_rate_judges, difference, equal_opportunity],
    ['j1', 1, 0.5, 0.5, 1],
  )
})

test('labels are compared in the verdict’s terms: an option’s score by its name, a label of something else not at all', async () => {
  const chosen = (id: string, result: object, label: unknown) => ({
    label,
    jb: { judge: 'direct', item: id, result: { kind: 'choice', option: 'Yes', score: 1, ...result } },
  })
  const scores = [
    chosen('a', { label: 1, label_option: 'Yes' }, 1),
    chosen('b', { label: 0, label_option: 'No' }, 0),
  ]
  const { agreement } = await card([], scores)
  assert.deepEqual(
    [agreement.po, agreement.confusion],
    [0.5, { No: { No: 0, Yes: 1 }, Yes: { No: 0, Yes: 1 } }],
  )
  const { ending } = await run([], [chosen('a', {}, 'A>B'), chosen('b', {}, 'B>A')])
  assert.match(ending!.message, /nothing was measured/)
})

test('labels that are numbers stand by size on the page', async () => {
  const rows = [10, 1.5, 2].map((human, i) => ({ id: `i${i}`, human, said: 2 }))
  const { text } = await run(['--truth', 'human', '--value', 'said', '--format', 'table'], rows)
  assert.match(text, /\n {4}people \\ judge +1\.5 +2 +10\n/)
})

test('an empty text is neither a label nor an answer: a cell of CSV that is empty', async () => {
  const pairs = [
    ['yes', 'yes'],
    ['no', ''],
    ['yes', 'no'],
    ['no', 'no'],
    ['', 'yes'],
    ['yes', ''],
  ]
  const rows = pairs.map(([judge, human], id) => ({ id, judge, human }))
  const { agreement } = await card(['--value', 'judge', '--truth', 'human'], rows)
  assert.deepEqual([agreement.items, agreement.unlabelled, agreement.failed], [3, 2, 1])
  near(agreement.po, 2 / 3, 'share that agrees')
  assert.deepEqual(Object.keys(agreement.prevalence), ['no', 'yes'])
})

test('words that differ in capital letters and blanks alone are one label, in the judge’s spelling', async () => {
  const people = ['PASS', 'pass', 'pass ', 'Fail', 'fail', 'FAIL']
  const rows = people.map((human, i) => ({ id: `i${i}`, human, said: i < 3 ? 'pass' : 'fail' }))
  const args = ['--truth', 'human', '--value', 'said']
  const { text, notes } = await run(args, rows)
  const { po, prevalence } = (await card(args, rows)).agreement
  assert.deepEqual([po, prevalence], [1, { fail: 0.5, pass: 0.5 }])
  assert.match(
    notes.join('\n'),
    /"PASS" is read as "pass", "pass " is read as "pass": capital letters and blanks at the ends tell no labels apart/,
  )
  assert.equal((await run(args, rows.toReversed())).text, text)
})
