/** The same rows in another order make the same report, also where they contradict each other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { spec as scoreSpec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { report, run, written } from './_counts.ts'
import { permutations } from './_order.ts'

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

test('jb-write: the same rows in another order make the same output, also where they contradict each other', async (t) => {
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
    for (const [i, format] of formats.entries())
      for (const [rows, scores] of cases) {
        // Of many orders each format takes its part.
        const orders = permutations([...rows]).filter(
          (_, k, all) => all.length <= 6 || k === 0 || k % formats.length === i,
        )
        const texts = await Promise.all(orders.map(async (order) => (await written(order, format)).text))
        const sorted = (text: string) => text.split('\n').toSorted()
        for (const [k, text] of texts.entries())
          assert.deepEqual(sorted(text), sorted(texts[0]!), `${format}, order ${k}`)
        if (format === 'lm-eval')
          assert.equal(
            JSON.parse(texts[0]!).llm_judge,
            scores.reduce((sum, one) => sum + one) / scores.length,
          )
        if (format === 'judgebench')
          assert.match(texts[0]!, scores.length === 1 ? /Overall: 50\.00%/ : /Overall: 100\.00%/)
      }
  // From a file it is read twice; results that differ, and trials beside the result they made, count as trials do.
  const [rows] = pairs[1]!
  const dir = folder(t, { 'rows.ndjson': ndjson(rows) })
  const wanted = (await written([...rows], 'judgebench')).text
  assert.equal((await written([], 'judgebench', `${dir}/rows.ndjson`)).text, wanted)
  const both = [game('p', 0, 1, 'A>B'), game('p', 0, 1, 'B>A')]
  const results = objects((await staged(scoreSpec, score, [], ndjson(both))).text)
  for (const order of permutations([...results, game('q', 0, 1, 'A>B')]))
    assert.match((await written(order, 'judgebench')).text, /Overall: 50\.00%\.\nfailed: 1 /)
  const [result] = results
  for (const order of permutations([result, both[0]!, game('q', 0, 1, 'A>B')]))
    assert.equal((await written(order, 'judgebench')).text, 'Overall: 100.00%.\n')
  for (const order of permutations([result, both[1]!, game('q', 0, 1, 'A>B')]))
    assert.match((await written(order, 'judgebench')).text, /Overall: 50\.00%\.\nfailed: 1 /)
})

test('any number of items may have two replies', async () => {
  const ids = Array.from({ length: 10_100 }, (_, i) => `p${i}`)
  const again = ids.slice(0, 10_050).map((id) => game(id, 0, 1, 'B>A'))
  const { items, valid, failures } = await report([...ids.map((id) => game(id, 0, 1, 'A>B')), ...again])
  assert.deepEqual([items, valid, failures], [10_100, 50, { conflict: 10_050 }])
})

type Cases = readonly (readonly [rows: object[], scores: readonly number[]])[]

test('results of the same trials that were scored with other options conflict', async () => {
  const scores = [1, 2, 5]
  const trials = ['p', 'q'].flatMap((item) =>
    scores.map((score, n) => ({
      task: 't',
      jb: {
        judge: 'rating',
        item,
        trial: { n, of: 3, sample: n },
        reply: { text: String(score), model: 'm' },
        verdict: { label: String(score), score: item === 'q' ? 3 : score },
      },
    })),
  )
  const scored = async (...args: string[]) =>
    objects((await staged(scoreSpec, score, args, ndjson(trials))).text)
  const [mean, median] = [await scored(), await scored('--combine', 'median')]
  for (const rows of [
    [...mean, ...median],
    [...median, ...mean],
    [...median, ...trials],
    [...trials, ...median],
  ]) {
    const { items, valid, failures, score } = await report(rows)
    assert.deepEqual([items, valid, failures, score], [2, 1, { conflict: 1 }, 3])
  }
  for (const rows of [
    [...mean, ...trials],
    [...mean, ...mean],
  ])
    assert.deepEqual((await report(rows)).failures, {})
  for (const rows of [
    [...mean, ...median],
    [...median, ...mean],
  ])
    assert.match((await written(rows, 'mt-bench')).text, /"average_rating": 3\.0,(.|\n)*"failed": 1/)
})

test('prompts that differ in one letter are of two items under one id; the same prompt written otherwise is one', async () => {
  const [before, after] = ['x/é\n'.repeat(300), 'y"'.repeat(300)]
  const asked = (letter: string) =>
    game('p', 0, 1, 'A>B', {
      jb: { request: { messages: [{ role: 'user', content: before + letter + after }] } },
    })
  // Wherever the letter stands.
  for (let at = 0; at < 8; at++) {
    const [one, other] = ['a', 'b'].map((letter) => asked(letter.padStart(at + 1, 'z')))
    const { text, notes } = await run([one!, other!])
    assert.deepEqual(objects(text)[0].failures, { conflict: 1 })
    assert.match(notes.join('\n'), /rows that were asked differently/)
  }
  const row = JSON.stringify(asked('a'))
  const escaped = row.replaceAll('é', '\\u00e9').replaceAll('/', '\\/')
  const turned = row.replace(/\{"role":"user",("content":.*?)\}\]/, '{$1,"role":"user"}]')
  assert.notEqual(turned, row)
  const { text } = await staged(spec, aggregate, [], [row, escaped, turned].join('\n'))
  assert.deepEqual(objects(text)[0].failures, {})
})

test('jb-write fails a row of jb-score that was given an error, as jb-aggregate does', async () => {
  const { text } = await staged(scoreSpec, score, [], ndjson([0, 1].map((n) => game('p', n, 2, 'A>B'))))
  const failed = objects(text).map(({ jb: { result: _, ...jb }, ...row }) => ({
    ...row,
    jb: { ...jb, error: { stage: 'call', code: 'timeout', message: 'x' } },
  }))
  assert.deepEqual((await report(failed)).failures, { timeout: 1 })
  assert.match((await written(failed, 'csv')).text, /timeout/)
})
