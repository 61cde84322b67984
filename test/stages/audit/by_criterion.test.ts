/** Labels by criterion: an object in a field of the rows, as jb-score and jb-aggregate read it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objects } from '../../helpers/stage.ts'
import { run } from './_audit.ts'

const options = [
  { name: 'yes', score: 2, description: '' },
  { name: 'no', score: 0, description: '' },
]
const row = (id: string, said: Record<string, string>, more: object) =>
  Object.entries(said).map(([name, option], n, { length }) => ({
    id,
    ...more,
    jb: {
      judge: 'direct',
      item: id,
      criterion: { name, description: '', to_evaluate_field: 'text', options, weight: 1 / length },
      trial: { n, of: length, criterion: name },
      reply: { text: '', model: 'm' },
      verdict: { label: option, option, score: option === 'yes' ? 2 : 0 },
    },
  }))

const agreements = async (rows: object[], ...args: string[]) => {
  const { text, notes } = await run(args, rows)
  const found = objects(text).filter(({ section }) => section === 'agreement')
  return { found: found.map(({ judge, items, unlabelled, po }) => [judge, items, unlabelled, po]), notes }
}

test('labels by criterion in a field of the rows have a card for each criterion', async () => {
  const label = (fluent: unknown, right: unknown) => ({ fluent, right })
  const said = { fluent: 'yes', right: 'no' }
  const rows = (field: string) => [
    ...row('b', said, {}),
    ...row('a', said, { [field]: label('yes', 'yes') }),
    ...row('c', said, { [field]: { fluent: 'no' } }),
  ]
  const expected = [
    ['direct · m · fluent', 2, 1, 0.5],
    ['direct · m · right', 1, 2, 0],
  ]
  for (const [field, ...args] of [
    ['label'],
    ['expected_result'],
    ['label', '--truth', 'label'],
    ['human', '--truth', 'human'],
  ])
    for (const all of [rows(field!), rows(field!).reverse()]) {
      const { found, notes } = await agreements(all, ...args)
      assert.deepEqual(found, expected, args.join(' '))
      assert.deepEqual(
        notes.filter((note) => note.includes('left out: expected')),
        [],
      )
    }
  const people = [label('yes', 'no'), label('yes', 'no'), label('no', 'no')]
  assert.deepEqual((await agreements(row('a', said, { human: people }), '--truth', 'human')).found, [
    ['direct · m · fluent', 1, 0, 1],
    ['direct · m · right', 1, 0, 1],
  ])
  // A label of the whole item stays on the card of the whole.
  assert.deepEqual((await agreements(row('a', said, { label: 0.5 }))).found, [['direct · m', 1, 0, 1]])
})
