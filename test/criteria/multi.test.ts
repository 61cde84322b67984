/** Several criteria: weights, targets, thresholds, required ones, normalising. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { roundFloat } from '../../src/python/numbers.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowOf } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'
import { configOf, LIKERT, type Multi, trialsOf, UNSCORED, YES_NO } from './_multi.ts'
import { criterion, golden } from './golden.ts'

type Summed = { score: number | null; items: Record<string, unknown>[] } & Record<string, unknown>

async function scored(t: TestContext, one: Multi, args: string[] = []) {
  const dir = folder(t, { 'multi.json': configOf(one) })
  return jb('score', ['--criteria', `${dir}/multi.json`, ...args], { stdin: ndjson(trialsOf(one)) })
}

/** Cases where the default is another than the original's, and what it is: a score, or what the error says. */
const BETTER: Record<string, number | null | RegExp> = {
  // Required means the best option, also where scores are taken as they are.
  'required raw scale 1 of 5 passes': 0,
  // A target needs no normalised scores.
  'min==max with target still fails': 1,
  // A target nothing can meet is a slip.
  'target option not among options': /target_option is "Maybe", expected one of Yes, No/,
  // No score is no score, and not a crash.
  'null score, scored options, normalizing': null,
}

test('golden-multi-criteria: what the original adds up to, or refuses', async (t) => {
  for (const one of golden<Multi>('multi-criteria')) {
    const ran = await scored(t, one, ['--compat', 'evalassist'])
    if (one.error?.startsWith('TypeError')) {
      // The original crashes on this row: there is no score here either.
      assert.equal(rowOf(fine(ran)).jb.result!.score, null, one.case)
      continue
    }
    if (one.error) {
      expect(ran, { code: 78, out: '', err: /multi\.json/ })
      continue
    }
    const result = rowOf(fine(ran)).jb.result as unknown as Summed
    assert.equal(result.score, one.expected!.aggregated_score, one.case)
    for (const [i, expected] of one.expected!.items.entries()) {
      const { score, weight, weighted_score, strategy, required } = result.items[i]!
      const told = { score_after_normalization: score, weight, weighted_score, strategy, required }
      assert.deepEqual(told, expected, one.case)
    }
  }
})

test('the same by default, and where that differs', async (t) => {
  for (const one of golden<Multi>('multi-criteria')) {
    const ran = await scored(t, one)
    const better = BETTER[one.case]
    if (better instanceof RegExp) expect(ran, { code: 78, err: better })
    else if (better !== undefined) assert.equal(rowOf(fine(ran)).jb.result!.score, better, one.case)
    else if (one.error) expect(ran, { code: 78, out: '' })
    else assert.equal(rowOf(fine(ran)).jb.result!.score, one.expected!.aggregated_score, one.case)
  }
})

test('worked examples', async (t) => {
  const three = [
    { name: 'a', options: LIKERT, weight: 0.5 },
    { name: 'b', options: LIKERT, weight: 0.3 },
    { name: 'c', options: YES_NO, weight: 0.2, target_option: 'Yes' },
  ]
  const required = [
    { name: 'a', options: LIKERT, weight: 0.5, required: true },
    { name: 'b', options: YES_NO, weight: 0.5 },
  ]
  const cases: [
    what: string,
    normalize: boolean,
    items: Multi['items'],
    selected: Multi['selected'],
    score: number,
  ][] = [
    ['three', true, three, [['4'], ['2'], ['Yes']], 0.65],
    ['three, raw', false, three, [['4'], ['2'], ['Yes']], 2.8],
    ['above .75', true, [{ name: 'a', options: LIKERT, weight: 1, score_threshold: 0.75 }], [['4']], 0],
    ['above 3', true, [{ name: 'a', options: LIKERT, weight: 1, score_threshold: 3 }], [['5']], 0],
    ['above 3, raw', false, [{ name: 'a', options: LIKERT, weight: 1, score_threshold: 3 }], [['4']], 1],
    ['at 3, raw', false, [{ name: 'a', options: LIKERT, weight: 1, score_threshold: 3 }], [['3']], 0],
    ['required, below', true, required, [['4'], ['Yes']], 0],
    ['required, best', true, required, [['5'], ['No']], 0.5],
    ['required, raw, 4', false, required, [['4'], ['Yes']], 2.5],
    ['required, raw, 1', false, required, [['1'], ['Yes']], 1],
    [
      'required target',
      true,
      [
        { name: 'a', options: YES_NO, weight: 0.5 },
        { name: 'b', options: UNSCORED, weight: 0.5, required: true, target_option: 'Correct' },
      ],
      [['Yes'], ['Incorrect']],
      0,
    ],
    [
      'sevenths',
      true,
      Array.from({ length: 7 }, (_, i) => ({ name: String(i), options: YES_NO, weight: 1 / 7 })),
      Array.from({ length: 7 }, (_, i): [string] => [i < 3 ? 'Yes' : 'No']),
      0.428571429,
    ],
    [
      'two of three votes',
      true,
      [
        { name: 'a', options: YES_NO, weight: 0.5, required: true },
        { name: 'b', options: YES_NO, weight: 0.5 },
      ],
      [['Yes', 2 / 3], ['Yes']],
      0,
    ],
    [
      'middle of -2, 0, 2',
      true,
      [{ name: 'a', options: [-2, 0, 2].map((score) => ({ name: `s${score}`, score })), weight: 1 }],
      [['s0']],
      0.5,
    ],
  ]
  for (const [what, normalize_scores, items, selected, score] of cases) {
    const one = { case: what, normalize_scores, items, selected, expected: null, error: null }
    const ran = await scored(t, one, ['--compat', 'evalassist'])
    assert.equal(rowOf(fine(ran)).jb.result!.score, score, what)
  }
})

test('whichever comes first: a missed requirement is 0, else a missing score is null', async (t) => {
  const items = [
    { name: 'a', options: YES_NO, weight: 0.5 },
    { name: 'b', options: YES_NO, weight: 0.5, required: true },
  ]
  const one: Multi = {
    case: '',
    normalize_scores: true,
    items,
    selected: [['zzz', null], ['No']],
    expected: null,
    error: null,
  }
  const told = rowOf(fine(await scored(t, one))).jb.result!
  assert.equal(told.score, 0)
  assert.deepEqual(told.failed_required, ['b'])
  const original = rowOf(fine(await scored(t, one, ['--compat', 'evalassist']))).jb.result!
  assert.equal(original.score, null, 'there the order of the items decides')
  const open = rowOf(fine(await scored(t, { ...one, selected: [['zzz', null], ['Yes']] }))).jb.result!
  assert.equal(open.score, null)
  assert.deepEqual(open.unscored, ['a'])
})

test('rounding is Python’s: halves at the tenth digit go to the even one', () => {
  // Python 3.11: round(x, 9)
  const cases: [number, number][] = [
    [3 / 7, 0.428571429],
    [2 ** -10, 0.000976562],
    [3 * 2 ** -10, 0.002929688],
    [-(2 ** -10), -0.000976562],
    [0.1 + 0.2, 0.3],
    [1 / 3, 0.333333333],
    [2.0000000005, 2.000000001],
    [0, 0],
  ]
  for (const [x, expected] of cases) assert.equal(roundFloat(x, 9), expected, String(x))
})

test('as the original: items without weights are refused, and raw scores need no options', async (t) => {
  const bare = [
    { name: 'a', options: YES_NO },
    { name: 'b', options: YES_NO },
  ]
  const one: Multi = {
    case: '',
    normalize_scores: true,
    items: bare,
    selected: [['Yes'], ['No']],
    expected: null,
    error: null,
  }
  assert.equal(rowOf(fine(await scored(t, one))).jb.result!.score, 0.5, 'by default all weigh the same')
  const dir = folder(t, { 'multi.json': configOf(one) })
  const args = ['direct', '--compat', 'evalassist', '--criteria', `${dir}/multi.json`]
  expect(await jb('render', args, { stdin: ndjson([{ response: 'r' }]) }), {
    code: 78,
    err: /multi\.json: no item has a weight/,
  })
  const open: Multi = {
    ...one,
    normalize_scores: false,
    items: [{ name: 'a', options: [], weight: 1 }],
    selected: [['4', 4]],
  }
  assert.equal(rowOf(fine(await scored(t, open, ['--compat', 'evalassist']))).jb.result!.score, 4)
  expect(await scored(t, open), { code: 78, err: /no options to score/ })
})

test('verdicts and labels of several criteria are compared on one scale, with and without samples', async () => {
  const options = [
    { name: 'Fits', score: 3 },
    { name: 'Close', score: 2 },
    { name: 'Off', score: 0 },
  ]
  const said = ['Fits', 'Fits', 'Close', 'Close', 'Off', 'Off']
  const labels = ['Fits', 'Close', 'Close', 'Off', 'Off', 'Fits']
  const rows = (samples: number) =>
    said.flatMap((option, i) =>
      Array.from({ length: 2 * samples }, (_, n) => {
        const name = n < samples ? 'tone' : 'form'
        return {
          label: { tone: labels[i] },
          jb: {
            judge: 'direct',
            item: `${i}`,
            trial: { n, of: 2 * samples, criterion: name, ...(samples > 1 && { sample: n % samples }) },
            criterion: { ...criterion(name, options), weight: 0.5 },
            verdict: { label: option, option, score: options.find((one) => one.name === option)!.score },
          },
        }
      }),
    )
  for (const samples of [1, 2]) {
    const report = JSON.parse(fine(await jb('aggregate', [], { stdin: ndjson(rows(samples)) })).stdout)
    const { alpha_interval, alpha_ordinal, kappa_quadratic, pearson } = report.criteria.tone
    const found = [alpha_interval, alpha_ordinal, kappa_quadratic, pearson]
    // By Krippendorff's definition, scikit-learn and SciPy over the options' own scores.
    assert.deepEqual(
      found.map((value) => value?.toFixed(9)),
      ['0.312500000', '0.312500000', '0.250000000', '0.250000000'],
    )
  }
})
