/** --probe with planted faults: copies to the byte, the user's own, and what cannot be made. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { planted } from '../../../src/stages/render/faults/faults.ts'
import { FAULTS } from '../../../src/stages/render/faults/kinds.ts'
import { Material } from '../../../src/stages/render/faults/material.ts'
import { spec } from '../../../src/stages/render/options.ts'
import { render } from '../../../src/stages/render/render.ts'
import { folder } from '../../helpers/folder.ts'
import { runs } from '../../helpers/random.ts'
import { ndjson, pair } from '../../helpers/rows.ts'
import { pipe, ROOT } from '../../helpers/run.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { checkCopies } from './_copies.ts'

interface Recorded {
  judge: string
  rows: string[]
  copies: { probe: { kind: string; of: string }; sha256: string }[]
}

const { copies: recorded } = JSON.parse(readFileSync(`${ROOT}fixtures/vectors/faults.json`, 'utf8')) as {
  copies: Recorded[]
}

async function run(args: string[], stdin: string) {
  const { text, notes } = await staged(spec, render, args, stdin)
  return { text, notes: notes.filter((note) => note !== '') }
}

/** The user's part of a line that jb-render wrote. */
const userPart = (line: string) => `${line.slice(0, line.lastIndexOf(',"jb":{"'))}}`
const hash = (line: string) => createHash('sha256').update(line).digest('hex').slice(0, 16)

for (const { judge, rows, copies } of recorded)
  test(`${judge}: the recorded copies to the byte, no others, in any order of the rows`, async () => {
    const { text, notes } = await run([judge, '--probe', 'faults'], `${rows.join('\n')}\n`)
    const lines = text.trimEnd().split('\n')
    const made = lines.flatMap((line) => {
      const { probe, error } = JSON.parse(line).jb
      assert.equal(error, undefined)
      const user = line.slice(0, line.indexOf(',"jb":{"item":'))
      return probe ? [{ probe, sha256: hash(`${user}}`) }] : []
    })
    const byItem = (some: Recorded['copies']) =>
      some.toSorted((x, y) => (JSON.stringify(x.probe) < JSON.stringify(y.probe) ? -1 : 1))
    assert.deepEqual(byItem(made), byItem(copies))
    const plain = lines.filter((line) => !JSON.parse(line).jb.probe)
    assert.deepEqual(
      plain.map((line) => userPart(line).replace(/\s+}$/, '}')),
      rows.map((line) => line.replace(/\s+}$/, '}')),
    )
    assert.match(notes.at(-1)!, new RegExp(`^copies of ${rows.length} items: number \\d+, `))
    const turned = (await run([judge, '--probe', 'faults'], `${rows.toReversed().join('\n')}\n`)).text
    assert.deepEqual(turned.trimEnd().split('\n').toSorted(), lines.toSorted())
  })

const ITEM =
  '{"id":12345678901234567890,"x":1e400,"x":1.0,"question":"How many?","reference":"It has 2,100 seats.","answer" : "It has 2,100 seats \\u00e9."}\n'

test('a copy is the item’s own line with one change, of the older kinds too', async () => {
  const { text } = await run(['hallucination', '--probe', 'number', '--probe', 'pad'], ITEM)
  const [own, pad, number] = text.trimEnd().split('\n')
  assert.ok(own!.startsWith(ITEM.slice(0, -2)))
  const before = ITEM.slice(0, ITEM.indexOf('"It has 2,100 seats \\u'))
  assert.ok(pad!.startsWith(`${before}"It has 2,100 seats é.\\n\\nThere is more`), pad)
  assert.match(number!, /^\{"id":12345678901234567890,"x":1e400,"x":1\.0,/)
  assert.ok(number!.startsWith(`${before}"It has `), number)
  const { item, probe } = JSON.parse(number!).jb
  const of = '12345678901234567890'
  const { now } = probe
  assert.match(now, /^[13-9],100$/)
  assert.deepEqual(
    [item, probe],
    [`${of}#number`, { kind: 'number', of, answer: 0, expect: 'worse', was: '2,100', now }],
  )
})

test('what is not sure is not made, and is counted', async () => {
  const args = ['hallucination', ...['cut', 'omit', 'same'].flatMap((kind) => ['--probe', kind])]
  const { text, notes } = await run(args, ITEM)
  assert.deepEqual(
    objects(text).map(({ jb }) => jb.probe?.kind),
    [undefined, 'same'],
  )
  assert.deepEqual(notes, [
    'copies of 1 item: same 1 (of the others it is not sure that they would be worse)',
  ])
  assert.deepEqual((await run(['hallucination', '--probe', 'same'], ITEM)).notes, [
    'copies of 1 item: same 1',
  ])
})

test('a fault of the user’s own passes as it is; one with another expectation is a bad record', async () => {
  const own = (id: string, expect: string) => ({
    ...{ id, reference: 'Paris', answer: 'Rome' },
    jb: { item: `${id}#capital`, probe: { kind: 'capital', of: id, answer: 0, expect } },
  })
  const { text, notes } = await run(
    ['hallucination', '--probe', 'same'],
    ndjson([
      { id: '1', question: 'Where?', reference: 'Paris', answer: 'Paris' },
      own('1', 'worse'),
      own('2', 'better'),
    ]),
  )
  const rows = objects(text).map(({ jb }) => jb)
  assert.deepEqual(
    rows.map(({ item }) => item),
    ['1', '1#same', '1#capital', '2#capital'],
  )
  assert.deepEqual(rows[2].probe, { kind: 'capital', of: '1', answer: 0, expect: 'worse' })
  assert.equal(rows[3].error.code, 'bad_record')
  assert.match(rows[3].error.message, /jb\.probe\.expect is "better", expected "worse" or "same"/)
  assert.deepEqual(notes, ['copies of 1 item: same 1'])
})

test('a judge that shows no answer fails each copy; an item that cannot be asked about, and listwise judges, have none', async (t) => {
  const judge = `${folder(t, { 'q.jinja2': 'Is this a question? {{ question }}' })}/q.jinja2`
  const { text } = await run([judge, '--probe', 'faults'], ITEM)
  const [own, ...copies] = objects(text)
  assert.equal(own.jb.error, undefined)
  assert.equal(copies.length, 9)
  for (const { jb } of copies) {
    assert.equal(jb.error.code, 'missing_field')
    assert.match(jb.error.message, /has no field of a known name for an answer .*, and no conversation/)
  }
  const unread = ndjson([{ id: '1', messages: [{ role: 5 }] }, { id: '2' }])
  const { text: failed } = await run(['refusal', '--probe', 'faults'], unread)
  assert.equal(objects(failed).length, 2)
  const many = pair({ answers: ['a', 'b', 'c'] })
  const listed = { id: '1', prompt: 'p', ...many, answer_c: 'c', answer_d: 'd', answer_a: 'a', answer_b: 'b' }
  const { text: four } = await run(['rewardbench_four', '--probe', 'cut'], ndjson([listed]))
  assert.equal(objects(four).filter(({ jb }) => jb.probe).length, 0)
})

test('a judge of criteria: the field that they judge is the answer, its context the source', async () => {
  const criterion = { name: 'right', description: 'Is it right?', to_evaluate_field: 'text' }
  const options = [
    { name: 'Yes', description: '', score: 1 },
    { name: 'No', description: '', score: 0 },
  ]
  const row = {
    ...{ id: '1', passage: 'It has 2,100 seats.', text: 'It has 2,100 seats.' },
    criteria: { ...criterion, context_fields: ['passage'], options },
  }
  const { text } = await run(['direct', '--criteria', '@criteria', '--probe', 'number'], ndjson([row]))
  const [, copy] = objects(text)
  assert.notEqual(copy.text, row.text)
  assert.equal(copy.passage, row.passage)
  assert.equal(copy.jb.probe.was, '2,100')
})

test('copies of a judge in a chain are made by the first judge, and stay copies', async () => {
  const row = {
    ...{ id: '1', question: 'Where?', contexts: ['Oslo is in Norway. It has 700,000 people.'] },
    answer: `${'Oslo is a city in the north. '.repeat(5)}It is a capital.`,
  }
  const { stdout, code } = await pipe(
    `jb-render claims --probe cut --probe same | jb-call -q -m baseline:random | jb-parse |
      jb-render faithfulness --chain | jb-call -q -m baseline:random | jb-parse | jb-score`,
    { stdin: ndjson([row]) },
  )
  assert.equal(code, 0)
  assert.deepEqual(
    objects(stdout).map(({ jb }) => [jb.item, jb.probe?.kind, jb.judge]),
    [
      ['1', undefined, 'faithfulness'],
      ['1#cut', 'cut', 'faithfulness'],
      ['1#same', 'same', 'faithfulness'],
    ],
  )
  await assert.rejects(
    run(['faithfulness', '--chain', '--probe', 'cut'], ''),
    /--probe: the first judge of a chain makes the copies/,
  )
})

for (const kind of ['text', 'pair', 'talk'] as const)
  test(`random items (${kind}): a copy differs in what its fault changes alone, and the order of rows is nothing`, () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        checkCopies(kind, seed, 12)
      }),
      { numRuns: runs(12) },
    )
  })

test('a megabyte of abbreviations, and a conversation of 6,400 messages, take linear time', () => {
  const shown = (field: string) => ({ answers: [field], texts: [], fields: new Map([[field, field]]) })
  const took = (text: string, field: string) => {
    const before = performance.now()
    const item = new Material(text, '1', shown(field))
    for (const kind of FAULTS) planted(item, kind, '0')
    return performance.now() - before
  }
  const abbreviations = (times: number) =>
    JSON.stringify({ answer: 'Dr. '.repeat(times), reference: 'e.g. U.S. a.m. '.repeat(times) })
  const talk = (times: number) => {
    const exchange = (i: number) => [
      { role: 'user', content: `Book ${10_000 + i}.` },
      {
        role: 'assistant',
        tool_calls: [{ id: `${i}`, function: { name: 'book', arguments: `{"id":${10_000 + i}}` } }],
      },
      { role: 'tool', tool_call_id: `${i}`, content: `K${10_000 + i}` },
      { role: 'assistant', content: `It is K${10_000 + i}.` },
    ]
    return JSON.stringify({ messages: Array.from({ length: times }, (_, i) => exchange(i)).flat() })
  }
  for (const [make, field, times] of [
    [abbreviations, 'answer', 30_000],
    [talk, 'messages', 400],
  ] as const) {
    const [short, long] = [took(make(times), field), took(make(4 * times), field)]
    assert.ok(long < 12 * short + 500, `${field}: ${short} ms, four times as much ${long} ms`)
  }
})
