/** Files of people's labels, as jb-aggregate --labels and jb-audit --truth read them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { aggregate } from '../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../src/stages/aggregate/options.ts'
import { audit } from '../../src/stages/audit/audit.ts'
import { spec as auditSpec } from '../../src/stages/audit/options.ts'
import { folder } from '../helpers/folder.ts'
import { game, ndjson } from '../helpers/rows.ts'
import { objects, staged } from '../helpers/stage.ts'

const games = (decisions: string[]) =>
  ndjson(decisions.map((decision, i) => game(String(i + 1), 0, 1, decision)))

/** People's labels against verdicts: label → verdict → items, of both commands. */
async function confusions(t: TestContext, name: string, file: string, rows: string, more: string[] = []) {
  const place = folder(t, { [name]: file, rows })
  const said = await staged(spec, aggregate, ['--labels', `${place}/${name}`, ...more, `${place}/rows`])
  const card = await staged(auditSpec, audit, ['--truth', `${place}/${name}`, ...more, `${place}/rows`])
  const [{ confusion, compared }] = objects(said.text)
  const agreement = objects(card.text).find(({ section }) => section === 'agreement')
  assert.equal(agreement?.items ?? 0, compared)
  return { confusion, compared, notes: said.notes.join('\n'), ending: said.ending }
}

const labels = (all: unknown[]) => ndjson(all.map((label, i) => ({ item: i + 1, label })))

test('labels as data sets write them: words that can mean one thing, 1 and 2 where both are there and no 0', async (t) => {
  const rows = games(['A>B', 'B>A', 'A=B'])
  const right = { 'A=B': { 'A=B': 1 }, 'A>B': { 'A>B': 1 }, 'B>A': { 'B>A': 1 } }
  for (const words of [
    ['response_A', 'response_b', 'Tie'],
    ['A wins', 'B wins', 'tie (bothbad)'],
    ['model_a', 'model_b', 'draw'],
    ['a', 'b', 'A=B'],
    [1, 2, 'tie'],
    ['1', '2', 'TIE'],
  ])
    assert.deepEqual((await confusions(t, 'l.jsonl', labels(words), rows)).confusion, right, String(words))
})

test('numbers with a 0, or one alone, can mean two things: left out, unless --label-map says which', async (t) => {
  const rows = games(['A>B', 'B>A', 'A=B'])
  for (const numbers of [
    [1, 2, 0],
    [0, 1, 1],
    [1, 1, 1],
    [1, 2, 3],
    [true, false, true],
  ]) {
    const { compared, notes, ending } = await confusions(t, 'l.jsonl', labels(numbers), rows)
    assert.equal(compared, 0, String(numbers))
    assert.match(notes, /3 labels are left out: expected A>B, B>A or A=B, such as .* \(--label-map/)
    assert.equal(ending?.code, 1)
  }
  const map = ['--label-map', '0=A=B, 1=A>B,2=B>A']
  const { confusion } = await confusions(t, 'l.jsonl', labels([1, 2, 0]), rows, map)
  assert.deepEqual(confusion, { 'A=B': { 'A=B': 1 }, 'A>B': { 'A>B': 1 }, 'B>A': { 'B>A': 1 } })
  const place = folder(t, { l: labels([1]), rows })
  for (const wrong of ['1', '=A>B', '1=', '1=A,1=B'])
    await assert.rejects(
      staged(spec, aggregate, ['--labels', `${place}/l`, '--label-map', wrong, `${place}/rows`]),
      /--label-map/,
    )
})

test('a CSV of a spreadsheet: --item and --label name its columns, and a message lists those there are', async (t) => {
  const csv = 'nr,who,verdict of people\n1,x,A\n2,x,B\n3,x,\n'
  const rows = games(['A>B', 'A>B', 'A=B'])
  const named = ['--item', 'nr', '--label', 'verdict of people']
  const { confusion } = await confusions(t, 'l.csv', csv, rows, named)
  assert.deepEqual(confusion, { 'A>B': { 'A>B': 1 }, 'B>A': { 'A>B': 1 } })
  await assert.rejects(
    confusions(t, 'l.csv', csv, rows),
    /l\.csv:2: .*no column has the item's id: there are nr, who, verdict of people \(--item FIELD names it\)/,
  )
  await assert.rejects(
    confusions(t, 'l.csv', csv, rows, ['--item', 'nr', '--label', 'grade']),
    /no column "grade": there are nr, who, verdict of people \(--label FIELD names it\)/,
  )
})

test('an id is taken as it stands in the row; labels of other items alone are an error', async (t) => {
  const rows = ndjson([game('12345678901234567890', 0, 1, 'A>B')])
  const one = '{"item":12345678901234567890,"label":"A"}\n'
  assert.deepEqual((await confusions(t, 'l.jsonl', one, rows)).confusion, { 'A>B': { 'A>B': 1 } })
  const { ending } = await confusions(t, 'l.jsonl', '{"item":12345678901234567891,"label":"A"}\n', rows)
  assert.equal(ending?.code, 1)
  assert.match(ending!.message, /their items are in no row, such as "12345678901234567891" \(--item/)
})

test('grades: numbers in their order, weighted kappa, distances; those a quarter of the scale apart are no difference', async (t) => {
  const grades = [1, 9, 10, 5]
  const rows = ndjson(
    grades.map((score, i) => ({
      jb: {
        ...{ judge: 'r', item: String(i + 1), trial: { n: 0, of: 1 } },
        verdict: { label: String(score), score, range: [1, 10] },
      },
    })),
  )
  const place = folder(t, { l: labels([2, 10, 9, 10]), rows })
  const { text } = await staged(spec, aggregate, ['--labels', `${place}/l`, `${place}/rows`])
  const [report] = objects(text)
  assert.deepEqual(
    [report.agreement, report.bias, report.mae, report.within_1, report.far],
    [0, -1.5, 2, 0.75, 2.25],
  )
  // By places among the grades that occur: 7 apart in all, squared; by chance 68 in 16 pairs.
  assert.ok(Math.abs(report.kappa_quadratic - (1 - 7 / 4 / (68 / 16))) < 1e-12)
  assert.deepEqual(report.differ, [{ item: '4', label: 10, judged: 5 }])
  const table = await staged(spec, aggregate, [
    '--format',
    'table',
    '--labels',
    `${place}/l`,
    `${place}/rows`,
  ])
  assert.match(table.text, /label \\ judge +1 +5 +9 +10\n[- ]+\n2 .*\n9 .*\n10 /)
})

test('--label-map also says what labels in the rows mean, and the report says so', async () => {
  const rows = ndjson([
    { ...game('1', 0, 1, 'A>B'), label: 1 },
    { ...game('2', 0, 1, 'A>B'), label: 2 },
  ])
  const { text } = await staged(spec, aggregate, ['--label-map', '1=A,2=B'], rows)
  const [report] = objects(text)
  assert.deepEqual([report.accuracy, report.failed], [0.5, 0])
  assert.deepEqual(report.made.scored_with, { label_map: '1=A,2=B' })
  await assert.rejects(staged(spec, aggregate, ['--label-map', '1']), /expected LABEL=MEANING/)
})
