/** Labels of people that are an option in another spelling. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../src/stages/aggregate/options.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'
import { objects, staged } from '../helpers/stage.ts'

/** A choice of a judge whose options are known, if there are any. */
const chosen = (item: string, option: string, label: string, options: string[] = []) => ({
  label,
  jb: {
    judge: 'c',
    item,
    ...(options.length > 0 && {
      criterion: {
        name: 'x',
        description: '',
        to_evaluate_field: 'response',
        context_fields: null,
        options: options.map((name) => ({ name, description: '', score: null })),
      },
    }),
    verdict: { option, label: option },
  },
})

async function reportOf(rows: object[]) {
  const { text, notes } = await staged(spec, aggregate, ['--by', 'none'], ndjson(rows))
  const [{ accuracy, kappa, labelled, unread_labels }] = objects(text)
  return { figures: { accuracy, kappa, labelled, unread_labels }, notes: notes.join('\n') }
}

const SAID: [said: string, label: string][] = [
  ['Good', 'good'],
  ['Good', 'GOOD '],
  ['Poor', 'poor'],
  ['Good', 'poor'],
]

for (const options of [['Good', 'Poor'], []])
  test(`good, GOOD and Good are one label: ${options.length > 0 ? 'options known' : 'options not known'}`, async () => {
    const rows = SAID.map(([said, label], i) => chosen(`i${i}`, said, label, options))
    const { figures, notes } = await reportOf(rows)
    assert.deepEqual(figures, { accuracy: 0.75, kappa: 0.5, labelled: 4, unread_labels: undefined })
    assert.match(notes, /the label "good" is read as "Good", the judge's spelling/)
  })

/** A judge whose options are not known, and labels in small letters. */
const OPEN = [
  ['OK', 'ok'],
  ['NOK', 'nok '],
  ['OK', 'nok'],
  ['NOK', 'ok'],
].map(([said, label], i) => chosen(`i${i}`, said!, label!))

const READ = /"nok " is read as "NOK", "nok" is read as "NOK", "ok" is read as "OK": capital letters/

test('jb-audit, jb-aggregate --labels, jb-compare --choose and jb-score say that labels are read in the judge’s spelling', async (t) => {
  const rows = ndjson(OPEN)
  const other = ndjson(OPEN.map((row) => ({ ...row, jb: { ...row.jb, name: 'other' } })))
  const dir = folder(t, { rows, labels: ndjson(OPEN.map(({ label, jb }) => ({ item: jb.item, label }))) })
  for (const truth of ['label', `${dir}/labels`]) {
    const { stdout, stderr } = await jb('audit', ['--truth', truth], { stdin: rows })
    const agreement = objects(stdout).find(({ section }) => section === 'agreement')
    assert.deepEqual(
      [agreement.po, agreement.kappa, agreement.confusion],
      [0.5, 0, { NOK: { NOK: 1, OK: 1 }, OK: { NOK: 1, OK: 1 } }],
    )
    assert.match(stderr, READ)
  }
  const file = await jb('aggregate', ['--labels', `${dir}/labels`], { stdin: rows })
  const [{ agreement, kappa, confusion, differ }] = objects(file.stdout)
  assert.deepEqual([agreement, kappa, confusion], [0.5, 0, { NOK: { NOK: 1, OK: 1 }, OK: { NOK: 1, OK: 1 } }])
  assert.deepEqual(differ, [
    { item: 'i2', label: 'NOK', judged: 'OK' },
    { item: 'i3', label: 'OK', judged: 'NOK' },
  ])
  assert.match(file.stderr, READ)
  const chosenRun = await jb('compare', ['--choose', 'accuracy', '--truth', `${dir}/labels`], {
    stdin: rows + other,
  })
  assert.match(chosenRun.stderr, READ)
  assert.match(
    (await jb('score', [], { stdin: rows })).stderr,
    /the label "ok" is read as "OK", the judge's spelling/,
  )
})

test('options that differ in capital letters alone are told apart, and no label is guessed', async () => {
  const options = ['a', 'A']
  const { figures } = await reportOf([chosen('i0', 'a', 'a', options), chosen('i1', 'A', 'a', options)])
  assert.equal(figures.accuracy, 0.5)
})
