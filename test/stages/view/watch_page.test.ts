/** jb-view of the file of `jb-audit --watch`. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { expect, jb } from '../../helpers/run.ts'
import { night } from '../audit/_nights.ts'
import { watching } from '../audit/_watch_cases.ts'

const BASE = [
  'AABBTAABBA',
  'AABBTAABBB',
  'AABBTABBBA',
  'ABBBTAABBA',
  'AABBTAABBA',
  'AABBAAABBA',
  'AABBTAABBA',
]

test('a line a night, the last first, with each interval; the night that moved is marked', async (t) => {
  const { judge, cwd, file, text } = watching(t, ['--fail-drift', '0.02'])
  for (const anchors of [...BASE, ...Array(3).fill('BBAATBBAAB')])
    await judge(night(anchors.repeat(10)), night('AABBTAABBA', { letter: 's' }))
  const view = () => jb('view', ['watch.json', '-o', 'watch.html'], { cwd })
  const { stdout } = await jb('view', ['watch.json'], { cwd })
  const lines = stdout.split('\n').filter((line) => line.startsWith('<tr'))
  assert.deepEqual(
    lines.map((line) => Number(/<th scope="row">(\d+)/.exec(line)![1])),
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  )
  const { moved } = JSON.parse(text()!)
  const marked = lines.filter((line) => line.startsWith('<tr class="marked"'))
  assert.equal(marked.length, 1)
  assert.match(
    marked[0]!,
    new RegExp(
      `<th scope="row">${moved.night}</th><td><strong>the judge moved, since ${moved.since}</strong>`,
    ),
  )
  assert.match(lines[0]!, /<svg .*<small>[+−]?\d+\.\d \(−?\d+\.\d to −?\d+\.\d\)<\/small>/)
  assert.doesNotMatch(lines[8]!, /<svg/, 'nothing is compared in the base')
  assert.match(stdout, /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/)
  assert.match(stdout, /<p class="answer">the judge moved, since night 8: score /)
  expect(await view(), { code: 0 })
  writeFileSync(file, text()!.slice(0, -20))
  expect(await view(), { code: 65, err: /watch\.json: not the whole file of a watch/ })
  expect(await jb('view', ['--text', 'watch.json'], { cwd }), {
    code: 2,
    err: /this report is a page: give -o report\.html/,
  })
})
