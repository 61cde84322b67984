/** What is missing counts as failed (--expect), and a run that measured nothing is no success. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fatal } from '../../../src/rows/record.ts'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { spec as scoreSpec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { run, verdicts, written } from './_counts.ts'

test('--expect: a number of items, or the file of them; what is missing counts as failed and is named', async (t) => {
  const rows = verdicts(10, { source: 's' })
  const path = folder(t, { 'items.jsonl': ndjson(rows.map(({ jb: _, ...item }) => item)) })
  const whole = await run(rows, '--expect', '10')
  assert.equal(whole.ending, undefined)
  const cut = await run(rows.slice(0, 3), '--expect', '10', '--max-error-rate', '0.2')
  assert.deepEqual(cut.ending, { code: 1, message: 'arena_hard m: 7 of 10 items are missing' })
  const [{ items, valid, failures }] = objects(cut.text)
  assert.deepEqual([items, valid, failures], [10, 3, { missing: 7 }])
  const named = await run(rows.slice(2), '--expect', `${path}/items.jsonl`)
  assert.deepEqual(named.ending, { code: 1, message: 'arena_hard m: 2 of 10 items are missing: p0, p1' })
  assert.deepEqual(objects(named.text)[0].by.source.s.failures, { missing: 2 })
  // Rows of a file that do not repeat an item are not looked up as they come.
  const filed = folder(t, { 'rows.ndjson': ndjson(rows.slice(2)) })
  assert.deepEqual(await run([], `${filed}/rows.ndjson`, '--expect', `${path}/items.jsonl`), named)
  const none = await run([], '--expect', `${path}/items.jsonl`)
  assert.match(none.ending!.message, /10 of 10 items are missing: p0, p1, .* p9$/)
  await assert.rejects(run(rows, '--expect', 'none.jsonl'), { exitCode: 2 } as Partial<Fatal>)
})

test('--expect FILE: an item that stands twice in it is one; a file without items is a mistake', async (t) => {
  const rows = verdicts(4)
  const path = folder(t, { 'two.jsonl': ndjson([...rows, ...rows]), 'none.jsonl': '\n' })
  const { ending } = await run(rows.slice(1), '--expect', `${path}/two.jsonl`)
  assert.deepEqual(ending, { code: 1, message: 'arena_hard m: 1 of 4 items are missing: p0' })
  await assert.rejects(run(rows, '--expect', `${path}/none.jsonl`), { exitCode: 65 } as Partial<Fatal>)
})

test('--expect: more items than expected, or others, are no success either', async (t) => {
  const path = folder(t, { 'items.jsonl': ndjson(verdicts(4)) })
  const ending = async (rows: object[], expect: string) => (await run(rows, '--expect', expect)).ending
  const message = 'arena_hard m: 6 items, not 4 (rows of another run in the input?)'
  assert.deepEqual(await ending(verdicts(6), '4'), { code: 1, message })
  const others = `2 items are not in ${path}/items.jsonl (rows of another run in the input?)`
  assert.deepEqual(await ending(verdicts(6), `${path}/items.jsonl`), {
    code: 1,
    message: `arena_hard m: ${others}`,
  })
  assert.deepEqual(await ending(verdicts(6).slice(1), `${path}/items.jsonl`), {
    code: 1,
    message: `arena_hard m: 1 of 4 items are missing: p0; ${others}`,
  })
})

test('--expect FILE: items that have one id are noted, as they count once', async (t) => {
  const rows = verdicts(2)
  const items = [
    { id: 'p0', question: 'x' },
    { id: 'p0', question: 'y' },
    { id: 'p1', question: 'z' },
  ]
  const path = folder(t, { 'items.jsonl': ndjson(items) })
  const { ending, notes } = await run(rows, '--expect', `${path}/items.jsonl`)
  assert.equal(ending, undefined)
  assert.match(notes.join('\n'), /items\.jsonl: 3 rows have 2 ids: rows with one id count as one item/)
})

test('an empty text is no label, as null is; where --label names the field, the item fails', async () => {
  const rows = ['A>B', '', null].map((label, i) =>
    game(`p${i}`, 0, 1, 'A>B', { label: null, jb: {}, ...(label !== null && { label }) }),
  )
  const [{ valid, labelled, accuracy }] = objects((await run(rows)).text)
  assert.deepEqual([valid, labelled, accuracy], [3, 1, 1])
  const named = await run(rows, '--label', 'label')
  assert.deepEqual(objects(named.text)[0].failures, { missing_field: 2 })
  assert.ok(named.notes.some((note) => note.includes('the label "label" is "", expected a label')))
})

test('items without a label among those with one are noted, and their ties are none of the accuracy', async () => {
  const tie = game('t', 0, 1, 'A=B')
  const { label: _, ...unlabelled } = tie as { label?: string }
  const { text, notes } = await run([...verdicts(3), unlabelled])
  const [{ labelled, correct, incorrect, tie: ties }] = objects(text)
  assert.deepEqual([labelled, ties], [3, 0])
  assert.equal(correct + incorrect, 3)
  assert.match(notes[0]!, /1 of 4 valid items have no label: the accuracy is of the other 3/)
})

test('nothing measured is no success: why is said', async () => {
  const why = async (rows: object[], ...args: string[]) => (await run(rows, ...args)).ending
  assert.deepEqual(await why([]), {
    code: 1,
    message: 'nothing was measured: there is no item in the input',
  })
  const unread = {
    id: 1,
    jb: { judge: 'j', item: '1', trial: { n: 0, of: 1 }, reply: { text: 't', model: 'm' } },
  }
  assert.match((await why([unread]))!.message, /no item of 1 is valid: no_verdict: .*run jb-parse first/)
  assert.match(
    (await why(verdicts(2, { lable: 'A>B' }), '--label', 'labell'))!.message,
    /did you mean label\? \(fields: .*lable/,
  )
  for (const format of ['judgebench', 'rm-gallery', 'mt-bench', 'lm-eval', 'evalassist'])
    assert.equal((await written([], format)).ending?.code, 1, format)
  // A shard may be empty: the whole is looked at.
  assert.equal(await why([], '--partial'), undefined)
})

test('a judge and model without one valid item is no success beside others, and no 0 %', async () => {
  const error = (model?: string) => ({ stage: 'call', code: 'timeout', message: 'x', model })
  const failed = (model?: string) =>
    verdicts(2, { jb: { reply: null, verdict: null, error: error(model) }, source: 's' })
  const rows = verdicts(4, { source: 'r' })
  const message = 'nothing was measured of arena_hard n: none of its 2 items is valid (timeout 2)'
  for (const args of [[], ['--common']])
    assert.deepEqual(
      (await run([...rows, ...failed('n')], ...args)).ending,
      { code: 1, message },
      args.join(),
    )
  const { text } = await run([...rows, ...failed('n')], '--format', 'markdown', '--by', 'none')
  assert.match(text, /\| arena_hard · n +\| +2 +\| +2 +\| +– +\|/)
  // Items that failed before they had a model are of both of two, or of the only one.
  const two = [...rows, ...verdicts(4, { jb: { reply: { text: 't', model: 'o' } } })]
  const lost = failed().map((row, i) => ({ ...row, jb: { ...row.jb, item: `lost${i}` } }))
  for (const sound of [rows, two]) assert.equal((await run([...sound, ...lost])).ending, undefined)
  // A group of the breakdown is said, and no gate.
  const group = failed('m').map((row, i) => ({ ...row, jb: { ...row.jb, item: `g${i}` } }))
  const { ending, notes } = await run([...rows, ...group])
  assert.equal(ending, undefined)
  assert.match(notes[0]!, /arena_hard m: nothing was measured where source is s: none of 2 items is valid/)
  const none = await run(
    [game('a', 0, 1, 'A>B'), game('b', 0, 1, 'A>B', { jb: { judge: 'other' } })],
    '--common',
  )
  assert.match(none.ending!.message, /no item is valid for all judges/)
})

test('items that jb-render --probe changed are left out of every report, and that is said', async () => {
  const rows = verdicts(6, { source: 's' })
  const probe = (i: number) => ({ item: `p${i}#pad`, probe: { kind: 'pad', of: `p${i}`, answer: 0 } })
  const probes = [0, 1].map((i) => game(`p${i}#pad`, 0, 1, 'A>B', { source: 's', jb: probe(i) }))
  const failed = { ...game('p2#pad', 0, 1, 'A>B', { source: 's' }) }
  failed.jb = {
    ...failed.jb,
    ...probe(2),
    error: { stage: 'render', code: 'missing_field', message: 'x' },
  } as never
  const halves = [0, 1].map((n) => game('p3#pad', n, 2, 'A>B', { source: 's', jb: probe(3) }))
  const all = rows.flatMap((row, i) => [row, ...[...probes, failed, ...halves].slice(i, i + 1)])
  const made: ((of: object[]) => ReturnType<typeof run>)[] = [
    (of) => run(of),
    (of) => run(of, '--partial'),
    (of) => run(of, '--combine', 'vote'),
    (of) => written(of, 'judgebench'),
    (of) => written(of, 'lm-eval'),
  ]
  for (const make of made) {
    const { text, notes } = await make(all)
    assert.equal(text, (await make(rows)).text)
    assert.match(notes.join(), /^5 rows are about items that jb-render --probe changed, left out/)
  }
  const results = (await staged(scoreSpec, score, [], ndjson(all))).text
  assert.equal((await staged(spec, aggregate, [], results)).text, (await run(rows)).text)
  assert.match((await run(probes)).ending!.message, /nothing was measured/)
})

test('what was not judged yet says which filters it lacks', async () => {
  const lackOf = async (jb_: object) => {
    const stdin = ndjson([{ id: 1, question: 'q', ...jb_ }])
    return expect(await jb('aggregate', [], { stdin }), { code: 1 }).stderr.replace(/^.*no_verdict: /s, '')
  }
  const trial = { judge: 'vanilla', item: '1', trial: { n: 0, of: 1 }, request: { messages: [] } }
  assert.match(await lackOf({}), /no judge has seen: run jb-render JUDGE, jb-call -m MODEL, then jb-parse/)
  assert.match(await lackOf({ jb: trial }), /no model has answered: run jb-call -m MODEL, then jb-parse/)
  assert.match(await lackOf({ jb: { ...trial, reply: { text: 'a' } } }), /run jb-parse first/)
})

test('rows that have nothing but jb are told: their labels are gone', async () => {
  const { stderr } = await jb('aggregate', [], { stdin: ndjson([{ jb: game('i', 0, 1, 'A>B').jb }]) })
  assert.match(stderr, /has jb and nothing else: the item's own fields were taken away/)
})
