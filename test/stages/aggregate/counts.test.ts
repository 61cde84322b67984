/** Never a wrong number: what is missing, counted twice, made by two judges, or of different items. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { VERSION } from '../../../src/options/version.ts'
import { ascii, encode } from '../../../src/rows/bytes.ts'
import type { Fatal } from '../../../src/rows/record.ts'
import { isAmong } from '../../../src/scoring/_hash_list.ts'
import { hash, hashItem } from '../../../src/scoring/_item_hash.ts'
import { ItemTable } from '../../../src/scoring/_item_table.ts'
import { Run, retriedIn } from '../../../src/scoring/_run.ts'
import { scoringModules } from '../../../src/scoring/_scorer.ts'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { spec as scoreSpec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

const run = (rows: object[], ...args: string[]) => staged(spec, aggregate, args, ndjson(rows))
const report = async (rows: object[], ...args: string[]) => objects((await run(rows, ...args)).text)[0]

const verdicts = (count: number, more: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, i) => game(`p${i}`, 0, 1, i % 3 === 0 ? 'B>A' : 'A>B', more))

test('--expect: a number of items, or the file of them; what is missing counts as failed and is named', async (t) => {
  const rows = verdicts(10, { source: 's' })
  const path = folder(t, { 'items.jsonl': ndjson(rows.map(({ jb: _, ...item }) => item)) })
  const whole = await run(rows, '--expect', '10')
  assert.equal(whole.ending, undefined)
  const cut = await run(rows.slice(0, 3), '--expect', '10', '--max-error-rate', '0.2')
  assert.deepEqual(cut.ending, { code: 1, message: 'arena_hard m: 7 of 10 items are missing' })
  const [{ items, valid, failures }] = objects(cut.text)
  assert.deepEqual([items, valid, failures], [10, 3, { missing: 7 }])
  const named = await run(rows.slice(2), '--expect', `${path}/items.jsonl`)
  assert.deepEqual(named.ending, { code: 1, message: 'arena_hard m: 2 of 10 items are missing: p0, p1' })
  assert.deepEqual(objects(named.text)[0].by.source.s.failures, { missing: 2 })
  // Rows of a file that do not repeat an item are not looked up as they come.
  const filed = folder(t, { 'rows.ndjson': ndjson(rows.slice(2)) })
  assert.deepEqual(await run([], `${filed}/rows.ndjson`, '--expect', `${path}/items.jsonl`), named)
  const none = await run([], '--expect', `${path}/items.jsonl`)
  assert.match(none.ending!.message, /10 of 10 items are missing: p0, p1, .* p9$/)
  const as = await run(rows.slice(2), '--as', 'judgebench', '--expect', `${path}/items.jsonl`)
  assert.match(as.text, /^Overall: 50\.00%\.\nfailed: 2 /)
  assert.equal(as.ending!.code, 1)
  await assert.rejects(run(rows, '--expect', 'none.jsonl'), { exitCode: 2 } as Partial<Fatal>)
})

test('--expect FILE: an item that stands twice in it is one; a file without items is a mistake; others are noted', async (t) => {
  const rows = verdicts(4)
  const path = folder(t, { 'two.jsonl': ndjson([...rows, ...rows]), 'none.jsonl': '\n' })
  for (const as of [[], ['--as', 'judgebench']]) {
    const { ending } = await run(rows.slice(1), '--expect', `${path}/two.jsonl`, ...as)
    assert.deepEqual(ending, { code: 1, message: 'arena_hard m: 1 of 4 items are missing: p0' })
  }
  await assert.rejects(run(rows, '--expect', `${path}/none.jsonl`), { exitCode: 65 } as Partial<Fatal>)
  const { ending, notes } = await run(verdicts(6), '--expect', `${path}/two.jsonl`)
  assert.deepEqual(
    [ending, notes],
    [undefined, [`arena_hard m: 2 items that ${path}/two.jsonl does not have`]],
  )
})

test('items without a label among those with one are noted, and their ties are none of the accuracy', async () => {
  const tie = game('t', 0, 1, 'A=B')
  const { label: _, ...unlabelled } = tie as { label?: string }
  const { text, notes } = await run([...verdicts(3), unlabelled])
  const [{ labelled, correct, incorrect, tie: ties }] = objects(text)
  assert.deepEqual([labelled, ties], [3, 0])
  assert.equal(correct + incorrect, 3)
  assert.match(notes[0]!, /1 of 4 valid items have no label: the accuracy is of the other 3/)
})

test('nothing measured is no success: why is said', async () => {
  const why = async (rows: object[], ...args: string[]) => (await run(rows, ...args)).ending
  assert.deepEqual(await why([]), {
    code: 1,
    message: 'nothing was measured: there is no item in the input',
  })
  const unread = {
    id: 1,
    jb: { judge: 'j', item: '1', trial: { n: 0, of: 1 }, reply: { text: 't', model: 'm' } },
  }
  assert.match((await why([unread]))!.message, /no item of 1 is valid: no_verdict: .*run jb-parse first/)
  assert.match(
    (await why(verdicts(2, { lable: 'A>B' }), '--label', 'labell'))!.message,
    /did you mean label\? \(fields: .*lable/,
  )
  for (const format of ['judgebench', 'rm-gallery', 'mt-bench', 'lm-eval', 'evalassist'])
    assert.equal((await why([], '--as', format))?.code, 1, format)
  await assert.rejects(run(verdicts(1), '--baseline', 'm'), /--baseline: it goes with --as mt-bench-results/)
  // A shard may be empty: the whole is looked at.
  assert.equal(await why([], '--partial'), undefined)
})

test('a judge and model without one valid item is no success beside others, and no 0 %', async () => {
  const error = (model?: string) => ({ stage: 'call', code: 'timeout', message: 'x', model })
  const failed = (model?: string) =>
    verdicts(2, { jb: { reply: null, verdict: null, error: error(model) }, source: 's' })
  const rows = verdicts(4, { source: 'r' })
  const message = 'nothing was measured of arena_hard n: none of its 2 items is valid (timeout 2)'
  for (const args of [[], ['--as', 'judgebench'], ['--common']])
    assert.deepEqual(
      (await run([...rows, ...failed('n')], ...args)).ending,
      { code: 1, message },
      args.join(),
    )
  const { text } = await run([...rows, ...failed('n')], '--format', 'markdown', '--by', 'none')
  assert.match(text, /\| arena_hard · n +\| +2 +\| +2 +\| +– +\|/)
  // Items that failed before they had a model are of both of two, or of the only one.
  const two = [...rows, ...verdicts(4, { jb: { reply: { text: 't', model: 'o' } } })]
  const lost = failed().map((row, i) => ({ ...row, jb: { ...row.jb, item: `lost${i}` } }))
  for (const sound of [rows, two]) assert.equal((await run([...sound, ...lost])).ending, undefined)
  // A group of the breakdown is said, and no gate.
  const group = failed('m').map((row, i) => ({ ...row, jb: { ...row.jb, item: `g${i}` } }))
  const { ending, notes } = await run([...rows, ...group])
  assert.equal(ending, undefined)
  assert.match(notes[0]!, /arena_hard m: nothing was measured where source is s: none of 2 items is valid/)
  const none = await run(
    [game('a', 0, 1, 'A>B'), game('b', 0, 1, 'A>B', { jb: { judge: 'other' } })],
    '--common',
  )
  assert.match(none.ending!.message, /no item is valid for all judges/)
})

test('items that jb-render --probe changed are left out of every report, and that is said', async () => {
  const rows = verdicts(6, { source: 's' })
  const probe = (i: number) => ({ item: `p${i}#pad`, probe: { kind: 'pad', of: `p${i}`, answer: 0 } })
  const probes = [0, 1].map((i) => game(`p${i}#pad`, 0, 1, 'A>B', { source: 's', jb: probe(i) }))
  const failed = { ...game('p2#pad', 0, 1, 'A>B', { source: 's' }) }
  failed.jb = {
    ...failed.jb,
    ...probe(2),
    error: { stage: 'render', code: 'missing_field', message: 'x' },
  } as never
  const halves = [0, 1].map((n) => game('p3#pad', n, 2, 'A>B', { source: 's', jb: probe(3) }))
  const all = rows.flatMap((row, i) => [row, ...[...probes, failed, ...halves].slice(i, i + 1)])
  for (const args of [
    [],
    ['--partial'],
    ['--as', 'judgebench'],
    ['--as', 'lm-eval'],
    ['--combine', 'vote'],
  ]) {
    const { text, notes } = await run(all, ...args)
    assert.equal(text, (await run(rows, ...args)).text, args.join())
    assert.match(
      notes.join(),
      /^5 rows are about items that jb-render --probe changed, left out/,
      args.join(),
    )
  }
  const results = (await staged(scoreSpec, score, [], ndjson(all))).text
  assert.equal((await staged(spec, aggregate, [], results)).text, (await run(rows)).text)
  assert.match((await run(probes)).ending!.message, /nothing was measured/)
})

test('an item counts once: the same reply again is left out, another is a conflict', async () => {
  const rows = verdicts(4)
  const once = await report(rows)
  const twice = await run([...rows, ...rows])
  assert.deepEqual(objects(twice.text)[0], once)
  assert.match(twice.notes[0]!, /item "p0" was counted already, with the same reply: it counts once/)
  const other = game('p1', 0, 1, 'B>A')
  const { items, valid, failures, correct } = await report([...rows, other])
  assert.deepEqual([items, valid, failures, correct], [4, 3, { conflict: 1 }, once.correct - 1])
  // The reply may differ where the verdict does not.
  const reworded = game('p1', 0, 1, 'A>B', { jb: { reply: { text: 'other words', model: 'm' } } })
  assert.deepEqual((await report([...rows, reworded])).failures, { conflict: 1 })
  // Other judges, models and names have their own items.
  const others = [{ judge: 'vanilla' }, { name: 'n' }, { reply: { text: 't', model: 'o' } }]
  for (const jb of others)
    assert.equal(objects((await run([...rows, ...verdicts(4, { jb })])).text).length, 2)
})

test('the same rows in another order make the same report, also where they contradict each other', async (t) => {
  const failed = (n: number, of: number, code: string) =>
    game('f', n, of, 'A>B', {
      jb: { error: { stage: 'call', code, message: 'x', model: 'm' }, verdict: null },
    })
  const cases: object[][] = [
    [game('p', 0, 1, 'A>B'), game('p', 0, 1, 'B>A'), game('q', 0, 1, 'A>B')],
    [game('p', 0, 1, 'A>B'), game('p', 0, 1, 'B>A'), game('p', 0, 1, 'A=B'), game('q', 0, 1, 'A>B')],
    [game('p', 0, 2, 'A>B'), game('p', 0, 2, 'B>A'), game('p', 1, 2, 'A>B'), game('q', 0, 1, 'A>B')],
    [game('p', 0, 2, 'A>B'), game('p', 0, 2, 'A>B'), game('p', 1, 2, 'A>B'), game('q', 0, 1, 'A>B')],
    [game('f', 0, 2, 'A>B'), failed(0, 2, 'timeout'), game('f', 1, 2, 'A>B'), game('q', 0, 1, 'A>B')],
    [failed(0, 1, 'timeout'), failed(0, 1, 'rate_limited'), game('q', 0, 1, 'A>B')],
  ]
  const expected = [{ conflict: 1 }, { conflict: 1 }, { conflict: 1 }, {}, {}, { rate_limited: 1 }]
  for (const [i, rows] of cases.entries()) {
    const orders = permutations(rows)
    const texts = await Promise.all(orders.map(async (order) => (await run(order)).text))
    for (const [k, text] of texts.entries()) {
      const [{ items, valid, failures }] = objects(text)
      const failing = Object.keys(expected[i]!).length
      assert.deepEqual([items, valid, failures], [2, 2 - failing, expected[i]], `case ${i}, order ${k}`)
      assert.deepEqual(objects(text), objects(texts[0]!), `case ${i}, order ${k}`)
    }
  }
  // Two variants of an item have trials of their own.
  const variants = ['a', 'b'].flatMap((variant) =>
    [0, 1].map((n) => game('v', n, 2, 'A>B', { jb: { variant } })),
  )
  const apart = objects((await run([variants[0]!, variants[2]!, variants[1]!, variants[3]!])).text)
  assert.deepEqual(
    apart.map(({ valid, same_items }) => [valid, same_items]),
    [
      [1, undefined],
      [1, undefined],
    ],
  )
  // From a file it is read twice; of results it is the same.
  const dir = folder(t, { 'rows.ndjson': ndjson(cases[2]!.toReversed()) })
  const { text } = await run([], `${dir}/rows.ndjson`)
  assert.deepEqual(objects(text)[0].failures, { conflict: 1 })
  const scored = await staged(scoreSpec, score, [], ndjson([...cases[0]!]))
  assert.deepEqual(await report(objects(scored.text)), await report(objects(scored.text).toReversed()))
})

test('--as: the same rows in another order make the same output, also where they contradict each other', async (t) => {
  const rated = (item: string, score: number, jb: object = {}) => ({
    id: item,
    task: 't',
    subset: 'donotanswer',
    jb: {
      judge: 'mt_bench',
      item,
      trial: { n: 0, of: 1 },
      reply: { text: String(score), model: 'm' },
      verdict: { label: String(score), score },
      ...jb,
    },
  })
  const error = { stage: 'call', code: 'timeout', message: 'x', model: 'm' }
  const failed = (item: string) => rated(item, 1, { verdict: null, reply: null, error })
  const grades: Cases = [
    [[rated('p', 1), rated('p', 9), rated('q', 5)], [5]],
    [
      [rated('p', 1), rated('p', 1), rated('q', 5)],
      [1, 5],
    ],
    [
      [failed('p'), rated('p', 1), rated('q', 5)],
      [1, 5],
    ],
    [[failed('p'), failed('p'), rated('q', 5)], [5]],
  ]
  const decided = (...games: object[]) => games
  const lost = (code: string, source: string) =>
    game('p', 0, 1, 'A>B', { source, jb: { verdict: null, reply: null, error: { ...error, code } } })
  const pairs: Cases = [
    [decided(game('p', 0, 1, 'A>B'), game('p', 0, 1, 'B>A'), game('q', 0, 1, 'A>B')), [1]],
    // The same reply to another row: what the item is, and what it counts for, is in doubt.
    ...[{ label: 'B>A' }, { source: 'other' }].map(
      (more) =>
        [decided(game('p', 0, 1, 'A>B'), game('p', 0, 1, 'A>B', more), game('q', 0, 1, 'A>B')), [1]] as const,
    ),
    // Failures in two places: one of them.
    ...['timeout', 'auth'].map(
      (code) =>
        [
          decided(lost('timeout', 'mmlu-pro'), lost(code, 'livebench-math'), game('q', 0, 1, 'A>B')),
          [1],
        ] as const,
    ),
    // A field that nothing is counted by.
    [decided(game('p', 0, 1, 'A>B'), game('p', 0, 1, 'A>B', { note: 'x' }), game('q', 0, 1, 'A>B')), [1, 1]],
    [
      decided(game('p', 0, 2, 'A>B'), game('p', 0, 2, 'B>A'), game('p', 1, 2, 'A>B'), game('q', 0, 1, 'A>B')),
      [1],
    ],
    [
      decided(game('p', 0, 2, 'A>B'), game('p', 0, 2, 'A>B'), game('p', 1, 2, 'A>B'), game('q', 0, 1, 'A>B')),
      [1, 1],
    ],
  ]
  for (const [cases, formats] of [
    [grades, ['lm-eval', 'evalassist', 'mt-bench', 'mt-bench-results']],
    [pairs, ['judgebench', 'rm-gallery', 'rewardbench', 'evalassist']],
  ] as const)
    for (const format of formats)
      for (const [rows, scores] of cases) {
        const orders = permutations([...rows])
        const texts = await Promise.all(
          orders.map(async (order, k) => [
            (await run(order, '--as', format)).text,
            // jb-score does the same with them: two orders show that.
            k < 2 ? (await staged(scoreSpec, score, ['--as', format], ndjson(order))).text : undefined,
          ]),
        )
        for (const [k, [report, scored]] of texts.entries()) {
          const sorted = (text: string) =>
            text.replaceAll('"stage":"score"', '"stage":"aggregate"').split('\n').toSorted()
          assert.deepEqual(sorted(report!), sorted(texts[0]![0]!), `${format}, order ${k}`)
          if (scored !== undefined)
            assert.deepEqual(sorted(scored), sorted(report!), `${format}, order ${k}, of jb-score`)
        }
        if (format === 'lm-eval')
          assert.equal(
            JSON.parse(texts[0]![0]!).llm_judge,
            scores.reduce((sum, one) => sum + one) / scores.length,
          )
        if (format === 'judgebench')
          assert.match(texts[0]![0]!, scores.length === 1 ? /Overall: 50\.00%/ : /Overall: 100\.00%/)
      }
  // From a file it is read twice; results that differ, and trials beside the result they made, count as trials do.
  const [rows] = pairs[1]!
  const dir = folder(t, { 'rows.ndjson': ndjson(rows) })
  const wanted = (await run([...rows], '--as', 'judgebench')).text
  assert.equal((await run([], `${dir}/rows.ndjson`, '--as', 'judgebench')).text, wanted)
  const both = [game('p', 0, 1, 'A>B'), game('p', 0, 1, 'B>A')]
  const results = objects((await staged(scoreSpec, score, [], ndjson(both))).text)
  for (const order of permutations([...results, game('q', 0, 1, 'A>B')]))
    assert.match((await run(order, '--as', 'judgebench')).text, /Overall: 50\.00%\.\nfailed: 1 /)
  const [result] = results
  for (const order of permutations([result, both[0]!, game('q', 0, 1, 'A>B')]))
    assert.equal((await run(order, '--as', 'judgebench')).text, 'Overall: 100.00%.\n')
  for (const order of permutations([result, both[1]!, game('q', 0, 1, 'A>B')]))
    assert.match((await run(order, '--as', 'judgebench')).text, /Overall: 50\.00%\.\nfailed: 1 /)
})

type Cases = readonly (readonly [rows: object[], scores: readonly number[]])[]

function permutations<T>(all: T[]): T[][] {
  if (all.length < 2) return [all]
  const texts = all.map((one) => JSON.stringify(one))
  // Rows that are equal take each other's place.
  const firsts = all.filter((_, i) => texts.indexOf(texts[i]!) === i)
  return firsts.flatMap((one) =>
    permutations(all.toSpliced(all.indexOf(one), 1)).map((rest) => [one, ...rest]),
  )
}

test('a reply of middle length is the same again, however its row was read', async () => {
  // More kinds of rows in turn than are known again at once, then each kind by itself, of which most are.
  const kinds = Array.from({ length: 40 }, (_, k) => k)
  const rowsOf = (k: number, i: number) => {
    const reply = { text: `${'x'.repeat(40)} ${i}`, model: 'm', served_model: `s${k}` }
    return [0, 1].map((n) => game(`p${k}.${i}`, n, 2, 'A>B', { jb: { reply } }))
  }
  const inTurn = [0, 1, 2, 3].flatMap((i) => kinds.flatMap((k) => rowsOf(k, i)))
  const byKind = kinds.flatMap((k) => [0, 1, 2, 3].flatMap((i) => rowsOf(k, i)))
  for (const rows of [
    [...inTurn, ...byKind],
    [...byKind, ...inTurn],
  ])
    assert.doesNotMatch((await run(rows)).notes.join(), /differ/)
})

test('two games an item: a game that comes again counts once, another reply to it is a conflict unless --combine takes both', async () => {
  const games = [game('p', 0, 2, 'A>B'), game('p', 0, 2, 'A>B'), game('p', 1, 2, 'A>B')]
  assert.deepEqual((await report(games)).games, 2)
  const conflict = [game('p', 0, 2, 'A>B'), game('p', 0, 2, 'B>A'), game('p', 1, 2, 'A>B')]
  assert.deepEqual((await report(conflict)).failures, { conflict: 1 })
  const both = await report(
    [...conflict, game('q', 0, 1, 'A>B'), game('q', 0, 1, 'B>A')],
    '--combine',
    'vote',
  )
  assert.deepEqual([both.items, both.valid, both.games, both.correct, both.tie], [2, 2, 5, 1, 1])
  const of = (...args: string[]) => run(conflict, '--as', 'rm-gallery', ...args)
  const counted = async (...args: string[]) => JSON.parse((await of(...args)).text).overall_accuracy
  assert.deepEqual(
    [(await counted()).valid_samples, (await counted('--combine', 'vote')).valid_samples],
    [0, 1],
  )
})

test('a failed trial that was tried again counts as it ended', async () => {
  const failed = game('p0', 0, 1, 'A>B', {
    jb: { error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' } },
  })
  const rows = verdicts(3)
  const clean = await report(rows)
  for (const order of [
    [failed, ...rows],
    [...rows, failed],
  ]) {
    const ran = await run(order)
    assert.deepEqual(ran.notes, [])
    const { items, valid, failures, accuracy } = objects(ran.text)[0]
    assert.deepEqual([items, valid, failures, accuracy], [3, 3, {}, clean.accuracy])
  }
})

test('--merge refuses a state twice, and shards with an item in common', async (t) => {
  const state = async (rows: object[]) => (await run(rows, '--partial')).text
  const rows = verdicts(6)
  const [a, b, c] = await Promise.all([rows.slice(0, 3), rows.slice(2), rows.slice(3)].map(state))
  const path = folder(t, { a: a!, b: b!, c: c! })
  const merge = (...names: string[]) => run([], '--merge', ...names.map((name) => `${path}/${name}`))
  await assert.rejects(merge('a', 'a'), /a:1: 3 of its items are in a state before it/)
  await assert.rejects(merge('a', 'b'), /b:1: 1 of its items are in a state before it/)
  assert.deepEqual(objects((await merge('c', 'a')).text)[0], await report(rows))
  // Of a million items 10.7 bytes each.
  const { items } = JSON.parse(await state(verdicts(3000)))
  assert.ok(items.length / 3000 < 11)
})

test('two versions of a judge are reported apart', async () => {
  const of = (judge_digest: string) => verdicts(3, { jb: { judge_digest } })
  const ran = await run([...of('aaaa'), ...of('bbbb')])
  assert.deepEqual(
    objects(ran.text).map(({ made, items }) => [made.judge_digest, items]),
    [
      ['aaaa', 3],
      ['bbbb', 3],
    ],
  )
  assert.match(ran.notes[0]!, /rows of several versions of it, reported apart \(aaaa\)/)
})

test('a report says what made it, the same after jb-score and --merge; --stamp adds words', async (t) => {
  const jb = (n: number) => ({
    judge_digest: 'abcd',
    request: { messages: [{ role: 'user', content: 'q' }], temperature: 0, max_tokens: 9 },
    reply: { text: 't', model: 'm', served_model: 'm-2' },
    trial: { n, of: 2, order: n === 0 ? 'AB' : 'BA' },
  })
  const rows = [0, 1].map((n) => game('p', n, 2, 'A>B', { jb: jb(n) }))
  const { made } = await report(rows)
  assert.deepEqual(made, {
    jb: VERSION,
    judge_digest: 'abcd',
    served_models: ['m-2'],
    parameters: { temperature: 0, max_tokens: 9 },
    orders: ['AB', 'BA'],
  })
  const path = folder(t, { state: (await run(rows, '--partial')).text })
  assert.deepEqual(objects((await run([], '--merge', `${path}/state`)).text)[0].made, made)
  const more = [0, 1].map((n) =>
    game('p', n, 2, 'A>B', {
      jb: { trial: { n, of: 2, order: 'AB', sample: n, seed: '3', criterion: `c${n}` } },
    }),
  )
  assert.deepEqual((await report(more)).made, {
    jb: VERSION,
    orders: ['AB'],
    samples: 2,
    criteria: ['c0', 'c1'],
    seed: '3',
  })
  assert.equal((await report(rows, '--stamp', '2026-01-01')).stamp, '2026-01-01')
  const table = await run(rows, '--format', 'table')
  assert.match(
    table.text,
    /\njb [\d.]+; judge digest abcd; served models m-2; temperature 0, max_tokens 9; order AB, BA\n$/,
  )
})

test('judges with different valid items: the report says so, --common takes those that are valid for all', async () => {
  const failed = { error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' } }
  const rows = verdicts(6)
  const others = verdicts(6, { jb: { judge: 'vanilla' } }).map((row, i) =>
    i < 2 ? { ...row, jb: { ...row.jb, ...failed } } : row,
  )
  const ran = await run([...rows, ...others])
  assert.ok(ran.notes.some((note) => /different valid items \(6, 4\)/.test(note)))
  assert.ok(objects(ran.text).every(({ same_items }) => same_items === false))
  const common = objects((await run([...rows, ...others], '--common')).text)
  assert.deepEqual(
    common.map(({ items, valid, failed, left_out, correct }) => [items, valid, failed, left_out, correct]),
    [
      [6, 4, 0, 2, 3],
      [6, 4, 2, undefined, 3],
    ],
  )
  assert.equal((await run([...rows, ...verdicts(6, { jb: { judge: 'vanilla' } })])).notes.length, 0)
})

test('two replies that differ are a conflict, also where 12 bits of their digests are the same', async () => {
  const reply = (text: string) => ({
    label: 'A>B',
    jb: {
      judge: 'j',
      item: 'p5103',
      trial: { n: 0, of: 1, order: 'AB' },
      reply: { text, model: 'm' },
      verdict: { label: 'A>B', decision: 'A>B' },
    },
  })
  const { valid, failures } = await report([reply('a reply 5103'), reply('another reply 35721')])
  assert.deepEqual([valid, failures], [0, { conflict: 1 }])
})

test('a table of items finds all it was given, and takes at most 16 bytes an item', () => {
  const table = new ItemTable()
  const digest = (i: number) => (i % 4095) + 1
  for (let i = 0; i < 40_000; i++) {
    hashItem(ascii(`"item ${i}"`))
    assert.equal(table.has, false)
    assert.equal(table.take(digest(i)), 0)
  }
  assert.ok(table.bytes / table.size <= 16, `${table.bytes / table.size} bytes an item`)
  for (let i = 0; i < 40_000; i++) {
    hashItem(ascii(`"item ${i}"`))
    assert.equal(table.take(1), digest(i))
  }
  hashItem(ascii('"\\u00e9"'))
  table.take(7)
  hashItem(encode('"\u00e9"'))
  assert.equal(table.take(1), 7)
  table.replace(9)
  assert.equal(table.take(1), 9)
  const other = new ItemTable()
  const state = table.state()
  assert.deepEqual([other.merge(state), other.size, other.merge(state)], [0, 40_001, 40_001])
})

test('the items of one part are known in a table of all, and tell in the end whether one came twice', () => {
  const part = (from: number, to: number) => {
    const table = new ItemTable(true)
    for (let i = from; i < to; i++) {
      hashItem(ascii(`"item ${i}"`))
      table.take(7)
    }
    return structuredClone(table.packed())
  }
  // More than are put into one block, and compared as they are.
  const parts = [part(0, 40_000), part(40_000, 40_010), part(40_010, 40_010)]
  const among = (i: number) => {
    hashItem(ascii(`"item ${i}"`))
    const { 0: first, 1: second } = hash
    return parts.map((packed) =>
      isAmong(packed, [
        [1, 2],
        [first!, second!],
        [3, second!],
      ]),
    )
  }
  assert.deepEqual([0, 39_999, 40_000, 40_010].map(among), [
    [true, false, false],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ])
  const whole = new ItemTable(true)
  for (const one of parts) whole.add(one)
  assert.deepEqual([whole.size, whole.repeats], [40_010, false])
  whole.add(part(20_000, 20_001))
  assert.deepEqual([whole.size, whole.repeats], [40_011, true])
})

test('a table that takes each item for new tells in the end whether one came twice', () => {
  const tables = [new ItemTable(true), new ItemTable()] as const
  const [trusting, table] = tables
  const take = (id: string) => {
    hashItem(ascii(id))
    return tables.map((one) => one.take(7))
  }
  assert.equal(trusting.repeats, false)
  // More than are put into one block, and compared as they are.
  for (let i = 0; i < 40_000; i++) assert.deepEqual(take(`"item ${i}"`), [0, 0])
  assert.deepEqual([trusting.repeats, trusting.size], [false, 40_000])
  assert.ok(trusting.bytes / trusting.size <= 16, `${trusting.bytes / trusting.size} bytes an item`)
  assert.deepEqual(take('"item 5"'), [0, 7])
  assert.equal(trusting.repeats, true)
  // As soon as one is looked for, each has its place.
  hashItem(ascii('"item 39999"'))
  assert.equal(trusting.has, true)
  assert.deepEqual([trusting.repeats, trusting.size], [true, 40_000])
  assert.equal(trusting.state(), table.state())
})

test('items of a run without a model are not looked at where none of them can have been tried again elsewhere', async () => {
  const run = new Run({}, await scoringModules(), true)
  hashItem(ascii('"item"'))
  run.items.take(7)
  assert.equal(retriedIn([run]), 0)
  // Still a list, in which none has a place.
  assert.equal(run.items.packed().length, 1)
})

test('rows of a file that repeat items are counted, and told of, as those of a pipe', async (t) => {
  const error = { stage: 'call', code: 'timeout', message: 'x', model: 'm' }
  const failed = (item: string, ...args: [n: number, of: number]) =>
    game(item, ...args, 'A>B', { jb: { error, verdict: null, reply: null } })
  const plain = (count: number) =>
    verdicts(count, { source: 's', jb: { reply: null } }).map((row, i) => ({ ...row, source: `s${i % 2}` }))
  const both = (item: string) => [0, 1].map((n) => game(item, n, 2, 'A>B'))
  const cases: [rows: object[], ...args: string[]][] = [
    [[...plain(40), ...plain(3)]],
    [[...plain(40), game('p7', 0, 1, 'A=B', { jb: { reply: null } }), ...plain(1)]],
    [[...verdicts(40), ...verdicts(2)]],
    [[...verdicts(40), ...verdicts(1, { jb: { reply: { text: 'other', model: 'm' } } })]],
    [[...both('a'), ...both('b'), ...both('c'), ...both('a'), game('b', 0, 2, 'A>B')]],
    [[failed('p1', 0, 1), ...verdicts(3), failed('p2', 0, 1), failed('z', 0, 2)]],
    [[...verdicts(9), ...verdicts(9)], '--partial'],
    [verdicts(9), '--partial'],
    [[...verdicts(9), ...verdicts(9)], '--combine', 'vote'],
    [[...verdicts(4), ...verdicts(3, { jb: { judge: 'other' } }), ...verdicts(1)], '--common'],
    [[...verdicts(4, { source: 'x' }), ...verdicts(1)], '--by', 'source', '--by', 'nothing'],
  ]
  for (const [i, [rows, ...args]] of cases.entries()) {
    const dir = folder(t, { 'rows.ndjson': ndjson(rows) })
    const sorted = ({ notes, ...ran }: Awaited<ReturnType<typeof run>>) => ({ ...ran, notes: notes.sort() })
    const [filed, piped] = [await run([], `${dir}/rows.ndjson`, ...args), await run(rows, ...args)]
    assert.deepEqual(sorted(filed), sorted(piped), `case ${i}`)
  }
})

test('lm-eval: filters, runs and models of a folder are never averaged; results carry what failed', async (t) => {
  const { read } = await import('../../../src/stages/read/read.ts')
  const { spec: readSpec } = await import('../../../src/stages/read/options.ts')
  const sample = (filter: string) => ({ doc_id: 0, filter, target: 'x', resps: [['y']] })
  const name = (time: string) => `m/samples_gsm8k_2024-05-01T${time}.jsonl`
  const path = folder(t, {
    [name('10-00-00.1')]: ndjson([sample('strict-match'), sample('flexible-extract')]),
    [name('11-00-00.1')]: ndjson([sample('strict-match')]),
  })
  const files = [name('10-00-00.1'), name('11-00-00.1')].map((file) => `${path}/${file}`)
  const both = objects((await staged(readSpec, read, ['lm-eval', ...files])).text)
  assert.deepEqual(
    both.map(({ jb }) => jb.item),
    [
      'gsm8k:0:2024-05-01T10-00-00.1:strict-match',
      'gsm8k:0:2024-05-01T10-00-00.1:flexible-extract',
      'gsm8k:0:2024-05-01T11-00-00.1:strict-match',
    ],
  )
  const one = objects((await staged(readSpec, read, ['lm-eval', files[0]!])).text)
  assert.deepEqual(
    one.map(({ jb }) => jb.variant),
    ['strict-match', 'flexible-extract'],
  )
  const judged = one.map((row, i) => ({
    ...row,
    jb: { judge: 'j', ...row.jb, verdict: { score: i + 1 }, reply: { text: 't', model: 'm' } },
  }))
  const reports = objects((await run(judged)).text)
  assert.deepEqual(
    reports.map(({ variant, score }) => [variant, score]),
    [
      ['strict-match', 1],
      ['flexible-extract', 2],
    ],
  )
  const failed = {
    ...judged[0]!,
    jb: {
      ...judged[0]!.jb,
      item: 'f',
      verdict: undefined,
      error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' },
    },
  }
  const as = await run([...judged, failed], '--as', 'lm-eval', '--save', path, '--stamp', 'now')
  const document = {
    'llm_judge,strict-match': 1,
    'llm_judge_failed,strict-match': 1,
    'llm_judge,flexible-extract': 2,
  }
  assert.deepEqual(JSON.parse(as.text), document)
  const saved = JSON.parse(readFileSync(`${path}/m/results_now.json`, 'utf8'))
  assert.deepEqual(saved['n-samples'].gsm8k, { original: 2, effective: 2 })
  assert.equal(saved.results.gsm8k['llm_judge_failed,strict-match'], 1)
  assert.equal(saved.results.gsm8k['llm_judge_stderr,flexible-extract'], 'N/A')
})

test('--as judgebench: a block for each judge, model and set of responses', async () => {
  const rows = [...verdicts(4), ...verdicts(4, { jb: { judge: 'vanilla' } })]
  assert.equal(
    (await run(rows, '--as', 'judgebench')).text,
    '# arena_hard m\nOverall: 50.00%.\n# vanilla m\nOverall: 50.00%.\n',
  )
})

test('--as rm-gallery --compat rm-gallery: two games in percent; --baseline that no pair has; --fail-under 60', async () => {
  const games = [0, 1].map((n) => game('p', n, 2, 'A>B'))
  const accuracy = async (...args: string[]) =>
    JSON.parse((await run(games, '--as', 'rm-gallery', ...args)).text).overall_accuracy.accuracy
  assert.deepEqual([await accuracy(), await accuracy('--compat', 'rm-gallery')], [1, 100])
  const pairs = [game('p', 0, 1, 'A>B', { model_1: 'gpt-4', model_2: 'x' })]
  const absent = await run(pairs, '--as', 'mt-bench-results', '--baseline', 'gpt4')
  assert.match(absent.ending!.message, /--baseline gpt4: no pair is against that model: did you mean gpt-4\?/)
  // FastChat's pairwise-baseline leaves pairs of two others out.
  const versus = (id: string, model_1: string, model_2: string) => game(id, 0, 1, 'A>B', { model_1, model_2 })
  const three = [versus('p', 'a', 'b'), versus('q', 'a', 'c'), versus('r', 'b', 'c')]
  const { text, notes } = await run(three, '--as', 'mt-bench-results', '--baseline', 'a')
  assert.match(text, /\nb +0 +1 +0 +0\.0 +1\.0 +0\.0\nc +0 +1 +0 /)
  assert.deepEqual(notes, ['pairs without a, the baseline, in no table: 1'])
  const unlabelled = verdicts(2, { label: null })
  assert.match(
    (await run(unlabelled, '--fail-under', '0.6')).ending!.message,
    /no item has a label \(--label FIELD/,
  )
  assert.deepEqual((await run(games, '--fail-under', '60')).ending, {
    code: 2,
    message: '--fail-under 60: an accuracy is a share, 0 to 1 (0.6?)',
  })
})
