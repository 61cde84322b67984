/** Trials that come again: jb-score writes one row for each item, and a report of its rows is that of the trials. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../../src/stages/aggregate/options.ts'
import { spec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { Choices, runs } from '../../helpers/random.ts'
import { type AnyRow, ndjson, rowsOf } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'
import { objects, staged } from '../../helpers/stage.ts'

interface Said {
  model?: string
  decision?: string
  fields?: object
  cost?: number
}

const trial = (
  item: string,
  n: number,
  of: number,
  { model = 'm', decision = 'A>B', ...more }: Said = {},
) => ({
  id: item,
  label: 'A>B',
  ...more.fields,
  jb: {
    judge: 'j',
    item,
    trial: { n, of },
    reply: { text: decision, model, ...(more.cost !== undefined && { cost: more.cost }) },
    verdict: { label: decision, decision },
  },
})
const failed = (item: string, n: number, of: number, model: string | undefined = 'm') => ({
  id: item,
  label: 'A>B',
  jb: {
    judge: 'j',
    item,
    trial: { n, of },
    error: { stage: 'call', code: 'timeout', message: 'late', model },
  },
})
const scored = (rows: object[], ...args: string[]) => staged(spec, score, args, ndjson(rows))

/** Each row's item, and its decision or error. */
async function wrote(rows: object[], ...args: string[]): Promise<string[]> {
  const { text } = await scored(rows, ...args)
  return (objects(text) as AnyRow[]).map(
    ({ jb }) => `${jb.item} ${jb.result ? jb.result.decision : jb.error!.code}`,
  )
}

test('a label in other words, or one that does not count, is no conflict; another label is', async () => {
  const as = (label: unknown) => trial('a', 0, 1, { decision: 'B>A', fields: { label } })
  assert.deepEqual(await wrote([as('model_b'), as('B>>A'), as('B')]), ['a B>A'])
  assert.deepEqual(await wrote([as('model_b'), as('A')]), ['a B>A', 'a conflict'])
  const grade = (label: number) => {
    const { jb: trialOfA, ...item } = as(label)
    return { ...item, jb: { ...trialOfA, verdict: { label: '3', score: 3, range: [1, 5] } } }
  }
  const lines = async (...args: string[]) =>
    objects((await scored([grade(1), grade(2)], ...args)).text).length
  assert.deepEqual([await lines(), await lines('--label', 'label')], [1, 2])
})

test('a first run and a retry of what failed: each item once, as it ended', async () => {
  const first = [
    ...[trial('a', 0, 1), failed('b', 0, 1)],
    ...[trial('c', 0, 2), trial('c', 1, 2), trial('d', 0, 2), failed('d', 1, 2)],
    ...[failed('e', 0, 2), failed('e', 1, 2), failed('f', 0, 1)],
  ]
  const retry = [trial('b', 0, 1), trial('d', 1, 2, { decision: 'B>A' }), trial('e', 1, 2), trial('e', 0, 2)]
  const ended = ['a A>B', 'b A>B', 'c A>B', 'd A=B', 'e A>B', 'f timeout']
  // The retry may also have all trials again.
  for (const again of [retry, [...first.filter(({ jb }) => !('error' in jb)), ...retry]])
    for (const rows of [
      [...first, ...again],
      [...again, ...first],
    ])
      assert.deepEqual((await wrote(rows)).sort(), ended)
})

test('what is whole and right is written at once, what failed at the end', async () => {
  assert.deepEqual(await wrote([failed('a', 0, 1), trial('b', 0, 1), trial('c', 1, 2)]), [
    'b A>B',
    'a timeout',
    'c incomplete',
  ])
  // Also if the input ends early.
  const stdin = `${ndjson([failed('a', 0, 1), trial('b', 0, 1), trial('c', 1, 2)])}no row\n`
  const ran = await jb('score', ['-q'], { stdin })
  assert.equal(ran.code, 65)
  assert.deepEqual(
    rowsOf(ran).map(({ id }) => id),
    ['b', 'a'],
  )
})

test('a trial of a written item that comes again counts once; with another reply or label it is a conflict', async () => {
  const rows = ['a', 'b'].flatMap((item) => [trial(item, 0, 2), trial(item, 1, 2)])
  const { text, notes } = await scored([...rows, ...rows, trial('c', 0, 1), trial('c', 0, 1)])
  assert.equal(text, (await scored([...rows, trial('c', 0, 1)])).text)
  assert.match(notes.join('\n'), /item "a", trial 1 was there already, with the same reply: it counts once/)
  assert.equal(notes.length, 5)
  for (const other of [
    trial('a', 1, 2, { decision: 'B>A' }),
    trial('a', 0, 2, { fields: { label: 'B>A' } }),
    trial('a', 0, 2, { fields: { source: 's' } }),
  ])
    assert.deepEqual(await wrote([...rows, other]), ['a A>B', 'b A>B', 'a conflict'])
  // Of other trials than the first, no label counts.
  const later = trial('a', 1, 2, { fields: { label: 'B>A' } })
  assert.deepEqual(await wrote([...rows, later]), ['a A>B', 'b A>B'])
  // Replies that --combine could have taken: it says so.
  const apart = [trial('a', 0, 1), trial('b', 0, 1), trial('a', 0, 1, { decision: 'B>A' })]
  assert.deepEqual(await wrote(apart, '--combine', 'vote'), ['a A>B', 'b A>B', 'a conflict'])
})

test('battles of other models may have one id', async () => {
  const battle = (n: number, model_b: string, decision: string) =>
    trial('q', n, 2, { decision, fields: { model_a: 'a', model_b } })
  const rows = ['b', 'c'].flatMap((model_b, i) => [0, 1].map((n) => battle(n, model_b, ['A>B', 'B>A'][i]!)))
  for (const all of [rows, [rows[0]!, rows[2]!, rows[1]!, rows[3]!], [...rows, ...rows]])
    assert.deepEqual(await wrote(all), ['q A>B', 'q B>A'])
})

test('more failed items than memory holds wait in a file', async () => {
  const ids = Array.from({ length: 4500 }, (_, i) => `i${i}`)
  const fields = { text: 'ü "\\n" 1e400 '.repeat(3) }
  const first = ids.flatMap((id, i) => [
    { ...failed(id, i % 2, 2), ...fields },
    trial(id, (i + 1) % 2, 2, { fields, cost: 0.25 }),
  ])
  const retry = ids.slice(2).map((id, i) => trial(id, i % 2, 2, { fields, decision: 'B>A', cost: 0.5 }))
  const { text } = await scored([...first, ...retry])
  const rows = (objects(text) as AnyRow[]).sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
  assert.equal(rows.length, ids.length)
  for (const [i, { jb, text }] of rows.entries()) {
    assert.equal(jb.result?.decision ?? jb.error!.code, i < 2 ? 'timeout' : 'A=B')
    assert.deepEqual(jb.trials!.map(({ cost }) => cost ?? 0).sort(), i < 2 ? [0, 0.25] : [0.25, 0.5])
    assert.equal(text, fields.text)
  }
})

/** What a report counts. */
const counts = (text: string) =>
  objects(text)
    .map(({ model, items, valid, failures, correct, cost }) => ({
      model,
      items,
      valid,
      failures,
      correct,
      cost,
    }))
    .sort((a, b) => (a.model < b.model ? -1 : 1))

test('a judge may write anything in its list', async () => {
  const items = [null, 'a', { label_error: 'x' }]
  const verdict = { items }
  const row = { id: 'a', label: 'A>B', jb: { judge: 'j', item: 'a', trial: { n: 0, of: 1 }, verdict } }
  const { text, notes } = await scored([row])
  assert.deepEqual((objects(text) as AnyRow[])[0]!.jb.result, { kind: 'list', items })
  assert.deepEqual(notes, [])
})

test('rows that disagree on the number of trials: an item with all of the larger number is written again', async () => {
  const once = [trial('a', 0, 1)]
  const twice = [trial('a', 0, 2), trial('a', 1, 2, { decision: 'A=B' })]
  const { text, notes } = await scored([...once, ...twice])
  assert.deepEqual(
    (objects(text) as AnyRow[]).map(({ jb }) => jb.trials!.map(({ trial }) => trial.n)),
    [[0], [0, 1]],
  )
  assert.match(
    notes.join(),
    /item "a" was written with fewer trials than the 2 of later rows: it is written again/,
  )
  // Of rows that disagree it is not known which are right.
  assert.deepEqual(await wrote([...twice, ...once]), ['a A>B', 'a conflict'])
  assert.deepEqual(await wrote([twice[1]!, ...once]), ['a conflict'])
  // What is lacking stands in the row that was written.
  assert.deepEqual(await wrote([...once, twice[1]!]), ['a A>B', 'a conflict'])
  assert.deepEqual(await wrote([...once, twice[0]!]), ['a A>B', 'a conflict'])
  assert.deepEqual(await wrote([...once, trial('a', 0, 2, { decision: 'B>A' }), twice[1]!]), [
    'a A>B',
    'a conflict',
    'a conflict',
  ])
})

test('a report of results is that of their trials, also if rows disagree on the number of trials, or it is told', async () => {
  const few = (text: string) =>
    counts(text).map(({ items, valid, correct, cost }) => ({ items, valid, correct, cost }))
  const report = async (text: string) => few((await staged(aggregateSpec, aggregate, [], text)).text)
  for (let seed = 0; seed < runs(150); seed++) {
    const choices = new Choices(seed)
    const isWhole = choices.chance(0.7)
    const rows: object[] = []
    for (const item of ['a', 'b'])
      for (const of of [choices.pick([1, 2]), choices.pick([2, 3])])
        for (let n = 0; n < of; n++) {
          if (!isWhole && choices.chance(0.2)) continue
          const decision = n === 1 ? 'A=B' : 'A>B'
          const row =
            !isWhole && choices.chance(0.1)
              ? failed(item, n, of)
              : trial(item, n, of, { decision, cost: 2 ** -n })
          rows.splice(choices.below(rows.length + 1), 0, row)
        }
    const { text } = await scored(rows)
    const told = /"code":"conflict","message":"the item was written with fewer than/.test(text)
    assert.ok(!(told && isWhole), `seed ${seed}`)
    if (!told)
      assert.deepEqual(
        await report(text),
        await report(ndjson(rows)),
        `seed ${seed}\n${ndjson(rows)}\n${text}`,
      )
  }
})
