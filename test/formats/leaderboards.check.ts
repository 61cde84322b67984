/** Every file of the shared leaderboards that the quick tests leave out, to the tolerances of its README. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { overallOf } from '../../src/formats/_rewardbench.ts'
import { aggregate } from '../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../src/stages/aggregate/options.ts'
import { audit } from '../../src/stages/audit/audit.ts'
import { spec as auditSpec } from '../../src/stages/audit/options.ts'
import { compare } from '../../src/stages/compare/compare.ts'
import { spec as compareSpec } from '../../src/stages/compare/options.ts'
import { spec as parseSpec } from '../../src/stages/parse/options.ts'
import { parse } from '../../src/stages/parse/parse.ts'
import { spec as rankSpec } from '../../src/stages/rank/options.ts'
import { rank } from '../../src/stages/rank/rank.ts'
import { spec as readSpec } from '../../src/stages/read/options.ts'
import { read } from '../../src/stages/read/read.ts'
import { folder, sharedData } from '../helpers/folder.ts'
import { objects, staged } from '../helpers/stage.ts'
import { lineOf, PUBLISHED } from '../stages/rank/_alpaca.ts'

// biome-ignore lint/suspicious/noExplicitAny: figures of many shapes
type Any = any
const json = (path: string): Any => JSON.parse(readFileSync(path, 'utf8'))
const input = async (...args: string[]) => (await staged(readSpec, read, args)).text
const report = async (args: string[], rows: string) =>
  objects((await staged(aggregateSpec, aggregate, [...args, '--format', 'json'], rows)).text)[0]
const near = (actual: number, expected: number, tolerance: number, what: string) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, expected ${expected}`)

test('alpaca_eval: all models by every length control, all pairs of models', async (t) => {
  const path = sharedData(t, 'leaderboards/alpaca_eval/expected.json')
  if (path === undefined) return
  const difficulty = path.replace('expected.json', 'df_gamed_stand_in.csv.gz')
  const rowsOf = new Map<string, string>()
  for (const [name, expect] of Object.entries<Any>(json(path))) {
    const model = name.split(' / ')[0]!
    const file = path.replace('expected.json', `results/${model}/${expect.annotator}/annotations.json.gz`)
    const rows = await input('alpaca_eval', file)
    rowsOf.set(name, rows)
    const line = async (...args: string[]) => {
      const { text } = await staged(
        rankSpec,
        rank,
        ['--as', 'alpaca_eval', '--bootstrap', '2', ...args],
        rows,
      )
      return lineOf(text, model)
    }
    const raw = await line('--compat', 'alpaca_eval')
    for (const key of PUBLISHED)
      if (expect.published[key] !== null && expect.published[key] !== undefined)
        near(raw[key]!, expect.published[key], 1e-6, `${name} ${key}`)
    const of = expect.length_controlled_with_stand_in?.length_controlled_v1
    if (of === undefined) continue
    const found = await line('--compat', 'alpaca_eval', '--control', `length_controlled_v1=${difficulty}`)
    // The baseline against itself is 50 by definition.
    const exact = of.exact ?? of
    near(found.length_controlled_winrate!, exact.length_controlled_winrate, 0.02, name)
    near(found.length_controlled_winrate!, of.length_controlled_winrate, 0.2, `${name} as printed`)
    near(found.lc_standard_error!, exact.lc_standard_error, 0.01, `${name} error`)
  }
  const dir = folder(t)
  for (const [name, rows] of rowsOf) writeFileSync(`${dir}/${name.replaceAll(/\W/g, '_')}`, rows)
  const named = (name: string) => `${name}=${dir}/${name.replaceAll(/\W/g, '_')}`
  for (const pair of json(path.replace('expected', 'pairs_expected'))) {
    const files = [pair.a, pair.b].map(named)
    const args = ['--value', 'preference', '--id', 'question_id', ...files]
    const [found] = objects((await staged(compareSpec, compare, args)).text)
    assert.deepEqual([found!.items, found!.missing], [pair.n, { a: pair.only_in_b, b: pair.only_in_a }])
    // Its differences are a − b.
    near(found!.difference, -pair.difference, 1e-9, `${pair.a} ${pair.b}`)
    for (const [i, bound] of pair.t_ci.entries())
      near(found!.ci[1 - i], -bound, 1e-9, `${pair.a} ${pair.b} interval`)
    near(found!.p, pair.t_p, 1e-9, `${pair.a} ${pair.b} p`)
    near(found!.p_wilcoxon, pair.wilcoxon_approx_p, 1e-9, `${pair.a} ${pair.b} Wilcoxon`)
    near(found!.effect.d_z, -pair.d_z, 1e-9, `${pair.a} ${pair.b} d_z`)
    near(found!.mde, pair.mde_80, 1e-4, `${pair.a} ${pair.b} mde`)
  }
})

test('arena-hard: judgments with their text read again, and the battles of pictures', async (t) => {
  const path = sharedData(t, 'leaderboards/arena_hard_v0.1/with_text/expected.json')
  if (path === undefined) return
  for (const [name, expect] of Object.entries<Any>(json(path))) {
    const rows = await input('arena-hard', path.replace('expected.json', `${name}.jsonl.gz`))
    const again = objects(
      (await staged(parseSpec, parse, ['--judge', 'arena_hard', '--compat', 'judgebench'], rows)).text,
    )
    const before = objects(rows)
    const same = again.filter(({ jb }, i) => jb.verdict?.decision === before[i]!.jb.verdict?.decision)
    assert.deepEqual([again.length, same.length], [expect.games, expect.reparse_equal], name)
    for (const [compat, key] of [
      ['arena-hard', 'v0.1_mean_score_pct'],
      ['arena-hard-v2', 'v2_mean_score_pct'],
    ] as const) {
      const [first] = objects(
        (await staged(rankSpec, rank, ['--compat', compat, '--bootstrap', '1'], rows)).text,
      ).filter(({ model, against }) => model !== against)
      near(first!.score, expect[key], 1e-6, `${name} ${compat}`)
    }
  }
  const battles = path.replace('with_text/expected.json', 'vision_battles.jsonl.gz')
  const { models, baseline } = json(battles.replace('.jsonl.gz', '.expected.json'))
  const found = objects(
    (await staged(rankSpec, rank, ['--baseline', baseline, '--cluster', 'none', battles])).text,
  )
  for (const { model, score, rating, battles } of found) {
    if (model === baseline) continue
    near(score, models[model].mean_score, 1e-6, model)
    near(rating, models[model].orig_elo, 2e-3, `${model} Elo`)
    assert.equal(battles, models[model].battles)
  }
})

test('LLMBar: six evaluators in five subsets, their kappas, position and pairs', async (t) => {
  const path = sharedData(t, 'leaderboards/llmbar/expected.json')
  if (path === undefined) return
  const { evaluators, pairs_swap_False } = json(path)
  const dir = folder(t)
  const subsets = ['Natural', 'Neighbor', 'GPTInst', 'GPTOut', 'Manual']
  const file = (evaluator: string) => `${dir}/${evaluator.replace('/', '-')}`
  for (const [evaluator, expect] of Object.entries<Any>(evaluators)) {
    const rows = await input(
      'llmbar',
      ...subsets.map((subset) =>
        path.replace(
          'expected.json',
          `Dataset/LLMBar/${subset === 'Natural' ? '' : 'Adversarial/'}${subset}/evaluators/${evaluator}/result.json.gz`,
        ),
      ),
    )
    // The first game alone, as its published figures have it.
    const firstGames = rows
      .split('\n')
      .filter((line) => line.includes('"order":"AB"'))
      .map((line) => line.replace('"n":0,"of":2', '"n":0,"of":1'))
    const both = await report(['--combine', 'agree', '--by', 'subset'], rows)
    const first = await report(['--by', 'subset'], `${firstGames.join('\n')}\n`)
    assert.equal(first!.correct, expect.correct_False, evaluator)
    assert.equal(both!.correct, expect.correct_both, evaluator)
    for (const subset of subsets) {
      const [correct, of] = String(expect.published_statistics[subset].correct_False)
        .match(/\d+/g)!
        .map(Number)
      assert.deepEqual(
        [first!.by.subset[subset].correct, first!.by.subset[subset].items],
        [correct, of],
        subset,
      )
      const [same] = String(expect.published_statistics[subset].correct_both).match(/\d+/g)!.map(Number)
      assert.equal(both!.by.subset[subset].correct, same, subset)
    }
    const card = objects(
      (await staged(auditSpec, audit, ['--truth', 'label'], `${firstGames.join('\n')}\n`)).text,
    )
    const agreement = card.find(({ section }) => section === 'agreement')!
    // Where the reference has no winner it counts a third label; here that item failed.
    if (expect.no_winner === 0)
      near(agreement.kappa, expect.kappa_False_true_labels, 1e-9, `${evaluator} kappa`)
    writeFileSync(file(evaluator), firstGames.join('\n'))
  }
  for (const pair of pairs_swap_False) {
    const args = [`a=${file(pair.a)}`, `b=${file(pair.b)}`]
    const [found] = objects((await staged(compareSpec, compare, args)).text)
    // An item without a winner is wrong there, and missing here.
    if (found!.items !== pair.n) continue
    // There differences are a − b.
    assert.deepEqual([found!.losses, found!.wins], [pair.only_a, pair.only_b])
    near(found!.p, pair.mid_p, 1e-9, 'mid-p')
    for (const [i, bound] of pair.newcombe_95.entries()) near(found!.ci[1 - i], -bound, 1e-9, 'Newcombe')
    near(found!.effect.cohens_h, -pair.cohens_h, 1e-9, 'h')
    const [exact] = objects((await staged(compareSpec, compare, ['--exact', ...args])).text)
    near(exact!.p, pair.exact_p, 1e-9, 'exact p')
  }
})

test('RewardBench: published rows are means of their sections', (t) => {
  const path = sharedData(t, 'leaderboards/rewardbench/leaderboard_v1.jsonl')
  if (path === undefined) return
  const SECTIONS = ['Chat', 'Chat Hard', 'Safety', 'Reasoning']
  let [four, withPrior] = [0, 0]
  for (const row of objects(readFileSync(path, 'utf8')).filter((one) =>
    SECTIONS.every((key) => key in one),
  )) {
    const sections = SECTIONS.map((key) => row[key] as number)
    const prior = row['Prior Sets (0.5 weight)'] ?? null
    const close = (overall: number) => Math.abs(overall - row.Score) < 2e-4
    if (prior !== null && close(overallOf(sections, prior)!)) withPrior++
    else {
      assert.ok(close(overallOf(sections, null)!), JSON.stringify(row))
      four++
    }
  }
  assert.ok(four > 0 && withPrior > 0)
  for (const row of objects(readFileSync(path.replace('v1', 'v2'), 'utf8'))) {
    const domains = ['Factuality', 'Precise IF', 'Math', 'Safety', 'Focus', 'Ties'].map(
      (key) => row[key] as number,
    )
    near(overallOf(domains, null)!, row.Score, 2e-4, row.model)
  }
})
