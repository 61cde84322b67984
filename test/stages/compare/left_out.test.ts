/** jb-compare: what failed, is missing, is there twice or was changed is left out of both sides, and counted. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { failedBeforeModels, game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { figures, near, run, values } from './_compare.ts'

test('what failed or is missing on one side is left out of both, counted, and bounds the difference', async (t) => {
  const dir = folder(t, {
    a: values([1, 1, 0, 1, null]),
    b: values([1, 0, 0, null]),
  })
  const [pair] = await figures([`a=${dir}/a`, `b=${dir}/b`, '--value', 'value'])
  assert.equal(pair.items, 3)
  assert.deepEqual(
    [pair.missing, pair.failed],
    [
      { a: 0, b: 1 },
      { a: 1, b: 1 },
    ],
  )
  // One loss in three items; what is known of the two others (a is right on one) leaves less than a loss each open.
  near(pair.bounds, [-3 / 5, 0], 1e-9, 'bounds')
  const rows = objects(
    (await run([`a=${dir}/a`, `b=${dir}/b`, '--value', 'value', '--show', 'missing'])).text,
  )
  assert.deepEqual(
    rows.map(({ jb }) => jb.item),
    ['i3', 'i4'],
  )
  assert.equal(rows[1].jb.runs.b, null)
  const flips = objects((await run([`a=${dir}/a`, `b=${dir}/b`, '--value', 'value', '--show', 'flips'])).text)
  assert.deepEqual(
    flips.map(({ jb }) => [jb.item, jb.runs]),
    [['i1', { a: { value: 1 }, b: { value: 0 } }]],
  )
})

test('an item without a label is no failure: neither in bounds nor for a gate', async (t) => {
  const trials = (right: (i: number) => boolean) =>
    ndjson(
      Array.from({ length: 40 }, (_, i) =>
        game(`i${i}`, 0, 1, right(i) ? 'A>B' : 'B>A', { label: i < 30 ? 'A>B' : null }),
      ),
    )
  const dir = folder(t, { a: trials((i) => i % 3 > 0), b: trials((i) => i % 3 > 0) })
  const { text, ending } = await run([`a=${dir}/a`, `b=${dir}/b`, '--fail-worse', '0.02'])
  const [pair] = objects(text)
  assert.equal(ending, undefined)
  assert.deepEqual(
    [pair.items, pair.unlabelled, pair.failed, pair.missing],
    [30, 10, { a: 0, b: 0 }, { a: 0, b: 0 }],
  )
  assert.deepEqual(pair.bounds, [0, 0])
})

test('an id twice in a run is refused with both lines, or is a sample', async (t) => {
  const dir = folder(t, { a: values([1, 0]) + values([0, 0]), b: values([1, 1]) })
  const args = [`${dir}/a`, `${dir}/b`, '--value', 'value']
  await assert.rejects(run(args), /a:3: the item is already at .*a:1/)
  const [pair] = await figures([...args, '--duplicates', 'mean'])
  near(pair.mean_a, 0.25, 1e-12, 'mean of samples')
  assert.equal(pair.samples.a.within, 0.25)
})

test('results that are there again, with the same replies, count once', async () => {
  const judged = (run: string, i: number, correct: boolean, digest: number) => ({
    id: `i${i}`,
    run,
    jb: {
      item: `i${i}`,
      judge: 'vanilla',
      result: { decision: correct ? 'A>B' : 'B>A', correct },
      trials: [{ trial: { n: 0, of: 1 }, digest, verdict: { decision: correct ? 'A>B' : 'B>A' } }],
    },
  })
  const rows = [0, 1, 2, 3].flatMap((i) => [judged('a', i, true, 7), judged('b', i, i > 0, 9)])
  const once = await run(['--run', 'run'], ndjson(rows))
  const twice = await run(['--run', 'run'], ndjson([...rows, ...rows]))
  assert.equal(twice.text, once.text)
  assert.match(twice.notes.join(), /it counts once/)
  const [pair] = objects((await run(['--run', 'run'], ndjson([...rows, judged('a', 1, true, 8)]))).text)
  assert.deepEqual([pair.items, pair.failed], [3, { a: 1, b: 0 }])
})

test('rows about items that were changed for jb-audit are left out', async () => {
  const of = (model: string, decision: string, jb: object = {}, id = 'i1') =>
    game(id, 0, 1, decision, { jb: { reply: { text: 't', model }, ...jb } })
  const rows = [of('x', 'A>B'), of('y', 'B>A')]
  const { text, notes } = await run(
    [],
    ndjson([...rows, of('x', 'B>A', { probe: { kind: 'pad', of: 'i1' } }, 'i1#pad')]),
  )
  assert.equal(text, (await run([], ndjson(rows))).text)
  assert.match(notes.join('\n'), /1 row is about items that jb-render --probe changed/)
})

test('--value leaves them out, too', async () => {
  const of = (who: string, score: number, jb: object = {}) => ({ id: 'i1', who, score, jb })
  const rows = [of('x', 1), of('y', 3)]
  const probe = { ...of('x', 9, { probe: { kind: 'pad', of: 'i1' } }), id: 'i1#pad' }
  const args = ['--value', 'score', '--run', 'who']
  const { text, notes } = await run(args, ndjson([...rows, probe]))
  assert.equal(text, (await run(args, ndjson(rows))).text)
  assert.match(notes.join('\n'), /1 row is about items that jb-render --probe changed/)
})

test('an item that failed before it had a model failed in all runs of its judge', async () => {
  const jb = { judge: 'vanilla', name: 'use', item: 'p', trial: { n: 0, of: 1 } }
  // The same judge under another name is another one.
  const named = { id: 'p', label: 'B>A', jb: { ...jb, verdict: { decision: 'B>A', model: 'm1' } } }
  const pairs = await figures([], ndjson([...failedBeforeModels(), named]))
  assert.deepEqual(
    pairs.map(({ a, b, items, failed, missing }) => [a, b, items, failed, missing]),
    [
      ['vanilla · m1', 'vanilla · m2', 2, { a: 1, b: 1 }, { a: 0, b: 0 }],
      ['vanilla · m1', 'vanilla · use · m1', 1, { a: 1, b: 0 }, { a: 0, b: 2 }],
      ['vanilla · m2', 'vanilla · use · m1', 1, { a: 1, b: 0 }, { a: 0, b: 2 }],
    ],
  )
})

test('in a run that a field names it is one failure, whatever the models', async () => {
  // Of item p by m1, of q by m2.
  const judged = failedBeforeModels()
    .filter((_, i) => i === 0 || i === 1 || i === 4)
    .map((row) => ({ ...row, x: 'left' }))
  const others = ['p', 'q'].map((item) => ({ x: 'right', ...game(item, 0, 1, 'A>B') }))
  const [pair] = await figures(['--run', 'x', '--differ', 'questions'], ndjson([...judged, ...others]))
  assert.equal((pair as { failed: { a: number } }).failed.a, 1)
})

test('--show missing has the error of an item that failed before it had a model', async () => {
  const items = await figures(['--show', 'missing'], ndjson(failedBeforeModels()))
  const failed = items.find(({ jb }) => jb.runs['vanilla · m1']?.error && jb.runs['vanilla · m2']?.error)
  assert.ok(failed, JSON.stringify(items))
})

test('an item without a label did not fail: it is without a label', async () => {
  const rows = ['x', 'y'].flatMap((judge) => [
    game('i1', 0, 1, 'A>B', { jb: { judge } }),
    game('i2', 0, 1, 'A>B', { label: null, jb: { judge } }),
  ])
  const { text } = await run(['--format', 'table'], ndjson(rows))
  assert.match(text, /^x · m and y · m: left out: 1 without a label$/m)
})

test('options that change nothing are refused: of scoring where nothing is scored, of figures with --show', async (t) => {
  const scored = ['x', 'y'].map((judge) => ({
    human: 'A>B',
    jb: { judge, item: 'i', result: { kind: 'pairwise', decision: 'A>B', correct: true } },
  }))
  for (const args of [
    ['--label', 'human'],
    ['--tie', '0.5'],
  ])
    await assert.rejects(run(args, ndjson(scored)), /the rows are scored already: give it to jb-score/)
  const dir = folder(t, { a: values([1, 0]), b: values([1, 1]) })
  const plain = [`${dir}/a`, `${dir}/b`, '--value', 'value']
  await assert.rejects(run([...plain, '--tie', '0.5']), /--tie: --value takes numbers as they are/)
  for (const args of [
    ['--fail-worse', '0'],
    ['--format', 'table'],
    ['--bootstrap', '10'],
  ])
    await assert.rejects(run([...plain, '--show', 'flips', ...args]), /--show writes items/, args[0])
})

test('results that jb-score made with different options are told', async (t) => {
  const result = (scored_with?: object) =>
    ndjson([
      {
        id: 'p1',
        jb: {
          judge: 'j',
          item: 'p1',
          result: { kind: 'grade', score: 2, range: [1, 5], ...(scored_with && { scored_with }) },
        },
      },
    ])
  const dir = folder(t, { a: result({ combine: 'median' }), b: result(), c: result() })
  const { notes } = await run([`a=${dir}/a`, `b=${dir}/b`])
  assert.ok(
    notes.includes(
      'results that jb-score made with different options are compared (a: {"combine":"median"}; b: no options)',
    ),
    notes.join('\n'),
  )
  const alike = await run([`b=${dir}/b`, `c=${dir}/c`])
  assert.deepEqual(
    alike.notes.filter((note) => note.includes('jb-score')),
    [],
  )
})

test('--by: what samples say of a group is of its items alone', async (t) => {
  const row = (i: number, group: string, value: number) => ({ id: `i${i}`, group, value })
  const noisy = [0, 1, 2].flatMap((i) => [row(i, 'noisy', i), row(i, 'noisy', i + 2)])
  const same = [3, 4, 5].flatMap((i) => [row(i, 'same', i), row(i, 'same', i)])
  const once = [6, 7].map((i) => row(i, 'once', i))
  const dir = folder(t, { a: ndjson([...noisy, ...same, ...once]), b: values([1, 1, 1, 1, 1, 1, 1, 1]) })
  const by = ['--by', 'group', '--duplicates', 'mean', '--value', 'value']
  const [all, ...groups] = await figures([`${dir}/a`, `${dir}/b`, ...by])
  assert.equal(all.samples.a.within, 1)
  assert.deepEqual(
    groups.map(({ group, samples }) => [group, samples?.a.within]),
    [
      ['noisy', 2],
      ['once', undefined],
      ['same', 0],
    ],
  )
})

test('of a list, the first answer’s share is known from one trial as from several, and from contests', async () => {
  const judged = (
    model: string,
    item: string,
    n: number,
    of: number,
    winner: number | 'tie',
    pair?: number[],
  ) => ({
    jb: {
      judge: 'list',
      item,
      trial: { n, of, answers: 4, ...(pair && { pair, answers: 3 }) },
      reply: { text: `${n}`, model },
      verdict: { winner, label: '' },
    },
  })
  const rows = [
    ...[0, 1, 'tie' as const].map((winner, i) => judged('once', `i${i}`, 0, 1, winner)),
    ...[0, 0, 'tie' as const].flatMap((winner, i) =>
      [0, 1].map((n) => judged('twice', `i${i}`, n, 2, winner)),
    ),
  ]
  const [pair] = await figures([], ndjson(rows))
  assert.deepEqual([pair.value, pair.items, pair.failed], ['share', 3, { a: 0, b: 0 }])
  near([pair.mean_a, pair.mean_b], [1.25 / 3, 2.25 / 3], 1e-9, 'means')
  const contests = (model: string, winners: (number | 'tie')[]) =>
    [
      [0, 1],
      [0, 2],
      [1, 2],
    ].map((two, n) => judged(model, 'i', n, 3, winners[n]!, two))
  const [of3] = await figures([], ndjson([...contests('a', [0, 'tie', 1]), ...contests('b', [1, 2, 1])]))
  assert.deepEqual([of3.mean_a, of3.mean_b], [0.75, 0])
})

test('--by: a group in which all scores are 0 or 1 is compared as the whole is', async (t) => {
  const row = (value: number, i: number) => ({ id: `i${i}`, group: i < 4 ? 'low' : 'high', value })
  const dir = folder(t, {
    a: ndjson([0, 1, 1, 0, 5, 3].map(row)),
    b: ndjson([1, 0, 0, 0, 2, 3].map(row)),
  })
  const tests = (await figures([`${dir}/a`, `${dir}/b`, '--by', 'group', '--value', 'value'])).map(
    ({ group, test, effect }) => [group, test, Object.keys(effect)[0]],
  )
  assert.deepEqual(tests, [
    [undefined, 't', 'd_z'],
    ['high', 't', 'd_z'],
    ['low', 't', 'd_z'],
  ])
})

test('--show: flips are the wins and losses of the figures, missing the items that these lack', async (t) => {
  // 0.1 + 0.2 is 0.3 but for rounding; i2 has a label in one run only.
  const dir = folder(t, {
    a: values([0.1 + 0.2, 1]),
    b: values([0.3, 2]),
    c: ndjson([game('i1', 0, 1, 'A>B'), game('i2', 0, 1, 'A>B')]),
    d: ndjson([game('i1', 0, 1, 'B>A'), game('i2', 0, 1, 'B>A', { label: null })]),
  })
  const shown = async (files: string, show: string, ...more: string[]) =>
    objects((await run([`${dir}/${files[0]}`, `${dir}/${files[1]}`, '--show', show, ...more])).text).map(
      ({ jb }) => jb.item,
    )
  assert.deepEqual(await shown('ab', 'flips', '--value', 'value'), ['i1'])
  const [pair] = await figures([`${dir}/c`, `${dir}/d`])
  assert.deepEqual([pair.items, pair.losses + pair.wins, pair.failed], [1, 1, { a: 0, b: 1 }])
  assert.deepEqual([await shown('cd', 'flips'), await shown('cd', 'missing')], [['i1'], ['i2']])
})

test('rows without an id whose answers differ are other items, which a note says, and what names them', async (t) => {
  const answers = (changed: number) =>
    ndjson(
      Array.from({ length: 10 }, (_, i) => ({
        question: `${i}?`,
        answer: `${i < changed ? 'new' : 'old'} ${i}`,
      })),
    )
  const dir = folder(t, { 'a.jsonl': answers(0), 'b.jsonl': answers(4) })
  for (const name of ['a', 'b']) {
    const command = `jb-render pass_fail --set criterion=x ${dir}/${name}.jsonl | jb-call -q -m baseline:longer | jb-parse`
    writeFileSync(`${dir}/${name}`, fine(await pipe(command)).stdout)
  }
  const gate = [`a=${dir}/a`, `b=${dir}/b`, '--fail-worse', '0.02']
  const { stderr, stdout } = expect(await jb('compare', gate), { code: 1, err: /6 of the 10 items of a/ })
  assert.equal(JSON.parse(stdout).items, 6)
  assert.match(
    stderr,
    /8 items are not in all runs; items without an id are known by a hash of their line, .*--id FIELD .*: there are question, answer\)/,
  )
  const named = expect(await jb('compare', [...gate, '--id', 'question']), { code: 0 })
  assert.equal(JSON.parse(named.stdout).items, 10)
  assert.doesNotMatch(named.stderr, /hash/)
  // One that lacks items of the other is none of this.
  writeFileSync(`${dir}/b`, readFileSync(`${dir}/a`, 'utf8').split('\n').slice(1).join('\n'))
  assert.doesNotMatch((await jb('compare', [`${dir}/a`, `${dir}/b`])).stderr, /hash/)
})
