/** People's grades on another scale than the judge's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'

const graded = (scores: number[], range: [number, number]) =>
  ndjson(
    scores.map((score, i) => ({
      id: `i${i}`,
      jb: { judge: 'g', item: `i${i}`, reply: { text: 't', model: 'm' }, verdict: { score, range } },
    })),
  )
const labels = (grades: number[]) => ndjson(grades.map((label, i) => ({ item: `i${i}`, label })))

test('people on 1 to 10 and a judge on 1 to 5: exit 65, unless --rescale says how', async (t) => {
  const dir = folder(t, {
    v: graded([1, 2, 3, 5], [1, 5]),
    l: labels([1, 3.25, 5.5, 10]),
  })
  for (const [stage, option] of [
    ['audit', '--truth'],
    ['aggregate', '--labels'],
  ] as const) {
    const args = [option, `${dir}/l`, `${dir}/v`]
    const err = /people's grades are from 1 to 10, and the judge's scale is 1 to 5 \(--rescale 1,10,/
    expect(await jb(stage, args), { code: 65, err })
    const cards = objects(fine(await jb(stage, [...args, '--rescale', '1,10'])).stdout)
    const card = cards.find(({ section }) => section !== 'conclusion')
    assert.equal(card!.po ?? card!.agreement, 1)
    expect(await jb(stage, [...args, '--rescale', '1,7']), { code: 65, err: /beyond that scale/ })
  }
})

test('labels 0 and 1 beside grades of 1 to 5: the hint names the scale that they have', async (t) => {
  const dir = folder(t, { v: graded([1, 2, 4, 5], [1, 5]), l: labels([0, 0, 1, 1]) })
  const err = /people's grades are from 0 to 1, and the judge's scale is 1 to 5 \(--rescale 0,1, if these/
  expect(await jb('audit', ['--truth', `${dir}/l`, `${dir}/v`]), { code: 65, err })
})

test('people on 1 to 5 and a judge on 1 to 10: a note', async (t) => {
  const dir = folder(t, { v: graded([1, 4, 6, 10], [1, 10]), l: labels([1, 2, 3, 5]) })
  const err = /people's grades are from 1 to 5, in one half of the judge's scale, which is 1 to 10/
  expect(await jb('audit', ['--truth', `${dir}/l`, `${dir}/v`]), { err })
})

test('of labels beyond the scale a report has correlations alone', async () => {
  const rows = objects(graded([1, 2, 3, 5], [1, 5])).map((row, i) => ({ ...row, human: [2, 4, 6, 10][i] }))
  const { stdout } = fine(await jb('aggregate', ['--label', 'human'], { stdin: ndjson(rows) }))
  const report = JSON.parse(stdout)
  assert.deepEqual([report.pearson, report.alpha_interval], [1, undefined])
})
