/** Items labelled in the page, in a real Chromium: slow, because a browser starts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../../src/stages/aggregate/options.ts'
import { folder } from '../../helpers/folder.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { openPage, skip, threeJudges } from './_browser.ts'

describe('labelling', { skip }, () => {
  test('ten items labelled blind, downloaded, and the agreement that comes of them', async (t) => {
    const rows = threeJudges()
    const { page, complaints } = await openPage(t, rows, '#view=label')
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
    const { page, complaints } = await openPage(t, rows)
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
    const { page, complaints } = await openPage(t, rows, '#view=label')
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
})
