/** Cells of CSV and TSV: a spreadsheet runs nothing in them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sheetCell, sheetWriter } from '../../src/formats/_sheet.ts'
import { ndjson } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'

const before = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\ufeff',
    '\u00a0',
    '\u200b',
    '\u2060',
    '\u00ad',
    '\u3000',
    ' \ufeff\t',
    '\u0000',
  ],
]

describe('a cell', () => {
  it('that a spreadsheet would run is a text, whatever it does not show stands before', () => {
    for (const start of before)
      for (const formula of [
        '=1+1',
        '+cmd',
        '-2+3',
        '@SUM(A1)',
        '＝1',
        '＋1',
        '－1+1',
        '＠x',
        '=-1',
        '-cmd|x',
      ])
        assert.equal(sheetCell(start + formula), `'${start}${formula}`)
  })
  it('of any other kind stays: numbers, texts, a lone sign', () => {
    for (const text of ['', '-0.25', '+3', '-1e-9', '.5', 'a=b', '1-2', '-', '=', "'=1", 'é', 'a\n=b'])
      assert.equal(sheetCell(text), text)
  })
  it('with a bare carriage return is quoted, so that it does not end its row', async () => {
    assert.equal((await sheetWriter({ format: 'csv' }))([['a\r=1+1', 'b']]), '"a\r=1+1",b\n')
  })
})

describe('reports', () => {
  const item = (id: number, model: string, source: string, label = 'A>B') => ({
    ...{ id, source, label, model_a: model, model_b: id % 2 ? 'm' : 'n' },
    jb: {
      ...{ judge: model, item: String(id) },
      result: { decision: 'A>B', scores: [1, 0], label, correct: label === 'A>B' },
      trials: [{ trial: { n: 0, of: 1, order: 'AB' }, model, verdict: { label: 'a', decision: 'A>B' } }],
    },
  })
  const evil = '=HYPERLINK("http://x")'
  const rows = (source: string, label?: string) => [1, 2, 3, 4].map((id) => item(id, evil, source, label))
  const one = ndjson(rows(` ${evil}`))
  const cells = (text: string) =>
    [...text.matchAll(/(?<=^|[\t\n"])['\s]*=HYPERLINK/gm)].map(([found]) => found)
  for (const [name, args, stdin] of [
    ['aggregate', [], one],
    ['rank', [], one],
    ['audit', [], one],
    ['compare', ['--run', 'source'], ndjson([...rows(` ${evil}`), ...rows('b')])],
  ] as const)
    it(`jb-${name}: models and groups are texts`, async () => {
      const safe = cells((await jb(name, [...args, '--format', 'tsv'], { stdin })).stdout)
      assert.ok(safe.length > 0 && safe.every((found) => found.startsWith("'")), JSON.stringify(safe))
    })
  it('figures keep their sign', async () => {
    const worse = ndjson([...rows('a'), ...rows('b', 'B>A')])
    const text = (
      await jb('compare', ['--run', 'source', '--differ', 'questions', '--format', 'csv'], { stdin: worse })
    ).stdout
    assert.match(text, /,-\d/)
    assert.doesNotMatch(text, /'[\d.-]/)
  })
})
