/** jb-compare: its gate, its tables, and runs that cannot be compared. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { figures, near, run, values } from './_compare.ts'

const NO_OUTCOME =
  'failed, have verdicts without a number, or were seen by no judge (--value FIELD compares numbers of plain rows)'

test('every two of more than 200 runs are too many', async () => {
  const rows = Array.from({ length: 201 }, (_, i) =>
    game('i', 0, 1, 'A>B', { jb: { reply: { text: 't', model: `m${i}` } } }),
  )
  const { code, stderr } = await jb('compare', [], { stdin: ndjson(rows) })
  assert.equal(code, 2)
  assert.match(stderr, /jb-compare: 201 runs: every two of at most 200 are compared; --against NAME/)
})

test('the gate: exit 1 where the loss is beyond chance, in words', async (t) => {
  const dir = folder(t, {
    old: values(Array.from({ length: 60 }, (_, i) => Number(i % 10 < 8))),
    worse: values(Array.from({ length: 60 }, (_, i) => Number(i % 10 < 4))),
    alike: values(Array.from({ length: 60 }, (_, i) => Number(i % 10 < 8 && i !== 3))),
  })
  const gate = (name: string) =>
    run([`old=${dir}/old`, `new=${dir}/${name}`, '--value', 'value', '--fail-worse', '0.02'])
  const { ending } = await gate('worse')
  assert.equal(ending?.code, 1)
  assert.match(
    ending!.message,
    /^value is lower in new than in old: −0.400 \(−0.514 to −0.262\): worse by more than --fail-worse 0.02/,
  )
  const passed = await gate('alike')
  assert.equal(passed.ending, undefined)
  assert.match(passed.notes.join(), /undecided: new against old −0.0167/)
})

test('the gate passes a run that is better by the same amount on every item, and none that is worse', async (t) => {
  const dir = folder(t, { low: values([1, 1, 1]), high: values([3, 3, 3]) })
  const gate = async (...files: string[]) =>
    (await run([...files.map((name) => `${dir}/${name}`), '--value', 'value', '--fail-worse', '0.5'])).ending
  assert.equal(await gate('low', 'high'), undefined)
  assert.equal((await gate('high', 'low'))?.code, 1)
})

test('what differs by rounding alone is no difference and no spread, at any scale', async (t) => {
  const dir = folder(t, {
    a: values([0.3, 0.2, 0.7, 0.8]),
    b: values([0.2, 0.1, 0.6, 0.7]),
    sums: values([0.1 + 0.2, 1e6 + 0.1 + 0.2]),
    same: values([0.3, 1e6 + 0.3]),
    small: values([1e-13, 4e-13, 2e-13, 6e-13, 5e-13]),
    none: values([2e-13, 1e-13, 1e-13, 3e-13, 1e-13]),
  })
  const of = (a: string, b: string, ...more: string[]) =>
    figures([`${dir}/${a}`, `${dir}/${b}`, '--value', 'value', ...more])
  const [constant] = await of('a', 'b')
  assert.deepEqual(
    [constant.ci, constant.p, constant.effect.d_z, constant.mde],
    [null, 2 / 2 ** 4, null, null],
  )
  const [equal] = await of('sums', 'same')
  assert.deepEqual([equal.wins, equal.losses, equal.ties], [0, 0, 2])
  const [small] = await of('small', 'none', '--exact')
  assert.deepEqual([small.wins, small.losses, small.p], [1, 4, 0.1875])
})

test('every figure of a difference is b − a, as the sentence is', async (t) => {
  const dir = folder(t, {
    old: values([1, 1, 1, 1, 1, 0, 0, null]),
    new: values([1, 0, 0, 0, 0, 0, 1, 1]),
    low: values([1, 2, 3, 4]),
    high: values([2, 4, 3, 7]),
  })
  const args = ['--value', 'value', `old=${dir}/old`, `new=${dir}/new`]
  const [worse] = await figures(args)
  assert.match(worse.sentence, /new against old −0\.429 \(−0\.7\d+ to 0\.1\d+\)/)
  assert.deepEqual([worse.wins, worse.losses, worse.ties], [1, 4, 2])
  near([worse.difference, worse.effect.odds_ratio], [-3 / 7, 1 / 4], 1e-9, 'of outcomes')
  near(worse.bounds, [-3 / 8, -2 / 8], 1e-9, 'bounds')
  assert.ok(worse.effect.cohens_h < 0 && worse.ci[0] < -3 / 7 && worse.ci[1] > 0)
  const [more] = await figures(['--value', 'value', `low=${dir}/low`, `high=${dir}/high`])
  near([more.difference, more.effect.rank_biserial], [1.5, 1], 1e-9, 'of scores')
  assert.ok(more.effect.d_z > 0)
  const csv = (await run([...args, '--format', 'csv'])).text.split('\n').map((line) => line.split(','))
  assert.equal(csv[1]![csv[0]!.indexOf('difference')], String(worse.difference))
})

test('versions of a judge are runs of their own; in a run that a file names they are told', async (t) => {
  const of = (judge_digest: string, ids: string[], decision: string) =>
    ids.map((id) => game(id, 0, 1, decision, { jb: { judge_digest } }))
  const [first, second] = [of('aaaa', ['i1', 'i2'], 'A>B'), of('bbbb', ['i2', 'i3'], 'B>A')]
  const { text, notes } = await run([], ndjson([...first, ...second]))
  const [pair] = objects(text)
  assert.deepEqual(
    [pair.a, pair.b, pair.items, pair.missing],
    ['arena_hard · m · aaaa', 'arena_hard · m · bbbb', 1, { a: 1, b: 1 }],
  )
  assert.deepEqual(notes, [
    'judge arena_hard: rows of several versions of it, reported separately (aaaa, bbbb)',
  ])
  const dir = folder(t, {
    old: ndjson(first),
    new: ndjson([...first.slice(1), ...of('bbbb', ['i1'], 'B>A')]),
  })
  const files = await run([`${dir}/old`, `new=${dir}/new`])
  assert.deepEqual(objects(files.text)[0].items, 2)
  assert.deepEqual(files.notes, [
    'judge arena_hard: rows of several versions of it, together in the run "new" (aaaa, bbbb)',
  ])
})

test('--fail-worse 5: a difference of shares is 0 to 1, one of grades is not', async (t) => {
  const of = (result: (i: number) => object) =>
    ndjson([0, 1, 2].map((i) => ({ id: i, jb: { judge: 'j', item: `i${i}`, result: result(i) } })))
  const dir = folder(t, {
    right: of(() => ({ kind: 'pairwise', correct: true })),
    wrong: of((i) => ({ kind: 'pairwise', correct: i === 0 })),
    high: of((i) => ({ kind: 'grade', score: 9 - (i % 2) })),
    low: of(() => ({ kind: 'grade', score: 3 })),
  })
  const gate = async (a: string, b: string) =>
    (await run([`${dir}/${a}`, `${dir}/${b}`, '--fail-worse', '5'])).ending
  await assert.rejects(
    run([`${dir}/right`, `${dir}/wrong`, '--margin', '2']),
    /--margin 2: a difference of shares is 0 to 1 \(0.02\?\)/,
  )
  await assert.rejects(gate('right', 'wrong'), /--fail-worse 5: a difference of shares is 0 to 1 \(0.05\?\)/)
  assert.match((await gate('high', 'low'))!.message, /low scores lower than .*high: −5.67 .*: worse by more/)
})

test('the command: trials of two judges in a pipe, a table', async () => {
  const trials = ['A>B', 'B>A', 'A>B'].flatMap((decision, i) => [
    game(`i${i}`, 0, 1, decision, { jb: { judge: 'x' } }),
    game(`i${i}`, 0, 1, 'A>B', { jb: { judge: 'y' } }),
  ])
  const { stdout } = fine(await jb('compare', ['--format', 'table'], { stdin: ndjson(trials) }))
  assert.match(stdout, /x · m\s+y · m\s+3\s+66.67 %\s+100.00 %\s+\+33.33\s/)
  // A narrow terminal loses the last columns: the means stand nowhere else, the difference in the sentence, too.
  assert.match(stdout, /^a\s+b\s+items\s+mean a\s+mean b\s+b − a\s+interval\s+p\s/)
})

test('a file that ends before its end makes no comparison, and its message stands', async (t) => {
  const rows = [1, 2, 3].map((id) => ({ id, score: id }))
  const path = folder(t, { a: ndjson(rows), b: `${ndjson(rows)}{"id":`, 'c.csv': 'id,score\n1,2\n' })
  for (const args of [[], ['--show', 'flips'], ['--format', 'markdown']]) {
    const { code, stdout } = await jb('compare', [
      '-q',
      '--value',
      'score',
      ...args,
      `${path}/a`,
      `${path}/b`,
    ])
    assert.deepEqual([code, stdout], [65, ''], args.join(' '))
  }
  const { stderr } = await jb('compare', ['--value', 'score', `${path}/a`, `${path}/c.csv`])
  assert.match(stderr, /c\.csv:1: .*it looks like CSV/)
  assert.doesNotMatch(stderr, /one run alone/)
})

test('a table says which run a difference favours, what the items can show, and how many the difference needs', async (t) => {
  const outcomes = (right: number) => values(Array.from({ length: 40 }, (_, i) => Number(i % 20 < right)))
  const dir = folder(t, {
    a: outcomes(12).replaceAll('value', 'correct'),
    b: outcomes(11).replaceAll('value', 'correct'),
  })
  const { text } = await run(['--value', 'correct', '--format', 'table', `a=${dir}/a`, `b=${dir}/b`])
  assert.match(text, /^undecided: b against a −5.0 points \(-?.*\); about 134 items would decide it$/m)
  assert.match(text, /\nb − a of correct in points: interval by newcombe, p by mcnemar mid-p\n/)
  assert.match(
    text,
    /a and b: with 40 items, a true difference of 16\.2 points would be significant in four of five cases/,
  )
})

test('runs of which no item has an outcome are not compared, and why is said', async (t) => {
  const plain = ndjson([1, 2, 3].map((id) => ({ id, score: id })))
  const unread = ndjson(
    [1, 2, 3].map((id) => ({ jb: { judge: 'vanilla', item: String(id), trial: { n: 0, of: 1 } } })),
  )
  const path = folder(t, {
    a: plain,
    b: plain,
    c: unread,
    d: unread,
    e: ndjson([{ id: 9, score: 1 }]),
    f: ndjson([game('i9', 0, 1, 'A>B')]),
  })
  const told = async (...args: string[]) => {
    const { text, ending } = await run(args.map((arg) => (arg.length === 1 ? `${path}/${arg}` : arg)))
    const [{ items, failed, difference }] = objects(text)
    return [
      items,
      failed.a,
      difference,
      ending!.code,
      /: ([^:]*?)(?:\. Give each word .*)?$/s.exec(ending!.message)![1],
    ]
  }
  assert.deepEqual(await told('--value', 'scor', 'a', 'b'), [
    0,
    3,
    null,
    1,
    'their rows have no number or boolean in scor',
  ])
  const lacking = `3 items of ${path}/c and 3 items of ${path}/d ${NO_OUTCOME}`
  assert.deepEqual(await told('c', 'd'), [0, 3, null, 1, lacking])
  // Of two runs the one whose items failed is named.
  const judged = ndjson([1, 2, 3].map((id) => game(String(id), 0, 1, 'A>B')))
  writeFileSync(`${path}/g`, judged)
  assert.deepEqual(await told('g', 'c'), [0, 0, null, 1, `3 items of ${path}/c ${NO_OUTCOME}`])
  const apart = 'they have no item in common (--id FIELD names the field that identifies items)'
  assert.deepEqual(await told('--value', 'score', 'a', 'e'), [0, 0, null, 1, apart])
  const either =
    'the items of each failed or are missing in the other (--id FIELD names the field that identifies items)'
  assert.deepEqual(await told('c', 'f'), [0, 3, null, 1, either])
})

test('runs that an original tells apart by more than judge and model are runs of their own', async () => {
  const rows = ['first', 'last'].flatMap((variant) =>
    [0, 1, 2].map((i) => ({
      jb: {
        judge: 'j',
        variant,
        item: `i${i}`,
        result: { correct: variant === 'last' || i > 0, model: 'm' },
      },
    })),
  )
  const [pair] = await figures([], ndjson(rows))
  assert.deepEqual([pair.a, pair.b, pair.items, pair.wins], ['j · m · first', 'j · m · last', 3, 1])
})

test('labels in one run alone: the message says that values are of different kinds', async (t) => {
  const of = (result: object) =>
    ndjson([{ jb: { judge: 'j', item: 'i', result: { ...result, model: 'm' } } }])
  const dir = folder(t, { a: of({ correct: true }), b: of({ scores: [1, 0] }) })
  const { ending } = await run([`a=${dir}/a`, `b=${dir}/b`])
  assert.equal(ending!.code, 1)
  assert.match(ending!.message, /: a has values of correct, b of share \(--label FIELD names the labels\)$/)
})

test('a file that is given twice: wrong usage, rather than a run alone', async (t) => {
  const dir = folder(t, { a: ndjson([game('x', 0, 1, 'A>B')]) })
  expect(await jb('compare', [`${dir}/a`, `${dir}/a`]), {
    code: 2,
    out: '',
    err: `jb-compare: ${dir}/a is given twice\n`,
  })
})

test('a field of --by or --cluster that no row has: the message names the option and the fields there are', async () => {
  const rows = ndjson([
    game('p', 0, 1, 'A>B', { topic: 't' }),
    game('p', 0, 1, 'B>A', { jb: { judge: 'n' } }),
  ])
  expect(await pipe('jb-compare --by topics --cluster nope --format json', { stdin: rows }), {
    err: /--by topics: no row has this field \(did you mean "topic"\? there are (.|\n)*--cluster nope: no row has this field \(there are /,
  })
})

test('a field of --run that no row has ends the run: all rows would be one run', async () => {
  const rows = ndjson(
    ['p', 'q'].flatMap((item) => [game(item, 0, 1, 'A>B'), game(item, 0, 1, 'B>A', { jb: { judge: 'n' } })]),
  )
  expect(await pipe('jb-compare -q --run jb.judge', { stdin: rows }), {
    code: 2,
    err: /^jb-compare: --run jb\.judge: no row has this field/,
  })
})

test('--value: a number may be a text, as in rows of CSV; an empty one is no outcome', async (t) => {
  const rows = (...values: string[]) => ndjson(values.map((value, i) => ({ id: `i${i}`, value })))
  const dir = folder(t, { a: rows('0.5', '1', '0'), b: rows('1', '0.25', '') })
  const [pair] = await figures([`${dir}/a`, `${dir}/b`, '--value', 'value'])
  assert.deepEqual([pair.items, pair.mean_a, pair.mean_b, pair.failed], [2, 0.75, 0.625, { a: 0, b: 1 }])
})
