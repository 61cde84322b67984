/** jb-compare: figures against SciPy's, what is left out, and that nothing depends on the order of rows. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compare } from '../../../src/stages/compare/compare.ts'
import { spec } from '../../../src/stages/compare/options.ts'
import { spec as parseSpec } from '../../../src/stages/parse/options.ts'
import { parse } from '../../../src/stages/parse/parse.ts'
import { spec as readSpec } from '../../../src/stages/read/options.ts'
import { read } from '../../../src/stages/read/read.ts'
import { folder, sharedData } from '../../helpers/folder.ts'
import { failedBeforeModels, game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { objects, staged } from '../../helpers/stage.ts'

const oracle = JSON.parse(
  readFileSync(new URL('../../../fixtures/statistics/oracle.json', import.meta.url), 'utf8'),
)
const run = (args: string[], stdin?: string) => staged(spec, compare, args, stdin)
const figures = async (args: string[], stdin?: string) => objects((await run(args, stdin)).text)

// biome-ignore lint/suspicious/noExplicitAny: figures of any kind
function near(actual: any, expected: any, tolerance: number, what: string): void {
  if (Array.isArray(expected))
    for (const [i, one] of expected.entries()) near(actual[i], one, tolerance, `${what}[${i}]`)
  else
    assert.ok(
      Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected)),
      `${what}: ${actual}, expected ${expected}`,
    )
}

const values = (numbers: (number | null)[], more: (i: number) => object = () => ({})) =>
  ndjson(numbers.map((value, i) => ({ id: `i${i}`, value, ...more(i) })))

test('outcomes and scores of plain rows: the figures of SciPy and statsmodels', async (t) => {
  for (const kind of ['binary', 'scores']) {
    const { a, b, expect } = oracle[kind]
    const dir = folder(t, { 'a.jsonl': values(a), 'b.jsonl': values(b) })
    const [pair] = await figures([`a=${dir}/a.jsonl`, `b=${dir}/b.jsonl`, '--value', 'value'])
    assert.deepEqual([pair.a, pair.b, pair.items], ['a', 'b', a.length])
    for (const key of ['difference', 'ci', 'p', 'p_wilcoxon'])
      if (key in expect) near(pair[key], expect[key], 1e-9, `${kind} ${key}`)
    if ('kappa' in expect) near(pair.agreement.kappa, expect.kappa, 1e-9, 'kappa')
    if (kind === 'binary') {
      const [exact] = await figures([`${dir}/a.jsonl`, `${dir}/b.jsonl`, '--value', 'value', '--exact'])
      near(exact.p, expect.p_exact, 1e-9, 'exact p')
    }
  }
})

test('two recorded judges on 350 pairs, by one command: the figures of SciPy', async (t) => {
  const dir = folder(t)
  const [{ writeFileSync }, names] = [
    await import('node:fs'),
    ['arena_hard-o1-mini', 'reward-skywork-llama-8b'],
  ]
  for (const name of names) {
    const path = sharedData(t, `judgebench/recorded-${name}.jsonl`)
    if (path === undefined) return
    const { text } = await staged(readSpec, read, ['judgebench-outputs', path])
    writeFileSync(`${dir}/${name}`, (await staged(parseSpec, parse, [], text)).text)
  }
  const [pair] = await figures(names.map((name) => `${name}=${dir}/${name}`))
  const { counts, ...expect } = oracle.judges
  assert.deepEqual([pair.items, pair.wins, pair.losses], [350, counts[1], counts[2]])
  for (const key of ['difference', 'ci', 'p']) near(pair[key], expect[key], 1e-9, key)
  near(pair.agreement.kappa, expect.kappa, 1e-9, 'kappa')
  // The same from one stream, whatever its order.
  const stream = names.map((name) => readFileSync(`${dir}/${name}`, 'utf8')).join('')
  const [turned] = await figures([], `${stream.trimEnd().split('\n').toReversed().join('\n')}\n`)
  for (const key of ['difference', 'ci', 'p']) near(turned[key], pair[key], 1e-12, `${key} of a stream`)
})

test('two alpaca_eval runs: paired t, its interval, Wilcoxon, the smallest difference', async (t) => {
  const path = sharedData(t, 'leaderboards/alpaca_eval/pairs_expected.json')
  if (path === undefined) return
  const dir = folder(t)
  const { writeFileSync } = await import('node:fs')
  const expected = JSON.parse(readFileSync(path, 'utf8')).slice(3, 4)
  for (const model of new Set<string>(expected.flatMap(({ a, b }: { a: string; b: string }) => [a, b]))) {
    const file = path.replace(
      'pairs_expected.json',
      `results/${model}/weighted_alpaca_eval_gpt4_turbo/annotations.json.gz`,
    )
    writeFileSync(`${dir}/${model}`, (await staged(readSpec, read, ['json', file])).text)
  }
  for (const { a, b, ...expect } of expected) {
    const [pair] = await figures([
      `${dir}/${a}`,
      `${dir}/${b}`,
      '--value',
      'preference',
      '--id',
      'instruction',
    ])
    assert.equal(pair.items, expect.n)
    assert.deepEqual(pair.missing, { a: expect.only_in_b, b: expect.only_in_a })
    near(pair.difference, expect.difference, 1e-9, `${a} ${b}`)
    near(pair.ci, expect.t_ci, 1e-9, `${a} ${b} interval`)
    near(pair.p, expect.t_p, 1e-9, `${a} ${b} p`)
    near(pair.p_wilcoxon, expect.wilcoxon_approx_p, 1e-9, `${a} ${b} Wilcoxon`)
    near(pair.mde, expect.mde_80, 1e-6, `${a} ${b} mde`)
    near(pair.effect.d_z, expect.d_z, 1e-9, `${a} ${b} d_z`)
  }
})

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
  // One win in three items, two items without an outcome.
  near(pair.bounds, [-1 / 5, 3 / 5], 1e-9, 'bounds')
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

test('edge cases are rows that say so: nothing discordant, one item, none in common', async (t) => {
  const dir = folder(t, {
    a: values([1, 1, 0]),
    b: values([1, 1, 0]),
    one: values([0.5]),
    c: ndjson([{ id: 'x', value: 1 }]),
  })
  const [same] = await figures([`${dir}/a`, `b=${dir}/b`, '--value', 'value'])
  assert.deepEqual([same.difference, same.p, same.wins, same.losses], [0, 1, 0, 0])
  assert.ok(same.ci[0] < 0 && same.ci[1] > 0)
  const [one] = await figures([`${dir}/a`, `${dir}/one`, '--value', 'value'])
  assert.deepEqual([one.items, one.ci, one.p, one.mde], [1, null, null, null])
  const [none] = await figures([`${dir}/a`, `${dir}/c`, '--value', 'value'])
  assert.deepEqual([none.items, none.difference], [0, null])
  assert.match(none.reason, /no item has an outcome in both/)
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
    /new is 0.400 below old on 60 items, beyond chance .*worse than --fail-worse 0.02/,
  )
  const passed = await gate('alike')
  assert.equal(passed.ending, undefined)
  assert.match(passed.notes.join(), /within chance/)
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
  assert.deepEqual(await gate('right', 'wrong'), {
    code: 2,
    message: '--fail-worse 5: a difference of shares is 0 to 1 (0.05?)',
  })
  assert.equal(await gate('high', 'low'), undefined)
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
  const other = ndjson([...rows, judged('a', 1, true, 8)])
  await assert.rejects(run(['--run', 'run'], other), /the item is already at/)
})

test('several runs: every two, adjusted; a slice; clusters; resamples by seed', async () => {
  const numbers = (shift: number) => Array.from({ length: 80 }, (_, i) => ((i * 37 + shift * 11) % 97) / 97)
  const text = [0, 1, 2].flatMap((k) =>
    objects(values(numbers(k), (i) => ({ run: `r${k}`, doc: `d${i % 9}` }))),
  )
  const args = ['--value', 'value', '--run', 'run', '--by', 'doc', '--bootstrap', '200', '--cluster', 'doc']
  const first = await run(args, ndjson(text))
  assert.equal((await run(args, ndjson(text.toReversed()))).text, first.text)
  assert.notEqual((await run([...args, '--seed', '1'], ndjson(text))).text, first.text)
  const pairs = objects(first.text)
  assert.equal(pairs.filter(({ by }) => by === undefined).length, 3)
  assert.equal(pairs.filter(({ by }) => by === 'doc').length, 27)
  for (const { p, p_holm, p_bh } of pairs.slice(0, 3)) assert.ok(p <= p_bh && p_bh <= p_holm)
  const [clustered] = await figures(['--value', 'value', '--run', 'run', '--cluster', 'doc'], ndjson(text))
  assert.deepEqual([clustered.method, clustered.clusters], ['clustered t', 9])
  const against = await figures(['--value', 'value', '--run', 'run', '--against', 'r2'], ndjson(text))
  assert.deepEqual(
    against.map(({ a, b }) => [a, b]),
    [
      ['r2', 'r0'],
      ['r2', 'r1'],
    ],
  )
})

test('the command: trials of two judges in a pipe, a table', async () => {
  const trials = ['A>B', 'B>A', 'A>B'].flatMap((decision, i) => [
    game(`i${i}`, 0, 1, decision, { jb: { judge: 'x' } }),
    game(`i${i}`, 0, 1, 'A>B', { jb: { judge: 'y' } }),
  ])
  const { stdout } = fine(await jb('compare', ['--format', 'table'], { stdin: ndjson(trials) }))
  assert.match(stdout, /x · m\s+y · m\s+3\s+-33.33\s.*66.67 %\s+100.00 %/)
  // A narrow terminal loses the last columns: what the comparison is for stands first.
  assert.match(stdout, /^a\s+b\s+items\s+difference\s+interval\s+p\s/)
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
  assert.match(text, /correct: the difference is a − b in points; interval newcombe, p mcnemar mid-p/)
  assert.match(
    text,
    /a and b: with 40 items, a true difference of 9\.65 points would be significant in four of five cases; one of 5\.00 points, as seen here, takes about 150 items/,
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
    return [items, failed.a, difference, ending!.code, /: ([^:]*)$/.exec(ending!.message)![1]]
  }
  assert.deepEqual(await told('--value', 'scor', 'a', 'b'), [
    0,
    3,
    null,
    1,
    'their rows have no number or boolean in scor',
  ])
  assert.deepEqual(await told('c', 'd'), [0, 3, null, 1, 'their items failed'])
  const apart = 'they have no item in common (--id FIELD names what tells items apart)'
  assert.deepEqual(await told('--value', 'score', 'a', 'e'), [0, 0, null, 1, apart])
  const either =
    'the items of each failed or are missing in the other (--id FIELD names what tells items apart)'
  assert.deepEqual(await told('c', 'f'), [0, 3, null, 1, either])
})

test('without labels the share of the first answer is what the verdict says of its chance, not its decision', async () => {
  const rows = (model: string, chances: number[]) =>
    chances.map((preference, i) =>
      game(`i${i}`, 0, 1, preference > 0.5 ? 'B>A' : 'A>B', {
        label: null,
        jb: {
          reply: { text: 't', model },
          verdict: { label: 'm', decision: preference > 0.5 ? 'B>A' : 'A>B', preference },
        },
      }),
    )
  const [pair] = await figures([], ndjson([...rows('x', [0.1, 0.4, 0.8]), ...rows('y', [0.2, 0.4, 0.7])]))
  near([pair.mean_a, pair.mean_b, pair.difference], [1.7 / 3, 1.7 / 3, 0], 1e-9, 'shares')
  assert.deepEqual([pair.wins, pair.losses, pair.ties], [1, 1, 1])
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

test('--show writes the value that was compared: the mean of samples, whatever sample came last', async (t) => {
  const rows = (scores: (number | null)[]) => ndjson(scores.map((score) => ({ id: 1, score })))
  const dir = folder(t, { a: rows([1, 5]), b: rows([5, 1]), c: rows([4, null]) })
  const shown = async (...names: string[]) => {
    const args = ['--value', 'score', '--duplicates', 'mean', '--show', 'flips']
    return await figures([...args, ...names.map((name) => `${name}=${dir}/${name}`)])
  }
  assert.deepEqual(await shown('a', 'b'), [])
  const [item] = await shown('a', 'c')
  assert.deepEqual(item.jb.runs, { a: { value: 3 }, c: { value: 4 } })
})

test('--show missing has the error of an item that failed before it had a model', async () => {
  const items = await figures(['--show', 'missing'], ndjson(failedBeforeModels()))
  const failed = items.find(({ jb }) => jb.runs['vanilla · m1']?.error && jb.runs['vanilla · m2']?.error)
  assert.ok(failed, JSON.stringify(items))
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
  assert.deepEqual([pair.a, pair.b, pair.items, pair.losses], ['j · m · first', 'j · m · last', 3, 1])
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
    err: `jb-compare: ${dir}/a is given twice: each file is a run of its own\n`,
  })
})
