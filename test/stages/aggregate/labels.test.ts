/** --labels: what people said against what judges said. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { audit } from '../../../src/stages/audit/audit.ts'
import { spec as auditSpec } from '../../../src/stages/audit/options.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

test('decisions: agreement, kappa, confusion, the items they differ on, what failed and what is not there', async (t) => {
  const said = ['A>B', 'A>B', 'B>A', 'A=B'].map((decision, i) => game(`i${i}`, 0, 1, decision))
  const failed = {
    jb: {
      judge: 'arena_hard',
      item: 'i4',
      trial: { n: 0, of: 1 },
      error: { stage: 'call', code: 'timeout', message: 'm', model: 'm' },
    },
  }
  const labels = ['A>B', 'B>A', 'B>A', 'A=B', 'A>B', 'A>B'].map((label, i) => ({
    item: `i${i}`,
    label,
    ...(i === 1 && { note: 'why' }),
  }))
  const place = folder(t, { 'v.ndjson': ndjson([...said, failed]), 'l.ndjson': ndjson(labels) })
  const { text } = await staged(spec, aggregate, ['--labels', `${place}/l.ndjson`, `${place}/v.ndjson`])
  const [{ kappa, ci, ...report }] = objects(text)
  assert.deepEqual(
    [report.judge, report.labels, report.compared, report.failed, report.missing, report.agreement],
    ['arena_hard', 6, 4, 1, 1, 0.75],
  )
  // Observed 3/4, by chance (1·2 + 2·1 + 1·1)/16.
  assert.ok(Math.abs(kappa - (0.75 - 5 / 16) / (1 - 5 / 16)) < 1e-12)
  assert.ok(ci[0] < 0.75 && ci[1] > 0.75)
  assert.deepEqual(report.confusion, {
    'A=B': { 'A=B': 1 },
    'A>B': { 'A>B': 1 },
    'B>A': { 'A>B': 1, 'B>A': 1 },
  })
  assert.deepEqual(report.differ, [{ item: 'i1', label: 'B>A', judged: 'A>B', note: 'why' }])
  const table = await staged(spec, aggregate, [
    '--format',
    'table',
    '--labels',
    `${place}/l.ndjson`,
    `${place}/v.ndjson`,
  ])
  assert.match(table.text, /agreement 75\.0 %/)
  assert.match(table.text, /they differ on/)
})

test('labels of pairs in any form of a label; one that is no decision is told, and no disagreement', async (t) => {
  const said = ['A>B', 'B>A', 'A=B', 'A>B', 'A>B'].map((decision, i) =>
    game(`i${i}`, 0, 1, decision, { label: 'positive' }),
  )
  const labels = ['A wins', 'Model_B', 'Tie', 'maybe', 1].map((label, i) => ({ item: `i${i}`, label }))
  labels.unshift({ item: 'i0', label: 'B' })
  const place = folder(t, { 'v.ndjson': ndjson(said), 'l.ndjson': ndjson(labels) })
  const args = ['--labels', `${place}/l.ndjson`, `${place}/v.ndjson`]
  const { text, notes } = await staged(spec, aggregate, args)
  const [{ labels: given, compared, failed, left_out, missing, agreement }] = objects(text)
  assert.deepEqual([given, compared, failed, left_out, missing, agreement], [5, 3, 0, 2, 0, 1])
  assert.match(notes[0]!, /^item "i0" has another label before: the last one counts/)
  assert.match(
    notes.join('\n'),
    /^--labels: 2 labels are left out: expected A>B, B>A or A=B, such as "maybe" of item "i3" \(--label-map/m,
  )
  assert.match(
    (await staged(spec, aggregate, ['--format', 'table', ...args])).text,
    /0 failed, 2 left out, 0 on/,
  )
})

test('versions of a judge agree each for itself', async (t) => {
  const of = (judge_digest: string, decision: string) =>
    ['i0', 'i1'].map((id) => game(id, 0, 1, decision, { jb: { judge_digest } }))
  const rows = [...of('aaaa', 'A>B'), ...of('bbbb', 'B>A')]
  const labels = ['i0', 'i1'].map((item) => ({ item, label: 'A>B' }))
  const place = folder(t, { 'v.ndjson': ndjson(rows), 'l.ndjson': ndjson(labels) })
  const { text, notes } = await staged(spec, aggregate, [
    '--labels',
    `${place}/l.ndjson`,
    `${place}/v.ndjson`,
  ])
  assert.deepEqual(
    objects(text).map(({ judge_digest, agreement }) => [judge_digest, agreement]),
    [
      ['aaaa', 1],
      ['bbbb', 0],
    ],
  )
  assert.match(notes.join('\n'), /reported separately \(aaaa, bbbb\)$/)
})

test('scores are correlated; a line that is no label and options that say nothing together are refused', async (t) => {
  const rows = [1, 4, 5].map((score, i) => ({
    jb: { judge: 'rating', item: `i${i}`, trial: { n: 0, of: 1 }, verdict: { label: String(score), score } },
  }))
  const place = folder(t, {
    'v.ndjson': ndjson(rows),
    'l.ndjson': ndjson([1, 3, 5].map((label, i) => ({ item: `i${i}`, label }))),
    'bad.ndjson': ndjson([{ item: 'i0' }]),
  })
  const { text } = await staged(spec, aggregate, ['--labels', `${place}/l.ndjson`, `${place}/v.ndjson`])
  const [report] = objects(text)
  assert.deepEqual([report.compared, report.agreement, report.spearman > 0.999], [3, 2 / 3, true])
  await assert.rejects(
    staged(spec, aggregate, ['--labels', `${place}/bad.ndjson`, `${place}/v.ndjson`]),
    /bad\.ndjson:1: not a row of labels: no column "label": there are item \(--label FIELD names it\)/,
  )
  for (const more of [['--partial'], ['--merge'], ['--format', 'csv']])
    await assert.rejects(
      staged(spec, aggregate, ['--labels', `${place}/l.ndjson`, ...more, `${place}/v.ndjson`]),
      /--labels/,
    )
})

test('labels of criteria: each is compared with what was said by that criterion; the best of two answers is a decision', async (t) => {
  const row = (item: string, n: number, criterion: string, verdict: object) => ({
    jb: {
      judge: 'direct',
      item,
      trial: { n, of: 2, criterion },
      criterion: {
        name: criterion,
        description: '',
        to_evaluate_field: 'response',
        context_fields: null,
        options: ['Bad', 'Good'].map((name, score) => ({ name, description: '', score })),
        weight: 0.5,
      },
      verdict,
    },
  })
  const said = (option: string) => ({ label: option, option, score: option === 'Good' ? 1 : 0 })
  const rows = [
    row('x', 0, 'tone', said('Good')),
    row('x', 1, 'truth', said('Bad')),
    row('y', 0, 'tone', said('Bad')),
    row('y', 1, 'truth', said('Bad')),
  ]
  const best = (winner: number, n: number, criterion: string) => {
    const one = row('z', n, criterion, { label: 'response', winner })
    return { jb: { ...one.jb, judge: 'pairwise', trial: { ...one.jb.trial, answers: 2 } } }
  }
  const place = folder(t, {
    'v.ndjson': ndjson([...rows, best(1, 0, 'tone'), best(0, 1, 'truth')]),
    'l.ndjson': ndjson([
      { item: 'x', criterion: 'tone', label: 'Good' },
      { item: 'x', criterion: 'truth', label: 'Bad' },
      { item: 'y', criterion: 'tone', label: 'Good' },
      { item: 'z', criterion: 'tone', label: 'B>A', shown: 'BA' },
    ]),
  })
  const { text } = await staged(spec, aggregate, ['--labels', `${place}/l.ndjson`, `${place}/v.ndjson`])
  assert.deepEqual(
    objects(text).map(({ judge, criterion, labels, compared, missing, agreement }) => [
      [judge, criterion].join(' '),
      labels,
      compared,
      missing,
      agreement,
    ]),
    [
      ['direct tone', 3, 2, 1, 0.5],
      ['direct truth', 1, 1, 0, 1],
      ['pairwise tone', 3, 1, 2, 1],
      ['pairwise truth', 1, 0, 1, null],
    ],
  )
  const cards = await staged(auditSpec, audit, ['--truth', `${place}/l.ndjson`, `${place}/v.ndjson`])
  assert.deepEqual(
    objects(cards.text)
      .filter(({ section }) => section === 'agreement')
      .map(({ judge, po }) => [judge, po]),
    [
      ['direct · tone', 0.5],
      ['direct · truth', 1],
      ['pairwise · tone', 1],
    ],
  )
})

test('of several criteria, labels and verdicts are compared on one scale; an option counts as its score', async (t) => {
  // Best first: the option "1" has the highest score.
  const options = [1, 2, 3, 4, 5].map((place) => ({ name: String(place), score: 60 - 10 * place }))
  const criterion = (name: string) => ({ name, description: '', to_evaluate_field: 'text', options })
  const rows = (weight: object) =>
    [1, 2, 3, 4, 5, 3].flatMap((place, i) =>
      ['x', 'y'].map((name, n) => ({
        jb: {
          judge: 'direct',
          item: `i${i}`,
          trial: { n, of: 2, criterion: name },
          criterion: { ...criterion(name), ...weight },
          reply: { text: '', model: 'm' },
          verdict: { option: String(place), score: 60 - 10 * place, label: '' },
        },
      })),
    )
  // Three name the option, three give its score; one is at odds with the judge.
  const labels = ['1', '2', 3, 20, 10, 10].map((label, i) => ({ item: `i${i}`, criterion: 'y', label }))
  const place = folder(t, { 'v.ndjson': ndjson(rows({ weight: 0.5 })), 'l.ndjson': ndjson(labels) })
  const { text } = await staged(spec, aggregate, ['--labels', `${place}/l.ndjson`, `${place}/v.ndjson`])
  const [{ compared, agreement, pearson, alpha_interval }] = objects(text)
  assert.deepEqual([compared, agreement], [6, 5 / 6])
  // Scaled scores in quarters: 4 3 2 1 0 0 by people, 4 3 2 1 0 2 by the judge; the mean of all is 22/12.
  const alpha = 1 - (11 * 4) / (12 * (64 - (22 * 22) / 12))
  assert.ok(Math.abs(alpha_interval - alpha) < 1e-12, `${alpha_interval}, expected ${alpha}`)
  assert.ok(Math.abs(pearson - (30 - (10 * 12) / 6) / Math.sqrt((30 - 100 / 6) * (34 - 24))) < 1e-12)
})
