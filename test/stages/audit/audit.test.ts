/** jb-audit: which rows count, cards by version, model and group, and how they are printed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { failedBeforeModels, game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { card, documents, run } from './_audit.ts'

test('rows in any order give the same card; the command prints it on a page', async () => {
  const rows = Array.from({ length: 30 }, (_, i) =>
    game(`i${i}`, 0, 1, i % 3 ? 'A>B' : 'B>A', { label: i % 2 ? 'A>B' : 'B>A' }),
  )
  assert.equal((await run([], rows.toReversed())).text, (await run([], rows)).text)
  const { stdout } = fine(await jb('audit', ['--format', 'table'], { stdin: ndjson(rows) }))
  assert.match(
    stdout,
    /arena_hard · m\n\nconclusion\n {2}agreement +sensitivity .* κ 0\.00 .*\n\nagreement\n {2}positive label +A>B\n/s,
  )
  assert.match(stdout, /\n {2}share that agrees +0\.5000 {2}\(/)
  assert.match(stdout, /Cohen’s kappa +0\.0000 {2}\(/)
  assert.match(stdout, /\nposition\n {2}decisive games +30\n/)
})

test('input that ends before its end makes no card; rows without a verdict are no success', async () => {
  const rows = ndjson([game('p', 0, 1, 'A>B'), game('q', 0, 1, 'B>A')])
  assert.deepEqual(
    (({ code, stdout }) => [code, stdout])(await jb('audit', ['-q'], { stdin: `${rows}{"id":` })),
    [65, ''],
  )
  const { code, stderr } = await jb('audit', [], { stdin: '{"id":1}\n' })
  assert.equal(code, 1)
  assert.match(stderr, /nothing was measured: the rows allow no section/)
})

test('--truth FILE that is no rows: that alone is told', async (t) => {
  const file = `${folder(t, { 'l.txt': 'item,label\np,A>B\n' })}/l.txt`
  expect(await jb('audit', ['--truth', file], { stdin: ndjson([game('p', 0, 1, 'A>B')]) }), {
    code: 65,
    err: /^jb-audit: .*l\.txt:1: the input is no NDJSON; it looks like CSV: .*\n$/,
  })
})

test('--truth FIELD that no row has is no success, and names the field that is meant', async () => {
  const { ending } = await run(['--truth', 'lable'], [game('p', 0, 1, 'A>B'), game('q', 0, 1, 'B>A')])
  assert.equal(ending!.code, 1)
  assert.match(
    ending!.message,
    /--truth lable: no such file, and no row has a field of this name \(did you mean label\?\)/,
  )
})

test('rows that are there again count once; pairs of models that met on the same item are apart', async () => {
  const rows = ['q1', 'q2'].flatMap((question, k) =>
    ['y', 'z'].flatMap((b) =>
      [0, 1].map((n) => game(question, n, 2, k + n ? 'A>B' : 'B>A', { model_a: 'x', model_b: b })),
    ),
  )
  const once = await run([], rows)
  const twice = await run([], [...rows, ...rows])
  assert.equal(twice.text, once.text)
  assert.match(twice.notes.join('\n'), /item "q1" was counted already, with the same reply: it counts once/)
  assert.equal((await card([], rows)).position.checked, 4)
})

test('of several samples in each order their votes are compared, not the first of each', async () => {
  // In the order AB: A, B, B; in the order BA: B, B, tie.
  const said = ['A>B', 'B>A', 'B>A', 'B>A', 'B>A', 'A=B']
  const rows = said.map((decision, n) =>
    game('p', n, 6, decision, { jb: { trial: { n, of: 6, order: n < 3 ? 'AB' : 'BA', sample: n % 3 } } }),
  )
  const { position } = await card([], rows)
  assert.deepEqual([position.checked, position.inconsistent, position.same_slot], [1, 0, 0])
})

test('rows that were read later, other groups or clusters, more replies than trials: no order of the rows tells', async () => {
  const one = (id: string, n: number, decision = 'A>B', more: object = {}) =>
    game(id, n, 2, decision, { source: 's', ...more })
  const rest = ['p', 'r'].flatMap((id) => [one(id, 0), one(id, 1, 'B>A')])
  const moved = one('q', 1, 'A>B', { source: 't' })
  const cases: [rows: object[], options: string[]][] = [
    [[one('q', 1, 'A>B', { jb: { verdict: undefined } }), one('q', 0), ...rest, one('q', 1)], []],
    [
      [one('q', 1), one('q', 0), ...rest, moved],
      ['--by', 'source'],
    ],
    [
      [one('q', 1), one('q', 0), ...rest, moved],
      ['--cluster', 'source'],
    ],
    // A trial beyond those that its row says there are.
    [[one('q', 2, 'B>A'), one('q', 0), ...rest, one('q', 1)], []],
  ]
  for (const [rows, options] of cases) {
    const turned = [rows.at(-1)!, ...rows.slice(1, -1), rows[0]!]
    assert.equal((await run(options, turned)).text, (await run(options, rows)).text)
  }
})

test('versions of a judge have a card each', async () => {
  const of = (judge_digest: string, decision: string) =>
    ['i1', 'i2'].map((id) => game(id, 0, 1, decision, { jb: { judge_digest } }))
  const { text, notes } = await run([], [...of('aaaa', 'A>B'), ...of('bbbb', 'B>A')])
  assert.deepEqual(
    objects(text)
      .filter(({ section }) => section === 'agreement')
      .map(({ judge, items, po }) => [judge, items, po]),
    [
      ['arena_hard · m · aaaa', 2, 1],
      ['arena_hard · m · bbbb', 2, 0],
    ],
  )
  assert.match(
    notes.join('\n'),
    /^judge arena_hard: rows of several versions of it, reported separately \(aaaa, bbbb\)/,
  )
})

test('changed copies of items count as probes alone', async () => {
  const one = (id: string, decision: string, more: object = {}) =>
    [0, 1].map((n) => game(id, n, 2, decision, { model_a: 'x', model_b: 'y', jb: more }))
  const rows = ['i1', 'i2', 'i3'].flatMap((id) => one(id, 'A>B'))
  const changed = one('i1#pad', 'B>A', { probe: { kind: 'pad', of: 'i1', answer: 1 } })
  const { probes, conclusion: _, ...rest } = await card([], [...rows, ...changed])
  assert.deepEqual([probes.pad.items, probes.pad.moved, probes.pad.toward_changed], [1, 1, 1])
  const { conclusion: __, ...plain } = await card([], rows)
  assert.deepEqual(rest, plain)
  // The same id before other models is another item.
  const other = [0, 1].map((n) => game('i1', n, 2, 'B>A', { model_a: 'x', model_b: 'z' }))
  assert.equal((await card([], [...rows, ...changed, ...other])).probes.pad.moved, 1)
})

test('an item that failed before it had a model is a failure of every model of its judge, and has its label', async () => {
  // The same judge under another name is another one, and replies that differ are the failure of their model alone.
  const named = { judge: 'vanilla', name: 'use', item: 'p', trial: { n: 0, of: 1 } }
  const twice = ['A>B', 'B>A'].map((decision) => ({
    id: 'r',
    jb: {
      judge: 'vanilla',
      item: 'r',
      result: { kind: 'pairwise', decision, model: 'm1' },
      trials: [
        { trial: { n: 0, of: 1 }, model: 'm1', verdict: { decision }, digest: decision.charCodeAt(0) },
      ],
    },
  }))
  const rows = [
    ...failedBeforeModels(),
    { id: 'p', label: 'B>A', jb: { ...named, verdict: { decision: 'B>A', model: 'm1' } } },
    ...twice,
  ]
  const cards = objects((await run([], rows)).text).filter(({ section }) => section === 'agreement')
  assert.deepEqual(
    cards.map(({ judge, items, failed, unlabelled }) => [judge, items, failed, unlabelled]),
    [
      ['vanilla · m1', 2, 2, 1],
      ['vanilla · m2', 2, 1, 0],
      ['vanilla · use · m1', 1, 0, 0],
    ],
  )
})

test('--by: a card for each value, as of these rows alone', async () => {
  const rows = Array.from({ length: 12 }, (_, i) => ({
    id: `i${i}`,
    human: i % 2,
    said: Number(i % 3 > 0),
    topic: i % 2 ? 'é' : 7,
  }))
  const args = ['--truth', 'human', '--value', 'said']
  const lines = objects((await run([...args, '--by', 'topic'], rows)).text)
  for (const [group, topic] of [
    ['', undefined],
    ['7', 7],
    ['é', 'é'],
  ] as const) {
    const those = lines
      .filter((line) => (line.group ?? '') === group)
      .map(({ by: _, group: __, ...line }) => line)
    const alone = rows.filter((row) => topic === undefined || row.topic === topic)
    assert.deepEqual(those, objects((await run(args, alone)).text), group)
  }
  const { notes } = await run([...args, '--by', 'nothing'], rows)
  assert.match(notes.join('\n'), /^--by nothing: no row has this field \(there are [^\n]*\)$/)
})

test('CSV and Markdown have a figure a line, with what stands beside it', async () => {
  const rows = documents().map((row) => ({
    ...row,
    p: 0.25,
    human: row.human === 'A>B' ? 'a, "b" | c' : 'x\ny',
    said: 'x\ny',
  }))
  const args = ['--truth', 'human', '--value', 'said', '--p', 'p', '--format']
  const { text: csv } = await run([...args, 'csv'], rows)
  assert.match(
    csv,
    /^section,figure,value,low,high\nagreement,positive,"x\ny",,\nagreement,sensitivity,1,0\.6755924351,1\n/,
  )
  assert.match(csv, /\nagreement,po,0\.2,0\.1049998973,0\.3475730635\n/)
  assert.match(csv, /\nagreement,"confusion\.a, ""b"" \| c\.x\ny",32,,\n/)
  assert.match(csv, /\ncalibration,bins\.1\.share,0\.2,,\n/)
  const { text: markdown } = await run([...args, 'markdown'], rows)
  assert.match(markdown, /\| agreement \| po \| 0\.2 \| 0\.105 to 0\.3476 \|\n/)
  assert.match(markdown, /\| agreement \| confusion\.a, "b" \\\| c\.x y \| 32 \| {2}\|\n/)
  const { text: page } = await run([...args, 'table'], rows)
  assert.match(page, /\n {4}people \\ judge +a, "b" \| c +x y\n/)
})

test('runs that an original tells apart by more than judge and model have cards of their own', async () => {
  const rows = ['first', 'last'].flatMap((variant) =>
    Array.from({ length: 8 }, (_, i) => ({
      human: 'A>B',
      jb: { judge: 'j', variant, item: `i${i}`, result: { decision: variant === 'last' ? 'A>B' : 'B>A' } },
    })),
  )
  const sections = objects((await run(['--truth', 'human'], rows)).text).filter((one) => one.po !== undefined)
  assert.deepEqual(
    sections.map(({ judge, items, po }) => [judge, items, po]),
    [
      ['j · first', 8, 0],
      ['j · last', 8, 1],
    ],
  )
})
