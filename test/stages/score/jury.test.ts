/** --jury: several judges or models of an item come to one result. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../../src/stages/aggregate/options.ts'
import { audit } from '../../../src/stages/audit/audit.ts'
import { spec as auditSpec } from '../../../src/stages/audit/options.ts'
import { spec as rankSpec } from '../../../src/stages/rank/options.ts'
import { rank } from '../../../src/stages/rank/rank.ts'
import { spec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { type AnyRow, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

const ask = (item: string, judge: string, model: string, jb: object) => ({
  id: item,
  label: 'A>B',
  jb: { judge, item, trial: { n: 0, of: 1, order: 'AB' }, ...jb, reply: { text: '', model } },
})
const vote = (item: string, model: string, decision: string, usage?: object) => {
  const row = ask(item, 'vanilla', model, { verdict: { label: decision, decision } })
  return { ...row, jb: { ...row.jb, reply: { ...row.jb.reply, ...(usage && { usage }) } } }
}
const failure = (item: string, model: string) => ({
  id: item,
  label: 'A>B',
  jb: {
    judge: 'vanilla',
    item,
    trial: { n: 0, of: 1 },
    error: { stage: 'call', code: 'timeout', message: 'no answer', retryable: true, model },
  },
})
const grade = (item: string, model: string, score: number, range = [1, 10]) =>
  ask(item, 'rating', model, { verdict: { label: String(score), score, range } })

const jury = (args: string[], rows: object[]) => staged(spec, score, ['--jury', ...args], ndjson(rows))
const rowsOf = (text: string) => objects(text) as AnyRow[]
const decisions = (text: string) => rowsOf(text).map(({ jb }) => jb.result?.decision ?? jb.error!.code)

test('most votes decide, and an even vote is a tie; with votes of its own a member counts as several', async () => {
  const said = { p: ['A>B', 'A>B', 'B>A'], q: ['A>B', 'B>A', 'A=B'], r: ['A>B', 'A=B', 'A=B'] }
  const rows = Object.entries(said).flatMap(([item, all]) =>
    all.map((decision, i) => vote(item, `m${i}`, decision)),
  )
  const { text } = await jury(['majority'], rows)
  assert.deepEqual(decisions(text), ['A>B', 'A=B', 'A=B'])
  assert.deepEqual(decisions((await jury(['mean'], rows)).text), ['A>B', 'A=B', 'A>B'])
  assert.deepEqual(decisions((await jury(['weighted:m0=3'], rows)).text), ['A>B', 'A>B', 'A>B'])
  assert.deepEqual(decisions((await jury(['weighted:m2=2'], rows)).text), ['A=B', 'A=B', 'A=B'])
  const [first] = rowsOf(text)
  assert.deepEqual(
    [first!.jb.judge, first!.jb.result!.model, first!.jb.result!.correct, first!.jb.trials!.length],
    ['jury', 'majority of 3', true, 3],
  )
  // Rows in another order, and those of jb-score, come to the same.
  const turned = await jury(['majority'], rows.toReversed())
  assert.deepEqual(decisions(turned.text).toReversed(), decisions(text))
  const scored = await staged(spec, score, [], ndjson(rows))
  assert.deepEqual(decisions((await jury(['majority'], objects(scored.text))).text), decisions(text))
  const named = rows.map((row) => ({ ...row, jb: { ...row.jb, item: `${row.jb.item} of the user’s` } }))
  const scoredNamed = await staged(spec, score, [], ndjson(named))
  const [one] = rowsOf((await jury(['majority'], objects(scoredNamed.text))).text)
  assert.deepEqual([one!.jb.item, one!.jb.result], ['p of the user’s', first!.jb.result])
})

test('a member that failed, or has no row, fails the item, unless a quorum is enough; it is always told', async () => {
  const rows = [
    ...['m0', 'm1', 'm2'].map((model) => vote('p', model, 'A>B', { total_tokens: 10 })),
    ...[vote('q', 'm0', 'A>B'), vote('q', 'm1', 'B>A'), failure('q', 'm2')],
    ...[vote('r', 'm0', 'B>A'), vote('r', 'm1', 'B>A')],
  ]
  const { text, notes } = await jury(['majority'], rows)
  assert.deepEqual(decisions(text), ['A>B', 'timeout', 'incomplete'])
  const [, q, r] = rowsOf(text)
  assert.match(q!.jb.error!.message, /vanilla · m2: no answer/)
  assert.equal(r!.jb.error!.message, 'no row of vanilla · m2')
  assert.ok(notes.includes('vanilla · m2: no verdict on 2 items'))
  assert.match(notes.join('\n'), /^2 items failed, since a member has no verdict/m)
  // The items that failed are the jury's too, not those of a member.
  const [whole, ...others] = objects((await staged(aggregateSpec, aggregate, [], text)).text)
  assert.deepEqual(
    [whole.model, whole.items, whole.failures, others.length],
    ['majority of 3', 3, { timeout: 1, incomplete: 1 }, 0],
  )
  const two = await jury(['majority', '--quorum', '2'], rows)
  assert.deepEqual(decisions(two.text), ['A>B', 'A=B', 'B>A'])
  assert.match(two.notes.join('\n'), /^2 items decided by fewer than 3 members \(--quorum\)$/m)
  const report = objects((await staged(aggregateSpec, aggregate, [], two.text)).text)[0]
  assert.deepEqual(
    [report.judge, report.model, report.items, report.valid, report.accuracy, report.usage.total_tokens],
    ['jury', 'majority of 3', 3, 3, 1 / 3, 30],
  )
})

test('grades: the mean, the weighted mean, the grade of most; scales that differ are refused', async () => {
  const rows = [4, 4, 10].map((score, i) => grade('p', `m${i}`, score))
  const scoreBy = async (...args: string[]) => rowsOf((await jury(args, rows)).text)[0]!.jb.result!.score
  assert.equal(await scoreBy('mean'), 6)
  assert.equal(await scoreBy('majority'), 4)
  assert.equal(await scoreBy('weighted:m2=2'), 7)
  await assert.rejects(
    jury(['mean'], [grade('p', 'm0', 4), grade('p', 'm1', 3, [1, 5])]),
    /--jury: the scale of rating · m0 is 1 to 10, and of rating · m1 1 to 5/,
  )
  await assert.rejects(
    jury(['mean'], [grade('p', 'm0', 4), vote('p', 'm1', 'A>B')]),
    /is grade, and .* is pairwise/,
  )
})

test("how the members agree: Krippendorff's alpha, and each with the rest", async () => {
  const a = ['A>B', 'A>B', 'B>A', 'B>A', 'A>B', 'A=B']
  const b = ['A>B', 'B>A', 'B>A', 'B>A', 'A>B', 'A>B']
  const rows = a.flatMap((_, i) => [vote(`i${i}`, 'm0', a[i]!), vote(`i${i}`, 'm1', b[i]!)])
  const { notes, text } = await jury(['majority'], rows)
  // Observed 4 / 12; expected by 6 × A>B, 5 × B>A, 1 × A=B: (6·6 + 5·7 + 1·11) / (12·11).
  const alpha = 1 - 4 / 12 / ((36 + 35 + 11) / 132)
  assert.equal(notes[0], `majority of 2: Krippendorff's alpha ${alpha.toFixed(3)}, 6 items`)
  assert.equal(notes[1], "vanilla · m0: 66.7 % of the others' verdicts are the same (6 items)")
  const graded = await jury(
    ['mean'],
    [3, 5, 9].flatMap((s, i) => [grade(`i${i}`, 'm0', s), grade(`i${i}`, 'm1', s - 1)]),
  )
  assert.equal(graded.notes[1], "rating · m0: +1.00 from the others' mean, correlation 1.000 (3 items)")
  // jb-audit has the same figures, also of members with several votes and of items that failed.
  const card = async (rows: string) =>
    objects((await staged(auditSpec, audit, [], rows)).text).find(({ section }) => section === 'jury')
  const figures = await card(text)
  assert.deepEqual([figures.members, figures.items], [2, 6])
  assert.ok(Math.abs(figures.alpha - alpha) < 1e-9)
  assert.deepEqual(figures.each[0], { member: 'vanilla · m0', items: 6, same: 0.6666666667 })
  const weighted = await jury(['weighted:m0=3'], [...rows, failure('i6', 'm0'), vote('i6', 'm1', 'A>B')])
  assert.deepEqual(await card(weighted.text), { ...figures, judge: 'jury · weighted of 2' })
  const { alpha_interval, each } = await card(graded.text)
  assert.ok(alpha_interval < 1)
  assert.deepEqual(each[0], { member: 'rating · m0', items: 3, difference: 1, pearson: 1 })
})

test('members of a jury that say the same of every item are named on its card', async () => {
  const rows = Array.from({ length: 12 }, (_, i) => [
    vote(`i${i}`, 'm0', i % 2 ? 'A>B' : 'B>A'),
    vote(`i${i}`, 'm1', i % 2 ? 'A>B' : 'B>A'),
    vote(`i${i}`, 'm2', i % 3 ? 'A>B' : 'B>A'),
  ]).flat()
  const { text } = await jury(['majority'], rows)
  const sections = objects((await staged(auditSpec, audit, [], text)).text)
  const of = (name: string) => sections.find(({ section }) => section === name)!
  assert.deepEqual(of('jury').identical, [['vanilla · m0', 'vanilla · m1']])
  assert.match(String(of('conclusion').jury), /; vanilla · m0 and vanilla · m1 said the same of every item/)
})

test('what is no jury is refused: one member, unknown names, votes that are no numbers', async () => {
  const rows = [vote('p', 'm0', 'A>B'), vote('p', 'm1', 'A>B')]
  await assert.rejects(
    jury(['majority'], rows.slice(1)),
    /one judge and model, vanilla · m1; a jury has several/,
  )
  const many = Array.from({ length: 501 }, (_, i) => vote('p', `m${i}`, 'A>B'))
  await assert.rejects(jury(['majority'], many), /501 judges and models; a jury has at most 500/)
  assert.deepEqual(decisions((await jury(['majority'], many.slice(1))).text), ['A>B'])
  await assert.rejects(
    jury(['weighted:gpt=2'], rows),
    /no member is called "gpt": there are vanilla · m0, vanilla · m1/,
  )
  for (const wrong of [
    'most',
    'mean:m0=2',
    'weighted',
    'weighted:',
    'weighted:m0',
    'weighted:m0=0.5',
    'weighted:m0=0',
  ])
    await assert.rejects(jury([wrong], rows), /--jury/)
  await assert.rejects(jury(['majority', '--quorum', '3'], rows), /the jury has 2 members/)
  await assert.rejects(staged(spec, score, ['--quorum', '3'], ndjson(rows)), /--quorum goes with --jury/)
})

test('the share of a jury is that of its verdicts in jb-rank as in jb-aggregate, not that of its members', async () => {
  const rows = ['p', 'q'].flatMap((item) =>
    ['A>B', 'A>B', 'B>A'].map((decision, i) => {
      const { label: _, ...row } = vote(item, `m${i}`, decision)
      return { ...row, model_a: 'x', model_b: 'y' }
    }),
  )
  const { text } = await jury(['majority'], rows)
  const [report] = objects((await staged(aggregateSpec, aggregate, [], text)).text)
  assert.deepEqual([report.share, report.a_better], [1, 2])
  const board = objects((await staged(rankSpec, rank, [], text)).text)
  const x = board.find(({ model }) => model === 'x')
  assert.deepEqual([x.battles, x.wins], [2, 2])
})
