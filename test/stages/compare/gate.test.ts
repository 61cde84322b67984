/** The gates of a comparison: a loss beyond chance, a loss not excluded, items that are not there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missedGate } from '../../../src/scoring/difference_gate.ts'
import { conclude } from '../../../src/scoring/difference_verdict.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'

/** a, the base, with 100 items, and b's difference from it. */
const pair = (difference: number, ci: [number, number] | null, p: number, items = 100) => ({
  ...{ a: 'old', b: 'new', value: 'correct', items, difference, ci, p, sentence: 'so it is' },
})
const missed = (figures: ReturnType<typeof pair>, gates: object) =>
  missedGate(figures, 100, { ci: 0.95, minCommon: 0.9, ...gates } as Parameters<typeof missedGate>[2])

test('--fail-worse: a loss beyond chance that is larger than D at the estimate', () => {
  const gate = { failWorse: 0.02 }
  assert.match(
    missed(pair(-0.104, [-0.198, -0.009], 0.03), gate)!,
    /so it is: worse by more than --fail-worse 0.02/,
  )
  assert.equal(missed(pair(-0.104, [-0.198, 0.009], 0.06), gate), undefined)
  assert.equal(missed(pair(-0.015, [-0.03, -0.009], 0.001), gate), undefined)
  assert.equal(missed(pair(0.1, [0.05, 0.2], 0.001), gate), undefined)
})

test('--fail-unless-level: the interval has to exclude a loss of D', () => {
  const gate = { failUnlessLevel: 0.05 }
  assert.match(missed(pair(0, [-0.06, 0.06], 1), gate)!, /a loss of --fail-unless-level 0.05 is not excluded/)
  assert.match(missed(pair(0, [-0.05, 0.05], 1), gate)!, /not excluded/)
  assert.equal(missed(pair(-0.01, [-0.04, 0.02], 0.5), gate), undefined)
  assert.equal(missed(pair(0, null, 1), gate), undefined, 'a run from the cache')
  assert.match(missed(pair(0, null, 1, 1), { ...gate, minCommon: 0 })!, /not excluded/)
})

test('the word for a gate that is passed is level, or better', () => {
  const said = (figures: ReturnType<typeof pair>) => conclude(figures, { ci: 0.95, failUnlessLevel: 0.05 })
  assert.deepEqual(said(pair(-0.01, [-0.04, 0.02], 0.5)), {
    verdict: 'level',
    sentence: 'new is level with old within a loss of 5.0 points: −1.0 points (−4.0 to 2.0)',
  })
  // A loss beyond chance, and smaller than that of the gate.
  assert.equal(said(pair(-0.02, [-0.03, -0.01], 0.001)).verdict, 'level')
  assert.equal(said(pair(0, null, 1)).verdict, 'level')
  assert.equal(said(pair(0.1, [0.05, 0.2], 0.001)).verdict, 'better')
  assert.equal(said(pair(0, [-0.06, 0.06], 1)).verdict, 'undecided')
  assert.equal(said(pair(-0.1, [-0.2, -0.06], 0.001)).verdict, 'worse')
})

test('--min-common: of few items neither gate can pass', () => {
  for (const gate of [{ failWorse: 0.5 }, { failUnlessLevel: 0.5 }]) {
    assert.match(
      missed(pair(-0.1, [-0.2, 0], 0.04, 89), gate)!,
      /^89 of the 100 items of old have an outcome in both/,
    )
    assert.equal(missed(pair(0.1, [0, 0.2], 0.04, 90), gate), undefined)
    assert.equal(missed(pair(0.1, [0, 0.2], 0.04, 8), { ...gate, minCommon: 0.05 }), undefined)
  }
})

test('the command: failed items are the base’s too; a base has to be named; limits are shares', async (t) => {
  const result = (id: number, ok: boolean) => ({
    id,
    jb: {
      judge: 'j',
      item: `${id}`,
      ...(ok ? { result: { kind: 'pairwise', correct: true } } : { error: TIMEOUT }),
    },
  })
  const rows = (failed: number) => ndjson(Array.from({ length: 20 }, (_, id) => result(id, id >= failed)))
  const cwd = folder(t, { base: rows(0), few: rows(3), some: rows(2) })
  const gate = (files: string[], ...more: string[]) =>
    jb('compare', ['-q', ...files, '--fail-worse', '0.1', ...more], { cwd })
  const err = /17 of the 20 items of base have an outcome in both runs, fewer than --min-common 0.9 asks for/
  expect(await gate(['base', 'few']), { code: 1, err })
  expect(await gate(['few', 'base']), { code: 1 })
  expect(await gate(['base', 'some']), { code: 0 })
  expect(await gate(['base', 'few'], '--min-common', '0.8'), { code: 0 })
  expect(await gate(['base', 'some'], '--fail-unless-level', '5'), {
    code: 2,
    err: /--fail-unless-level 5: a difference of shares is 0 to 1 \(0.05\?\)/,
  })
  expect(await gate(['base']), {
    code: 2,
    err: /a gate needs to know the base: give two files, the base first/,
  })
})

const TIMEOUT = { stage: 'call', code: 'timeout', message: 'too late' }
