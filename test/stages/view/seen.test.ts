/** What one sees of a run in a real Chromium: figures with their names, conflicts, colours, filters. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { game } from '../../helpers/rows.ts'
import { openPage, skip } from './_browser.ts'

/** A verdict of a judge with options worth 1 and 0. */
const passed = (i: number, option: 'PASS' | 'FAIL', more: object = {}) => ({
  ...more,
  response: `answer ${i}`,
  jb: {
    ...{ judge: 'p', item: `i${i}`, trial: { n: 0, of: 1 }, reply: { text: option, model: 'm' } },
    verdict: { label: option, option, score: option === 'PASS' ? 1 : 0 },
  },
})

const failed = (i: number, more: object = {}) => ({
  ...passed(i, 'PASS', more),
  jb: {
    ...{ judge: 'p', item: `i${i}`, trial: { n: 0, of: 1 } },
    error: { stage: 'call', code: 'timeout', message: 'no answer in 120 s', model: 'm' },
  },
})

/** A grade of 1 to 5, with a label of people. */
const graded = (i: number, score: number, label: number) => ({
  label,
  response: `answer ${i}`,
  jb: {
    ...{ judge: 'g', item: `i${i}`, trial: { n: 0, of: 1 }, reply: { text: `${score}`, model: 'm' } },
    verdict: { label: `${score}`, score, range: [1, 5] },
  },
})

const heads = (page: Page, table: string) => page.locator(`${table} thead th`).allInnerTexts()
const chips = (page: Page) => page.locator('.filter-row button').allInnerTexts()
const filters = (page: Page) =>
  page
    .locator('.filter-choices select')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))

describe('what one sees', { skip }, () => {
  test('head to head: both models, the conclusion, what a lost order is; tokens and sums in columns', async (t) => {
    const rows = Array.from({ length: 40 }, (_, i) =>
      ['A>B', i < 30 ? 'A>B' : 'B>A'].flatMap((said, n) => {
        const models = {
          model_a: 'llama',
          model_b: 'qwen',
          question: `q${i}`,
          response_A: 'a',
          response_B: 'b',
        }
        const jb = { reply: { text: said, model: 'm', cost: 0.25 } }
        return n === 1 && i % 8 === 0 ? [] : [game(`i${i}`, n, 2, said, { ...models, label: null, jb })]
      }),
    ).flat()
    const { page, complaints } = await openPage(t, rows)
    assert.deepEqual((await heads(page, '.runs')).slice(2), [
      'share of llama',
      'items',
      'failed',
      'consistent',
      'first slot',
      'cost',
    ])
    assert.match(
      await page.locator('.conclusion').innerText(),
      /^llama \(A\) is better than qwen \(B\): llama has a share of 87\.1 %/,
    )
    assert.match(
      await page.locator('.warnings').innerText(),
      /5 items have a verdict in one order alone \(AB 5\): they failed, and no figure has those verdicts/,
    )
    assert.match(await page.locator('.runs tbody tr').innerText(), /\$18\.75/)
    assert.ok(!(await page.locator('body').innerText()).includes('A preferred'))
    await page.getByRole('link', { name: 'Items' }).click()
    await page.getByText('q1', { exact: true }).first().click()
    assert.deepEqual(await page.locator('.answer h3').allInnerTexts(), [
      'A · llama 1 character',
      'B · qwen 1 character',
    ])
    assert.deepEqual(complaints, [])
  })

  test('by group: the items of each that failed, also where all did', async (t) => {
    const rows = Array.from({ length: 12 }, (_, i) => {
      const source = { source: ['law', 'code', 'maths'][i % 3] }
      return i % 3 === 2 || i === 0 ? failed(i, source) : passed(i, 'PASS', source)
    })
    const { page } = await openPage(t, rows)
    const group = page.locator('section', { has: page.getByRole('heading', { name: 'By source' }) })
    assert.equal((await group.locator('thead th').allInnerTexts()).at(-1), 'failed')
    const names = await group.locator('tbody th').allInnerTexts()
    const failures = await group.locator('tbody td:last-child').allInnerTexts()
    const cells = names.map((name, i) => [name, failures[i]])
    assert.deepEqual(cells, [
      ['code', '0'],
      ['law', '1'],
      ['maths', '4'],
    ])
  })

  test('a conflict: the reason, and the places of its two rows', async (t) => {
    const { page } = await openPage(
      t,
      [passed(0, 'PASS'), passed(0, 'FAIL'), passed(1, 'PASS')],
      '#view=items&item=i0',
    )
    const card = await page.locator('.item').innerText()
    assert.match(card, /conflict/)
    assert.match(card, /rows\.ndjson:1 and rows\.ndjson:2/)
  })

  for (const dark of [false, true])
    test(`without labels PASS is green and FAIL red, with signs: ${dark ? 'dark' : 'light'}`, async (t) => {
      const rows = [passed(0, 'PASS'), passed(1, 'FAIL')]
      const { page } = await openPage(t, rows, '#view=items', { dark })
      const marks = page.locator('.row .mark')
      assert.deepEqual(await marks.allInnerTexts(), ['PASS ✓', 'FAIL ✗'])
      const colours = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.row .mark')].map((one) => getComputedStyle(one).color)",
      )
      const [pass, fail] = colours.map((one) => one.match(/[\d.]+/g)!.map(Number))
      assert.ok(pass![1]! > pass![0]! && fail![0]! > fail![1]!, JSON.stringify([pass, fail]))
    })

  test('sorted by score, failed items are the first; filters are those that divide', async (t) => {
    const same = { team: 'one' }
    const rows = [
      passed(0, 'PASS', { ...same, source: 'law' }),
      failed(1, { ...same, source: 'law' }),
      passed(2, 'FAIL', { ...same, source: 'code' }),
    ]
    const { page } = await openPage(t, rows, '#view=items&sort=run.score')
    assert.deepEqual(await page.locator('.row .id bdi').allInnerTexts(), ['i1', 'i2', 'i0'])
    assert.deepEqual(await chips(page), ['failed'])
    assert.deepEqual(await filters(page), ['verdict', 'source', 'number', 'sort'])
    const { page: whole } = await openPage(t, rows.slice(0, 1), '#view=items')
    assert.deepEqual(await chips(whole), [])
    assert.deepEqual(await filters(whole), ['number', 'sort'])
  })

  test('a mean says of what scale; people’s and the judge’s scores have a line on one scale alone', async (t) => {
    const lines = async (labels: number[]) => {
      const rows = [1, 2, 4, 5].map((score, i) => graded(i, score, labels[i]!))
      const { page } = await openPage(t, rows)
      assert.ok((await heads(page, '.runs')).includes('mean score of 1 to 5'))
      const plot = page.locator('figure.plot', { hasText: 'Scores and labels' })
      return await plot.locator('line.reference').count()
    }
    assert.equal(await lines([1, 3, 4, 5]), 1)
    assert.equal(await lines([10, 30, 40, 90]), 0)
  })

  test('many words: the matrix of labels and verdicts scrolls, and cuts off none', async (t) => {
    const words = Array.from({ length: 10 }, (_, i) => `a rather long option ${i}`)
    const rows = words.map((option, i) => ({
      ...{ label: words[(i + 1) % 10], response: `answer ${i}` },
      jb: { judge: 'c', item: `i${i}`, trial: { n: 0, of: 1 }, verdict: { label: option, option } },
    }))
    const { page } = await openPage(t, rows, '', { width: 500 })
    const box = page.getByRole('region', { name: 'Labels and verdicts' })
    const cut = await box
      .locator('th')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length)
    assert.equal(cut, 0)
    const [width, room, overflow] = await page.evaluate<[number, number, string]>(
      '(() => { const one = document.querySelector(\'[aria-label="Labels and verdicts"]\'); return [one.scrollWidth, one.clientWidth, getComputedStyle(one).overflowX] })()',
    )
    assert.ok(width > room)
    assert.equal(overflow, 'auto')
  })

  test('a conversation and its answer: the last message once', async (t) => {
    const shown = async (response: string) => {
      const messages = [
        { role: 'user', content: 'Who?' },
        { role: 'assistant', content: 'The mayor.' },
      ]
      const { page } = await openPage(t, [{ id: 1, messages, response }], '#view=items&item=1')
      return (await page.locator('.item').innerText()).match(/The mayor\./g)!.length
    }
    assert.equal(await shown('The mayor.'), 1)
    assert.equal(await shown('The mayor. Yes.'), 2)
  })
})
