/** jb-audit: labels and numbers that cannot count are told or counted, and none is made up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '../../../src/stages/audit/audit.ts'
import { spec } from '../../../src/stages/audit/options.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { calibration, card, run } from './_audit.ts'

const by = ['--value', 'said', '--truth', 'human']

test('people who are evenly split have no label; of numbers the median counts', async () => {
  const rows = (human: unknown[], said: unknown) => [
    { id: 'i1', human, said },
    { id: 'i2', human: [human[0], human[0]], said: human[0] },
  ]
  const of = async (human: unknown[], said: unknown) => {
    const { agreement } = await card(by, rows(human, said))
    return [agreement.items, agreement.split, agreement.unlabelled, agreement.po]
  }
  assert.deepEqual(await of(['A>B', 'B>A'], 'A>B'), [1, 1, 0, 1])
  assert.deepEqual(await of([0, 1], 0), [1, 1, 0, 1])
  assert.deepEqual(await of(['no', 'yes', 'no', 'yes', null], 'no'), [1, 1, 0, 1])
  assert.deepEqual(await of(['no', 'yes', 'yes'], 'yes'), [2, undefined, 0, 1])
  assert.deepEqual(await of([3, 4], 3.5), [2, undefined, 0, 1])
  assert.deepEqual(await of([9, 2, 4], 4), [2, undefined, 0, 1])
})

test('--value: a word beside a number, or a number beside a word, is left out with a note', async () => {
  const rows = [
    { id: 'a', said: 1, human: 'yes' },
    { id: 'b', said: 'no', human: 0 },
    { id: 'c', said: true, human: 1 },
  ]
  const { text, notes } = await run(by, rows)
  const [, agreement] = objects(text)
  assert.deepEqual([agreement.items, agreement.unlabelled, agreement.po], [1, 2, 1])
  assert.deepEqual(notes, [
    'the label "yes" of item "a" is left out: expected a number, as the judge’s answer (--label-map \'LABEL=MEANING,…\' says what they mean)',
    'the label 0 of item "b" is left out: expected a word, as the judge’s answer (--label-map \'LABEL=MEANING,…\' says what they mean)',
  ])
})

test('an option whose field no row has is told', async () => {
  const rows = [{ id: 'a', said: 1, human: 1, size: 3 }]
  const { notes } = await run([...by, '--p', 'chance', '--length-a', 'siz', '--length-b', 'size'], rows)
  const there = 'there are id, said, human, size'
  assert.deepEqual(notes, [
    `--p chance: no row has this field (${there})`,
    `--length-a siz: no row has this field (did you mean "size"? ${there})`,
  ])
  const worded = await run([...by, '--p', 'sure'], [{ ...rows[0], sure: 'very' }])
  assert.deepEqual(worded.notes, ['--p sure: no row has a number in this field'])
  await assert.rejects(run([...by, '--length-a', 'size'], rows), /--length-a and --length-b go together/)
  assert.match((await run(['--value', 'sad'], rows)).notes[0]!, /--value sad: no row has this field/)
})

test('a probability beyond 0 to 1 is counted and left out; texts are numbers; confidences may be percent', async () => {
  const rows = (p: unknown[]) => p.map((sure, i) => ({ id: `i${i}`, said: 1, human: 1, sure }))
  const { calibration } = await card([...by, '--p', 'sure'], rows([0.5, '0.7', 85, -1]))
  assert.deepEqual([calibration.n, calibration.out_of_range, calibration.brier], [2, 2, 0.17])
  const none = await card([...by, '--p', 'sure'], rows([50]))
  assert.deepEqual([none.calibration.n, none.calibration.out_of_range], [0, 1])
  const judged = (stated: number[]) => {
    const trials = stated.map((confidence, n) => ({
      trial: { n, of: stated.length },
      verdict: { decision: 'A>B', confidence },
    }))
    return { label: 'A>B', jb: { judge: 'j', result: { kind: 'pairwise', decision: 'A>B' }, trials } }
  }
  const items = (...all: number[][]) =>
    all.map((stated, i) => {
      const { label, jb } = judged(stated)
      return { label, jb: { ...jb, item: `i${i}` } }
    })
  const pOf = async (rows: object[]) =>
    (await card(['--truth', 'label'], rows)).calibration.bins.map(([, n, p]: number[]) => [n, p])
  // Of 1 and 80 in percent, 1 is not certain.
  assert.deepEqual(await pOf(items([1], [80, 100])), [
    [1, 0.01],
    [1, 0.9],
  ])
  assert.deepEqual(await pOf(items([1], [0.8])), [
    [1, 0.8],
    [1, 1],
  ])
  // 7 of 10 is neither: no figure is made of it.
  const { calibration: ofTen } = await card(['--truth', 'label'], items([7], [8], [9], [10]))
  assert.deepEqual(ofTen, {
    judge: 'j',
    n: 0,
    out_of_range: 4,
    reason:
      'confidences from 7 to 10 are neither probabilities (0 to 1) nor percent: divide them in the judge file',
  })
  // One slip among shares does not make them percent.
  assert.deepEqual(await pOf(items([0.8], [0.9], [95])), [
    [1, 0.8],
    [1, 0.9],
  ])
})

test('Rogan and Gladen’s estimate is of yes and no alone, and no interval is without width', async (t) => {
  const known = ['--value', 'said', '--calibration', calibration(t, 90, 100, 80, 100)]
  const rows = (values: unknown[]) => values.map((said, i) => ({ id: `i${i}`, said }))
  const { corrected } = await card(known, rows([1, 5, 3]))
  assert.deepEqual(
    [corrected.estimate, corrected.reason],
    [null, 'some verdicts or labels are neither yes nor no (1 or 0)'],
  )
  assert.equal((await card(known, rows(['A>B', 'A=B']))).corrected.estimate, null)
  assert.equal(typeof (await card(known, rows(['yes', 'no']))).corrected.estimate, 'number')
  const same = [1, 0, 1].map((human, i) => ({ id: `i${i}`, said: human, human }))
  // All agree: the bounds are those of the share that agrees, 0.4385 to 1, less what chance gives.
  assert.deepEqual((await card(by, same)).agreement.kappa_ci, [-0.2633683214, 1])
  const nearly = [1, 0, 1, 0].map((human, i) => ({ id: `i${i}`, said: i < 3 ? human : 1, human }))
  assert.equal((await card(by, nearly)).agreement.kappa_ci[1], 1)
  const few = [...same.map((row) => ({ ...row, human: 1 })), { id: 'u', said: 0 }]
  // Three labels that are all yes say little of an item on which the judge says no.
  assert.deepEqual((await card(by, few)).corrected.ci, [0.03031808102, 1])
})

test('two labels of one item by one annotator are told: the last one counts', async (t) => {
  const said = [{ id: 'a', said: 'yes' }]
  const of = async (name: string, labels: object[]) => {
    const dir = folder(t, { [name]: ndjson(labels) })
    return run(['--value', 'said', '--truth', `${dir}/${name}`], said)
  }
  const twice = await of('twice.jsonl', [
    { id: 'a', label: 'yes' },
    { id: 'a', label: 'no' },
  ])
  assert.match(twice.notes[0]!, /item "a" has another label before, of the same annotator: the last one/)
  const two = await of('two.jsonl', [
    { id: 'a', annotator: 'p', label: 'yes' },
    { id: 'a', annotator: 'q', label: 'no' },
    { id: 'a', annotator: 'q', label: 'no' },
  ])
  assert.deepEqual(two.notes, [])
})

test('games of an item that failed are in no share, as in jb-aggregate', async () => {
  const error = { stage: 'call', code: 'timeout', message: 'm' }
  const rows = [
    ...[0, 1].map((n) => game('whole', n, 2, 'A>B')),
    game('failed', 0, 2, 'A>B'),
    game('failed', 1, 2, null, { jb: { verdict: undefined, error } }),
  ]
  const { position } = await card([], rows)
  assert.deepEqual([position.decisive, position.first, position.checked], [2, 1, 1])
})

test('labels of items that no row has are told, and files without labels', async (t) => {
  const rows = [{ id: 'a', said: 'yes' }]
  const notes = async (...labels: object[]) => {
    const dir = folder(t, { 'l.jsonl': ndjson(labels) })
    return (await run(['--value', 'said', '--truth', `${dir}/l.jsonl`], rows)).notes
  }
  const [a, b] = [
    { id: 'a', label: 'yes' },
    { id: 'b', label: 'no' },
  ]
  assert.deepEqual(await notes(a), [])
  assert.deepEqual(await notes(a, b), ['--truth: 1 of 2 items with labels are in no row, such as b'])
  assert.deepEqual(await notes(), ['--truth: the file has no labels'])
})

test('a label that is a list and criteria that are none end no run', async () => {
  const deep = `${'['.repeat(50)}1${']'.repeat(50)}`
  const [one, other] = ndjson([
    game('i1', 0, 1, 'A>B', { label: null }),
    game('i2', 0, 1, 'A>B', { jb: { criteria: ['none'] } }),
  ]).split('\n')
  const { text } = await staged(spec, audit, [], `${one!.replace(/^\{/, `{"label":${deep},`)}\n${other}\n`)
  const { items, unlabelled } = objects(text).find(({ section }) => section === 'agreement')!
  assert.deepEqual([items, unlabelled], [1, 1])
})

test('the confidence of an item is that of what it came to; a tie that no game said has none', async () => {
  const pair = (id: string, said: string[], sure: (number | undefined)[], decision: string) => ({
    label: 'A>B',
    jb: {
      judge: 'j',
      item: id,
      result: { kind: 'pairwise', decision },
      trials: said.map((one, n) => ({
        trial: { n, of: said.length, order: n % 2 ? 'BA' : 'AB' },
        verdict: { decision: one, confidence: sure[n] },
      })),
    },
  })
  const { calibration } = await card(
    ['--truth', 'label'],
    [
      pair('i1', ['A>B', 'A>B'], [0.95, 0.85], 'A>B'),
      pair('i2', ['A>B', 'A>B', 'B>A'], [0.9, 0.9, 0.6], 'A>B'),
      pair('i3', ['A>B', 'B>A'], [0.9, 0.9], 'A=B'),
      pair('i4', ['A>B', 'A>B'], [0.9, undefined], 'A>B'),
    ],
  )
  assert.deepEqual([calibration.n, calibration.undecided], [2, 2])
  assert.deepEqual(
    calibration.bins.map(([bin, , p]: number[]) => [bin, p]),
    [
      [5, 0.6],
      [8, 0.9],
    ],
  )
})

test('a judge that is as right as it says is not called off; one that is too sure is, with its p', async () => {
  const rows = (right: number) =>
    Array.from({ length: 40 }, (_, i) => ({ id: `i${i}`, said: 1, human: Number(i < right), p: 0.9 }))
  const line = async (right: number, args: string[] = []) =>
    (await card([...by, '--p', 'p', ...args], rows(right))).conclusion.calibration
  assert.equal(
    await line(36),
    'no sign that confidences are wrong: 90 % stated, 90 % right of 40 (ECE 0.00; 0.04 by chance)',
  )
  assert.match(
    await line(26),
    /^too sure by 25 points \(12 to 40\): 90 % stated, 65 % right of 40 items \(p below 0\.001\)$/,
  )
  const { calibration } = await card(
    [...by, '--p', 'p', '--cluster', 'half'],
    rows(36).map((row, i) => ({ ...row, half: i % 8 })),
  )
  assert.deepEqual([calibration.p, calibration.says], [null, 'fits'])
})

test('the same slot in both orders: an item is one observation, whatever its samples', async () => {
  const games = (items: number, second: number) =>
    Array.from({ length: items }, (_, i) =>
      ['AB', 'BA', 'AB', 'BA'].map((order, n) =>
        game(`i${i}`, n, 4, (order === 'AB') === i >= second ? 'A>B' : 'B>A', { label: 'A>B' }),
      ),
    ).flat()
  const p = async (items: number, second: number) =>
    (await card([], games(items, second))).position.same_slot_p
  assert.equal(await p(8, 1), 0.0703125)
  assert.equal(await p(8, 0), 0.0078125)
})
