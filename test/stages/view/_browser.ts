import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { chromiumPath, launch, watched } from '../../helpers/browser.ts'
import { folder } from '../../helpers/folder.ts'
import { game } from '../../helpers/rows.ts'
import { madeOf } from './_page.ts'

const path = chromiumPath()
export const skip =
  path === undefined ? 'NOT RUN: no Chromium here (apt-get install chromium, or CHROMIUM=path)' : false
const PAIRS = 350

let started: Promise<Browser> | undefined
after(async () => (await started)?.close())

/** Starts it when it is first asked for. */
export const browser = () => (started ??= launch(path!))

/** Three judges on the same pairs: the second is wrong on every fifth, the third failed on every seventh. */
export function threeJudges(pairs = PAIRS): object[] {
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

export async function openPage(t: TestContext, rows: object[], hash = '', more = {}) {
  const file = join(folder(t), 'run.html')
  writeFileSync(file, await madeOf(rows))
  const address = pathToFileURL(file).href
  const opened = await watched(await browser(), { address: address + hash, ...more })
  t.after(() => opened.page.context().close())
  return { ...opened, address }
}

export const count = (page: Page) => page.locator('.count').innerText()
