/** jb-write csv: from a spreadsheet to a spreadsheet, with columns added and nothing lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { spec } from '../../../src/stages/write/options.ts'
import { write } from '../../../src/stages/write/write.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { staged } from '../../helpers/stage.ts'

type Line = Record<string, string>

async function table(rows: object[] | string, args: string[] = []): Promise<Line[]> {
  const { text } = await staged(spec, write, ['csv', ...args], typeof rows === 'string' ? rows : ndjson(rows))
  return parse(text, { columns: true, bom: true }) as Line[]
}

test('the user’s fields stand first and unchanged, then what was found out, each game with its reply', async () => {
  const rows = [0, 1].map((n) =>
    game('p1', n, 2, n === 0 ? 'A>B' : 'A=B', {
      question: 'a "quoted",\nbroken line\u2028 and more',
      list: [1, { a: 'é' }],
      judge: 'a person',
      jb: { reply: { text: `reply ${n}, of "two"`, model: 'm' } },
    }),
  )
  const raw = ndjson(rows).replaceAll('"pair_id"', '"big":12345678901234567890,"zero":1.0,"pair_id"')
  const [line] = await table(raw)
  assert.deepEqual(line, {
    big: '12345678901234567890',
    zero: '1.0',
    pair_id: 'p1',
    label: 'A>B',
    question: 'a "quoted",\nbroken line\u2028 and more',
    list: '[1,{"a":"é"}]',
    judge: 'a person',
    item: 'p1',
    jb_judge: 'arena_hard',
    model: 'm',
    verdict: 'A>B',
    correct: 'true',
    consistent: 'false',
    order_1: 'AB',
    verdict_1: 'A>B',
    reply_1: 'reply 0, of "two"',
    order_2: 'BA',
    verdict_2: 'A=B',
    reply_2: 'reply 1, of "two"',
  })
})

test('rows differ in their columns; a failed item is there with its error', async () => {
  const failed = {
    pair_id: 'p2',
    extra: 'x',
    jb: {
      judge: 'arena_hard',
      item: 'p2',
      trial: { n: 0, of: 1 },
      error: { stage: 'call', code: 'timeout', message: 'no answer', model: 'm' },
    },
  }
  const reply = { text: 't', model: 'm', reasoning: 'so' }
  const lines = await table([game('p1', 0, 1, 'A>B', { jb: { reply } }), failed])
  assert.deepEqual(
    lines.map(({ pair_id, extra, verdict, error, reply, reason }) => [
      ...[pair_id, extra, verdict, error, reply, reason],
    ]),
    [
      ['p1', '', 'A>B', '', 't', 'so'],
      ['p2', 'x', '', 'timeout: no answer', '', ''],
    ],
  )
})

test('of several trials of a criterion each says in which order the options were shown', async () => {
  const criterion = {
    name: 'tone',
    description: '',
    to_evaluate_field: 'id',
    context_fields: [],
    options: [],
  }
  const rows = ['AB', 'BA'].map((order, n) => ({
    id: 'a',
    jb: {
      judge: 'direct',
      item: 'a',
      trial: { n, of: 2, order, criterion: 'tone' },
      criterion,
      reply: { text: 't', model: 'm' },
      verdict: { label: 'Yes', option: 'Yes', score: 1 },
    },
  }))
  const [line] = await table(rows)
  assert.deepEqual([line!.tone_order_1, line!.tone_order_2], ['AB', 'BA'])
})

test('criteria have a group of columns each, and one that is unreadable leaves the others', async () => {
  const trial = (n: number, criterion: string, more: object) => ({
    id: 'a',
    jb: {
      judge: 'direct',
      item: 'a',
      trial: { n, of: 2, criterion },
      criterion: {
        name: criterion,
        description: '',
        to_evaluate_field: 'id',
        context_fields: [],
        options: [],
      },
      reply: { text: `about ${criterion}`, model: 'm' },
      ...more,
    },
  })
  const [line] = await table([
    trial(0, 'clarity', { verdict: { label: 'Yes', option: 'Yes', score: 1, explanation: 'it is clear' } }),
    trial(1, 'tone', { error: { stage: 'parse', code: 'no_verdict', message: 'nothing read' } }),
  ])
  const { clarity_option, clarity_score, clarity_reason, clarity_reply, tone_error, tone_reply } = line!
  assert.deepEqual(
    [clarity_option, clarity_score, clarity_reason, clarity_reply, tone_error, tone_reply],
    ['Yes', '1', 'it is clear', 'about clarity', 'no_verdict: nothing read', 'about tone'],
  )
  assert.match(line!.error!, /^no_verdict/)
})

test('formulas are texts; a byte order mark; tabs', async () => {
  const rows = [game('p1', 0, 1, 'A>B', { note: '=1+1', less: '-3' })]
  const [safe] = await table(rows)
  assert.deepEqual([safe!.note, safe!.less], ["'=1+1", '-3'])
  const { text } = await staged(spec, write, ['tsv', '--bom'], ndjson(rows))
  assert.ok(text.startsWith('\ufeffpair_id\tlabel\t'))
})

test('a row whose jb is not as jb writes it is a line with its error, and ends no table', async () => {
  const odd = [
    { judge: 7 },
    { item: [] },
    { trial: { n: -1 } },
    { reply: 7 },
    { reply: { text: 7 } },
    { trials: 7 },
  ]
  const rows = [game('a', 0, 1, 'A>B'), ...odd.map((jb) => ({ jb })), game('b', 0, 1, 'B>A')]
  assert.deepEqual((await table(rows)).map(({ verdict }) => verdict).filter(Boolean), ['A>B', 'B>A'])
})

test('--combine: two replies to one trial each stand beside their own verdict', async () => {
  const rows = ['A>B', 'B>A'].map((said) =>
    game('p1', 0, 1, said, { jb: { reply: { text: said, model: 'm' } } }),
  )
  const [line] = await table(rows, ['--combine', 'first'])
  const pairs = [1, 2].map((n) => [line![`verdict_${n}`], line![`reply_${n}`]])
  assert.deepEqual(pairs.sort(), [
    ['A>B', 'A>B'],
    ['B>A', 'B>A'],
  ])
})

test('replies that contradict each other: the reason as jb-score says it, and neither reply', async () => {
  const rows = ['A>B', 'B>A'].map((said) =>
    game('p1', 0, 1, said, { jb: { reply: { text: said, model: 'm' } } }),
  )
  const [line] = await table(rows)
  assert.equal(line!.error, 'conflict: trial 0 has two replies that differ (jb-score --combine takes both)')
  assert.deepEqual([line!.verdict, line!.reply], [undefined, undefined])
})

test('an item that lacks a trial keeps the reply that is there', async () => {
  const [line] = await table([game('p1', 0, 2, 'A>B', { jb: { reply: { text: 'said so', model: 'm' } } })])
  assert.match(line!.error!, /^incomplete/)
  assert.equal(line!.reply, 'said so')
})
