/** Judge files that rows name: those that the user rendered with, as they are now, and no code. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair, rowsOf } from '../helpers/rows.ts'
import { fine, jb } from '../helpers/run.ts'

const yaml = (label: string) => `kind: pairwise
fields: { question: question, answer_a: response_A, answer_b: response_B }
messages: [{ role: user, content: '{{ question }} {{ answer_a }} {{ answer_b }}' }]
verdict: { rule: label, pattern: '(one|two)', labels: { one: ${label}, two: B>A }, example: '{label}' }
`

/** A folder with a judge file, and rows that were rendered with it and answered. */
async function rendered(t: TestContext, name = 'mine.yaml', text = yaml('A>B')) {
  const place = folder(t, { [name]: text })
  const env = { XDG_CACHE_HOME: `${place}/cache` }
  const run = async (filter: 'render' | 'call' | 'parse', args: string[], stdin: string) =>
    jb(filter, args, { cwd: place, env, stdin })
  const trials = fine(await run('render', [name], ndjson([pair()]))).stdout
  /** What jb-parse makes of a reply under a judge of this name: a decision, or a code. */
  const verdict = async (judge: string) => {
    const row = { jb: { judge, item: 'p', trial: { n: 0, of: 1 }, reply: { text: 'one', model: 'm' } } }
    const { jb: read } = rowsOf(await run('parse', ['-q'], ndjson([row])))[0]!
    return read.verdict?.decision ?? read.error!.code
  }
  return { place, run, trials, verdict }
}

test('the filters behind jb-render know the file that it rendered with', async (t) => {
  const { run, trials, verdict, place } = await rendered(t)
  const replies = fine(await run('call', ['-m', 'baseline:first', '-q'], trials)).stdout
  const [row] = rowsOf(await run('parse', [], replies))
  assert.equal(row!.jb.verdict!.decision, 'A>B')
  assert.equal(await verdict(`${place}/mine.yaml`), 'A>B')
  assert.equal(await verdict('./mine.yaml'), 'A>B')
})

test('no other file, and none that was changed since', async (t) => {
  const { place, verdict } = await rendered(t)
  writeFileSync(`${place}/other.yaml`, yaml('A=B'))
  assert.equal(await verdict('other.yaml'), 'unknown_judge')
  assert.equal(await verdict(`${place}/other.yaml`), 'unknown_judge')
  writeFileSync(`${place}/mine.yaml`, yaml('A=B'))
  assert.equal(await verdict('mine.yaml'), 'unknown_judge')
})

test('a link is the file that it leads to: one in the place of a judge file is refused', async (t) => {
  const { place, verdict } = await rendered(t)
  symlinkSync('mine.yaml', `${place}/link.yaml`)
  assert.equal(await verdict('link.yaml'), 'A>B')
  writeFileSync(`${place}/evil.yaml`, yaml('A=B'))
  renameSync(`${place}/mine.yaml`, `${place}/kept.yaml`)
  symlinkSync('evil.yaml', `${place}/mine.yaml`)
  assert.equal(await verdict('mine.yaml'), 'unknown_judge')
  // The same text under a name that was not rendered with.
  assert.equal(await verdict('kept.yaml'), 'unknown_judge')
})

test('a row never names code, not even code that the user rendered with', async (t) => {
  const code = `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('ran', import.meta.url), '')
export default { kind: 'pairwise', fields: { q: 'question' }, messages: [{ role: 'user', content: '{{ q }}' }], parse: () => 'A>B' }
`
  const { place, verdict } = await rendered(t, 'code.mjs', code)
  const ran = `${place}/ran`
  assert.ok(existsSync(ran))
  rmSync(ran)
  symlinkSync('code.mjs', `${place}/text.yaml`)
  for (const name of ['code.mjs', `${place}/code.mjs`, 'text.yaml', 'code.mjs#x', 'code.js'])
    assert.equal(await verdict(name), 'unknown_judge', name)
  assert.ok(!existsSync(ran))
})

test('a row never names a judge of nunjucks templates, which are compiled to code', async (t) => {
  const { place, verdict, run } = await rendered(t, 'mine.yaml', `syntax: nunjucks\n${yaml('A>B')}`)
  assert.equal(await verdict(`${place}/mine.yaml`), 'unknown_judge')
  const row = ndjson([{ jb: { judge: 'mine.yaml', reply: { text: 'one', model: 'm' } } }])
  for (const [args, env] of [
    [['--judge', 'mine.yaml'], {}],
    [[], { JB_JUDGE: 'mine.yaml' }],
  ] as const) {
    const [read] = rowsOf(fine(await jb('parse', [...args, '-q'], { cwd: place, env, stdin: row })))
    assert.equal(read!.jb.verdict!.decision, 'A>B')
  }
  assert.match(
    (await run('parse', [], row)).stderr,
    /or whose templates are code \(nunjucks\): if it is yours, add --judge/,
  )
})

test('what is no file is not opened; a list that others can write is not believed', async (t) => {
  const { place, verdict } = await rendered(t)
  // Whoever opened it would wait for a writer.
  execFileSync('mkfifo', [`${place}/pipe.yaml`])
  for (const name of ['pipe.yaml', 'x/../mine.yaml', '/dev/zero', '.', 'no.yaml', '/proc/self/environ.yaml'])
    assert.equal(await verdict(name), 'unknown_judge', name)
  chmodSync(`${place}/cache/jb/judges`, 0o777)
  assert.equal(await verdict('mine.yaml'), 'unknown_judge')
})
