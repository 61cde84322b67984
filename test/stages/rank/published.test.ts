/** Two published leaderboards, in closed form. All of them, with style control and bootstraps: published.check.ts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { spec } from '../../../src/stages/rank/options.ts'
import { rank } from '../../../src/stages/rank/rank.ts'
import { sharedData } from '../../helpers/folder.ts'
import { objects, staged } from '../../helpers/stage.ts'

type Expected = { models: Record<string, Record<string, number>>; baseline?: string }
const near = (actual: number, expected: number, tolerance: number, what: string) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, expected ${expected}`)
const board = async (...args: string[]) => objects((await staged(spec, rank, args)).text)

test('arena-hard v0.1: scores and clustered errors', async (t) => {
  const path = sharedData(t, 'leaderboards/arena_hard_v0.1/expected.json')
  if (path === undefined) return
  const { models, baseline }: Expected = JSON.parse(readFileSync(path, 'utf8'))
  const found = await board(path.replace('expected.json', 'arena_hard_battles.jsonl.gz'))
  assert.equal(found.length, Object.keys(models).length)
  for (const { model, score, se, rating } of found) {
    if (model === baseline) continue
    near(score, models[model]!.mean_score!, 1e-6, model)
    near(se, models[model]!.question_clustered_se!, 0.005, `${model} clustered`)
    near(rating, models[model]!.elo!, 2e-3, `${model} elo`)
  }
})

test('battles: Bradley–Terry ratings, sandwich errors, ranks', async (t) => {
  const path = sharedData(t, 'leaderboards/battles/expected.json')
  if (path === undefined) return
  const all: Record<string, Expected> = JSON.parse(readFileSync(path, 'utf8'))
  const [name, { models }] = Object.entries(all)[0]!
  for (const one of await board(path.replace('expected.json', `${name}.jsonl.gz`))) {
    const expected = models[one.model]!
    near(one.rating, expected.rating!, 1e-6, one.model)
    near(one.rating_se, expected.se_sandwich!, 2e-3, `${one.model} sandwich`)
    assert.equal(one.ranks[0], expected.rank_by_sandwich_overlap, one.model)
  }
})
