/** Pictures of jb-view's page, from the fixtures and baselines alone: docs/gallery/*.png, or in the folder named. Needs Chromium. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromiumPath, launch, watched } from '../test/helpers/browser.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const pictures = process.argv[2] ?? join(root, 'docs/gallery')
const path = chromiumPath()
if (path === undefined) throw new Error('no Chromium here: apt-get install chromium, or CHROMIUM=path')

const folder = mkdtempSync(join(tmpdir(), 'jb-gallery-'))
/** Two versions of an agent, on the same task: one asks before it books. */
const trips = (version: string) =>
  ['Oslo', 'Lima', 'Kyoto'].map((city) => {
    const call = (id: string, name: string, given: object) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(given) } }],
    })
    const result = (id: string, content: unknown) => ({
      role: 'tool',
      tool_call_id: id,
      content: JSON.stringify(content),
    })
    const messages = [
      { role: 'system', content: 'You book rooms. Ask before you spend money.' },
      { role: 'user', content: `A quiet room in ${city} for two nights, below 120 euros.` },
      call('c1', 'search_rooms', { city, nights: 2, below: 120 }),
      result('c1', [
        { hotel: 'North', price: 97, street: 'loud' },
        { hotel: 'Garden', price: 104, street: 'quiet' },
      ]),
      ...(version === 'new'
        ? [
            {
              role: 'assistant',
              content: `Garden in ${city} is quiet and costs 104 euros a night. Shall I book it?`,
            },
          ]
        : [
            call('c2', 'book', { hotel: 'North', nights: 2 }),
            result('c2', { booked: true }),
            { role: 'assistant', content: `I booked North in ${city} for 97 euros a night.` },
          ]),
    ]
    return JSON.stringify({ id: `trip-${city.toLowerCase()}`, messages })
  })
for (const version of ['old', 'new'])
  writeFileSync(join(folder, `${version}.jsonl`), `${trips(version).join('\n')}\n`)

const pipe = `
for version in old new; do
  jb-render task_completion $version.jsonl | jb-call -q -m baseline:random | jb-parse > $version.ndjson
done
jb-view --by-file old.ndjson new.ndjson -o trips.html
jb-render arena_hard --order both --shuffle 2026 ${join(root, 'fixtures/pairs.jsonl')} | jb-call -q -m baseline:longer | jb-parse |
  jb-view --gate 0.2 -o shuffled.html
for model in baseline:longer baseline:overlap baseline:random; do
  jb-render arena_hard --order both ${join(root, 'fixtures/pairs.jsonl')} | jb-call -q -m $model
done | jb-parse > verdicts.ndjson
jb-view verdicts.ndjson -o run.html`
execFileSync('bash', ['-e', '-o', 'pipefail', '-c', pipe], {
  cwd: folder,
  env: { PATH: `${resolve(root, 'bin')}:${process.env.PATH}`, HOME: folder },
  stdio: 'inherit',
})

interface Picture {
  name: string
  hash: string
  keys: string[]
  /** Of the page, in place of its window. */
  part?: string
  file?: string
  width?: number
  height?: number
  dark?: boolean
}

/** Keys are pressed one after the other once the page is there. */
const PICTURES: Picture[] = [
  { name: 'overview', hash: '', keys: [] },
  { name: 'list', hash: '#view=items&is=wrong+inconsistent', keys: [] },
  { name: 'item', hash: '#view=items&item=arithmetic-06', keys: ['d'] },
  { name: 'label', hash: '#view=label', keys: ['a', 'b'], height: 520 },
  { name: 'dark', hash: '#view=items&item=arithmetic-06', keys: [], dark: true },
  { name: 'conversation', file: 'trips', hash: '#view=items&item=trip-oslo', keys: ['d'], height: 720 },
  { name: 'sequence', file: 'shuffled', hash: '', keys: [], part: '.plot', width: 1000 },
  { name: 'narrow', hash: '', keys: [], width: 390, height: 780 },
]

const browser = await launch(path)
mkdirSync(pictures, { recursive: true })
try {
  for (const { name, file = 'run', hash, keys, part, width = 1200, height = 760, dark = false } of PICTURES) {
    const address = pathToFileURL(join(folder, `${file}.html`)).href
    const { page, complaints } = await watched(browser, { address: address + hash, width, height, dark })
    for (const key of keys) {
      await page.keyboard.press(key)
      await page.waitForTimeout(200)
    }
    await page.waitForTimeout(200)
    const shown = part === undefined ? page : page.locator(part).first()
    await shown.screenshot({ path: join(pictures, `${name}.png`) })
    if (complaints.length > 0) throw new Error(`${name}: ${complaints.join('; ')}`)
    await page.context().close()
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
