/**
 * Leaderboards as their originals published them, from their recorded files. A part of `make test-long`: bootstraps
 * and fits of so many battles take a minute.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { spec } from '../../../src/stages/rank/options.ts'
import { rank } from '../../../src/stages/rank/rank.ts'
import { spec as readSpec } from '../../../src/stages/read/options.ts'
import { read } from '../../../src/stages/read/read.ts'
import { sharedData } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { lineOf, PUBLISHED } from './_alpaca.ts'

const run = (args: string[], stdin?: string) => staged(spec, rank, args, stdin)
const board = async (args: string[], stdin?: string) =>
  new Map(objects((await run(args, stdin)).text).map((one) => [one.model, one]))
const input = async (...args: string[]) => (await staged(readSpec, read, args)).text
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

function near(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(
    Math.abs(actual - expected) <= tolerance,
    `${what}: ${actual}, expected ${expected} ± ${tolerance}`,
  )
}

test('arena-hard v0.1: scores, clustered errors, both bootstraps, style control', async (t) => {
  const path = sharedData(t, 'leaderboards/arena_hard_v0.1/expected.json')
  if (path === undefined) return
  const expected = json(path)
  const battles = path.replace('expected.json', 'arena_hard_battles.jsonl.gz')
  const closed = await board([battles])
  const byItem = await board([battles, '--bootstrap', '1000'])
  const original = await board([battles, '--compat', 'arena-hard'])
  for (const [model, expect] of Object.entries<Record<string, never>>(expected.models)) {
    if (model === expected.baseline) continue
    const one = closed.get(model)
    near(one.score, expect.mean_score!, 1e-6, model)
    assert.deepEqual(
      [one.battles, one.items, one.wins, one.ties, one.losses],
      [expect.battles, expect.questions, expect.wins, expect.ties, expect.losses],
    )
    near(one.se, expect.question_clustered_se!, 0.005, `${model} clustered`)
    near(one.rating, expect.elo!, 2e-3, `${model} elo`)
    const slack = 4 * 0.085 * one.se
    for (const [i, level] of [
      [0, '2.5'],
      [1, '97.5'],
    ] as const) {
      near(
        byItem.get(model).ci[i],
        expect.question_bootstrap_pct![level],
        slack,
        `${model} questions ${level}`,
      )
      near(original.get(model).ci[i], expect.row_bootstrap_pct![level], slack, `${model} rows ${level}`)
    }
  }
  const rows = await input(
    'arena-battles',
    battles,
    '--answers',
    path.replace('expected.json', 'model_answer'),
  )
  for (const kind of ['style', 'length', 'markdown']) {
    const styled = await board(['--compat', 'arena-hard', '--control', kind, '--bootstrap', '0'], rows)
    for (const [model, score] of Object.entries<number>(expected.style_control[kind].exact_score))
      near(styled.get(model).score, score, 1e-3, `${kind} ${model}`)
  }
  // The original's own table and CSV.
  const { text } = await run([battles, '--compat', 'arena-hard', '--as', 'arena-hard'])
  assert.match(
    text,
    /^gpt-4-0613 {20} \| score: 37\.9 {2}\| 95% CI: +\(-2\.\d, 2\.\d\) +\| average #tokens: 0$/m,
  )
  assert.match(
    (await run([battles, '--compat', 'arena-hard', '--as', 'arena-hard-csv'])).text,
    /^gpt-3.5-turbo-0125,23.34,/m,
  )
})

test('ko-arena-hard: published Elo and scores, from judgments; style control', async (t) => {
  const path = sharedData(t, 'leaderboards/ko_arena_hard/expected.json')
  if (path === undefined) return
  const expected = json(path)
  const folder = path.replace('/expected.json', '')
  const rows = await input('arena-hard', folder, '--answers', `${folder}/model_answer`)
  const original = await board(['--compat', 'arena-hard', '--bootstrap', '1'], rows)
  const votes = await board([], rows)
  const firsts = objects(rows).filter(({ jb }) => jb.trial.n === 0)
  for (const { jb } of firsts) jb.trial.of = 1
  const first = await board(['--strong', '3'], ndjson(firsts))
  for (const [model, expect] of Object.entries<Record<string, never>>(expected.models)) {
    if (model === expected.baseline) continue
    const published = (expect.published_20250423 ?? {}) as {
      elo_score?: number
      score?: number
      avg_tokens?: number
    }
    near(original.get(model).rating, expect.elo!, 2e-3, `${model} elo`)
    if (published.score !== undefined) {
      assert.equal(original.get(model).score.toFixed(2), published.score.toFixed(2), model)
      near(Math.trunc(original.get(model).avg_tokens), published.avg_tokens!, 0, `${model} tokens`)
    }
    near(votes.get(model).score, expected.weight_1_mean[model], 1e-6, `${model} one vote`)
    near(first.get(model).score, expected.first_game_only_mean[model], 1e-6, `${model} first game`)
  }
  for (const [kind, expect] of Object.entries<Record<string, Record<string, number>>>({
    style: expected.style_control.style,
  })) {
    const penalised = await board(['--compat', 'arena-hard', '--control', kind, '--bootstrap', '0'], rows)
    const free = await board(['--strong', '3', '--control', kind], rows)
    for (const [model, score] of Object.entries(expect.exact_score!)) {
      near(penalised.get(model).score, score, 1e-3, `${kind} ${model}`)
      near(penalised.get(model).score, expect.orig_score![model]!, 0.08, `${kind} ${model} as printed`)
      near(free.get(model).score, expect.unpenalised_score![model]!, 1e-3, `${kind} ${model} unpenalised`)
    }
    const controls = objects(
      (await run(['--strong', '3', '--control', kind, '--show', 'controls'], rows)).text,
    )
    for (const [i, { coefficient }] of controls.entries())
      near(
        coefficient,
        (expect.unpenalised_coef as unknown as number[])[i]!,
        1e-4,
        `${kind} coefficient ${i}`,
      )
  }
})

test('arena-hard v2.0: categories, null games, style control by densities', async (t) => {
  const path = sharedData(t, 'leaderboards/arena_hard_v2.0/expected.json')
  if (path === undefined) return
  const { categories } = json(path)
  const folder = path.replace('/expected.json', '')
  const rows = await input('arena-hard', folder, '--answers', `${folder}/model_answer`)
  const { text } = await run(['--compat', 'arena-hard-v2', '--by', 'category'], rows)
  const styled = objects(
    (
      await run(
        ['--compat', 'arena-hard-v2', '--by', 'category', '--control', 'style', '--bootstrap', '0'],
        rows,
      )
    ).text,
  )
  const plain = objects((await run(['--strong', '3', '--by', 'category'], rows)).text)
  const of = (all: { group?: string; model: string }[], group: string, model: string) =>
    all.find((one) => one.group === group && one.model === model) as never as Record<string, never>
  for (const [group, expect] of Object.entries<Record<string, Record<string, never>>>(categories)) {
    for (const [model, one] of Object.entries<Record<string, never>>(expect.models!)) {
      const found = of(objects(text), group, model)
      near(found.score!, one.mean!, 1e-6, `${group} ${model}`)
      near(of(plain, group, model).se!, one.question_clustered_se!, 0.01, `${group} ${model} clustered`)
      const slack = 4 * 0.07 * one.question_clustered_se!
      near(found.ci![0], one.row_bootstrap_pct!['5'], slack, `${group} ${model} 5 %`)
      near(found.ci![1], one.row_bootstrap_pct!['95'], slack, `${group} ${model} 95 %`)
    }
    for (const [model, score] of Object.entries<number>(expect.style_control!.exact_score as never))
      near(of(styled, group, model).score!, score, 0.01, `${group} ${model} style`)
  }
  const table = await run(['--compat', 'arena-hard-v2', '--by', 'category', '--as', 'arena-hard'], rows)
  assert.match(
    table.text,
    /^##### Category: hard_prompt #####\n {18}Model {2}Scores \(%\) +CI \(%\)\n0 +o3-high +88\.5 /m,
  )
})

test('battles: Bradley–Terry ratings, sandwich errors, ranks, wins of each pair', async (t) => {
  const path = sharedData(t, 'leaderboards/battles/expected.json')
  if (path === undefined) return
  for (const [name, expected] of Object.entries<Record<string, never>>(json(path))) {
    const file = path.replace('expected.json', `${name}.jsonl.gz`)
    const closed = await board([file])
    const drawn = await board([file, '--compat', 'chatbot-arena'])
    for (const [model, expect] of Object.entries<Record<string, never>>(expected.models!)) {
      const one = closed.get(model)
      near(one.rating, expect.rating!, 1e-6, `${name} ${model}`)
      near(one.rating, expect.fastchat_compute_bt!, 1e-3, `${name} ${model} as FastChat`)
      near(one.rating_se, expect.se_sandwich!, 2e-3, `${name} ${model} sandwich`)
      near(one.battles, expect.num_battles!, 0, `${name} ${model} battles`)
      near(one.ranks[0], expect.rank_by_sandwich_overlap!, 0, `${name} ${model} rank`)
      const slack = 4 * 0.085 * one.rating_se
      near(drawn.get(model).rating_ci[0], expect.bootstrap_q025!, slack, `${name} ${model} 2.5 %`)
      near(drawn.get(model).rating_ci[1], expect.bootstrap_q975!, slack, `${name} ${model} 97.5 %`)
    }
    const pairs = objects((await run([file, '--show', 'pairs'])).text)
    for (const { a, b, wins, ties, losses } of pairs)
      assert.deepEqual([wins, ties, losses], expected.pairs_win_tie_loss![`${a} | ${b}`])
  }
})

test('alpaca_eval: win rate, error, wins, draws, discrete, length, and length-controlled win rates', async (t) => {
  const path = sharedData(t, 'leaderboards/alpaca_eval/expected.json')
  if (path === undefined) return
  const expected = json(path)
  const difficulty = path.replace('expected.json', 'df_gamed_stand_in.csv.gz')
  for (const model of ['NullModel', 'phi-2', 'gpt4_1106_preview']) {
    const expect = expected[model]
    const rows = await input(
      'alpaca_eval',
      path.replace('expected.json', `results/${model}/${expect.annotator}/annotations.json.gz`),
    )
    const lc = expect.length_controlled_with_stand_in?.length_controlled_v1
    const ran = await run(
      [
        '--compat',
        'alpaca_eval',
        '--control',
        `length_controlled_v1=${difficulty}`,
        '--as',
        'alpaca_eval',
        '--bootstrap',
        '2',
      ],
      rows,
    )
    const row = lineOf(ran.text, model)
    for (const key of PUBLISHED) near(row[key]!, expect.published[key], 1e-6, `${model} ${key}`)
    near(row.avg_length!, expect.avg_length_all_outputs, 0, `${model} length`)
    if (model === 'gpt4_1106_preview') near(row.length_controlled_winrate!, 50, 0, 'the baseline')
    else if (lc) {
      near(row.length_controlled_winrate!, lc.exact.length_controlled_winrate, 1e-4, `${model} LC`)
      near(row.lc_standard_error!, lc.exact.lc_standard_error, 1e-5, `${model} LC error`)
    }
  }
  const rows = await input(
    'alpaca_eval',
    path.replace('expected.json', 'results/NullModel/weighted_alpaca_eval_gpt4_turbo/annotations.json.gz'),
  )
  await assert.rejects(run(['--control', 'length_controlled_v1'], rows), /needs alpaca_eval’s df_gamed.csv/)
  await assert.rejects(run(['--control', 'length_controlled_v1=/nowhere.csv'], rows), { exitCode: 66 })
})
