/** jb-rank --control: features of the answers, and where they give no figure. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { objects } from '../../helpers/stage.ts'
import { board, fight, gamedAnswers, run } from './_rank.ts'

type Game = { a: number; b: number; y: number; tokens: [number, number] }

test('--control style: counts of the answers themselves, where none stand in the row', async () => {
  const texts = ['# a\n- b\n1. c\n**d**', '```\n# no\n```\n__e__ f', '## w', '- x\n- y **z** **u**\n## t']
  const counts = [
    [18, 1, 2, 1],
    [20, 0, 0, 1],
    [4, 1, 0, 0],
    [24, 1, 2, 2],
  ].map(([tokens, header, list, bold]) => ({ tokens, header, list, bold }))
  const hash = (i: number) => Math.imul(i + 1, 2654435761) >>> 9
  const games = Array.from({ length: 40 }, (_, i) => [hash(i) % 4, hash(i + 99) % 4] as const)
  const winner = (i: number) => ['model_a', 'model_b', 'tie'][hash(i + 7) % 3]
  const row = (i: number) => ({ model_a: `m${i % 2}`, model_b: `m${2 + (i % 3)}`, winner: winner(i) })
  const counted = games.map(([x, y], i) => ({
    ...row(i),
    conv_metadata: Object.fromEntries(
      [counts[x]!, counts[y]!].flatMap(({ tokens, ...rest }, side) => [
        [`sum_assistant_${'ab'[side]}_tokens`, tokens],
        ...Object.entries(rest).map(([name, n]) => [`${name}_count_${'ab'[side]}`, n]),
      ]),
    ),
  }))
  const args = ['--control', 'style', '--ridge', '1', '--show', 'controls']
  const expected = (await run(args, counted)).text
  assert.match(expected, /"bold"/)
  const pairs = games.map(([x, y], i) => ({ ...row(i), response_A: texts[x], response_B: texts[y] }))
  assert.equal((await run(args, pairs)).text, expected)
  const said = (text?: string) => [
    { role: 'user', content: '# no' },
    { role: 'assistant', content: text },
  ]
  const conversations = games.map(([x, y], i) => ({
    ...row(i),
    conversation_a: said(texts[x]),
    conversation_b: said(texts[y]),
  }))
  assert.equal((await run(args, conversations)).text, expected)
})

test('--compat chatbot-arena --control: the optimum of FastChat’s penalised objective, as SciPy finds it', async () => {
  const oracle = readFileSync(new URL('../../../fixtures/statistics/oracle.json', import.meta.url), 'utf8')
  const { games, rating, coefficient } = JSON.parse(oracle).style_control
  const rows = games.map(({ a, b, y, tokens: [tokens_a, tokens_b] }: Game, id: number) => ({
    id,
    model_a: `m${a}`,
    model_b: `m${b}`,
    winner: y === 1 ? 'model_a' : 'model_b',
    conv_metadata: { sum_assistant_a_tokens: tokens_a, sum_assistant_b_tokens: tokens_b },
  }))
  const args = ['--compat', 'chatbot-arena', '--bootstrap', '0', '--control', 'length']
  const found = await board(args, rows)
  for (const [i, one] of rating.entries()) assert.ok(Math.abs(found.get(`m${i}`).rating - one) < 1e-3)
  const [control] = objects((await run([...args, '--show', 'controls'], rows)).text)
  assert.ok(Math.abs(control.coefficient - coefficient) < 1e-6)
})

test('battles without the features of --control are told, not taken for none', async () => {
  const { ending, notes } = await run(['--control', 'len'], fight('x', 'y', 'tie', 2))
  assert.equal(ending!.message, 'nothing was ranked: no battle has what --control needs')
  assert.match(
    notes.join('\n'),
    /2 battles lack what --control len needs, left out: numbers in len_a and len_b, or/,
  )
  // A failed game beside them is not why.
  const failed = { question_id: 'f', model_a: 'x', model_b: 'y', winner: null }
  const without = await run(['--control', 'style'], [...fight('x', 'y', 'tie', 2), failed])
  assert.equal(without.ending!.message, 'nothing was ranked: no battle has what --control needs')
  assert.match(without.notes.join('\n'), /style needs, left out: counts in conv_metadata \(.*--answers DIR\)/)
  const apart = [...fight('x', 'y', 'tie'), ...fight('p', 'q', 'tie')].map((row, len) => ({ ...row, len }))
  await assert.rejects(run(['--control', 'len'], apart), /not connected with the others.*--ridge 1/)
  assert.equal((await board(['--control', 'len', '--ridge', '1'], apart)).size, 4)
})

test('a feature that is the same in all battles has no coefficient, and changes no score', async () => {
  const rows = [
    ...fight('x', 'y', 'model_a', 2),
    ...fight('x', 'y', 'model_b'),
    ...fight('x', 'y', 'tie'),
  ].map((row, i) => ({ ...row, len: i, same: 0.1 }))
  const args = ['--control', 'len', '--show', 'controls']
  const [length, same] = objects((await run([...args, '--control', 'same'], rows)).text)
  assert.deepEqual(length, objects((await run(args, rows)).text)[0])
  assert.deepEqual([same!.coefficient, same!.se], [null, null])
})

test('length control of two annotators at once has no figure, and says how to get one', async (t) => {
  const rows = ['j1', 'j2'].flatMap((annotator) =>
    Array.from({ length: 20 }, (_, index) => ({
      instruction: `do ${index}`,
      index,
      annotator,
      generator_1: 'base',
      generator_2: 'm',
      output_1: 'x'.repeat(1 + ((index * 7) % 11)),
      output_2: 'x'.repeat(1 + ((index * 5) % 13)),
      preference: 1 + ((index * 3) % 10) / 10,
    })),
  )
  const args = ['--control', gamedAnswers(t), '--bootstrap', '2']
  const { text, notes } = await run([...args, '--by', 'annotator'], rows)
  const of = objects(text).filter(({ model }) => model === 'm')
  assert.deepEqual(
    of.map(({ group, length_controlled_winrate: lc }) => [group, typeof lc]),
    [
      ['j1', 'number'],
      ['j2', 'number'],
      [undefined, 'undefined'],
    ],
  )
  assert.match(
    notes.join('\n'),
    /m: no length-controlled win rate: rows of several files or annotators \(--by annotator ranks each\)/,
  )
})

test('--control is refused with --method mean: its scores would be those of Bradley–Terry', async () => {
  await assert.rejects(
    run(['--control', 'length', '--method', 'mean'], []),
    /--control length does not go with --method mean: it is a Bradley–Terry model \(--method bt\)/,
  )
})

test('numbers that are texts, as in rows of CSV: preferences, and lengths to control for', async () => {
  const texts = (rows: object[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)])))
  const rows = [1, 2, 1.25, 1.5, 1.75, 2].map((preference, i) => ({
    id: i,
    generator_1: 'x',
    generator_2: 'y',
    preference,
    len_a: (i * 7) % 5,
    len_b: (i * 5) % 4,
  }))
  for (const args of [[], ['--control', 'len'], ['--method', 'bt']])
    assert.equal((await run(args, texts(rows))).text, (await run(args, rows)).text)
  assert.equal(objects((await run([], texts(rows))).text)[0].battles, 6)
})
