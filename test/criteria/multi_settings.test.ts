/** Settings of several criteria: checked before any item is read, plain questions, weights for saved verdicts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { configOf, LIKERT, trialsOf, UNSCORED, YES_NO } from './_multi.ts'
import { criterion } from './golden.ts'

test('configuration errors are found before any item is read', async (t) => {
  const yes = criterion('a', YES_NO)
  const cases: [config: unknown, err: RegExp][] = [
    [
      {
        items: [
          { criterion: yes, weight: 0.5 },
          { criterion: criterion('b', YES_NO), weight: 0.4 },
        ],
      },
      /weights add up to 0.9, expected 1/,
    ],
    [{ items: [{ criterion: yes, weight: 1.5 }] }, /weight is 1.5, expected 0 to 1/],
    [
      { items: [{ criterion: yes, weight: 0.5 }, { criterion: criterion('b', YES_NO) }] },
      /"b" has no weight/,
    ],
    [
      { items: [{ criterion: yes, target_option: 'Yes' }, { criterion: criterion('b', YES_NO) }] },
      /has no weight/,
    ],
    [{ items: [{ criterion: yes, weight: 1, target_option: 'yes' }] }, /did you mean Yes/],
    [
      { items: [{ criterion: yes, weight: 1, target_option: 'Yes', score_threshold: 0.5 }] },
      /both a target_option and a score_threshold/,
    ],
    [
      {
        items: [
          {
            criterion: criterion('a', [
              { name: 'x', score: 1 },
              { name: 'y', score: 1 },
            ]),
            weight: 1,
          },
        ],
      },
      /all options score 1/,
    ],
    [{ items: [{ criterion: criterion('a', UNSCORED), weight: 1 }] }, /option "Correct" has no score/],
    [
      {
        items: [
          { criterion: yes, weight: 0.5 },
          { criterion: yes, weight: 0.5 },
        ],
      },
      /two criteria are called "a"/,
    ],
    [{ items: [] }, /items is empty/],
    [{ ...yes, to_evaluate_field: undefined }, /"to_evaluate_field" is missing/],
    [{ ...yes, context_feilds: ['q'] }, /did you mean "context_fields"/],
    [
      { ...yes, examples: [{ instance: { fields: {} }, selected_option: 'Maybe' }] },
      /examples\[0\].*expected one of Yes, No/,
    ],
    [{ ...yes, examples: [{ selected_option: 'Yes' }] }, /needs an "instance"/],
    [{ ...yes, options: [] }, /has no options/],
    [{ ...yes, options: ['Yes', null] }, /options\[1\]: "name" is null, expected a string/],
    [{ ...yes, options: ['Yes', 'Yes'] }, /two options are called "Yes"/],
    [[], /an empty list/],
  ]
  for (const [config, err] of cases) {
    const dir = folder(t, { 'c.json': JSON.stringify(config) })
    const ran = await jb('render', ['direct', '--criteria', `${dir}/c.json`], { stdin: '{"response":"x"}\n' })
    expect(ran, { code: 78, out: '', err })
    assert.equal(ran.stderr.trim().split('\n').length, 1, 'one line, no stack trace')
  }
})

test('a threshold no score can pass is pointed out', async (t) => {
  const dir = folder(t, {
    'c.json': configOf({
      normalize_scores: true,
      items: [{ name: 'a', options: LIKERT, weight: 1, score_threshold: 3 }],
    }),
  })
  const ran = await jb('render', ['direct', '--criteria', `${dir}/c.json`], { stdin: '{"response":"x"}\n' })
  expect(ran, { err: /no score can be above the threshold 3, the best is 1 after normalising/ })
})

test('plain questions weigh the same, and are named by number', async () => {
  const ran = await jb('render', ['direct', '--criteria', 'Is it clear?', '--criteria', 'Is it true?'], {
    stdin: '{"id":"a","response":"x"}\n',
  })
  const rows = rowsOf(fine(ran))
  for (const [i, row] of rows.entries())
    row.jb.reply = {
      text: JSON.stringify({ explanation: 'e', selected_option: i === 0 ? 'Yes' : 'No' }),
      model: 'm',
    }
  const { result, criteria } = rowOf(fine(await pipe('jb-parse | jb-score', { stdin: ndjson(rows) }))).jb
  assert.equal(result!.score, 0.5)
  assert.deepEqual(
    (result!.items as { criterion: string; weighted_score: number }[]).map((one) => [
      one.criterion,
      one.weighted_score,
    ]),
    [
      ['criteria_1', 0.5],
      ['criteria_2', 0],
    ],
  )
  assert.deepEqual(
    criteria!.map(({ weight }) => weight),
    [0.5, 0.5],
  )
})

test('saved verdicts are weighed anew without a call; a criterion that was not asked about is missed', async (t) => {
  const trials = trialsOf({
    items: [
      { name: 'a', options: LIKERT },
      { name: 'b', options: YES_NO },
    ],
    selected: [['3'], ['Yes']],
  })
  const dir = folder(t, {
    'w.yaml': `normalize_scores: true
items:
  - { weight: 0.9, criterion: { name: a, description: d, to_evaluate_field: response, options: { "1": 1, "3": 3, "5": 5 } } }
  - { weight: 0.1, criterion: { name: b, description: d, to_evaluate_field: response, options: { "Yes": 1, "No": 0 } } }
`,
    'c.json': configOf({ normalize_scores: true, items: [{ name: 'other', options: YES_NO, weight: 1 }] }),
  })
  const told = rowOf(fine(await jb('score', ['--criteria', `${dir}/w.yaml`], { stdin: ndjson(trials) })))
  assert.equal(told.jb.result!.score, 0.55)
  const missed = rowOf(await jb('score', ['--criteria', `${dir}/c.json`], { stdin: ndjson(trials) }))
  assert.equal(missed.jb.error!.code, 'incomplete')
  assert.match(missed.jb.error!.message, /"other"/)
})
