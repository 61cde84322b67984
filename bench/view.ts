/** jb-view on 20,000 judged pairs, some 200 MB: the filter's time and memory, the page's size, first paint, scrolling. */
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { createGzip } from 'node:zlib'
import { chromiumPath, launch } from '../test/helpers/browser.ts'
import { DATA, dataFile, peakMemory, prose, random } from './_bench.ts'

const COUNT = 20_000

/** Every row of its own: what repeats would be compressed away. */
const rows = await dataFile(`viewed-${COUNT}.ndjson`, function* () {
  const draw = random(5)
  for (let i = 0; i < COUNT; i++) {
    const foreign = i % 2 === 0
    const [question, a, b] = [900, 2000, 1900].map((size) => prose(draw, size, foreign)) as [
      string,
      string,
      string,
    ]
    const decision = draw() < 0.6 ? 'A>B' : 'B>A'
    yield JSON.stringify({
      pair_id: `pair-${i}`,
      source: ['mathematics', 'physics', 'code', 'law'][i % 4],
      question,
      response_A: a,
      response_B: b,
      label: draw() < 0.55 ? 'A>B' : 'B>A',
      jb: {
        judge: 'arena_hard',
        item: `pair-${i}`,
        trial: { n: 0, of: 1, order: 'AB' },
        request: {
          messages: [{ role: 'user', content: `<|User prompt|>\n${question}\n\n${a}\n\n${b}` }],
          temperature: 0,
        },
        reply: {
          text: `${prose(draw, 300)} [[${decision}]]`,
          model: 'm',
          ms: 900,
          usage: { prompt_tokens: 1900, completion_tokens: 80 },
        },
        verdict: { label: decision, decision },
      },
    })
  }
})
const output = `${DATA}/viewed.html`

const started = process.hrtime.bigint()
const child = spawn('bin/jb-view', [rows, '-o', output], { stdio: 'inherit' })
let memory = 0
const watch = setInterval(() => (memory = Math.max(memory, peakMemory(child.pid!))), 50)
await new Promise((done) => child.on('close', done))
clearInterval(watch)
const seconds = Number(process.hrtime.bigint() - started) / 1e9
let compressed = 0
const gzip = createGzip()
gzip.on('data', (piece: Buffer) => (compressed += piece.length))
await pipeline(createReadStream(rows), gzip, createWriteStream('/dev/null'))
const [size, page] = [statSync(rows).size, statSync(output).size]
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
console.log(`\njb-view, ${COUNT} judged pairs, ${mb(size)}`)
console.log(`  filter                             ${seconds.toFixed(1)} s, ${memory.toFixed(0)} MB at most`)
console.log(
  `  rows by gzip, page                 ${mb(compressed)}, ${mb(page)}: ${((page - 300_000) / compressed).toFixed(3)} x and 300 KB  goal at most 1.4 x`,
)

/** What runs in the browser is text: it sees the browser's document, not this module. */
const SCROLL = `new Promise((done) => {
  const list = document.querySelector('.list')
  const times = []
  const step = (now) => {
    times.push(now)
    list.scrollTop += 45
    if (times.length < 240) requestAnimationFrame(step)
    else done(times.slice(1).map((time, i) => time - times[i]))
  }
  requestAnimationFrame(step)
})`
const OPEN = `(async () => {
  const from = performance.now()
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
  while (!document.querySelector('.item')) await new Promise((done) => setTimeout(done))
  return performance.now() - from
})()`
/** Sum of all layout shifts so far: 0 where nothing moved under the reader. */
const SHIFT = `new Promise((done) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value })
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => done(sum), 300)
})`
const PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"

async function inBrowser(path: string): Promise<void> {
  const browser = await launch(path)
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const address = pathToFileURL(output).href
  const [paints, whole, shifts]: number[][] = [[], [], []]
  for (let round = 0; round < 3; round++) {
    await tab.goto('about:blank')
    await tab.goto(address, { waitUntil: 'commit' })
    await tab.waitForSelector('html[data-ready]')
    whole!.push(await tab.evaluate<number>('performance.now()'))
    paints!.push(await tab.evaluate<number>(PAINT))
    shifts!.push(await tab.evaluate<number>(SHIFT))
  }
  const ms = (times: number[] | undefined) => times!.map((time) => time.toFixed(0)).join(', ')
  console.log(
    `  first paint                        ${ms(paints)} ms (list ready ${ms(whole)})  goal below 2000`,
  )
  console.log(
    `  layout shift                       ${shifts!.map((one) => one.toFixed(4)).join(', ')}  goal 0`,
  )
  await tab.goto('about:blank')
  await tab.goto(`${address}#view=items`)
  await tab.waitForSelector('.row')
  const frames = await tab.evaluate<number[]>(SCROLL)
  const late = frames.filter((time) => time > 17.5).length
  const mean = frames.reduce((sum, time) => sum + time, 0) / frames.length
  console.log(
    `  scrolling                          ${(1000 / mean).toFixed(1)} frames a second, ${late} of ${frames.length} late  goal 60`,
  )
  console.log(`  an item opened                     ${(await tab.evaluate<number>(OPEN)).toFixed(0)} ms`)
  await browser.close()
}

const path = chromiumPath()
if (path === undefined) console.log('  (no Chromium here: first paint and scrolling are left out)')
else await inBrowser(path)
