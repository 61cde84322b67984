/** --where: which items a further model is asked about, and what a report makes of them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AnyRow, game, ndjson, pair, rowsOf } from '../../helpers/rows.ts'
import { expect, jb, pipe } from '../../helpers/run.ts'

const request = { messages: [{ role: 'user', content: 'a' }] }
/** A trial of jb-parse with this in its verdict, or with an error. */
const trial = (item: string, n: number, of: number, jb: object, more: object = {}) =>
  game(item, n, of, 'A>B', {
    response_A: 'four, because two and two are four',
    response_B: '5',
    jb: {
      request,
      reply: { text: 't', model: 'small', usage: { prompt_tokens: 7 }, cost: 0.5 },
      trial: { n, of, order: n % 2 === 0 ? 'AB' : 'BA', ...more },
      ...jb,
    },
  })
const said = (decision: string, more: object = {}) => ({ verdict: { label: '', decision, ...more } })
const failed = (code: string, stage = 'parse') => ({
  verdict: undefined,
  error: { stage, code, message: 'm', model: 'small' },
})

const where = (rows: object[], condition: string, ...args: string[]) =>
  jb('call', ['-q', '-m', 'baseline:longer', '--where', condition, ...args], { stdin: ndjson(rows) })

const CASES: Record<string, AnyRow[]> = {
  alike: [trial('alike', 0, 2, said('A>B')), trial('alike', 1, 2, said('A>B'))],
  inconsistent: [trial('inconsistent', 0, 2, said('A>B')), trial('inconsistent', 1, 2, said('B>A'))],
  level: [trial('level', 0, 1, said('A=B'))],
  samples: [
    trial('samples', 0, 2, said('A>B'), { order: 'AB', sample: 0 }),
    trial('samples', 1, 2, said('B>A'), { order: 'AB', sample: 1 }),
  ],
  unsure: [trial('unsure', 0, 1, said('A>B', { confidence: 0.7 }))],
  sure: [trial('sure', 0, 1, said('A>B', { confidence: 0.9 }))],
  unread: [trial('unread', 0, 2, said('A>B')), trial('unread', 1, 2, failed('no_verdict'))],
  outage: [trial('outage', 0, 1, failed('timeout', 'call'))],
} as never

describe('conditions', () => {
  const expected: Record<string, string[]> = {
    error: ['unread'],
    inconsistent: ['inconsistent'],
    split: ['samples'],
    tie: ['inconsistent', 'level', 'samples'],
    'confidence<0.8': ['inconsistent', 'level', 'samples', 'unsure', 'unread', 'outage'],
    'confidence<0.1, error': ['inconsistent', 'level', 'samples', 'unread', 'outage'],
  }
  for (const [condition, items] of Object.entries(expected))
    test(condition, async () => {
      const rows = rowsOf(expect(await where(Object.values(CASES).flat(), condition), { code: 0 }))
      assert.deepEqual([...new Set(rows.filter(({ jb }) => jb.earlier).map(({ jb }) => jb.item))], items)
    })

  test('others are refused', async () => {
    for (const condition of ['unsure', 'confidence', 'confidence>0.8'])
      expect(await where([], condition), {
        code: 2,
        err: /--where: one of error, inconsistent, split, tie, confidence<C/,
      })
    const unread = trial('x', 0, 1, { verdict: undefined })
    expect(await where([unread], 'tie'), {
      code: 2,
      err: /:1: --where looks at verdicts.*: jb-parse comes before it/,
    })
    const scored = await jb('score', ['-q'], { stdin: ndjson(CASES.alike!) })
    expect(await where(rowsOf(scored), 'tie'), { code: 2, err: /:1: --where takes the rows of jb-parse/ })
    const nameless = await jb('call', ['--where', 'tie'], { stdin: '' })
    expect(nameless, { code: 2, err: /--where: --model names the model/ })
  })
})

test('what the earlier model came to moves to jb.earlier; other items pass as they are', async () => {
  const rows = [...CASES.inconsistent!, ...CASES.alike!]
  const out = rowsOf(await where(rows, 'inconsistent'))
  const [first] = out
  assert.deepEqual(first!.jb.earlier, [{ reply: rows[0]!.jb.reply, verdict: rows[0]!.jb.verdict }])
  assert.deepEqual(first!.jb.cascade, { name: 'small > baseline:longer', stage: 2, why: 'inconsistent' })
  assert.deepEqual([first!.jb.reply!.model, first!.jb.verdict], ['baseline:longer', undefined])
  const { cascade, ...rest } = out[3]!.jb
  assert.deepEqual([rest, cascade], [rows[3]!.jb, { name: 'small > baseline:longer', stage: 1 }])
  // Of a third model the stages add up.
  for (const { jb } of out.slice(0, 2)) jb.error = { stage: 'parse', code: 'no_verdict', message: 'm' }
  const third = rowsOf(
    await jb('call', ['-q', '-m', 'baseline:first', '--where', 'error'], { stdin: ndjson(out) }),
  )
  assert.deepEqual(
    third.map(({ jb }) => [jb.cascade!.name, jb.cascade!.stage]),
    [3, 3, 1, 1].map((stage) => ['small > baseline:longer > baseline:first', stage]),
  )
  assert.equal(third[0]!.jb.earlier!.length, 2)
})

test('the same stage run again asks only for what it lacks', async () => {
  const out = rowsOf(await where([...CASES.inconsistent!, ...CASES.alike!], 'inconsistent'))
  out[0]!.jb.error = { stage: 'call', code: 'timeout', message: 'm' }
  delete out[0]!.jb.reply
  const again = rowsOf(await where(out, 'inconsistent'))
  assert.deepEqual(
    again.map(({ jb }) => [jb.reply!.model, jb.error, jb.cascade!.stage]),
    ['baseline:longer', 'baseline:longer', 'small', 'small'].map((model) => [
      model,
      undefined,
      model === 'small' ? 1 : 2,
    ]),
  )
})

test('trials of an item that do not follow one another end the run', async () => {
  const [one, two] = CASES.inconsistent!
  expect(await where([one!, ...CASES.alike!, two!], 'inconsistent'), {
    code: 65,
    err: /the trials of an item do not follow one another/,
  })
})

test('reports: one run by the names of its models, shares, costs of each; trials of two stages contradict each other', async () => {
  const pairs = ndjson(
    Array.from({ length: 9 }, (_, i) =>
      pair({ pair_id: `p${i}`, response_B: i < 6 ? '5' : 'five, or so it seems to me today' }),
    ),
  )
  const line =
    'jb-render vanilla --order both | jb-call -q -m baseline:first | jb-parse | jb-call -q -m baseline:longer --where inconsistent | jb-parse'
  const rows = await pipe(line, { stdin: pairs })
  const report = async (stdin: string, by = 'jb-aggregate --by none') =>
    JSON.parse(expect(await pipe(by, { stdin }), {}).stdout)
  const found = await report(rows.stdout)
  assert.deepEqual([found.model, found.items], ['baseline:first > baseline:longer', 9])
  assert.deepEqual(found.cascade, {
    ...{ escalated: 9, share: 1, why: { inconsistent: 9 } },
    stages: [
      { model: 'baseline:first', items: 9 },
      { model: 'baseline:longer', items: 9 },
    ],
  })
  const priced = await where([...CASES.inconsistent!, ...CASES.alike!], 'inconsistent')
  const verdicts = rowsOf(priced).map((row) => ({
    ...row,
    jb: { verdict: { label: '', decision: 'A>B' }, ...row.jb },
  }))
  const costs = await report(ndjson(verdicts))
  assert.deepEqual(costs.cascade.stages, [
    { model: 'small', items: 2, cost: 2 },
    { model: 'baseline:longer', items: 1 },
  ])
  assert.deepEqual([costs.cost, costs.usage], [2, { prompt_tokens: 28 }])
  assert.deepEqual(
    (await report(ndjson(verdicts), 'jb-score | jb-aggregate --by none')).cascade,
    costs.cascade,
  )
  const mixed = verdicts.map((row, i) =>
    i === 3 ? { ...row, jb: { ...row.jb, cascade: { ...row.jb.cascade, stage: 2 } } } : row,
  )
  assert.deepEqual((await report(ndjson(mixed))).failures, { conflict: 1 })
})
