/** Trials that failed and were tried again count as they ended, in any order of rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { FAILED, ofAllOrders, ofOrders, permutations, report, trial } from './_order.ts'

/** The same for the rows as they are, turned round, and begun at each of them: all orders of many would take long. */
function ofSomeOrders(given: object[]): Promise<string> {
  const rows = [...given, trial(0, 1, {}, {}, 'y')]
  return ofOrders([rows.toReversed(), ...rows.map((_, i) => [...rows.slice(i), ...rows.slice(0, i)])])
}

test('of several trials one failed and came again: also where another of them then says something else', async () => {
  const failed = (n: number, fields: object = {}) => trial(n, 2, fields, FAILED)
  const reply = (n: number, decision: string, fields: object = {}) =>
    trial(n, 2, fields, { verdict: { label: decision, decision } })
  // The first trial with another label, and with another reply.
  assert.equal(
    await ofSomeOrders([failed(1), reply(0, 'A>B'), reply(1, 'A>B'), reply(0, 'A>B', { label: 'B>A' })]),
    's 1/2, correct 1, conflict',
  )
  assert.equal(
    await ofSomeOrders([failed(1), reply(0, 'A>B'), reply(1, 'A>B'), reply(0, 'B>A')]),
    's 1/2, correct 1, conflict',
  )
  // Each half with a failure: both together are whole.
  assert.equal(
    await ofSomeOrders([failed(1), reply(0, 'A>B'), failed(0), reply(1, 'A>B')]),
    's 2/2, correct 2',
  )
  // Where rows of a later trial differ, those of the first count.
  assert.equal(
    await ofSomeOrders([reply(0, 'A>B'), failed(1), reply(1, 'A>B', { label: 'B>A' })]),
    's 2/2, correct 2',
  )
})

test('a failure that was tried again with another group counts as it ended, and in no group of before', async () => {
  const failed = (source: string, item = 'x', code = 'timeout') =>
    trial(0, 1, { source }, { error: { ...FAILED.error, code, model: 'm' } }, item)
  const other = failed('t', 'z')
  assert.equal(await ofAllOrders([failed('s'), trial(0, 1, { source: 't' })]), 's 1/1, t 1/1, correct 2')
  assert.equal(
    await ofAllOrders([failed('s'), trial(0, 1, { source: 't' }), other]),
    's 1/1, t 1/2, correct 2, timeout',
  )
  // One that failed both times fails in one group.
  for (const code of ['timeout', 'rate_limited'])
    assert.match(await ofAllOrders([failed('s'), failed('t', 'x', code)]), new RegExp(`correct 1, ${code}$`))
  // With the same group, or none, nothing is in doubt, however many they are: the rows are read once.
  const many = Array.from({ length: 10_050 }, (_, i) => [
    trial(0, 1, {}, { error: { ...FAILED.error, model: 'm' } }, `${i}`),
    trial(0, 1, {}, {}, `${i}`),
  ])
  const { valid, failures } = JSON.parse((await report(many.flat())).stdout)
  assert.deepEqual([valid, failures], [10_050, {}])
})

test('a failure with a code of another program is taken back as well when it was tried again', async () => {
  const failed = (code: string, fields: object = {}) =>
    trial(0, 1, fields, { error: { ...FAILED.error, code, model: 'm' } })
  assert.equal(await ofAllOrders([failed('http'), trial(0, 1, {})]), 's 2/2, correct 2')
  assert.equal(await ofAllOrders([failed('http', { source: 't' }), trial(0, 1, {})]), 's 2/2, correct 2')
  assert.equal(await ofAllOrders([failed('http'), failed('bad_row'), trial(0, 1, {})]), 's 2/2, correct 2')
  // Of two failures a code of jb counts, else the first of the two.
  assert.equal(await ofAllOrders([failed('http'), failed('timeout')]), 's 1/2, correct 1, timeout')
  assert.equal(await ofAllOrders([failed('http'), failed('gone')]), 's 1/2, correct 1, gone')
  const half = (code: string) => trial(0, 2, {}, { error: { ...FAILED.error, code, model: 'm' } })
  assert.equal(await ofAllOrders([half('http'), half('gone'), trial(1, 2, {})]), 's 1/2, correct 1, gone')
})

test('a whole item counts, whatever its trials said when they failed', async () => {
  const whole = [trial(0, 2, {}), trial(1, 2, {})]
  const failed = (n: number, label: string) => trial(n, 2, { label }, FAILED)
  assert.equal(await ofSomeOrders([...whole, failed(0, 'B>A'), failed(1, 'A>B')]), 's 2/2, correct 2')
  // Of two failures of a trial the code that comes first, as of two failures of an item.
  const unread = { error: { stage: 'parse', code: 'no_verdict', message: 'x', model: 'm' } }
  const late = { error: { ...FAILED.error, model: 'm' } }
  const rows = [trial(0, 2, {}, unread), trial(0, 2, {}, late), trial(1, 2, {})]
  assert.equal(await ofAllOrders(rows), 's 1/2, correct 1, timeout')
  // A trial that is there twice, with another value of a field that is no group.
  assert.equal(await ofAllOrders([...whole, trial(0, 2, { category: 'c' })]), 's 2/2, correct 2')
  // The same of a field that a label goes before.
  assert.equal(await ofAllOrders([...whole, trial(0, 2, { expected_result: 'B' })]), 's 2/2, correct 2')
})

test('an item that failed before it had a model, and was tried again, counts once', async () => {
  const lost = {
    error: { stage: 'render', code: 'missing_field', message: 'x' },
    trial: undefined,
    reply: undefined,
  }
  const rows = [trial(0, 1, {}, lost), trial(0, 1, {})]
  assert.equal(await ofAllOrders(rows), 's 2/2, correct 2')
  const stdin = ndjson(rows)
  assert.match((await jb('write', ['-q', 'judgebench'], { stdin })).stdout, /Overall: 100\.00%/)
  const audit = await jb('audit', ['-q', '--format', 'json'], { stdin })
  assert.match(audit.stdout, /"items":1,"unlabelled":0,"failed":0/)
  // Of two models it is tried again with one alone.
  const other = trial(0, 1, {}, { reply: { text: 'A', model: 'n' } }, 'y')
  const both = await jb('aggregate', ['-q'], { stdin: ndjson([...rows, other]) })
  assert.match(both.stdout, /"failures":\{"missing_field":1\}/)
  // With the other it failed, for every command, also of what jb-score wrote.
  for (const filter of ['', 'score']) {
    const given = ndjson([...rows, other])
    const stdin = filter === '' ? given : fine(await jb('score', ['-q'], { stdin: given })).stdout
    const cards = await jb('audit', ['-q', '--format', 'json'], { stdin })
    const failed = objects(cards.stdout).filter(({ section }) => section === 'agreement')
    assert.deepEqual(
      failed.map(({ judge, failed }) => [judge, failed]),
      [
        ['j · m', 0],
        ['j · n', 1],
      ],
    )
    const sheet = await jb('write', ['-q', 'csv'], { stdin })
    assert.deepEqual(
      sheet.stdout
        .match(/^x,.*/gm)
        ?.map((line) => line.split(',')[5])
        .sort(),
      ['m', 'n'],
    )
    const lines = await jb('write', ['-q', 'judgebench'], { stdin })
    assert.match(lines.stdout, /^# j m\nOverall: 100.00%.$/m)
    assert.match(lines.stdout, /^# j n\nOverall: 50.00%.\nfailed: 1 /m)
  }
  // Shards know which items they have.
  const shards = await Promise.all(
    rows.map((row) => jb('aggregate', ['-q', '--partial'], { stdin: ndjson([row]) })),
  )
  const merged = await jb('aggregate', ['--merge'], { stdin: shards.map(({ stdout }) => stdout).join('') })
  assert.equal(merged.code, 65)
  assert.match(merged.stderr, /1 of its items are in a state before it as well|is in a state before it/)
})

test('a reply is paid for once, however often its item was tried', async () => {
  const paid = (n: number) => trial(n, 2, {}, { reply: { text: `A, ${n}`, model: 'm', cost: 0.25 } })
  // The second game failed, and both were there again.
  const rows = [paid(0), trial(1, 2, {}, { error: { ...FAILED.error, model: 'm' } }), paid(0), paid(1)]
  const half = fine(await jb('score', ['-q'], { stdin: ndjson(rows.slice(0, 2)) })).stdout
  const given = [rows, [JSON.parse(half), JSON.parse(half), paid(0), paid(1)]]
  for (const some of given)
    for (const args of [[], ['--common']]) {
      assert.equal(await ofAllOrders(some, ...args), 's 2/2, correct 2')
      const { stdout } = await jb('aggregate', ['-q', ...args], { stdin: ndjson(some) })
      assert.equal(JSON.parse(stdout).cost, 0.5)
    }
})

test('a reply without a verdict is paid for, once, where its trial was asked again', async () => {
  const unread = { error: { stage: 'parse', code: 'no_verdict', message: 'x' } }
  const paid = (n: number, cost: number, more: object = {}, fields: object = {}) =>
    trial(n, 2, fields, { ...more, reply: { text: `${n} ${cost}`, model: 'm', cost } })
  const rows = [paid(0, 0.5, unread), paid(0, 0.25), paid(1, 0.25), paid(0, 0.5, unread)]
  const costs = async (some: object[]) => {
    const { cost, by } = JSON.parse((await report(some)).stdout)
    return [cost, by.source.s.cost]
  }
  for (const some of permutations(rows)) assert.deepEqual(await costs(some), [1, 1])
  const scored = fine(await jb('score', ['-q'], { stdin: ndjson(rows) })).stdout
  assert.equal(JSON.parse((await jb('aggregate', ['-q'], { stdin: scored })).stdout).cost, 1)
  // The item counts in one group, and so does what was paid for both its games when they failed.
  const other = { source: 't' }
  const moved = [paid(0, 0.25), paid(1, 0.25), paid(0, 0.5, unread, other), paid(1, 0.5, unread, other)]
  for (const some of permutations(moved)) assert.deepEqual(await costs(some), [1.5, 1.5])
  // An item of one trial.
  const single = [0.5, 0.125].map((cost) =>
    trial(0, 1, {}, { ...unread, reply: { text: '', model: 'm', cost } }),
  )
  const last = trial(0, 1, {}, { reply: { text: 'A', model: 'm', cost: 0.25 } })
  for (const some of permutations([...single, last, single[0]!]))
    assert.deepEqual(await costs(some), [0.875, 0.875])
})

test('two replies that differ are a conflict, also where another trial failed and was asked again', async () => {
  const failed = trial(2, 3, {}, { error: { ...FAILED.error, model: 'm' } })
  const other = trial(1, 3, {}, { verdict: { label: 'B', decision: 'B>A' } })
  const [first, one, last] = [0, 1, 2].map((n) => trial(n, 3, {})) as [object, object, object]
  for (const [a, b] of [
    [one, other],
    [other, one],
  ] as const)
    assert.equal(await ofSomeOrders([first, a, b, failed, first, last, a]), 's 1/2, correct 1, conflict')
})

test('a failure without a model is that of the trial that the item lacks', async () => {
  const lost = (n: number, fields: object = {}) => trial(n, 3, fields, { ...FAILED, reply: undefined })
  const rows = [lost(0), lost(1), lost(0, { source: 't' }), lost(2), trial(1, 3, {}), trial(2, 3, {})]
  assert.equal(await ofSomeOrders(rows), 's 1/2, correct 1, timeout')
})

test('--by a field that only failures had which were asked again: there are no groups', async () => {
  const rows = [0, 1].flatMap((n) => [
    trial(n, 2, { task: 't' }, { error: { ...FAILED.error, model: 'm' } }),
    trial(n, 2, {}),
  ])
  for (const some of [rows, [rows[1]!, rows[3]!, rows[0]!, rows[2]!]])
    assert.equal(JSON.parse((await report(some, '--by', 'task')).stdout).by, undefined)
})

test('jb-write --combine: an item that failed in some rows and has a result in others is measured', async () => {
  const rows = [0, 1, 2].map((n) => trial(n, 3, { question_id: 1, model_1: 'a', model_2: 'b' }))
  const failed = async (some: object[]) => {
    const stdin = ndjson([...some, { ...some[0], jb: { ...trial(2, 3, {}, FAILED).jb } }])
    return JSON.parse(fine(await jb('score', ['-q'], { stdin })).stdout)
  }
  const incomplete = JSON.parse(fine(await jb('score', ['-q'], { stdin: ndjson([rows[1]!]) })).stdout)
  const late = await failed(rows.slice(0, 2))
  for (const some of [
    [late, incomplete, ...rows],
    [incomplete, late, ...rows],
  ]) {
    const args = ['-q', 'mt-bench-results', '--combine', 'vote']
    assert.equal((await jb('write', args, { stdin: ndjson(some) })).code, 0)
  }
})

test('jb-write lm-eval-details: of two replies without a verdict always the same is written', async () => {
  const rows = ['one', 'two'].map((text) => trial(0, 1, {}, { ...FAILED, reply: { text, model: 'm' } }))
  const text = async (some: object[]) =>
    (await jb('write', ['-q', 'lm-eval-details'], { stdin: ndjson(some) })).stdout
  assert.equal(await text(rows.toReversed()), await text(rows))
})
