/** The page in a real Chromium, as a person uses it: slow, because a browser starts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { watched } from '../../helpers/browser.ts'
import { browser, count, openPage, skip, threeJudges } from './_browser.ts'

/** A conversation with a text wherever one can stand. */
const talk = (text: string) => [
  { role: text, content: text },
  { role: 'system', content: text },
  {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: text },
      ...[text, 'javascript:alert(1)', `data:text/html,${text}`, `data:image/png;base64,${text}`].map(
        (url) => ({
          ...{ type: 'image_url', image_url: { url } },
        }),
      ),
      { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+' } },
      { type: 'image_url', image_url: { url: 'https://example.com/x.png' } },
    ],
  },
  {
    ...{ role: 'assistant', content: null, reasoning_content: text },
    tool_calls: [{ id: text, function: { name: text, arguments: text } }],
  },
  { role: 'tool', tool_call_id: text, name: text, content: text },
  { role: 'tool', tool_call_id: `${text}?`, content: text, is_error: true },
]

describe('the page', { skip }, () => {
  test('filters, search, an item, its runs, a link to it', async (t) => {
    const { page, complaints, address } = await openPage(t, threeJudges())
    assert.deepEqual(await page.locator('.runs tbody th').allInnerTexts(), [
      '1\u00a0first',
      '2\u00a0second',
      '3\u00a0third',
    ])
    assert.match(await page.locator('.lead').innerText(), /3 runs of m$/)
    assert.match(await page.locator('.multiple figcaption').first().innerText(), /^code 117 items counted$/)
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
    assert.deepEqual(await page.locator('.answer mark').first().innerText(), 'one')
    await page.keyboard.press('m')
    await page.keyboard.press('d')
    assert.equal(await page.locator('.answer strong').innerText(), 'one')
    // The words a verdict was read from stay in the line they stand in.
    assert.match(
      await page.locator('.reply p', { has: page.locator('mark.verdict') }).innerText(),
      /needle.*\[\[B>A]]/,
    )

    const link = page.url()
    const again = await watched(await browser(), { address: link })
    await again.page.getByRole('heading', { name: 'pair-340' }).waitFor()
    await again.page.getByText('11 of 350 items').waitFor()
    assert.equal(await again.page.locator('.run').count(), 1)
    await again.page.context().close()
    assert.ok(link.startsWith(address))
    assert.deepEqual([...complaints, ...again.complaints], [])
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
      'data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+',
      '\u2028</ScRiPt\t><script>alert(1)</script>',
      '__proto__',
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
        messages: talk(text),
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
    const { page, complaints } = await openPage(t, rows, '#view=items&markdown=1&diff=1')
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
    assert.deepEqual(hidden, ['', '', '', '', '␀', '', '+9984 marks', '', '', 'U+2028', ''])
    await page.keyboard.press('o')
    await page.locator('.overview').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('two runs of an agent: conversations side by side, calls folded, images, what differs', async (t) => {
    const png =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const run = (judge: string, tool: string) => {
      const call = { id: judge, type: 'function', function: { name: tool, arguments: '{"city":"Oslo"}' } }
      const long = Array.from({ length: 1000 }, (_, i) => ({ role: 'assistant', content: `step ${i}` }))
      return {
        id: 'trip',
        messages: [
          { role: 'system', content: 'Ask first.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'A room.' },
              { type: 'image_url', image_url: { url: png } },
            ],
          },
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: judge, content: 'three rooms' },
          ...long,
        ],
        jb: {
          judge,
          item: 'trip',
          trial: { n: 0, of: 1 },
          reply: { text: 'x', model: 'm' },
          verdict: { score: 1 },
        },
      }
    }
    const { page, complaints } = await openPage(
      t,
      [run('old', 'search'), run('new', 'book')],
      '#view=items&item=trip',
    )
    const columns = page.locator('.answer')
    assert.deepEqual(await columns.locator('h3').allInnerTexts(), ['1 old', '2 new'])
    assert.match(await columns.first().locator('.course').innerText(), /^1,004 messages, 1 call: search$/)
    assert.equal(await page.locator('.answer img').count(), 2)
    assert.equal(await page.locator('.answer .said.own').count(), 0)
    assert.equal(await columns.first().locator('.said').count(), 100)
    await page.keyboard.press('d')
    assert.deepEqual(await page.locator('.said.own strong').allInnerTexts(), [
      'search',
      'search',
      'book',
      'book',
    ])
    assert.equal(await page.getByText('"city"').first().isVisible(), true)
    await columns.first().getByText('messages 1,001 to 1,004').click()
    await page.getByText('step 999').waitFor()
    await page.keyboard.press('2')
    assert.equal(await page.locator('.course').innerText(), '1,004 messages, 1 call: book')
    assert.deepEqual(complaints, [])
  })

  test('names and contrast for everybody: axe finds nothing serious; narrow, dark, on paper', async (t) => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    const { page, complaints } = await openPage(t, threeJudges(20))
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
