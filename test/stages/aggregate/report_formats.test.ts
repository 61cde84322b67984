/** Reports as CSV, Markdown, tables, and as originals print them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wilson } from '../../../src/statistics/interval.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { said } from '../../scoring/_kept.ts'
import { pairs, run, written } from './_report.ts'

const printed = async (rows: object[], ...args: [string, ...string[]]) =>
  JSON.parse(await written(rows, ...args))

/** Groups with names that each format must write in its own way. */
const ODD = pairs({ 'a,b "c"': [1, 1], 'd|e': [2, 0], 'f\tg': [0, 1], 'h\ni': [1, 0], é: [1, 0] })

test('csv and tsv: a line a group, cells that need it quoted, numbers plain', async () => {
  const csv = await run(ODD, '--format', 'csv')
  const { parse } = await import('csv-parse/sync')
  const records = parse(csv, { columns: true }) as Record<string, string>[]
  assert.deepEqual(
    records.map(({ by, group }) => [by, group]),
    [['', ''], ...['a,b "c"', 'd|e', 'f\tg', 'h\ni', 'é'].map((name) => ['source', name])],
  )
  const [all] = records
  assert.deepEqual([all?.judge, all?.model, all?.items, all?.correct], ['arena_hard', 'm', '7', '5'])
  assert.equal(Number(all?.accuracy), 5 / 7)
  assert.ok(Math.abs(Number(all?.ci_low) - wilson(5, 7, 0.95)![0]) < 1e-12)
  const tsv = parse(await run(ODD, '--format', 'tsv'), { columns: true, delimiter: '\t' })
  assert.deepEqual(tsv, records)
  assert.ok(csv.endsWith('\n'))
})

test('markdown: one table, as wide in every line, bars in names escaped', async () => {
  const text = await run(ODD, '--format', 'markdown')
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  const width = (line: string) => line.replaceAll('\\|', '').split('|').length
  assert.equal(new Set(lines.map(width)).size, 1, text)
  assert.match(text, /d\\\|e/)
  assert.match(text, /71\.43 %/)
})

test('a table for people: the judge, what failed, groups, the whole last', async () => {
  const failed = {
    jb: { judge: 'arena_hard', item: 'f', error: { stage: 'call', code: 'timeout', message: 'x' } },
  }
  const text = await run([...pairs({ x: [8, 2], y: [1, 1] }), failed], '--format', 'table')
  assert.match(text, /^arena_hard · m\n13 items, 12 valid, 1 failed \(timeout 1\)\n/)
  assert.match(text, /^x +10 .* 80\.00 % +49\.0–94\.3 /m)
  assert.ok(text.indexOf('\nall ') > text.indexOf('\ny '))
  assert.ok(!text.includes('\u001b'))
  assert.ok((await run(pairs({ x: [1, 0] }), '--format', 'table', '--color', 'always')).includes('\u001b['))
})

test('jb-write judgebench: the lines the original prints, its buckets in its order', async () => {
  const rows = pairs({
    livecodebench: [3, 1],
    'mmlu-pro-law': [1, 2],
    'mmlu-pro-math': [1, 0],
    'livebench-reasoning': [1, 0],
    'something else': [0, 1],
  })
  const lines = [
    'mmlu-pro: 50.00%.',
    'livebench-reasoning: 100.00%.',
    'livecodebench: 75.00%.',
    'Overall: 60.00%.',
  ]
  assert.equal(await written(rows, 'judgebench'), `${lines.join('\n')}\n`)
  // Halves are rounded as Python prints them, to even.
  const halves = await written(pairs({ 'mmlu-pro': [1, 31], livecodebench: [3, 29] }), 'judgebench')
  assert.equal(halves, 'mmlu-pro: 3.12%.\nlivecodebench: 9.38%.\nOverall: 6.25%.\n')
  // What failed counts as not correct there, and is told.
  const error = { stage: 'call', code: 'timeout', message: 'x' }
  const failed = { source: 'livecodebench', label: 'A>B', jb: { judge: 'arena_hard', item: 'f', error } }
  assert.match(await written([...rows, failed], 'judgebench'), /^livecodebench: 60\.00%\.\n[\s\S]*failed: 1/m)
  expect(
    await jb('write', ['-q', 'judgebench'], {
      stdin: ndjson([game('p', 0, 1, 'A>B', { label: null })]),
    }),
    {
      code: 78,
      err: /no label to compare with \(--label FIELD\)/,
    },
  )
})

test('jb-write rm-gallery: the tutorial’s keys, by whole source', async () => {
  const found = await printed(pairs({ 'mmlu-pro-law': [3, 1], gsm8k: [1, 1] }), 'rm-gallery')
  const counts = (accuracy: number, correct: number, total: number) => ({
    accuracy,
    correct_count: correct,
    valid_samples: total,
    total_samples: total,
  })
  assert.deepEqual(found, {
    model: 'm',
    judge_type: 'arena_hard',
    overall_accuracy: counts(4 / 6, 4, 6),
    source_accuracy: { 'mmlu-pro-law': counts(0.75, 3, 4), gsm8k: counts(0.5, 1, 2) },
  })
})

test('jb-write rm-gallery --compat rm-gallery: a percentage to the last digit', async () => {
  const games = (i: number) =>
    [0, 1].map((n) => game(`p${i}`, n, 2, i < 19 ? 'A>B' : 'B>A', { source: 's', label: 'A>B' }))
  const rows = Array.from({ length: 60 }, (_, i) => games(i)).flat()
  // RM-Gallery 0.1.7 with the same decisions.
  const { overall_accuracy } = await printed(rows, 'rm-gallery', '--compat', 'rm-gallery')
  assert.equal(overall_accuracy.accuracy, 31.666666666666668)
})

test('jb-write rm-gallery with two games: its counters; an empty decision is no null, a call that failed is', async () => {
  const games = (item: string, first: string | null, second: string | null) => [
    said(item, 0, 2, first, { source: 's' }),
    said(item, 1, 2, second, { source: 's' }),
  ]
  const error = { stage: 'call', code: 'timeout', message: 'x', model: 'm' }
  const rows = [
    ...games('a', 'A>B', 'A>B'),
    ...games('b', 'A>B', 'B>A'),
    ...games('c', 'B>A', 'A=B'),
    ...games('d', '', 'A>B'),
    ...games('e', null, 'A=B'),
    game('f', 0, 2, 'A>B', { source: 's' }),
    { source: 's', jb: { judge: 'arena_hard', item: 'f', trial: { n: 1, of: 2 }, error } },
  ]
  const { overall_accuracy } = await printed(rows, 'rm-gallery')
  assert.deepEqual(overall_accuracy, {
    accuracy: 2 / 5,
    correct_count: 2,
    incorrect_count: 1,
    tie_count: 2,
    valid_samples: 5,
    total_samples: 6,
    all_correct: 1,
    all_incorrect: 2,
    some_correct: 2,
    n_inconsistent: 4,
    n_nulls: 2,
  })
})

test('names from the data can neither break a table’s line nor speak to the terminal', async () => {
  const rows = pairs({
    'two\nlines': [1, 0],
    '\u001b[31mred\u0007': [1, 0],
    'sep\u2028arated': [0, 1],
    '\u202eturned|<img>[x](http://there)': [1, 0],
  })
  const text = await run(rows, '--format', 'table')
  assert.match(text, /^two lines +1 /m)
  assert.match(text, /^\\u001b\[31mred\\u0007 +1 /m)
  assert.match(text, /^sep arated +1 /m)
  assert.match(text, /^\\u202eturned\|<img>/m)
  const markdown = await run(rows, '--format', 'markdown')
  assert.ok(markdown.includes('| \\\\u202eturned\\|\\<img>[x\\](http://there) |'), markdown)
  const reply = { text: 'x', model: 'm', served_model: '\u001b[31mred' }
  const notes = await run(pairs({ g: [1, 0] }, { jb: { reply } }), '--format', 'markdown')
  assert.match(notes, /served models? \\\\u001b\[31mred/)
})

test('names in any script keep their columns', async () => {
  const text = await run(
    pairs({ 日本語: [1, 0], plain: [1, 0], 'e\u0301te\u0301': [1, 0] }),
    '--format',
    'table',
  )
  const begins = text
    .split('\n')
    .filter((line) => /^(日本語|plain|e\u0301te\u0301) /.test(line))
    .map((line) => [line.slice(0, line.indexOf('1')), line])
  // Each of the three takes two columns; a mark above a letter takes none.
  assert.deepEqual(
    begins.map(([before]) => before!.replace(/[日本語]/g, 'xx').replaceAll('\u0301', '').length),
    [12, 12, 12],
    text,
  )
})
