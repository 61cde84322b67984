/** Pictures of jb-view's page, from the fixtures and baselines alone: docs/gallery/*.png. Needs Chromium. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromiumPath, launch, watched } from '../test/helpers/browser.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const path = chromiumPath()
if (path === undefined) throw new Error('no Chromium here: apt-get install chromium, or CHROMIUM=path')

const folder = mkdtempSync(join(tmpdir(), 'jb-gallery-'))
const pipe = `
for model in baseline:longer baseline:overlap baseline:random; do
  jb-render arena_hard --order both ${join(root, 'fixtures/pairs.jsonl')} | jb-call -q -m $model
done | jb-parse > verdicts.ndjson
jb-view verdicts.ndjson --title "48 pairs, three baselines" -o run.html`
execFileSync('bash', ['-e', '-o', 'pipefail', '-c', pipe], {
  cwd: folder,
  env: { PATH: `${resolve(root, 'bin')}:${process.env.PATH}`, HOME: folder },
  stdio: 'inherit',
})

/** Keys are pressed one after the other once the page is there. */
const PICTURES = [
  { name: 'overview', hash: '', keys: [] },
  { name: 'list', hash: '#view=items&is=wrong+inconsistent', keys: [] },
  { name: 'item', hash: '#view=items&item=arithmetic-06', keys: ['d'] },
  { name: 'label', hash: '#view=label', keys: ['a', 'b'], height: 520 },
  { name: 'dark', hash: '#view=items&item=arithmetic-06', keys: [], dark: true },
  { name: 'narrow', hash: '', keys: [], width: 390, height: 780 },
]

const browser = await launch(path)
mkdirSync(join(root, 'docs/gallery'), { recursive: true })
try {
  const address = pathToFileURL(join(folder, 'run.html')).href
  for (const { name, hash, keys, width = 1200, height = 760, dark = false } of PICTURES) {
    const { page, complaints } = await watched(browser, { address: address + hash, width, height, dark })
    for (const key of keys) {
      await page.keyboard.press(key)
      await page.waitForTimeout(200)
    }
    await page.waitForTimeout(200)
    await page.screenshot({ path: join(root, `docs/gallery/${name}.png`) })
    if (complaints.length > 0) throw new Error(`${name}: ${complaints.join('; ')}`)
    await page.context().close()
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
