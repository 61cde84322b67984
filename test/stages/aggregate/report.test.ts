/** Reports: groups, intervals, formats, gates, and shards that add up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wilson } from '../../../src/statistics/interval.ts'
import { folder } from '../../helpers/folder.ts'
import { type AnyRow, game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { said } from '../../scoring/_kept.ts'

const run = async (rows: object[], ...args: string[]) =>
  expect(await jb('aggregate', ['-q', ...args], { stdin: ndjson(rows) }), {}).stdout
const report = async (rows: object[], ...args: string[]) => JSON.parse(await run(rows, ...args))

/** Pairs by source: how many are right and wrong. */
const pairs = (counts: Record<string, [right: number, wrong: number]>, more: object = {}) =>
  Object.entries(counts).flatMap(([source, [right, wrong]]) =>
    Array.from({ length: right + wrong }, (_, i) =>
      game(`${source}-${i}`, 0, 1, i < right ? 'A>B' : 'B>A', { source, ...more }),
    ),
  )

test('--by a field that no row has is told, once; one that some rows have is not', async () => {
  const rows = ndjson([...pairs({ x: [1, 1] }), ...pairs({ y: [1, 0] }, { part: 'p' })])
  const ran = await jb('aggregate', ['--by', 'nope', '--by', 'part'], { stdin: rows })
  expect(ran, { err: 'jb-aggregate: --by nope: no row has this field\n' })
  assert.deepEqual(Object.keys(JSON.parse(ran.stdout).by), ['part'])
  const empty = await jb('aggregate', ['--by', 'nope'], { stdin: '' })
  expect(empty, { code: 1, err: 'jb-aggregate: nothing was measured: there is no item in the input\n' })
})

test('rows that no judge has seen are no success in any format', async () => {
  const stdin = '{"id":1,"question":"q"}\n'
  for (const name of ['lm-eval', 'lm-eval-details', 'mt-bench-csv', 'evalassist', 'judgebench'])
    expect(await jb('aggregate', ['--as', name], { stdin }), {
      code: 1,
      err: /nothing was measured: no item of 1 is valid: no_verdict: no jb.verdict: run jb-parse first\n$/,
    })
  const failed = '{"run_id":"r","topic_id":"t","jb":{"judge":"rating","error":{"code":"timeout"}}}\n'
  expect(await jb('aggregate', ['--as', 'qrels'], { stdin: failed }), {
    code: 1,
    err: /1 grades missing: left out\n.*there are no grades\n$/s,
  })
})

test('Wilson’s interval, against values computed elsewhere', () => {
  const cases: [count: number, total: number, level: number, low: number, high: number][] = [
    [8, 10, 0.95, 0.49016247153664183, 0.9433178485456247],
    [8, 10, 0.99, 0.4008186965216716, 0.9598688474953836],
    [0, 10, 0.95, 0, 0.2775327998628892],
    [10, 10, 0.95, 0.7224672001371107, 1],
    [1, 1, 0.95, 0.20654931437723745, 1],
    [230, 350, 0.95, 0.6059501494572328, 0.7049235406033247],
    [0.5, 1, 0.95, 0.05462075552885198, 0.945379244471148],
  ]
  for (const [count, total, level, low, high] of cases) {
    const found = wilson(count, total, level)!
    assert.ok(
      Math.abs(found[0] - low) < 1e-12 && Math.abs(found[1] - high) < 1e-12,
      `${count}/${total}: ${found}`,
    )
  }
  assert.equal(wilson(0, 0, 0.95), null)
})

test('each accuracy has its interval, at the level asked for', async () => {
  const rows = pairs({ x: [8, 2], y: [0, 10] })
  const { ci, by } = await report(rows)
  const near = (found: number[], wanted: number[]) =>
    assert.ok(
      found.every((bound, i) => Math.abs(bound - wanted[i]!) < 1e-12),
      `${found} for ${wanted}`,
    )
  near(ci, wilson(8, 20, 0.95)!)
  near(by.source.x.ci, [0.49016247153664183, 0.9433178485456247])
  near(by.source.y.ci, [0, 0.2775327998628892])
  near((await report(rows, '--ci', '0.99')).by.source.x.ci, [0.4008186965216716, 0.9598688474953836])
})

test('--by: the field that is there by default, one or several, deep ones, values that are no texts', async () => {
  const rows = [
    game('a', 0, 1, 'A>B', { source: 'x', category: 'c', meta: { level: 1 } }),
    game('b', 0, 1, 'B>A', { source: 'y', category: 'c', meta: { level: 2 } }),
    game('c', 0, 1, 'A>B', { source: 'y', category: 'd' }),
  ]
  const groups = async (...args: string[]) => {
    const { by = {} } = (await report(rows, ...args)) as {
      by?: Record<string, Record<string, { items: number }>>
    }
    return Object.fromEntries(
      Object.entries(by).map(([field, values]) => [
        field,
        Object.fromEntries(Object.entries(values).map(([value, { items }]) => [value, items])),
      ]),
    )
  }
  assert.deepEqual(await groups(), { source: { x: 1, y: 2 } })
  assert.deepEqual(await groups('--by', 'category'), { category: { c: 2, d: 1 } })
  assert.deepEqual(await groups('--by', 'meta.level', '--by', 'source'), {
    'meta.level': { '1': 1, '2': 1 },
    source: { x: 1, y: 2 },
  })
  assert.deepEqual(await groups('--by', 'nothing'), {})
  const plain = rows.map(({ source: _, category: __, ...rest }: Record<string, unknown>) => rest)
  for (const field of ['category', 'subset', 'task']) {
    const { by } = await report(plain.map((row) => ({ [field]: 'v', ...row })))
    assert.deepEqual(Object.keys(by), [field])
  }
})

test('failed items belong to the judge whose they are, and stand in their groups', async () => {
  const failed = {
    source: 'y',
    jb: {
      judge: 'arena_hard',
      item: 'f',
      trial: { n: 0, of: 1 },
      error: { stage: 'call', code: 'timeout', message: 'x' },
    },
  }
  const found = await report([...pairs({ x: [1, 0] }), failed])
  assert.deepEqual([found.model, found.items, found.failures], ['m', 2, { timeout: 1 }])
  assert.deepEqual([found.by.source.y.items, found.by.source.y.valid, found.by.source.y.failed], [1, 0, 1])
  const ran = expect(await jb('aggregate', ['-q'], { stdin: ndjson([failed]) }), {
    code: 1,
    err: /timeout: x/,
  })
  const alone = JSON.parse(ran.stdout)
  assert.deepEqual([alone.items, alone.valid, alone.accuracy], [1, 0, undefined])
})

test('tokens and cost of every trial are added up', async () => {
  const reply = { text: 't', model: 'm', usage: { prompt_tokens: 10, completion_tokens: 2 }, cost: 0.25 }
  const found = await report([0, 1].map((n) => game('p', n, 2, 'A>B', { jb: { reply } })))
  assert.deepEqual([found.usage, found.cost], [{ prompt_tokens: 20, completion_tokens: 4 }, 0.5])
})

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

test('--as judgebench: the lines the original prints, its buckets in its order', async () => {
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
  assert.equal(await run(rows, '--as', 'judgebench'), `${lines.join('\n')}\n`)
  // Halves are rounded as Python prints them, to even.
  const halves = await run(pairs({ 'mmlu-pro': [1, 31], livecodebench: [3, 29] }), '--as', 'judgebench')
  assert.equal(halves, 'mmlu-pro: 3.12%.\nlivecodebench: 9.38%.\nOverall: 6.25%.\n')
  // What failed counts as not correct there, and is told.
  const error = { stage: 'call', code: 'timeout', message: 'x' }
  const failed = { source: 'livecodebench', label: 'A>B', jb: { judge: 'arena_hard', item: 'f', error } }
  assert.match(
    await run([...rows, failed], '--as', 'judgebench'),
    /^livecodebench: 60\.00%\.\n[\s\S]*failed: 1/m,
  )
  expect(
    await jb('aggregate', ['-q', '--as', 'judgebench'], {
      stdin: ndjson([game('p', 0, 1, 'A>B', { label: null })]),
    }),
    {
      code: 78,
      err: /no label to compare with \(--label FIELD\)/,
    },
  )
})

test('--as rm-gallery: the tutorial’s keys, by whole source', async () => {
  const found = await report(pairs({ 'mmlu-pro-law': [3, 1], gsm8k: [1, 1] }), '--as', 'rm-gallery')
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

test('--as rm-gallery --compat rm-gallery: a percentage to the last digit', async () => {
  const games = (i: number) =>
    [0, 1].map((n) => game(`p${i}`, n, 2, i < 19 ? 'A>B' : 'B>A', { source: 's', label: 'A>B' }))
  const rows = Array.from({ length: 60 }, (_, i) => games(i)).flat()
  // RM-Gallery 0.1.7 with the same decisions.
  const { overall_accuracy } = await report(rows, '--as', 'rm-gallery', '--compat', 'rm-gallery')
  assert.equal(overall_accuracy.accuracy, 31.666666666666668)
})

test('--as rm-gallery with two games: its counters; an empty decision is no null, a call that failed is', async () => {
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
  const { overall_accuracy } = await report(rows, '--as', 'rm-gallery')
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

test('gates: exit 1 below --fail-under or with more failures than --max-error-rate, the report all the same', async () => {
  const failed = {
    jb: { judge: 'arena_hard', item: 'f', error: { stage: 'call', code: 'timeout', message: 'x' } },
  }
  const rows = ndjson([...pairs({ x: [6, 4] }), failed])
  const gate = async (args: string[], code: number, err: RegExp | string) => {
    const ran = expect(await jb('aggregate', ['-q', ...args], { stdin: rows }), { code, err })
    assert.equal(JSON.parse(ran.stdout).items, 11)
  }
  await gate(['--fail-under', '0.6', '--max-error-rate', '0.1'], 0, '')
  await gate(
    ['--fail-under', '0.61'],
    1,
    /^jb-aggregate: arena_hard m: accuracy 0\.6 is below --fail-under 0\.61\n$/,
  )
  const third = await jb('aggregate', ['-q', '--fail-under', '0.3334'], {
    stdin: ndjson(pairs({ x: [1, 2] })),
  })
  expect(third, { code: 1, err: /accuracy 0\.3333 is below --fail-under 0\.3334/ })
  const near = await jb('aggregate', ['-q', '--fail-under', '0.33334'], {
    stdin: ndjson(pairs({ x: [1, 2] })),
  })
  expect(near, { code: 1, err: /accuracy 0\.3333 is below/ })
  const nearer = await jb('aggregate', ['-q', '--fail-under', '0.66667'], {
    stdin: ndjson(pairs({ x: [2, 1] })),
  })
  expect(nearer, { code: 1, err: /accuracy 0\.6666666666666666 is below --fail-under 0\.66667/ })
  await gate(['--max-error-rate', '0.05'], 1, /1 of 11 items failed, more than --max-error-rate 0\.05/)
  // A run without a valid item has missed every gate.
  const none = await jb('aggregate', ['-q', '--fail-under', '0'], { stdin: ndjson([failed]) })
  expect(none, { code: 1, err: /nothing was measured: no item of 1 is valid: timeout: x/ })
  expect(await jb('aggregate', ['-q', '--fail-under', '0'], { stdin: '' }), { code: 1 })
})

test('a gate holds for every judge of the run', async () => {
  const other = { jb: { judge: 'vanilla', reply: { text: 't', model: 'm' } } }
  const rows = [...pairs({ x: [9, 1] }), ...pairs({ x: [1, 9] }, other)]
  const ran = await jb('aggregate', ['-q', '--fail-under', '0.5'], { stdin: ndjson(rows) })
  expect(ran, { code: 1, err: /^jb-aggregate: vanilla m: accuracy 0\.1 is below/ })
})

test('shards add up: --partial on each, --merge over all, the same bytes as in one run', async (t) => {
  const rows: object[] = [
    ...pairs({ x: [8, 2], y: [1, 5], 'ä "z"': [1, 0] }),
    ...pairs(
      { x: [3, 3] },
      {
        jb: {
          judge: 'vanilla',
          reply: { text: 't', model: 'other', usage: { prompt_tokens: 7 }, cost: 0.125 },
        },
      },
    ),
    ...[0, 1].map((n) => game('two', n, 2, n === 0 ? 'A>B' : 'A=B', { source: 'x' })),
    {
      source: 'y',
      jb: {
        judge: 'arena_hard',
        item: 'f',
        trial: { n: 0, of: 1 },
        error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' },
      },
    },
  ]
  const whole = await run(rows, '--tie', '0.5')
  const shards: AnyRow[][] = [[], [], [], []]
  for (const row of rows as AnyRow[])
    shards[[...row.jb.item!].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 3]!.push(row)
  const path = folder(t, Object.fromEntries(shards.map((shard, i) => [`${i}.ndjson`, ndjson(shard)])))
  const states = [0, 1, 2, 3]
    .map((i) => `jb-aggregate -q --partial --tie 0.5 ${i}.ndjson > ${i}.state`)
    .join('; ')
  for (const order of ['0.state 1.state 2.state 3.state', '3.state 1.state 2.state 0.state']) {
    const merged = fine(await pipe(`${states}; jb-aggregate -q --merge ${order}`, { cwd: path }))
    const lines = (text: string) => text.trimEnd().split('\n').sort()
    assert.deepEqual(
      lines(merged.stdout).map((line) => JSON.parse(line)),
      lines(whole).map((line) => JSON.parse(line)),
    )
  }
  // States of states add up too.
  const twice =
    'jb-aggregate --merge --partial 0.state 1.state > a; jb-aggregate --merge --partial 2.state 3.state | jb-aggregate -q --merge a -'
  const merged = fine(await pipe(`${states}; ${twice}`, { cwd: path }))
  assert.equal(merged.stdout.trimEnd().split('\n').length, 2)
  expect(await jb('aggregate', ['--merge'], { stdin: ndjson(rows) }), {
    code: 65,
    err: /--merge reads what --partial wrote/,
  })
})

test('numbers that no sum can hold fail their row, and counts of tokens are left out', async () => {
  const row = (id: string, score: number, tokens: number) => ({
    id,
    jb: {
      judge: 'rating',
      item: id,
      result: { kind: 'grade', score, model: 'm' },
      trials: [
        { trial: { n: 0, of: 1 }, verdict: { label: '', score: 5 }, usage: { prompt_tokens: tokens } },
      ],
    },
  })
  const stdin = ndjson([row('1', 5, 10), row('2', 1e308, 10), row('3', 7, 1e308)])
  const whole = await jb('aggregate', [], { stdin })
  const { score, valid, failures, usage } = JSON.parse(whole.stdout)
  assert.deepEqual([score, valid, failures, usage], [6, 2, { bad_record: 1 }, { prompt_tokens: 10 }])
  const { stdout: state } = await jb('aggregate', ['--partial'], { stdin })
  assert.deepEqual(JSON.parse((await jb('aggregate', ['--merge'], { stdin: state })).stdout).usage, usage)
})

test('a shard’s sums are no row, and end no run: --merge is pointed to', async (t) => {
  const { stdout: state } = fine(
    await jb('aggregate', ['--partial'], { stdin: ndjson(pairs({ x: [1, 1] })) }),
  )
  const path = folder(t, { 'a.state': state })
  for (const args of [[], ['--as', 'judgebench'], ['--as', 'lm-eval']])
    expect(await jb('aggregate', [...args, `${path}/a.state`]), {
      code: 1,
      err: /nothing was measured: no item of 1 is valid: no_verdict: this is what --partial wrote: add it up with --merge\n$/,
    })
  for (const [args, err] of [
    [['--merge', '--as', 'judgebench'], /--merge is for jb's own report, not for --as/],
    [['--partial', '--truth', 'x'], /--partial is for jb's own report, not for --truth/],
  ] as const)
    expect(await jb('aggregate', [...args, `${path}/a.state`]), { code: 2, err })
})

test('--merge: --by picks among the sums there are, options for scoring come too late', async () => {
  const { stdout: state } = fine(
    await jb('aggregate', ['--partial', '--by', 'source', '--by', 'label'], {
      stdin: ndjson(pairs({ x: [1, 1] })),
    }),
  )
  const merge = (args: string[], env = {}) => jb('aggregate', ['--merge', ...args], { stdin: state, env })
  const by = async (...args: string[]) => Object.keys(JSON.parse(fine(await merge(args)).stdout).by ?? {})
  assert.deepEqual(await by(), ['source', 'label'])
  assert.deepEqual(await by('--by', 'label'), ['label'])
  assert.deepEqual(await by('--by', 'none'), [])
  expect(await merge(['--by', 'category']), { err: /^jb-aggregate: --by category: no state has sums by it/ })
  for (const [option, value] of [
    ['tie', '0.5'],
    ['tie', '0'],
    ['label', 'l'],
    ['combine', 'vote'],
  ] as const) {
    expect(await merge([`--${option}`, value]), { code: 2, out: '', err: /--merge adds up what is scored/ })
    // --partial has heard the environment.
    const ran = expect(await merge([], { [`JB_${option.toUpperCase()}`]: value }), { err: /is ignored/ })
    assert.equal(ran.stdout, (await merge([])).stdout)
  }
})

test('options for scoring are refused where the rows are scored already', async () => {
  const rows = ndjson(pairs({ x: [1, 1] }))
  for (const as of ['', '--as judgebench', '--as lm-eval'])
    for (const option of ['--tie 0.5', '--label l', '--combine first']) {
      const ran = await pipe(`jb-score | jb-aggregate ${as} ${option}`, { stdin: rows })
      const err = new RegExp(
        `^jb-aggregate: \\(stdin\\):1: ${option.split(' ')[0]}: the rows are scored already`,
      )
      expect(ran, { code: 2, out: '', err })
    }
  // The environment is the whole pipe's: jb-score has heard it.
  const tied = ndjson([game('p', 0, 1, 'A=B'), game('q', 0, 1, 'A=B')])
  const ran = await pipe('jb-score | jb-aggregate', { stdin: tied, env: { JB_TIE: '0.5' } })
  const told = 'jb-aggregate: JB_TIE is ignored: the rows are scored already: give it to jb-score\n'
  assert.equal(JSON.parse(expect(ran, { err: told }).stdout).accuracy, 0.5)
})

test('gates hold for other formats too, or are refused where they have no meaning', async () => {
  const error = { stage: 'call', code: 'timeout', message: 'x', model: 'm' }
  const failed = {
    source: 'x',
    label: 'A>B',
    jb: { judge: 'arena_hard', item: 'f', trial: { n: 0, of: 1 }, error },
  }
  const judged = ndjson([...pairs({ x: [6, 3] }), failed])
  const grade = (score: number, i: number) => ({
    model: 'a',
    category: 'c',
    question_id: i,
    jb: {
      judge: 'mt_bench',
      item: `g${i}`,
      trial: { n: 0, of: 1 },
      verdict: { label: '', score, model: 'm' },
    },
  })
  const rated = ndjson([...[2, 4, 6].map(grade), { ...failed, jb: { ...failed.jb, judge: 'mt_bench' } }])
  const gate = async (as: string, stdin: string, args: string, code: number, err: RegExp | string) => {
    const ran = await jb('aggregate', ['-q', '--as', as, ...args.split(' ')], { stdin })
    expect(ran, { code, err })
    if (code !== 2) assert.equal(ran.stdout, (await jb('aggregate', ['-q', '--as', as], { stdin })).stdout)
  }
  const tooMany = /1 of \d+ items failed, more than --max-error-rate 0\.01/
  for (const as of ['judgebench', 'rm-gallery']) await gate(as, judged, '--max-error-rate 0.01', 1, tooMany)
  for (const as of [
    'lm-eval',
    'lm-eval-details',
    'mt-bench',
    'mt-bench-csv',
    'mt-bench-results',
    'evalassist',
  ]) {
    await gate(as, rated, '--max-error-rate 0.01', 1, tooMany)
    await gate(as, rated, '--max-error-rate 0.25', 0, '')
  }
  // The number that is printed there counts: what failed is not correct for judgebench.
  await gate('judgebench', judged, '--fail-under 0.6', 0, '')
  await gate('judgebench', judged, '--fail-under 0.61', 1, /m: accuracy 0\.6 is below --fail-under 0\.61/)
  await gate('rm-gallery', judged, '--fail-under 0.66', 0, '')
  await gate('rm-gallery', judged, '--fail-under 0.67', 1, /accuracy 0\.66\d+ is below/)
  for (const as of ['lm-eval', 'mt-bench']) {
    await gate(as, rated, '--fail-under 4', 0, '')
    await gate(as, rated, '--fail-under 4.1', 1, /mt_bench m: score 4 is below --fail-under 4\.1/)
  }
  for (const as of ['mt-bench-results', 'mt-bench-csv', 'evalassist', 'trec', 'qrels', 'nuggets'])
    await gate(as, rated, '--fail-under 5', 2, /--fail-under: --as \S+ has no accuracy/)
  expect(await jb('aggregate', ['--truth', 'x', '--fail-under', '1'], { stdin: '' }), {
    code: 2,
    err: /--fail-under: nothing is scored with --truth/,
  })
  // The environment is that of a whole pipe: there it is a note.
  expect(await jb('aggregate', ['--as', 'mt-bench-csv'], { stdin: rated, env: { JB_FAIL_UNDER: '5' } }), {
    err: /^jb-aggregate: JB_FAIL_UNDER is ignored: --as mt-bench-csv has no accuracy/,
  })
  for (const option of ['--fail-under', '--max-error-rate'])
    expect(await jb('aggregate', ['--partial', option, '0.5'], { stdin: judged }), {
      code: 2,
      err: /a gate is for the whole: give it to --merge/,
    })
})

test('a run with several judges: one report a line, one after the other in a table', async () => {
  const rows = [
    ...pairs({ x: [1, 0] }),
    ...pairs({ x: [0, 1] }, { jb: { judge: 'vanilla', reply: { text: 't', model: 'm' } } }),
  ]
  const lines = (await run(rows))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ judge, accuracy }) => [judge, accuracy]),
    [
      ['arena_hard', 1],
      ['vanilla', 0],
    ],
  )
  const table = await run(rows, '--format', 'table')
  // First all of them side by side, then each by its groups.
  assert.match(table, /^judge .*\n[- ]+\narena_hard · m .* 100\.00 %.*\nvanilla · m .* 0\.00 %/)
  assert.match(table, /[^\n]\n\narena_hard · m\n1 item, all valid\n[\s\S]*\n\nvanilla · m\n/)
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
