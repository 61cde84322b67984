/** --choose: the best run by few labels, and what it is worth after the choice. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChoiceCase, choiceRows, row } from '../../helpers/choice_rows.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { casesOf, close } from '../../statistics/_cases.ts'
import { figures, run } from './_compare.ts'

type Expected = { runs: Record<string, object> }
const all = casesOf<{ case: ChoiceCase; expect: Expected }>('choice').filter(({ name }) =>
  name.startsWith('choose'),
)
const caseOf = (name: string) => all.find((one) => one.name === `choose-${name}`)!.case

const filesOf = (dir: string, { runs }: ChoiceCase) =>
  Object.keys(runs).map((name) => `${name}=${dir}/${name}.ndjson`)
const optionsOf = ({ by, seed, level, items, against, runs }: ChoiceCase) => [
  ...['--choose', by, '--seed', seed, '--ci', String(level)],
  ...(items[0]!.cluster === undefined ? [] : ['--cluster', 'cluster']),
  ...(against === null || against === Object.keys(runs)[0] ? [] : ['--against', against]),
]

for (const { name, case: of, expect } of all)
  test(`the figures of the independent program, in any order of rows: ${name}`, async (t) => {
    const files = choiceRows(of)
    const dir = folder(t, files)
    const args = optionsOf(of)
    const { text } = await run([...filesOf(dir, of), ...args])
    const report = JSON.parse(text)
    const runs = Object.fromEntries(report.runs.map((one: { run: string }) => [one.run, one]))
    close({ ...report, runs }, expect)
    assert.equal(report.unlabelled, of.unlabelled)
    const turned = folder(
      t,
      Object.fromEntries(
        Object.entries(files).map(([file, rows]) => [
          file,
          `${rows.trimEnd().split('\n').reverse().join('\n')}\n`,
        ]),
      ),
    )
    assert.equal((await run([...filesOf(turned, of), ...args])).text, text)
  })

test('what it says: take, keep, none looks better, a threshold', async (t) => {
  const sentences = async (name: string) => {
    const of = caseOf(name)
    const [report] = await figures([...filesOf(folder(t, choiceRows(of)), of), ...optionsOf(of)])
    return [report!.sentence, report!.warnings.map(({ sentence }: { sentence: string }) => sentence)]
  }
  assert.deepEqual(await sentences('options-balanced'), [
    'take b3: about 81 % right of each kind (67 to 92), 15.4 points above now (4.6 to 32.8); on these 60 labels 86 %, before the choice among 4 is allowed for',
    [],
  ])
  assert.deepEqual(await sentences('fifteen'), [
    'keep now: no better than what you have, as far as 40 labels tell: b11 looks best of 15 (95 % here, about 87 % after the choice), 7.0 points above now (−6.4 to 30.1); about 282 labels would tell',
    [],
  ])
  assert.deepEqual(await sentences('same'), ['keep now: none of the other 3 looks better on 40 labels', []])
  assert.deepEqual(await sentences('grades-fine'), [
    'now with a score of 2.095 or more looks best of 74 candidates: about 82 % right (68 to 96); 90 % on these 40 labels',
    [
      'another sample of labels would often choose another run (now with a score of 2.095 or more in 28 % of resamples)',
    ],
  ])
})

test('as a table: a line a run, then the sentences', async (t) => {
  const of = caseOf('options-balanced')
  const { text } = await run([
    ...filesOf(folder(t, choiceRows(of)), of),
    ...optionsOf(of),
    '--format',
    'table',
  ])
  assert.equal(
    text,
    [
      'run  balanced   interval  sensitivity  specificity  failed  picked',
      '---  --------  ---------  -----------  -----------  ------  ------',
      'now   65.56 %  51.1–76.5        64.44        66.67       2   0.0 %',
      'b1    70.00 %  55.6–80.5        73.33        66.67       0   0.0 %',
      'b2    80.00 %  65.6–87.9        80.00        80.00       0  28.9 %',
      'b3    85.56 %  71.6–91.7        84.44        86.67       2  71.1 %',
      '',
      'take b3: about 81 % right of each kind (67 to 92), 15.4 points above now (4.6 to 32.8); on these 60 labels 86 %, before the choice among 4 is allowed for',
      'sensitivity 82 % (69 to 92), specificity 80 % (54 to 96)',
      '',
    ].join('\n'),
  )
})

const pairs = (
  n: number,
  right: (i: number) => boolean | null,
  label: (i: number) => unknown = () => 'A>B',
) =>
  ndjson(
    Array.from({ length: n }, (_, i) => {
      const is = right(i)
      return row('pairs', 'm', { item: `q${i}`, label: label(i) }, is === null ? null : is ? 'A>B' : 'B>A')
    }),
  )

test('failed and missing items are wrong, and told apart; ties are worth --tie; labels may stand in a file', async (t) => {
  const few = pairs(40, (i) => (i < 2 ? null : true)).split('\n')
  const dir = folder(t, {
    'a.ndjson': pairs(40, () => true),
    'b.ndjson': few.slice(0, -4).join('\n'),
    'bare.ndjson': pairs(
      40,
      () => true,
      () => undefined,
    ),
    'tie.ndjson': ndjson(
      Array.from({ length: 40 }, (_, i) =>
        row('pairs', 'm', { item: `q${i}`, label: 'A>B' }, i < 20 ? 'A=B' : 'A>B'),
      ),
    ),
    'labels.csv': `item,label\n${Array.from({ length: 40 }, (_, i) => `q${i},A`).join('\n')}\n`,
  })
  const [report] = await figures([`a=${dir}/a.ndjson`, `b=${dir}/b.ndjson`, '--choose', 'accuracy'])
  const b = report!.runs[1]
  assert.deepEqual([b.failed, b.missing, b.value], [2, 3, 35 / 40])
  const tied = await figures([
    `a=${dir}/a.ndjson`,
    `b=${dir}/tie.ndjson`,
    '--choose',
    'accuracy',
    '--tie',
    '.5',
  ])
  assert.equal(tied[0]!.runs[1].value, 0.75)
  const args = [`a=${dir}/bare.ndjson`, `b=${dir}/tie.ndjson`, '--choose', 'accuracy']
  const [labelled] = await figures([...args, '--truth', `${dir}/labels.csv`])
  assert.deepEqual([labelled!.labels, labelled!.runs[1].value], [40, 0.5])
})

test('--by: the choice is one, and each group has what it is worth there; --value is right or wrong', async (t) => {
  const rows = (right: (i: number) => number) =>
    ndjson(Array.from({ length: 60 }, (_, i) => ({ id: `q${i}`, ok: right(i), part: i < 30 ? 'x' : 'y' })))
  const dir = folder(t, { 'a.ndjson': rows((i) => i % 2), 'b.ndjson': rows((i) => Number(i < 45 || i % 2)) })
  const args = [`a=${dir}/a.ndjson`, `b=${dir}/b.ndjson`, '--choose', 'accuracy', '--value', 'ok']
  const [report] = await figures([...args, '--by', 'part'])
  assert.deepEqual([report!.best, report!.verdict], ['b', 'better'])
  assert.deepEqual(
    report!.by.map(({ by, group, labels, value }: Record<string, unknown>) => [by, group, labels, value]),
    [
      ['part', 'x', 30, 1],
      ['part', 'y', 30, 23 / 30],
    ].map((one) => one.map((x) => (typeof x === 'number' ? Number(x.toPrecision(10)) : x))),
  )
})

test('refused: few labels, runs that lack items, labels of other kinds, options of other comparisons', async (t) => {
  const grades = (label: (i: number) => unknown) =>
    ndjson(
      Array.from({ length: 30 }, (_, i) => row('grades', 'm', { item: `q${i}`, label: label(i) }, i % 5)),
    )
  const dir = folder(t, {
    'a.ndjson': pairs(12, () => true),
    'now.ndjson': pairs(50, () => true),
    'same.ndjson': pairs(50, () => true),
    'cot.ndjson': pairs(31, () => true),
    'g.ndjson': grades((i) => (i === 7 ? 3.5 : i % 2)),
    'few.ndjson': grades((i) => i < 3),
    'empty.ndjson': '',
  })
  const refused = (args: string[], exitCode: number, message: string) =>
    assert.rejects(run(args), { exitCode, message }, args.join(' '))
  const choose = ['--choose', 'accuracy']
  const [now, cot] = [`now=${dir}/now.ndjson`, `cot=${dir}/cot.ndjson`]
  await refused(
    [`x=${dir}/a.ndjson`, `y=${dir}/empty.ndjson`, ...choose],
    1,
    '--choose: 12 labelled items, at least 20 are needed to choose and to say how good the choice is',
  )
  await refused(
    [now, cot, ...choose],
    65,
    'cot has 31 of the 50 labelled items: give the same items to each run',
  )
  await refused(
    [now, `none=${dir}/empty.ndjson`, ...choose],
    65,
    'none has 0 of the 50 labelled items: give the same items to each run',
  )
  await refused(
    [`${dir}/g.ndjson`, ...choose],
    65,
    '--choose: the label of q7 is 3.5: of grades it chooses a threshold, by labels yes or no',
  )
  await refused(
    [`${dir}/few.ndjson`, '--choose', 'balanced'],
    1,
    '--choose balanced: 3 items are labelled yes, at least 5 of each kind are needed',
  )
  await refused(
    [now, `b=${dir}/same.ndjson`, '--choose', 'balanced'],
    65,
    '--choose balanced: the labels are not yes or no (--choose accuracy counts any)',
  )
  await refused(
    [now, ...choose],
    2,
    '--choose: only one run, "now", and it has no grades: there is nothing to choose',
  )
  for (const other of [
    '--until decided',
    '--show flips',
    '--margin 1',
    '--fail-worse 1',
    '--fail-unless-level 1',
  ])
    await assert.rejects(run([now, cot, ...choose, ...other.split(' ')]), { exitCode: 2 }, other)
  for (const other of ['--exact', '--rescale 0,1', '--duplicates mean'])
    await assert.rejects(run([now, cot, ...choose, ...other.split(' ')]), { exitCode: 2 }, other)
  await assert.rejects(run([now, cot, '--choose', 'balanced', '--value', 'x']), { exitCode: 2 })
  // One stream of grades has thresholds, and nothing that one has.
  const [report] = await figures(
    choose,
    grades((i) => i % 2 === 1),
  )
  assert.deepEqual([report!.verdict, report!.against, report!.candidates], [null, null, 4])
})
