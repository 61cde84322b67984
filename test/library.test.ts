/** The filters as functions give the bytes the pipe gives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aggregate,
  audit,
  call,
  compare,
  objectsOf,
  parse,
  Row,
  type Rows,
  rank,
  render,
  rowsOf,
  score,
  write,
} from '../src/index.ts'
import { type AnyRow, game, ndjson, pair } from './helpers/rows.ts'
import { fine, pipe } from './helpers/run.ts'

const ITEMS = [
  pair({ pair_id: 'é', source: 'x', response_A: 'longer than the other', response_B: 'short' }),
  pair({ pair_id: 'b', source: 'y', response_A: 'short', response_B: 'longer than the other', n: 12345678 }),
  { pair_id: 'lost', source: 'y', question: 'only' },
]

async function textOf(rows: Rows): Promise<string> {
  const pieces: Buffer[] = []
  const sink = {
    bytes: (text: string) => void pieces.push(Buffer.from(text, 'latin1')),
    text: (text: string) => void pieces.push(Buffer.from(text)),
  }
  for await (const batch of rows) for (const row of batch) row.write(sink)
  return Buffer.concat(pieces).toString()
}

test('render, call, parse, score and aggregate as functions and as a pipe: the same bytes', async () => {
  const stdin = ndjson(ITEMS)
  const line =
    'jb-render arena_hard --order both -q | jb-call -q -m baseline:longer --no-cache --max-error-rate 1 | jb-parse | jb-score'
  const judged = () => {
    const trials = render('arena_hard', rowsOf(ITEMS), { order: 'both' })
    return score(parse(call(trials, { model: 'baseline:longer', noCache: true, maxErrorRate: 1 } as object)))
  }
  assert.equal(await textOf(judged()), fine(await pipe(line, { stdin })).stdout)
  let report = ''
  for await (const text of aggregate(judged(), { format: 'table', by: ['source'] })) report += text
  assert.equal(
    report,
    fine(await pipe(`${line} | jb-aggregate --by source --format table`, { stdin })).stdout,
  )
})

test('rows are given as plain objects, and taken again', async () => {
  const trials = () => render('vanilla', rowsOf([ITEMS[0]!, ITEMS[2]!]))
  const objects = []
  for await (const object of objectsOf(trials())) objects.push(object)
  assert.deepEqual(Object.keys(objects[0]!), [...Object.keys(ITEMS[0]!), 'jb'])
  assert.deepEqual(
    objects.map(({ pair_id, jb }) => [pair_id, jb.judge, jb.error?.code]),
    [
      ['é', 'vanilla', undefined],
      ['lost', 'vanilla', 'missing_field'],
    ],
  )
  assert.equal(await textOf(rowsOf(objects)), await textOf(trials()))
})

test('rows are read by their values, and a missed gate throws', async () => {
  const rows: AnyRow[] = []
  for await (const batch of parse(rowsOf([{ id: 1, text: 'Output (b)' }]), {
    judge: 'vanilla',
    text: 'text',
  }))
    for (const row of batch) {
      assert.ok(row instanceof Row)
      rows.push({ ...row.item, jb: { verdict: row.get('verdict') } })
    }
  assert.deepEqual(rows, [{ id: 1, text: 'Output (b)', jb: { verdict: { label: 'b', decision: 'B>A' } } }])
  const failing = aggregate(rowsOf([{ id: 1 }]), { failUnder: 0.5, format: 'json' })
  await assert.rejects(
    async () => {
      for await (const _ of failing);
    },
    { exitCode: 1 },
  )
})

test('compare, rank, audit and write as functions', async () => {
  const run = (right: boolean[]) =>
    rowsOf(
      right.map((correct, id) => ({ id, correct, jb: { verdict: { label: 'A' }, trial: { n: 0, of: 1 } } })),
    )
  const lines = async (report: AsyncIterable<unknown>) => {
    let text = ''
    for await (const piece of report) text += piece
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const options = { value: 'correct', id: 'id' }
  const [pair] = await lines(
    compare({ old: run([true, true, false]), new: run([true, false, false]) }, options),
  )
  assert.deepEqual([pair.a, pair.b, pair.items, pair.wins, pair.losses], ['old', 'new', 3, 0, 1])
  const flips: unknown[] = []
  for await (const batch of compare(
    { old: run([true, true]), new: run([true, false]) },
    { ...options, show: 'flips' },
  ))
    for (const row of batch as Row[]) flips.push(row.get('item'))
  assert.deepEqual(flips, ['1'])
  const battles = ['model_a', 'model_a', 'tie'].map((winner, id) => ({
    id,
    model_a: 'x',
    model_b: 'y',
    winner,
  }))
  assert.deepEqual(
    (await lines(rank(rowsOf(battles)))).map((one) => [one.model, one.battles]),
    [
      ['x', 3],
      ['y', 3],
    ],
  )
  const judged = [1, 0, 1].map((said, id) => ({ id, said, truth: 1 }))
  const [, card] = await lines(audit(rowsOf(judged), { value: 'said', truth: 'truth' }))
  assert.deepEqual([card.section, card.items, card.po], ['agreement', 3, 0.6666666667])
  let sheet = ''
  for await (const text of write('csv', rowsOf([game('p', 0, 1, 'A>B', { note: '=1' })]), { bom: true }))
    sheet += text
  assert.match(sheet, /^\ufeffpair_id,label,note,.*\np,A>B,'=1,/)
  await assert.rejects(async () => {
    for await (const _ of write('judgebench', rowsOf([]), { bom: true }));
  }, /unknown option bom/)
})

test('options are checked as on the command line', async () => {
  const rows = () => rowsOf(ITEMS)
  const wrong: [AsyncIterable<unknown>, RegExp][] = [
    // @ts-expect-error no such order
    [render('vanilla', rows(), { order: 'bothh' }), /^order: one of .*, not "bothh"/],
    // @ts-expect-error no such option
    [render('vanilla', rows(), { odrer: 'both' }), /^unknown option odrer: did you mean order\?$/],
    [render('vanilla', rows(), { samples: 0 }), /^samples: at least 1, not 0$/],
    [render('vanilla', rows(), { map: ['question'] }), /--map: expected NAME=FIELD, not "question"/],
    // @ts-expect-error for the command
    [render('vanilla', rows(), { show: true }), /^option show is for the command jb-render alone$/],
    // @ts-expect-error for the command
    [aggregate(rows(), { output: 'x' }), /^option output is for the command jb-aggregate alone$/],
    [aggregate(rows(), { ci: 95 }), /^ci: at most 0\.9999, not 95 \(0\.95\?\)$/],
    // @ts-expect-error no such format
    [aggregate(rows(), { format: 'xml' }), /^format: one of json, /],
    // @ts-expect-error no such rule
    [score(rows(), { combine: 'mediann' }), /^combine: one of .*: did you mean median\?$/],
    [parse(rows(), { fallback: Number.NaN }), /^fallback: expected a number, not "NaN"$/],
    // @ts-expect-error no number
    [call(rows(), { model: 'baseline:longer', maxCost: 'much' }), /^maxCost: expected a number, not "much"$/],
  ]
  for (const [made, message] of wrong)
    await assert.rejects(
      async () => {
        for await (const _ of made);
      },
      { exitCode: 2, message },
    )
  for await (const [row] of render('vanilla', rows(), { order: 'ba', samples: undefined }))
    return assert.equal(row!.get('trial')?.order, 'BA')
})

test('an abort ends the rows with an error, at whatever time it comes', async () => {
  const trials = () =>
    call(
      render('arena_hard', rowsOf(ITEMS)),
      { model: 'baseline:longer', noCache: true, maxErrorRate: 1 } as object,
      { stop: stop.signal },
    )
  let stop = new AbortController()
  for await (const _ of trials());
  // The call is over: nothing listens any more, and nothing is thrown where nobody can catch it.
  stop.abort()
  await new Promise(setImmediate)

  stop = new AbortController()
  stop.abort()
  await assert.rejects(
    async () => {
      for await (const _ of trials());
    },
    { exitCode: 75 },
  )
})
