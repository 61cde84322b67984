/** Copies with a change (jb-render --probe): beside their originals, and in no figure of a run. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changesIn } from '../../../src/stages/view/item_values.ts'
import { spec } from '../../../src/stages/view/options.ts'
import { view } from '../../../src/stages/view/view.ts'
import { ndjson } from '../../helpers/rows.ts'
import { staged } from '../../helpers/stage.ts'
import { openPage, skip } from './_browser.ts'
import { dataOf, madeOf } from './_page.ts'

const judged = (answer: unknown, jb: object, ms: number) => ({
  id: 'bridge',
  question: 'When was it opened?',
  answer,
  jb: {
    ...{ judge: 'j', item: 'bridge', trial: { n: 0, of: 1 }, reply: { text: 'ok', model: 'm', ms } },
    verdict: { label: 'PASS', option: 'PASS', score: 1 },
    ...jb,
  },
})

const mark = { kind: 'number', of: 'bridge', answer: 0, expect: 'worse', was: '1987', now: '1947' }
const ROWS = [
  judged('It was opened in 1987, by the mayor.', {}, 100),
  judged('It was opened in 1947, by the mayor.', { item: 'bridge#number', probe: mark }, 900),
]

const own = (pieces: { text: string; own: boolean }[]) =>
  pieces.filter((one) => one.own).map(({ text }) => text)

test('a copy is no item of the run’s figures: items, rows by stage, time a call', async () => {
  const { overview } = await dataOf(await madeOf(ROWS))
  const [run] = overview.runs
  assert.deepEqual(
    [overview.items, overview.copies, run!.report.items, run!.stages, run!.ms],
    [1, 1, 1, { verdict: 1 }, { median: 100, p95: 100 }],
  )
})

test('a copy has what was changed, of its original or by its mark; of a conversation the messages', async () => {
  const data = await dataOf(await madeOf(ROWS))
  const [original, copy] = [await data.rowsOf(0), await data.rowsOf(1)]
  assert.equal(await data.originalOf(original), undefined)
  for (const of of [await data.originalOf(copy), undefined]) {
    const [change, ...more] = changesIn(copy, of)
    assert.deepEqual([more, own(change!.was), own(change!.now)], [[], ['1987'], ['1947']])
    assert.equal(change!.name, of ? 'answer' : 'number')
  }
  const talk = (year: number) => [
    { role: 'user', content: 'When?' },
    { role: 'assistant', content: `In ${year}.` },
  ]
  const talks = await dataOf(
    await madeOf([judged(talk(1987), {}, 1), judged(talk(1947), { item: 'bridge#number', probe: mark }, 1)]),
  )
  const said = await talks.rowsOf(1)
  const [change] = changesIn(said, await talks.originalOf(said))
  assert.deepEqual([own(change!.was), own(change!.now)], [['1987'], ['1947']])
  assert.doesNotMatch(change!.was.map(({ text }) => text).join(''), /When/)
})

test('the card of a copy names its original, and has each changed field as it was and as it is', async () => {
  const { text } = await staged(spec, view, ['--text'], ndjson(ROWS))
  const [original, copy] = text.split('── bridge#number')
  assert.doesNotMatch(original!, /changed copy|· was/)
  assert.match(
    copy!,
    /\nchanged copy \(number\) of bridge\n\nanswer · was\n {2}It was opened in \[-1987-\], by the mayor\.\n\nanswer · is\n {2}It was opened in \{\+1947\+\}, by the mayor\.\n/,
  )
})

describe('in the page', { skip }, () => {
  test('a copy has the original beside it, with the words that are other', async (t) => {
    const { page, complaints } = await openPage(t, ROWS, '#view=items&item=bridge%23number')
    await page.getByRole('heading', { name: 'bridge#number' }).waitFor()
    assert.deepEqual(
      [await page.locator('del').allInnerTexts(), await page.locator('ins').allInnerTexts()],
      [['1987'], ['1947']],
    )
    await page.locator('.copy a').click()
    await page.getByRole('heading', { name: 'bridge', exact: true }).waitFor()
    assert.equal(await page.locator('.copy').count(), 0)
    assert.deepEqual(complaints, [])
  })
})
