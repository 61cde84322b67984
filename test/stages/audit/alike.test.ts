/** jb-audit: what holds of pairs holds of options and lists, of a group what holds of all, of samples what holds of one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { card, run } from './_audit.ts'

const trial = { n: 0, of: 1 }
const judged = (item: string, verdict: object, jb: object = {}, more: object = {}) => ({
  ...more,
  jb: { judge: 'j', item, trial, reply: { text: '', model: 'm' }, verdict: { label: '', ...verdict }, ...jb },
})
/** An item, and its copy with a change in one answer. */
const changed = (i: number, before: object, after: object, answer: number, jb: object = {}) => [
  judged(`i${i}`, before, jb),
  judged(`i${i}#pad`, after, { ...jb, probe: { kind: 'pad', of: `i${i}`, answer } }),
]

test('probes: an option moves toward the changed text where its score is higher, a list where that answer wins', async () => {
  const options = ['Good', 'Fair', 'Bad'].map((name, i) => ({ name, score: 2 - i }))
  const criterion = { name: 'c', description: '', to_evaluate_field: 'text', options }
  const choice = (option: string) => ({ option, score: options.find(({ name }) => name === option)!.score })
  const moves = [
    ['Bad', 'Fair'],
    ['Fair', 'Good'],
    ['Good', 'Bad'],
    ['Good', 'Good'],
  ]
  const rows = moves.flatMap(([x, y], i) => changed(i, choice(x!), choice(y!), 0, { criterion }))
  const { pad } = (await card([], rows)).probes
  assert.deepEqual([pad.items, pad.moved, pad.toward_changed], [4, 3, 2])
  const winners: [number | 'tie', number | 'tie', answer: number][] = [
    [0, 2, 2],
    ['tie', 1, 1],
    [1, 'tie', 1],
    [3, 0, 2],
  ]
  const of4 = { trial: { ...trial, answers: 4 } }
  const lists = winners.flatMap(([winner, then, answer], i) =>
    changed(i, { winner }, { winner: then }, answer, of4),
  )
  const probes = (await card([], lists)).probes
  assert.deepEqual([probes.pad.moved, probes.pad.toward_changed], [4, 2])
})

test('calibration: a confidence is that the verdict is right, also where truths are 0 and 1', async () => {
  const rows = [0, 1, 0, 1].map((label, i) =>
    judged(`i${i}`, { score: i < 3 ? label : 0, confidence: 0.9 }, {}, { label, p: 0.25 }),
  )
  const { calibration } = await card(['--truth', 'label'], rows)
  assert.deepEqual([calibration.of, calibration.bins], ['correct', [[8, 4, 0.9, 0.75]]])
  const given = (await card(['--truth', 'label', '--p', 'p'], rows)).calibration
  assert.deepEqual([given.of, given.bins], ['truth', [[2, 4, 0.25, 0.5]]])
})

test('calibration: what the numbers of a group are is told by those of all groups', async () => {
  const of = async (args: string[], rows: object[]) =>
    objects((await run(['--truth', 'label', '--by', 'group', ...args], rows)).text)
      .filter(({ section }) => section === 'calibration')
      .map(({ group, of, bins }) => [group, of, bins[0][2]])
  const grades = [1, 1, 5, 4].map((label, i) =>
    judged(`i${i}`, { score: label }, {}, { label, p: 0.75, group: i < 2 ? 'low' : 'high' }),
  )
  assert.deepEqual(await of(['--p', 'p'], grades), [
    [undefined, 'correct', 0.75],
    ['high', 'correct', 0.75],
    ['low', 'correct', 0.75],
  ])
  const percent = [1, 1, 80, 80].map((confidence, i) =>
    judged(`i${i}`, { score: 3, confidence }, {}, { label: 3, group: i < 2 ? 'doubtful' : 'sure' }),
  )
  assert.deepEqual(await of([], percent), [
    [undefined, 'correct', 0.01],
    ['doubtful', 'correct', 0.01],
    ['sure', 'correct', 0.8],
  ])
})

test('samples of rankings agree where the best answer is the same', async () => {
  const rankings = [
    [
      [0, 1, 2],
      [0, 2, 1],
    ],
    [
      [0, 1, 2],
      [1, 0, 2],
    ],
  ]
  const rows = rankings.flatMap((of, i) =>
    of.map((ranking, n) => judged(`i${i}`, { ranking }, { trial: { n, of: 2, sample: n, answers: 3 } })),
  )
  const { consistency } = await card([], rows)
  assert.deepEqual([consistency.questions, consistency.same], [2, 1])
})

test('position: samples of an item are one cluster, unless --cluster none takes each by itself', async () => {
  // Twelve items, of which the first slot won eight: the same whatever the number of samples.
  const rows = (samples: number) =>
    Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: samples }, (_, n) =>
        game(`i${i}`, n, samples, i < 8 ? 'A>B' : 'B>A', { order: 'AB' }),
      ),
    ).flat()
  const of = async (samples: number, args: string[] = []) => (await card(args, rows(samples))).position
  const [one, two, ten] = [await of(1), await of(2), await of(10)]
  assert.deepEqual([one.clusters, two.clusters, ten.clusters], [undefined, 12, 12])
  assert.deepEqual([ten.first_share, ten.p, ten.ci], [two.first_share, two.p, two.ci])
  assert.ok(ten.p > 0.2, `p ${ten.p}`)
  const each = await of(10, ['--cluster', 'none'])
  assert.deepEqual([each.clusters, each.p < 1e-3], [undefined, true])
  // Both orders once are two games, but no repetition.
  const both = Array.from({ length: 8 }, (_, i) => [0, 1].map((n) => game(`i${i}`, n, 2, 'A>B'))).flat()
  assert.equal((await card([], both)).position.clusters, undefined)
})

test('consistency: several questions of an item are one cluster', async () => {
  const rows = Array.from({ length: 10 }, (_, i) =>
    [0, 1, 2, 3].map((n) => game(`i${i}`, n, 4, i < 5 || n < 2 ? 'A>B' : 'B>A')),
  ).flat()
  const { consistency } = await card([], rows)
  assert.deepEqual([consistency.questions, consistency.clusters], [20, 10])
})

test('transitivity: a model that only tied is one of the models, and the tournament is not complete', async () => {
  const met = (a: string, b: string, decision: string) =>
    game(`${a}${b}`, 0, 1, decision, { model_a: a, model_b: b, label: null })
  const three = [met('x', 'y', 'A>B'), met('y', 'z', 'A>B'), met('x', 'z', 'A>B')]
  const tied = ['x', 'y', 'z'].map((name) => met('w', name, 'A=B'))
  const of = async (rows: object[]) => (await card([], rows)).transitivity
  assert.deepEqual(await of(three), { judge: 'arena_hard · m', models: 3, triads: 1, cyclic: 0, zeta: 1 })
  assert.deepEqual(await of([...three, ...tied]), {
    judge: 'arena_hard · m',
    models: 4,
    triads: 4,
    cyclic: 0,
    zeta: null,
  })
})
