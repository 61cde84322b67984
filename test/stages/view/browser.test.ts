/**
 * The page in a real Chromium, as a person uses it. Slow because a browser starts; without Chromium on the machine
 * (or CHROMIUM=path) it is not run, and says so.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../../src/stages/aggregate/options.ts'
import { chromiumPath, launch, watched } from '../../helpers/browser.ts'
import { folder } from '../../helpers/folder.ts'
import { game } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { madeOf } from './_page.ts'

const path = chromiumPath()
const skip =
  path === undefined ? 'NOT RUN: no Chromium here (apt-get install chromium, or CHROMIUM=path)' : false
const PAIRS = 350

/** Three judges on the same pairs: the second is wrong on every fifth, the third failed on every seventh. */
function threeJudges(pairs = PAIRS): object[] {
  return ['first', 'second', 'third'].flatMap((judge) =>
    Array.from({ length: pairs }, (_, i) => {
      const item = `pair-${String(i).padStart(3, '0')}`
      const user = {
        source: ['law', 'code', 'maths'][i % 3],
        question: `Question ${i}: which is *right*?`,
        response_A: `Answer **one** of ${i}, $x_${i}$ and more words`,
        response_B: `Answer two of ${i}, with other words in it`,
      }
      if (judge === 'third' && i % 7 === 0) {
        const error = { stage: 'call', code: 'timeout', message: 'no answer in 120 s', model: 'm' }
        return { pair_id: item, label: 'A>B', ...user, jb: { judge, item, trial: { n: 0, of: 1 }, error } }
      }
      const decision = judge === 'second' && i % 5 === 0 ? 'B>A' : 'A>B'
      const text = `<think>hm</think>The needle of ${judge} in ${i}. [[${decision}]]`
      return game(item, 0, 1, decision, {
        ...user,
        jb: { judge, reply: { text, model: 'm', ms: 900 }, verdict: { label: decision, decision } },
      })
    }),
  )
}

async function openPage(t: TestContext, browser: Browser, rows: object[], hash = '', more = {}) {
  const file = join(folder(t), 'run.html')
  writeFileSync(file, await madeOf(rows, { title: 'a run' }))
  const address = pathToFileURL(file).href
  const opened = await watched(browser, { address: address + hash, ...more })
  t.after(() => opened.page.context().close())
  return { ...opened, address }
}

const count = (page: Page) => page.locator('.count').innerText()

describe('the page', { skip }, () => {
  let browser: Browser
  before(async () => {
    browser = await launch(path!)
  })
  after(() => browser?.close())

  test('filters, search, an item, its runs, a link to it', async (t) => {
    const { page, complaints, address } = await openPage(t, browser, threeJudges())
    assert.deepEqual(await page.locator('.runs tbody th').allInnerTexts(), [
      '1\u00a0first',
      '2\u00a0second',
      '3\u00a0third',
    ])
    assert.match(await page.locator('.lead').innerText(), /3 runs of m$/)
    assert.match(await page.locator('.runs tbody tr').nth(1).innerText(), /80\.0 %/)
    await page.getByRole('button', { name: 'Highest first' }).click()
    assert.match(await page.locator('.runs tbody tr').nth(2).innerText(), /80\.0 %/)
    await page.getByRole('link', { name: 'items', exact: true }).click()
    assert.equal(await count(page), '350 items')
    await page.getByRole('button', { name: 'wrong', exact: true }).click()
    assert.equal(await count(page), '70 of 350 items')
    await page.getByLabel('source').selectOption('code')
    assert.equal(await count(page), '23 of 350 items')
    await page.getByRole('button', { name: 'failed', exact: true }).click()
    await page.getByRole('button', { name: 'wrong', exact: true }).click()
    assert.equal(await count(page), '17 of 350 items')
    await page.getByRole('button', { name: 'clear' }).click()
    assert.equal(await count(page), '350 items')

    // The list is one stop of the tab key, however long it is.
    await page.locator('.list').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: 'pair-000' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: 'pair-001' }).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate("document.activeElement.closest('.pane') !== null"), true)
    await page.keyboard.press('Escape')

    await page.keyboard.press('/')
    await page.keyboard.type('needle of second in 34')
    await page.getByText('11 of 350 items').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'pair-034' }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'pair-340' }).waitFor()
    assert.equal(await page.locator('.run').count(), 3)
    assert.deepEqual(await page.locator('mark.verdict').allInnerTexts(), ['[[A>B]]', '[[B>A]]', '[[A>B]]'])
    await page.keyboard.press('2')
    await page.locator('.run').nth(1).waitFor({ state: 'detached' })
    assert.match(await page.locator('.run').innerText(), /needle of second/)
    await page.keyboard.press('d')
    assert.deepEqual(await page.locator('.answer mark').first().innerText(), '**one**')
    await page.keyboard.press('m')
    await page.keyboard.press('d')
    assert.equal(await page.locator('.answer strong').innerText(), 'one')
    // The words a verdict was read from stay in the line they stand in.
    assert.match(
      await page.locator('.reply p', { has: page.locator('mark.verdict') }).innerText(),
      /needle.*\[\[B>A]]/,
    )

    const link = page.url()
    const again = await watched(browser, { address: link })
    await again.page.getByRole('heading', { name: 'pair-340' }).waitFor()
    await again.page.getByText('11 of 350 items').waitFor()
    assert.equal(await again.page.locator('.run').count(), 1)
    await again.page.context().close()
    assert.ok(link.startsWith(address))
    assert.deepEqual([...complaints, ...again.complaints], [])
  })

  test('ten items labelled blind, downloaded, and the agreement that comes of them', async (t) => {
    const rows = threeJudges()
    const { page, complaints } = await openPage(t, browser, rows, '#view=label')
    await page.getByRole('heading', { name: 'pair-000' }).waitFor()
    assert.doesNotMatch(await page.locator('.labelling').innerText(), /A>B|B>A|needle|response_/)
    for (let i = 0; i < 10; i++) {
      await page.getByRole('heading', { name: `pair-00${i}` }).waitFor()
      // The better answer, wherever it is shown.
      const first = await page.locator('.answer .text').first().innerText()
      await page.keyboard.press(first.startsWith('Answer **one**') ? 'a' : 'b')
    }
    await page.getByText('10 of 350 labelled').waitFor()
    // A note comes before its label, and leaves with it.
    await page.keyboard.press('n')
    await page.keyboard.type('not sure')
    await page.keyboard.press('Escape')
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'pair-009' }).waitFor()
    await page.keyboard.press('n')
    await page.keyboard.type('short')
    await page.getByRole('button', { name: 'take back' }).click()
    await page.getByText('9 of 350 labelled').waitFor()
    assert.equal(await page.getByLabel('note').inputValue(), 'short')
    const first = await page.locator('.answer .text').first().innerText()
    await page.keyboard.press(first.startsWith('Answer **one**') ? 'a' : 'b')
    await page.getByRole('heading', { name: 'pair-010' }).waitFor()
    await page.getByText('10 of 350 labelled').waitFor()
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    await page.getByText('10 of 350 labelled').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download labels.ndjson' }).click(),
    ])
    assert.equal(file.suggestedFilename(), 'labels.ndjson')
    const place = folder(t, { 'rows.ndjson': rows.map((row) => `${JSON.stringify(row)}\n`).join('') })
    await file.saveAs(`${place}/labels.ndjson`)
    const labels = objects(readFileSync(`${place}/labels.ndjson`, 'utf8'))
    assert.deepEqual(new Set(labels.map(({ label }) => label)), new Set(['A>B']))
    assert.equal(await page.getByLabel('note').inputValue(), 'not sure')
    assert.deepEqual(
      labels.flatMap(({ item, note }) => (note ? [[item, note]] : [])),
      [['pair-009', 'short']],
    )
    assert.deepEqual(new Set(labels.map(({ shown }) => shown)), new Set(['AB', 'BA']))
    const { text } = await staged(aggregateSpec, aggregate, [
      '--labels',
      `${place}/labels.ndjson`,
      `${place}/rows.ndjson`,
    ])
    assert.deepEqual(
      objects(text).map(({ judge, compared, failed, agreement, differ }) => [
        judge,
        compared,
        failed,
        agreement,
        differ.length,
      ]),
      [
        ['first', 10, 0, 1, 0],
        ['second', 10, 0, 0.8, 2],
        ['third', 8, 2, 1, 0],
      ],
    )
    assert.deepEqual(complaints, [])
  })

  test('options are labelled by their criterion, in the order of their worth; groups of one run are rows', async (t) => {
    const options = ['Good', 'Fair', 'Bad'].map((name, i) => ({
      name,
      description: `${name} enough`,
      value: 2 - i,
    }))
    const criterion = { name: 'tone', description: 'Is it friendly?', options, to_evaluate_field: 'response' }
    const rows = Array.from({ length: 12 }, (_, i) => {
      const { name, value } = options[i % 3]!
      return {
        id: `i${i}`,
        source: i % 2 ? 'mail' : 'chat',
        response: 'Hello',
        jb: {
          judge: 'direct',
          item: `i${i}`,
          criterion,
          trial: { n: 0, of: 1, criterion: 'tone' },
          reply: { text: name, model: 'm' },
          verdict: { label: name, option: name, score: value },
        },
      }
    })
    const { page, complaints } = await openPage(t, browser, rows)
    assert.deepEqual(await page.locator('table[class=runs]').nth(1).locator('tbody th').allInnerTexts(), [
      'chat',
      'mail',
    ])
    await page.keyboard.press('l')
    await page.getByText('tone: Is it friendly?').waitFor()
    assert.deepEqual(await page.locator('.choice bdi').allInnerTexts(), ['Good', 'Fair', 'Bad'])
    await page.keyboard.press('2')
    await page.getByText('1 of 12 labelled').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('each of several criteria is labelled, and the file names it', async (t) => {
    const criterion = (name: string, words: string[]) => ({
      name,
      description: `Is the ${name} right?`,
      options: words.map((one) => ({ name: one, description: `${one} it is` })),
      to_evaluate_field: 'response',
    })
    const rows = ['i0', 'i1'].flatMap((id) =>
      [criterion('tone', ['Good', 'Bad']), criterion('truth', ['Yes', 'Partly', 'No'])].map((one, n) => ({
        id,
        response: 'Hello',
        jb: {
          judge: 'direct',
          item: id,
          criterion: one,
          trial: { n, of: 2, criterion: one.name },
          reply: { text: 'x', model: 'm' },
          verdict: { label: one.options[0]!.name, option: one.options[0]!.name, score: 1 },
        },
      })),
    )
    const { page, complaints } = await openPage(t, browser, rows, '#view=label')
    await page.getByText('truth: Is the truth right?').waitFor()
    assert.deepEqual(await page.locator('.choice kbd').allInnerTexts(), ['1', '2'])
    await page.keyboard.press('2')
    await page.getByRole('group', { name: 'your label truth' }).getByText('3').waitFor()
    assert.equal(await page.locator('.choice[aria-pressed="true"]').innerText(), 'Bad')
    await page.getByText('0 of 2 labelled').waitFor()
    await page.keyboard.press('3')
    await page.getByRole('heading', { name: 'i1' }).waitFor()
    await page.getByText('1 of 2 labelled').waitFor()
    await page.getByRole('button', { name: 'Partly' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download labels.ndjson' }).click(),
    ])
    const place = folder(t)
    await file.saveAs(`${place}/labels.ndjson`)
    assert.deepEqual(objects(readFileSync(`${place}/labels.ndjson`, 'utf8')), [
      { item: 'i0', criterion: 'tone', label: 'Bad' },
      { item: 'i0', criterion: 'truth', label: 'No' },
      { item: 'i1', criterion: 'truth', label: 'Partly' },
    ])
    assert.deepEqual(complaints, [])
  })

  test('nothing of a hostile row runs, is asked for or leaves its box', async (t) => {
    const nasty = [
      '<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>',
      '</script><script>alert(1)</script>',
      '<!--<script>',
      '[click](javascript:alert(1)) ![x](https://example.com/x.png) <https://example.com>',
      '\u0000\u202eabc\u2066\ud800\u001b[31m\u001b]0;t\u0007',
      'w'.repeat(1_000_000),
      `a${'\u0301'.repeat(10_000)}`,
      'مرحبا بالعالم',
    ]
    const rows = nasty.map((text, i) => {
      const name = text.slice(0, 80)
      const reply = { text, reasoning: text, model: name }
      return {
        [name]: text,
        source: name,
        question: text,
        response_A: text,
        response_B: `${text} `,
        label: 'A>B',
        jb: {
          judge: name,
          item: `${i}${name}`,
          trial: { n: 0, of: 1, order: text },
          request: { messages: [{ role: text, content: text }] },
          reply,
          verdict: { label: name, decision: 'A>B' },
        },
      }
    })
    const { page, complaints } = await openPage(t, browser, rows, '#view=items&markdown=1&diff=1')
    const hidden: string[] = []
    for (let i = 0; i < nasty.length; i++) {
      await page.keyboard.press('j')
      await page.locator(`.item[aria-label^="item ${i}"]`).waitFor()
      for (const one of await page.locator('.item summary').all()) await one.click()
      hidden.push((await page.locator('.answer .hidden-character').allInnerTexts())[0] ?? '')
      const outside = await page.evaluate<string[]>(`[...document.querySelectorAll('.item *')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(one).position !== 'absolute')
        .filter((one) => { for (let up = one.parentElement; up; up = up.parentElement) if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(up).overflowX) && up.getBoundingClientRect().right <= innerWidth + 1) return false; return true })
        .map((one) => one.outerHTML.slice(0, 80))`)
      assert.deepEqual(outside, [], nasty[i]!.slice(0, 40))
    }
    assert.equal(
      await page
        .locator(
          '#app script, #app img, #app iframe, #app [onerror], #app [onload], #app a[href^="javascript"]',
        )
        .count(),
      0,
    )
    assert.deepEqual(hidden, ['', '', '', '', '␀', '', '+9984 marks', ''])
    await page.keyboard.press('o')
    await page.locator('.overview').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('names and contrast for everybody: axe finds nothing serious; narrow, dark, on paper', async (t) => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    const { page, complaints } = await openPage(t, browser, threeJudges(20))
    await page.evaluate(axe)
    for (const dark of [false, true]) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', media: 'screen' })
      await page.setViewportSize({ width: dark ? 320 : 1280, height: 800 })
      for (const key of ['o', 'i', 'j', 'l', '?']) {
        await page.keyboard.press(key)
        await page.waitForTimeout(100)
        const found = await page.evaluate<
          string[]
        >(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
          violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => id + ' ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html + failureSummary).join(' | ')))`)
        assert.deepEqual(found, [], `after ${key}, ${dark ? 'dark' : 'light'}`)
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(wide <= 0, `after ${key}: ${wide} pixels too wide`)
      }
      await page.keyboard.press('Escape')
      await page.emulateMedia({ media: 'print' })
      assert.equal(await page.locator('.side').isVisible(), false)
      assert.equal(await page.locator('.chip:visible').count(), 0)
      assert.deepEqual(complaints, [])
    }
  })
})
