/** --truth: the difference that people would see, by their labels of some items. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { figures, near, run } from './_compare.ts'

/** People accept `truth` of 200 items of a run; the judge is lenient with the old run and harsh with the new one. */
const right = { old: (i: number) => Number(i % 10 < 6), new: (i: number) => Number(i % 10 < 8) }
const said = {
  old: (i: number) => Number(right.old(i) || i % 3 === 0),
  new: (i: number) => Number(right.new(i) && i % 3 > 0),
}
const rows = (of: 'old' | 'new', more: (i: number) => object = () => ({})) =>
  ndjson(Array.from({ length: 200 }, (_, i) => ({ id: `i${i}`, said: said[of](i), ...more(i) })))
const labels = (of: 'old' | 'new', more: object = {}) =>
  Array.from({ length: 60 }, (_, i) => ({ item: `i${i}`, label: right[of](i) ? 'yes' : 'no', ...more }))

const files = (t: Parameters<typeof folder>[0]) =>
  folder(t, {
    'old.ndjson': rows('old'),
    'new.ndjson': rows('new'),
    'own_old.ndjson': rows('old', (i) => ({ human: i < 60 ? right.old(i) : null })),
    'own_new.ndjson': rows('new', (i) => ({ human: i < 60 ? right.new(i) : null })),
    'people_old.ndjson': ndjson(labels('old')),
    'people_new.ndjson': ndjson(labels('new')),
    'people.ndjson': ndjson([...labels('old', { run: 'old' }), ...labels('new', { run: 'new' })]),
  })

test('a judge that prefers the worse run is corrected; labels of one run, of all, and in the rows are the same', async (t) => {
  const dir = files(t)
  const runs = ['--value', 'said', `old=${dir}/old.ndjson`, `new=${dir}/new.ndjson`]
  const [alone] = await figures(runs)
  assert.equal(alone!.verdict, 'worse')
  const [pair] = await figures([...runs, '--truth', `${dir}/people.ndjson`])
  assert.deepEqual([pair!.verdict, pair!.labels, pair!.method], ['better', 60, 'ppi++'])
  near([pair!.judge.difference, pair!.people.difference], [alone!.difference, 0.2], 1e-9, 'of both')
  // The estimator, by hand: λ·mean(u) + mean(y − λf).
  const d = (of: typeof right, i: number) => of.new(i) - of.old(i)
  const mean = (from: number, to: number, of: (i: number) => number) =>
    Array.from({ length: to - from }, (_, i) => of(from + i)).reduce((sum, one) => sum + one, 0) / (to - from)
  const { lambda } = pair!
  const estimate =
    lambda * mean(60, 200, (i) => d(said, i)) + mean(0, 60, (i) => d(right, i) - lambda * d(said, i))
  near([pair!.difference, pair!.mean_b - pair!.mean_a], [estimate, estimate], 1e-8, 'estimate')
  const each = ['--truth', `old=${dir}/people_old.ndjson`, '--truth', `new=${dir}/people_new.ndjson`]
  assert.deepEqual(await figures([...runs, ...each]), [pair])
  const own = [
    '--value',
    'said',
    `old=${dir}/own_old.ndjson`,
    `new=${dir}/own_new.ndjson`,
    '--truth',
    'human',
  ]
  assert.deepEqual(await figures(own), [pair])
  assert.match(
    pair!.sentence,
    /^said is higher in new than in old: \+0\.\d+ \(.*\), by people’s labels of 60 items$/,
  )
  // The judge's difference is below people's wherever they differ.
  assert.deepEqual(
    pair!.warnings.map(({ code }: { code: string }) => code),
    ['few_disagreements'],
  )
})

test('labels of items that are not like the others: the corrected figures say so, nothing is concluded, and no gate passes', async (t) => {
  // The new run is better on the first half of the items, which alone are labelled, and the judge sees that.
  const of = (better: (i: number) => boolean) =>
    ndjson(
      Array.from({ length: 200 }, (_, i) => ({
        ...{ id: `i${i}`, said: Number(better(i) || i % 3 === 0), level: i < 100 ? 'easy' : 'hard' },
        human: i < 60 ? Number(better(i) || i % 4 === 0) : null,
      })),
    )
  const dir = folder(t, { 'old.ndjson': of(() => false), 'new.ndjson': of((i) => i < 100) })
  const args = [`old=${dir}/old.ndjson`, `new=${dir}/new.ndjson`, '--value', 'said', '--truth', 'human']
  const [pair] = await figures(args)
  assert.equal(pair!.verdict, 'undecided')
  const words =
    'the labelled items are not like the others: the judge’s mean of new is 1.00 on them and 0.52 on the others (p below 0.0001)'
  assert.equal(pair!.sentence, `undecided: what people would say of new against old is not known: ${words}`)
  assert.deepEqual([pair!.unlike.labelled, pair!.unlike.others], [1, 73 / 140].map(rounded))
  assert.deepEqual(
    pair!.warnings.map(({ code, sentence }: { code: string; sentence: string }) => [code, sentence])[0],
    ['labels_unlike', words],
  )
  for (const gate of [
    ['--fail-worse', '0'],
    ['--fail-unless-level', '0.9'],
  ]) {
    const { ending } = await run([...args, ...gate])
    assert.deepEqual([ending?.code, ending?.message], [1, pair!.sentence])
  }
  // By the share of a group, too.
  const [grouped] = await figures([...args, '--by', 'level'])
  assert.match(grouped!.unlike.name, /^level$|difference/)
  const { text } = await run([...args, '--format', 'table'])
  assert.match(text, /^warning: the labelled items are not like the others: /m)
})

const rounded = (one: number) => Number(one.toPrecision(10))

test('gates go by the corrected difference', async (t) => {
  const dir = files(t)
  const runs = ['--value', 'said', `old=${dir}/old.ndjson`, `new=${dir}/new.ndjson`, '--fail-worse', '0.02']
  assert.equal((await run(runs)).ending?.code, 1)
  assert.equal((await run([...runs, '--truth', `${dir}/people.ndjson`])).ending, undefined)
})

test('where all items have labels these alone are compared, by the usual test', async (t) => {
  const dir = folder(t, {
    'a.ndjson': rows('old', (i) => ({ human: right.old(i) })),
    'b.ndjson': rows('new', (i) => ({ human: right.new(i) })),
  })
  const args = [`a=${dir}/a.ndjson`, `b=${dir}/b.ndjson`]
  const [people] = await figures([...args, '--value', 'human'])
  const [pair] = await figures([...args, '--value', 'said', '--truth', 'human'])
  assert.deepEqual(
    [pair!.difference, pair!.ci, pair!.p, pair!.method],
    [people!.difference, people!.ci, people!.p, 'people, newcombe'],
  )
})

test('pairs of jb: people’s decisions correct the first answer’s share, and the rows’ own label is not read', async (t) => {
  const trials = (wins: number, human: boolean) =>
    ndjson(
      Array.from({ length: 40 }, (_, i) =>
        game(`i${i}`, 0, 1, i < wins ? 'A>B' : 'B>A', { ...(human && { human: i < 35 ? 'model_b' : null }) }),
      ),
    )
  const dir = folder(t, { 'a.ndjson': trials(30, true), 'b.ndjson': trials(10, true) })
  const [pair] = await figures([`a=${dir}/a.ndjson`, `b=${dir}/b.ndjson`, '--truth', 'human'])
  assert.deepEqual([pair!.value, pair!.labels, pair!.people.difference], ['share', 35, 0])
})

test('labels that cannot be used end the run, or are told', async (t) => {
  const dir = files(t)
  const runs = ['--value', 'said', `old=${dir}/old.ndjson`, `new=${dir}/new.ndjson`]
  const truth = (...args: string[]) => run([...runs, ...args.flatMap((one) => ['--truth', one])])
  await assert.rejects(
    truth(`${dir}/people_old.ndjson`),
    /people_old\.ndjson:1: "run" does not say of which run the label is/,
  )
  await assert.rejects(
    truth(`x=${dir}/people_old.ndjson`),
    /--truth: no run is called "x" \(there are: "old", "new"\)/,
  )
  await assert.rejects(truth(`old=${dir}/none`), /--truth old=.*none: no such file/)
  const none = await truth('humna')
  assert.equal(none.ending?.code, 1)
  assert.match(none.ending!.message, /nothing was compared: .* fewer than two items have labels in both runs/)
  assert.match(none.notes.join(), /--truth humna: no row has this field/)
  const odd = folder(t, {
    'l.ndjson': ndjson([...labels('old'), { item: 'i61', label: 'perhaps' }, { item: 'z', label: 1 }]),
  })
  const { notes } = await truth(`old=${odd}/l.ndjson`, `new=${dir}/people_new.ndjson`)
  assert.match(notes.join('\n'), /--truth: 1 of 122 labels are of items that are in no row/)
  assert.match(notes.join('\n'), /"perhaps" of item "i61" is left out: expected a number, A>B/)
})

test('a label is on the scale of what is compared: numbers for decisions, and grades beyond it, are no amounts', async (t) => {
  const trials = (wins: number, human: (i: number) => unknown) =>
    ndjson(
      Array.from({ length: 40 }, (_, i) =>
        game(`i${i}`, 0, 1, i < wins ? 'A>B' : 'B>A', { human: i < 35 ? human(i) : null }),
      ),
    )
  const grades = (human: number) =>
    ndjson(
      Array.from({ length: 9 }, (_, i) => ({
        ...{ id: `i${i}`, human: i < 5 ? human : null },
        jb: {
          ...{ judge: 'r', item: `i${i}`, trial: { n: 0, of: 1 } },
          verdict: { label: '3', score: 3, range: [1, 5] },
        },
      })),
    )
  const people = Array.from({ length: 35 }, (_, i) => ({ nr: `i${i}`, best: 1 + (i % 2) }))
  const dir = folder(t, {
    'a.ndjson': trials(30, (i) => i % 2),
    'b.ndjson': trials(10, (i) => i % 2),
    'words_a.ndjson': trials(30, (i) => (i % 2 ? 'B' : 'A')),
    'words_b.ndjson': trials(10, (i) => (i % 2 ? 'B' : 'A')),
    'people.ndjson': ndjson(['a', 'b'].flatMap((run) => people.map((one) => ({ ...one, run })))),
    'g.ndjson': grades(7),
    'h.ndjson': grades(3),
    'few.ndjson': grades(3).split('\n').slice(0, 5).join('\n'),
    'beyond.ndjson': ndjson([{ item: 'i8', label: 9, run: 'few' }]),
  })
  const runs = [`a=${dir}/a.ndjson`, `b=${dir}/b.ndjson`]
  const ofWords = await figures([`a=${dir}/words_a.ndjson`, `b=${dir}/words_b.ndjson`, '--truth', 'human'])
  const none = await run([...runs, '--truth', 'human'])
  assert.match(none.notes.join('\n'), /35 labels are left out: expected A>B, B>A or A=B, such as 0/)
  assert.equal(none.ending?.code, 1)
  assert.deepEqual(await figures([...runs, '--truth', 'human', '--label-map', '0=A>B,1=B>A']), ofWords)
  const file = ['--truth', `${dir}/people.ndjson`, '--item', 'nr', '--label', 'best']
  assert.deepEqual(await figures([...runs, ...file]), ofWords)
  await assert.rejects(
    run([`g=${dir}/g.ndjson`, `h=${dir}/h.ndjson`, '--truth', 'human']),
    /--truth: the label 7 of the item at .*g\.ndjson:1 is not from 1 to 5, as the values of "g" are/,
  )
  await assert.rejects(
    run([`h=${dir}/h.ndjson`, `few=${dir}/few.ndjson`, '--truth', `${dir}/beyond.ndjson`]),
    /--truth: the label 9 of item i8 is not from 1 to 5, as the values of "few" are/,
  )
  await assert.rejects(run([...runs, '--item', 'nr']), /--item: it names a column of the files of --truth/)
})
