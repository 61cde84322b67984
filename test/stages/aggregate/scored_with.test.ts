/** Results of jb-score with different options, and with labels that were corrected after it, in one report. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../../src/stages/aggregate/options.ts'
import { spec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { spec as writeSpec } from '../../../src/stages/write/options.ts'
import { write } from '../../../src/stages/write/write.ts'
import { game, ndjson, rewritten } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

/** Pairs of which one game is right, and the other a tie. */
const pairs = (...ids: string[]) =>
  ndjson(ids.flatMap((id) => [game(id, 0, 2, 'A>B'), game(id, 1, 2, 'A=B')]))
const scored = async (rows: string, ...args: string[]) => (await staged(spec, score, args, rows)).text
const written = (rows: string, ...args: string[]) => staged(writeSpec, write, args, rows)
const reported = (rows: string, ...args: string[]) => staged(aggregateSpec, aggregate, args, rows)

test('results that were scored with different options are told, and the report has the options', async () => {
  const by = {
    plain: await scored(pairs('a', 'b')),
    majority: await scored(pairs('c'), '--combine', 'majority'),
  }
  const options = [{ combine: 'majority' }, {}]
  const words = /results that jb-score made with different options .*\(\{"combine":"majority"\}, no options\)/
  const { text, notes } = await reported(by.plain + by.majority)
  assert.deepEqual(objects(text)[0].made.scored_with, options)
  assert.match(notes.join(), words)
  const states = await Promise.all(Object.values(by).map((rows) => reported(rows, '--partial')))
  const merged = await reported(states.map((state) => state.text).join(''), '--merge')
  assert.equal(merged.text, text)
  assert.match(merged.notes.join(), words)
  assert.match((await written(by.plain + by.majority, 'judgebench')).notes.join(), words)
})

test('with the same options nothing is said, and the report is that of the trials with them', async () => {
  for (const args of [[], ['--combine', 'majority', '--tie', '0.5']]) {
    const { text, notes } = await reported(await scored(pairs('a', 'b'), ...args))
    assert.deepEqual([text, notes], [(await reported(pairs('a', 'b'), ...args)).text, []])
    assert.equal('scored_with' in objects(text)[0].made, args.length > 0)
  }
})

/** Rows with other labels, as corrected in the source after jb-score. */
const corrected = (rows: string, labels: Record<string, unknown>, field = 'label') =>
  rewritten(rows, (row) => {
    if (row.jb.item! in labels) row[field] = labels[row.jb.item!]
    return row
  })

/** Results whose labels were corrected fail, in jb-aggregate and jb-write, and a note says what to do. */
async function checkCorrected(rows: string, labels: Record<string, unknown>, ...args: string[]) {
  const results = corrected(await scored(rows, ...args), labels, args[1])
  const { text, notes } = await reported(results)
  const changed = Object.keys(labels).length
  assert.deepEqual(objects(text)[0].failures, { conflict: changed })
  const told = notes.filter((note) => /the item's label has changed since it was scored: jb-score/.test(note))
  assert.equal(told.length, changed)
  const lines = (await written(results, 'csv')).text.split('\n').filter((line) => line.includes('conflict'))
  assert.equal(lines.length, changed)
}

test('a label that was corrected after jb-score is a conflict, with a note', async () => {
  await checkCorrected(pairs('a', 'b', 'c'), { a: 'A=B', c: 'B>A' })
  await checkCorrected(
    corrected(pairs('a', 'b'), { a: 'A', b: 'B' }, 'gold'),
    { a: 'A=B' },
    '--label',
    'gold',
  )
  const one = (id: string, verdict: object, more: object = {}) => ({
    id,
    ...more,
    jb: { judge: 'j', item: id, trial: { n: 0, of: 1 }, reply: { text: id, model: 'm' }, verdict },
  })
  const grades = ndjson([1, 2, 3].map((score) => one(`g${score}`, { score }, { label: score })))
  await checkCorrected(grades, { g1: 3 }, '--label', 'label')
  const options = ndjson(
    ['Yes', 'No'].map((option) => one(option, { option, score: 1 }, { expected_result: option })),
  )
  await checkCorrected(options, { Yes: 'No' })
  const criteria = ['p', 'q'].map((name, n) => ({
    ...{ name, to_evaluate_field: 'x', weight: n + 1 },
    options: [
      { name: 'Yes', score: 1 },
      { name: 'No', score: 0 },
    ],
  }))
  const several = ['s', 't'].flatMap((id) =>
    criteria.map((criterion, n) => {
      const row = one(id, { option: 'Yes', score: 1 }, { label: { p: 'Yes', q: 'No' } })
      return { ...row, jb: { ...row.jb, trial: { n, of: 2, criterion: criterion.name }, criterion } }
    }),
  )
  await checkCorrected(ndjson(several), { t: { p: 'No', q: 'No' } })
  await checkCorrected(ndjson(['x', 'y'].map((id) => one(id, { winner: 1 }, { label: 1 }))), { x: 0 })
})

test('a label that is gone leaves the earlier one; one that cannot be read is another', async () => {
  const results = await scored(pairs('a', 'b'))
  const { text, notes } = await reported(corrected(results, { a: undefined }))
  assert.deepEqual([text, notes], [(await reported(results)).text, []])
  const unread = await reported(corrected(results, { a: 'none' }))
  assert.deepEqual(objects(unread.text)[0].failures, { conflict: 1 })
})

test('the label of a jury’s result is compared, whatever its members’ votes would come to otherwise', async () => {
  const members = ['A>B', 'A=B', 'A=B'].map((decision, i) =>
    game('a', 0, 1, decision, { jb: { reply: { text: decision, model: `m${i}` } } }),
  )
  const results = await scored(ndjson(members), '--jury', 'majority')
  const { text, notes } = await reported(results)
  assert.deepEqual([objects(text)[0].failures, notes], [{}, []])
})
