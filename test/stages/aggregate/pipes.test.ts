/** A pipe gives what its file gives, byte for byte. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'

const ITEMS = 400
/** With these texts the rows take more than the copy of a pipe keeps in memory. */
const reply = (text: string) => ({ reply: { text: `${text} ü😀 ${'x'.repeat(2500)}`, model: 'm' } })
/** A trial of an item; every second item has two. */
const trial = (i: number, { n = 0, decision = 'A>B', text = 'a reply', jb = {} } = {}) =>
  game(`p${i}`, n, 1 + (i % 2), decision, {
    source: `s${i % 47}`,
    group: i % 150,
    jb: { ...reply(text), ...jb },
  })
const failed = (i: number) =>
  trial(i, {
    jb: {
      verdict: null,
      reply: null,
      error: { stage: 'call', code: 'timeout', message: 'late', model: 'm' },
    },
  })

/** All items, and rows that are there again. */
function lines(again: object[]): string {
  const rows = Array.from({ length: ITEMS }, (_, i) => [
    trial(i),
    ...(i % 2 === 1 ? [trial(i, { n: 1 })] : []),
  ])
  const texts = [...rows.flat(), ...again].map((row) => JSON.stringify(row))
  // Another line end, blank lines, and a line that takes several reads.
  texts[20] += '\r'
  texts.splice(30, 0, '', ' ', '')
  texts[40] = texts[40]!.replace('xxx', 'x'.repeat(200_000))
  return texts.join('\n')
}

const every = (step: number, row: (i: number) => object) =>
  Array.from({ length: ITEMS / step }, (_, i) => row(i * step))

const same = every(7, (i) => trial(i))
const others = every(20, (i) => trial(i, { decision: 'B>A', text: 'another' }))
const elsewhere = every(25, (i) => ({ ...trial(i), source: 'elsewhere' }))
const CASES: [rows: string, again: object[], items: number, failures: object][] = [
  ['the same again', same, ITEMS, {}],
  ['other replies', [...same, ...others], ITEMS, { conflict: others.length }],
  [
    'other groups, and failures',
    [...elsewhere, ...every(9, failed), failed(ITEMS), trial(ITEMS), failed(ITEMS + 2)],
    ITEMS + 2,
    { conflict: elsewhere.length, timeout: 1 },
  ],
]

const OPTIONS = [
  [],
  ['--by', 'group', '--format', 'table'],
  ['--combine', 'vote'],
  ['--common', '--by', 'source'],
]

for (const [what, again, items, failures] of CASES)
  test(`a pipe and its file: ${what}`, async (t) => {
    const text = lines(again)
    const cwd = folder(t, { 'rows.ndjson': text })
    for (const args of again === same ? [[]] : OPTIONS) {
      const piped = await jb('aggregate', args, { cwd, stdin: text })
      const filed = await jb('aggregate', [...args, 'rows.ndjson'], { cwd })
      const said = piped.stderr.replaceAll('(stdin)', 'rows.ndjson')
      assert.deepEqual([piped.stdout, said, piped.code], [filed.stdout, filed.stderr, filed.code])
      if (args.length > 0) continue
      const report = JSON.parse(filed.stdout)
      assert.deepEqual([report.items, report.failures], [items, failures])
    }
  })
