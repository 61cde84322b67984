/** Reports of choices: self-consistency over a file, agreement with human labels, shards that add up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Result } from '../../src/rows/record.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { criterion } from './golden.ts'

const report = async (rows: unknown[], args: string[] = []) =>
  JSON.parse(fine(await jb('aggregate', args, { stdin: ndjson(rows) })).stdout)

const OPTIONS = [
  { name: 'Bad', score: 0 },
  { name: 'Fair', score: 0.25 },
  { name: 'Good', score: 0.75 },
  { name: 'Best', score: 1 },
]
const NAMES: Record<string, string> = { Ba: 'Bad', Fa: 'Fair', Go: 'Good', Be: 'Best' }
const scoreOf = (name: string) => OPTIONS.find((one) => one.name === name)!.score

/** What jb-parse leaves: the label of a person, the option of the judge. */
const labelled = (label: unknown, option: string, i: number, more: object = {}) => ({
  label,
  jb: {
    judge: 'direct',
    item: `i${i}`,
    trial: { n: 0, of: 1, criterion: 'c', options: OPTIONS.map(({ name }) => name) },
    criterion: criterion('c', OPTIONS),
    verdict: { label: option, option, score: scoreOf(option) },
    ...more,
  },
})

/** Person and judge, two letters each; values of scikit-learn 1.9.1, SciPy 1.17.1 and krippendorff 0.8. */
const PAIRS =
  'BeBe BeBe FaFa BeFa BaBa FaFa BaBa BeFa BaBa BaBa FaFa BeBe FaFa GoGo BaBa GoGo BaGo FaFa BaBa BaBa GoGo BaBa FaFa BaBa BeBe FaGo GoGo GoGo BeBa FaFa BaBa BeFa FaFa FaFa BeBa BeBe FaFa GoBa FaFa BaBa FaFa GoGo GoBe BaBa FaFa FaFa GoGo BeBe BeFa BeBe FaFa FaFa FaFa FaBe BeBe BaBa BaBa GoGo BeBe BeBe FaBa FaFa BaBa FaBa GoGo FaFa FaFa FaFa FaGo FaFa BaBa GoBa BaBa BaBa GoGo BaBa GoFa GoGo BeBe BaBa BeBe BaBa BaGo BeBe BeBe BaBa BaBa BaBa FaBa BeBe GoGo GoGo FaFa GoBe BeGo BeFa BeFa FaFa GoGo FaFa BaGo FaFa BeBe FaBe BeBe GoGo BaBa BaGo GoGo BaBe BeBe GoGo FaBa BeBe GoFa FaGo FaBe BaBa GoFa BeFa'
const EXPECTED = {
  accuracy: 0.7333333333333333,
  macro_f1: 0.7299508692365835,
  kappa: 0.641958041958042,
  kappa_linear: 0.6355865481948038,
  kappa_quadratic: 0.6476367948500763,
  alpha: 0.6432336614265055,
  alpha_ordinal: 0.6556873513973398,
  alpha_interval: 0.622689462319918,
  pearson: 0.623108518716204,
  spearman: 0.6558887704298304,
  kendall: 0.6067966347417113,
  score: 0.4395833333333333,
}
const rows = (label: (name: string) => unknown) =>
  PAIRS.split(' ').map((pair, i) => labelled(label(NAMES[pair.slice(0, 2)]!), NAMES[pair.slice(2)]!, i))

function near(found: Record<string, number>, expected: Record<string, number>): void {
  for (const [key, value] of Object.entries(expected))
    assert.ok(Math.abs(found[key]! - value) < 1e-12, `${key}: ${found[key]}, expected ${value}`)
}

test('agreement with a person’s labels: option names, or their scores', async () => {
  near(await report(rows((name) => name)), EXPECTED)
  near(await report(rows(scoreOf)), EXPECTED)
})

test('scores of people that are no option’s score correlate, and have no accuracy', async () => {
  const found = await report(rows((name) => scoreOf(name) * 0.9 + 0.01))
  assert.equal(found.accuracy, undefined)
  assert.equal(found.kappa, undefined)
  near(found, { pearson: EXPECTED.pearson, spearman: EXPECTED.spearman, kendall: EXPECTED.kendall })
})

test('options called 1 to 5: a number is the name people gave', async () => {
  const five = criterion(
    'c',
    [1, 2, 3, 4, 5].map((n) => ({ name: String(n), score: (n - 1) / 4 })),
  )
  const trial = (label: number, option: string, i: number) => ({
    ...labelled(label, 'Bad', i, {
      criterion: five,
      verdict: { label: option, option, score: (Number(option) - 1) / 4 },
    }),
  })
  const found = await report([trial(1, '1', 0), trial(4, '4', 1), trial(5, '4', 2)])
  assert.equal(found.accuracy, 2 / 3)
  near(found, { pearson: 0.9707253433941511 })
})

test('shards add up to the whole', async (t) => {
  const all = rows((name) => name)
  const dir = folder(t, { 'a.ndjson': ndjson(all.slice(0, 50)), 'b.ndjson': ndjson(all.slice(50)) })
  const merged = await pipe(
    `jb-aggregate --partial '${dir}/a.ndjson' > '${dir}/a.state'; jb-aggregate --partial '${dir}/b.ndjson' > '${dir}/b.state'; jb-aggregate --merge '${dir}/a.state' '${dir}/b.state'`,
  )
  near(JSON.parse(fine(merged).stdout), EXPECTED)
})

test('a label that is none of the options: an error where it was named, else another field of that name', async () => {
  const named = await jb('score', ['--label', 'label'], { stdin: ndjson([labelled('A>B', 'Bad', 0)]) })
  assert.match(
    rowsOf(expect(named, { err: /missing_field/ }))[0]!.jb.error!.message,
    /^the label "label" is "A>B", expected one of Bad, Fair, Good, Best, or a score that one of them has \(--label-map /,
  )
  const own = await jb('score', [], { stdin: ndjson([labelled('A>B', 'Bad', 0)]) })
  const other = rowOf(
    expect(own, { err: /:1: the item's label is "A>B", expected one of .* it is left out/ }),
  )
  assert.equal(other.jb.result!.correct, null)
  // The report counts it, also of rows that are scored.
  const scored = [labelled('Bad', 'Bad', 1), labelled(true, 'Bad', 2), labelled({}, 'Bad', 3), other]
  const counted = expect(await jb('aggregate', [], { stdin: ndjson(scored) }), {
    err: /:3: the item's label is an object, .*\n.*: 2 of 4 valid items have no label that could be read: the accuracy is of the other 2/,
  })
  const found = JSON.parse(counted.stdout)
  assert.deepEqual([found.labelled, found.accuracy, found.unread_labels], [2, 0.5, 2])
  const table = await jb('aggregate', ['--format', 'table'], { stdin: ndjson(scored) })
  assert.match(table.stdout, /2 labels could not be read/)
})

test('a label that is a number as a text is that number: an option’s name, its score, or another score', async () => {
  const result = async (label: unknown, ...args: string[]) => {
    const { jb: scored } = rowOf(await jb('score', args, { stdin: ndjson([labelled(label, 'Best', 0)]) }))
    return scored.result ?? scored.error!.code
  }
  for (const label of ['Best', 'best ', 1, '1', ' 1.0 ', true, { c: '1' }])
    for (const args of [[], ['--label', 'label']]) {
      const { correct, label_option, label_score } = (await result(label, ...args)) as Result
      assert.deepEqual([correct, label_option, label_score], [true, 'Best', 1], JSON.stringify(label))
    }
  for (const label of [0.5, '0.5']) {
    const { correct, label_option, label_score } = (await result(label, '--label', 'label')) as Result
    assert.deepEqual([correct, label_option, label_score], [null, null, 0.5])
  }
  for (const label of ['better', ['Best'], { d: 'Best' }])
    assert.equal(await result(label, '--label', 'label'), 'missing_field', JSON.stringify(label))
})

test('failed items are counted, never scored; with the original’s random option they are counted too', async () => {
  const good = labelled('Good', 'Good', 0)
  const failed = {
    jb: {
      judge: 'direct',
      item: 'x',
      trial: { n: 0, of: 1 },
      error: { stage: 'parse', code: 'no_verdict', message: 'm' },
    },
  }
  const drawn = labelled('Bad', 'Bad', 2, {
    verdict: { label: null, option: 'Bad', score: 0, failure: 'no_verdict' },
  })
  const found = await report([good, failed, drawn])
  assert.deepEqual([found.items, found.valid, found.failures, found.unread], [3, 2, { no_verdict: 1 }, 1])
})

test('the bias rate is over all results; one without a check is one that did not change', async () => {
  const trial = (item: number, n: number, of: number, order: string, option: string) => ({
    ...labelled(null, option, item, { trial: { n, of, order, criterion: 'c' } }),
  })
  const found = await report([
    trial(0, 0, 2, 'AB', 'Good'),
    trial(0, 1, 2, 'BA', 'Bad'),
    trial(1, 0, 2, 'AB', 'Good'),
    trial(1, 1, 2, 'BA', 'Good'),
    labelled(null, 'Good', 2),
    labelled(null, 'Good', 3),
  ])
  assert.equal(found.positional_bias, 1)
  assert.equal(found.positional_bias_rate, 0.25)
})

test('a table for people has the measures', async () => {
  const ran = fine(await jb('aggregate', ['--format', 'table'], { stdin: ndjson(rows((name) => name)) }))
  assert.match(ran.stdout, /accuracy +interval +score +.*macro F1 +kappa +Pearson +Spearman/)
  assert.match(ran.stdout, /73\.33 %/)
  assert.match(ran.stdout, /options chosen: Bad \(34\), Best \(25\), Fair \(36\), Good \(25\)\n/)
})
