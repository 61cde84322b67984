/** The same anchors judged again, and a judge's errors on items that have labels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { card, run } from './_audit.ts'

const rows = (said: (i: number) => unknown, more: (i: number) => object = () => ({})) =>
  Array.from({ length: 100 }, (_, i) => ({ id: `i${i}`, said: said(i), ...more(i) }))

const before = (t: Parameters<typeof folder>[0], anchors: object[]) =>
  `${folder(t, { 'anchors.ndjson': ndjson(anchors) })}/anchors.ndjson`

test('--since: a judge that says yes less often has drifted, one that moved both ways alike has not', async (t) => {
  const anchors = before(
    t,
    rows((i) => Number(i % 2)),
  )
  const since = ['--value', 'said', '--since', anchors, '--fail-drift', '0.02']
  const harsher = await run(
    since,
    rows((i) => Number(i % 2 && i > 20)),
  )
  assert.equal(harsher.ending?.code, 1)
  assert.match(
    harsher.ending!.message,
    /^the judge has drifted: the score changed by −0\.100 \(.*\) on the same 100 anchors: a drift of more than --fail-drift 0\.02$/,
  )
  const kinder = await run(
    since,
    rows((i) => Number(i % 2 || i > 80)),
  )
  assert.equal(kinder.ending?.code, 1)
  const turned = await run(
    since,
    rows((i) => Number(i < 10 ? !(i % 2) : i % 2)),
  )
  assert.equal(turned.ending, undefined)
  const { drift, conclusion } = await card(
    since,
    rows((i) => Number(i < 10 ? !(i % 2) : i % 2)),
  )
  assert.deepEqual([drift.anchors, drift.items, drift.moved, drift.difference], [100, 100, 10, 0])
  assert.match(conclusion.drift, /^no drift beyond chance: .*; 10 % of 100 verdicts are other than before$/)
})

test('--since: with labels it is the share that is right; too few anchors, and words, miss the gate', async (t) => {
  const human = (i: number) => ({ human: Number(i % 2) })
  const anchors = before(
    t,
    rows((i) => Number(i % 2), human),
  )
  const since = ['--value', 'said', '--truth', 'human', '--since', anchors, '--fail-drift', '0.02']
  const { drift } = await card(
    since,
    rows((i) => Number(i < 30 ? !(i % 2) : i % 2)),
  )
  assert.deepEqual(
    [drift.value, drift.labelled, drift.mean_before, drift.mean_now, drift.difference],
    ['correct', 100, 1, 0.7, -0.3],
  )
  const few = await run(since, rows((i) => Number(i % 2)).slice(0, 50))
  assert.equal(few.ending?.code, 1)
  assert.match(few.ending!.message, /^50 of the 100 items of before have an outcome in both runs/)
  const words = before(
    t,
    rows(() => 'red'),
  )
  const { ending } = await run(
    ['--value', 'said', '--since', words, '--fail-drift', '0.1'],
    rows(() => 'blue'),
  )
  assert.deepEqual(
    [ending?.code, ending?.message],
    [1, 'drift cannot be measured: verdicts are words without an amount: only how many moved is known'],
  )
})

test('--calibration: without rows of the judge, or labels of both kinds, there is no estimate, and it says why', async (t) => {
  const estimate = async (labelled: object[]) => {
    const { corrected } = await card(
      ['--value', 'said', '--calibration', before(t, labelled)],
      rows((i) => i % 2),
    )
    return [corrected.estimate, corrected.reason]
  }
  assert.deepEqual(await estimate([{ id: 'x', said: 1 }]), [
    null,
    'no row of --calibration is of this judge and has a label',
  ])
  assert.deepEqual(await estimate([{ id: 'x', said: 1, label: 1 }]), [
    null,
    'all labels of --calibration are yes: the errors on the others are not known',
  ])
})

/** Verdicts of a judge on twenty anchors, with what a row says of how it was asked. */
const judged = (
  jb: { model?: string; served?: string; temperature?: number; sample?: number } & object = {},
) => {
  const { model = 'm', served, temperature = 0, sample, ...more } = jb
  return Array.from({ length: 20 }, (_, i) => ({
    label: i % 2 ? 'A>B' : 'B>A',
    jb: {
      ...{ judge: 'j', judge_digest: 'd1', item: `i${i}` },
      trial: { n: 0, of: 1, order: 'AB', ...(sample !== undefined && { sample }) },
      request: { messages: [], temperature },
      reply: { text: 't', model, ...(served !== undefined && { served_model: served }) },
      verdict: { label: 'A', decision: i % 3 ? 'A>B' : 'B>A' },
      ...more,
    },
  }))
}

test('--since: another judge, digest, model, samples or parameters: exit 65, with all that differs', async (t) => {
  const since = (then: object[]) => ['--since', before(t, then)]
  const same = await card(since(judged({ served: 'm-1' })), judged({ served: 'm-2' }))
  assert.match(
    same.drift.sentence,
    /^m \(served by m-1 then, m-2 now\): no drift beyond chance: the share that is right changed by 0\.0 points/,
  )
  assert.deepEqual(same.drift.judged_now, {
    ...{ judge: 'j', digest: 'd1', model: 'm', served_models: ['m-2'] },
    ...{ orders: ['AB'], samples: 1, parameters: { temperature: 0 }, items: 20 },
  })
  assert.deepEqual(same.drift.judged_before.served_models, ['m-1'])
  const refused = (now: object[], message: RegExp) =>
    assert.rejects(run(since(judged()), now), (error: Error & { code?: number }) => {
      assert.match(error.message, message)
      return true
    })
  await refused(
    judged({ model: 'n' }),
    /^--since: not the same judge: model m then, n now \(--bridge compares two judges\)$/,
  )
  await refused(
    judged({ judge_digest: 'd2', temperature: 1, sample: 1 } as object),
    /: digest d1 then, d2 now; samples 1 then, 2 now; temperature 0 then, 1 now \(/,
  )
  await refused(judged({ judge: 'k' } as object), /judge j then, k now/)
})

test('--since: what only one side says is noted; a judge of several without earlier rows, too', async (t) => {
  const anchors = ['--since', before(t, judged())]
  const { notes } = await run(
    anchors,
    judged().map(({ label, jb: { request: _, ...jb } }) => ({ label, jb })),
  )
  assert.match(
    notes.join('\n'),
    /--since: parameters: only the rows of one side say it, and it is not compared/,
  )
  const several = await run(anchors, [...judged(), ...judged({ model: 'n' }), ...judged({ model: 'o' })])
  assert.match(
    several.notes.join('\n'),
    /--since: no earlier row is of j · n\n--since: no earlier row is of j · o/,
  )
})
