/** jb-compare on recorded judges and alpaca_eval’s runs: the figures of SciPy. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { spec as parseSpec } from '../../../src/stages/parse/options.ts'
import { parse } from '../../../src/stages/parse/parse.ts'
import { spec as readSpec } from '../../../src/stages/read/options.ts'
import { read } from '../../../src/stages/read/read.ts'
import { folder, sharedData } from '../../helpers/folder.ts'
import { staged } from '../../helpers/stage.ts'
import { figures, near } from './_compare.ts'

const oracle = JSON.parse(
  readFileSync(new URL('../../../fixtures/statistics/oracle.json', import.meta.url), 'utf8'),
)

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
  assert.deepEqual([pair.items, pair.losses, pair.wins], [350, counts[1], counts[2]])
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
    // They are recorded as a − b.
    near(pair.difference, -expect.difference, 1e-9, `${a} ${b}`)
    near(pair.ci, [-expect.t_ci[1], -expect.t_ci[0]], 1e-9, `${a} ${b} interval`)
    near(pair.p, expect.t_p, 1e-9, `${a} ${b} p`)
    near(pair.p_wilcoxon, expect.wilcoxon_approx_p, 1e-9, `${a} ${b} Wilcoxon`)
    near(pair.mde, expect.mde_80, 1e-6, `${a} ${b} mde`)
    near(pair.effect.d_z, -expect.d_z, 1e-9, `${a} ${b} d_z`)
  }
})
