/** An item's trials: samples, ids, names, limits, and what rows say that were rendered before. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { type AnyRow, ndjson, pair, rowOf, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe, type Ran, sh } from '../../helpers/run.ts'

const render = async (args: string[], rows: object[]): Promise<AnyRow[]> =>
  rowsOf(fine(await jb('render', args, { stdin: ndjson(rows) })))

const asked = ({ jb }: AnyRow) => jb.request!.messages!.at(-1)!.content

const MANY = Array.from({ length: 400 }, (_, i) =>
  pair({ pair_id: `item-${i}`, response_A: `A${i}`, response_B: `B${i}` }),
)

test('--samples asks each question again: of counts all, and each has its own number', async () => {
  const rows = await render(['vanilla', '--order', 'both', '--samples', '3'], [pair()])
  assert.deepEqual(
    rows.map(({ jb }) => jb.trial),
    ['AB', 'BA'].flatMap((order, i) =>
      [0, 1, 2].map((sample) => ({ n: 3 * i + sample, of: 6, order, sample })),
    ),
  )
  assert.equal(new Set(rows.map(asked)).size, 2)
  const sampleOf = async (...args: string[]) =>
    (await render(['vanilla', ...args], [pair()]))[0]!.jb.trial!.sample
  assert.deepEqual([await sampleOf('--samples', '1'), await sampleOf()], [0, undefined])
})

test('--id names the field that tells items apart; without any, a hash of the line does', async () => {
  const id = async (args: string[], item: object) => (await render(['vanilla', ...args], [item]))[0]?.jb.item
  const item = pair({ pair_id: 'p', id: 'i', meta: { key: 'deep' }, n: 7 })
  assert.equal(await id([], item), 'p')
  assert.equal(await id(['--id', 'id'], item), 'i')
  assert.equal(await id(['--id', 'meta.key'], item), 'deep')
  assert.equal(await id(['--id', 'n'], item), '7')
  const { pair_id: _, ...bare } = pair()
  const text = JSON.stringify(bare)
  assert.equal(await id([], bare), createHash('sha256').update(text).digest('hex').slice(0, 16))
  assert.notEqual(await id([], bare), await id([], { ...bare, label: 'B>A' }))
})

test('a row without the field that --id names fails and is told apart by its text', async () => {
  const stdin = ndjson([pair({ key: 1 }), pair(), pair({ key: null })])
  const ran = expect(await jb('render', ['vanilla', '--id', 'key'], { stdin }), { err: /missing_field 2/ })
  const [good, ...bad] = rowsOf(ran)
  assert.deepEqual([good!.jb.item, good!.jb.error], ['1', undefined])
  for (const { jb } of bad)
    assert.match(
      jb.error!.message,
      /^field "key" is missing: there are \w+, .* \(--id tells items apart by it\)$/,
    )
  const parsed = await jb('parse', ['--judge', 'vanilla', '--text', 'said', '--id', 'key'], {
    stdin: ndjson([{ said: 'Output (a)' }]),
  })
  assert.equal(rowsOf(parsed)[0]!.jb.error!.code, 'missing_field')
})

test('--name stands beside the judge', async () => {
  const [row] = await render(['vanilla', '--name', 'fluency'], [pair()])
  assert.deepEqual([row?.jb.judge, row?.jb.name], ['vanilla', 'fluency'])
  assert.deepEqual(Object.keys(row!.jb), ['judge', 'judge_digest', 'name', 'item', 'trial', 'request'])
})

test('--limit takes the first items, all their trials, and ends a writer without end', async () => {
  const rows = await render(['vanilla', '--order', 'both', '--limit', '2'], MANY)
  assert.deepEqual(
    rows.map(({ pair_id, jb }) => [pair_id, jb.trial?.n]),
    [
      ['item-0', 0],
      ['item-0', 1],
      ['item-1', 0],
      ['item-1', 1],
    ],
  )
  assert.deepEqual(await render(['vanilla', '--limit', '0'], MANY), [])
  const endless: Ran = await sh(`yes '${JSON.stringify(pair())}' | jb-render vanilla --limit 3 | wc -l`)
  expect(endless, { out: /^\s*3\n$/ })
})

test('jb.request is what is sent, without a model', async () => {
  const row = rowOf(fine(await jb('render', ['judge_lm'], { stdin: ndjson([pair()]) })))
  assert.deepEqual(Object.keys(row.jb), ['judge', 'judge_digest', 'item', 'trial', 'request'])
  assert.ok(!('model' in row.jb.request!))
  assert.match(row.jb.request!.prompt!, /What is 2 \+ 2\?/)
})

test('rows that are rendered again have nothing of the judge before', async (t) => {
  const path = folder(t, { 'pairs.ndjson': ndjson([pair({ response: 'four' })]) })
  const command =
    'jb-render direct --criteria conciseness --name fl pairs.ndjson | jb-call -q -m baseline:first | jb-parse | jb-render arena_hard'
  const { jb: made } = rowOf(fine(await pipe(command, { cwd: path })))
  assert.deepEqual(Object.keys(made).sort(), ['item', 'judge', 'judge_digest', 'request', 'trial'])
})

test('a step into a list is a number', async () => {
  const stdin = ndjson([
    { id: 1, list: [{ text: 'first' }, { text: 'last' }], response_A: 'a', response_B: 'b' },
  ])
  const asked = async (field: string) => {
    const { jb: made } = rowOf(
      await jb('render', ['arena_hard', '-q', '--map', `question=${field}`], { stdin }),
    )
    return made.error?.code ?? /first|last/.exec(JSON.stringify(made.request))![0]
  }
  assert.deepEqual(
    await Promise.all(['list.0.text', 'list.-1.text', 'list.x.text', 'list..text'].map(asked)),
    ['first', 'last', 'missing_field', 'missing_field'],
  )
})

test('an answer that is null was never given: its row fails, where an empty one is judged', async () => {
  const asked = async (judge: string, item: object) => {
    const stdin = ndjson([{ id: 1, question: 'q', response_B: 'b', ...item }])
    return rowOf(await jb('render', [judge, '-q'], { stdin })).jb.error
  }
  assert.equal(await asked('arena_hard', { response_A: '' }), undefined)
  const error = await asked('arena_hard', { response_A: null })
  assert.deepEqual(
    [error?.code, error?.message],
    ['missing_field', 'field "response_A" is null: there is nothing to judge ("" is an empty text)'],
  )
})

test('the input may be trials: each item is rendered once, and the summary counts the skipped trials', async (t) => {
  const path = folder(t, { 'pairs.ndjson': ndjson([pair(), pair(), pair()]) })
  const command =
    'jb-render vanilla --order both --samples 2 pairs.ndjson | jb-render arena_hard --order both | jb-call -q -m baseline:first | jb-parse | jb-aggregate'
  const ran = expect(await pipe(command, { cwd: path }), {
    err: /^jb-render: 6 rows, 9 more trials of the same items skipped\n$/,
  })
  const { items, games } = JSON.parse(ran.stdout)
  assert.deepEqual({ items, games }, { items: 3, games: 6 })
  const again = (more: string) =>
    pipe(`jb-render vanilla pairs.ndjson | jb-render arena_hard ${more}`, { cwd: path })
  assert.equal(rowsOf(fine(await again(''))).length, 3)
  assert.equal(rowsOf(fine(await again('--limit 2'))).length, 2)
})

test('an error of a later stage does not keep an item from being rendered again, once', async () => {
  const trials = rowsOf(
    fine(await jb('render', ['vanilla', '--order', 'both'], { stdin: ndjson([pair(), pair()]) })),
  )
  const failed = (i: number, stage: string, code: string) => {
    Object.assign(trials[i]!.jb, { error: { stage, code, message: 'm' } })
  }
  failed(1, 'call', 'timeout')
  failed(2, 'parse', 'no_verdict')
  const ran = await jb('render', ['arena_hard', '--order', 'both'], { stdin: ndjson(trials) })
  const rows = rowsOf(expect(ran, { err: 'jb-render: 4 rows, 2 more trials of the same items skipped\n' }))
  const ids = trials.filter((_, i) => i % 2 === 0).map(({ jb }) => jb.item)
  assert.deepEqual(
    rows.map(({ jb: { judge, item, trial, error } }) => [judge, item, trial!.order, error]),
    ids.flatMap((id) => ['AB', 'BA'].map((order) => ['arena_hard', id, order, undefined])),
  )
  // What was wrong before it is wrong still.
  const unread = ['{"jb":{"error":{"stage":"read","code":"missing_field","message":"m"}}}\n', '{"jb":\n']
  const stdin = unread.join('')
  const passed = rowsOf(expect(await jb('render', ['vanilla', '-q', '--bad-rows', 'pass'], { stdin }), {}))
  const again = await jb('render', ['vanilla', '-q'], { stdin: ndjson(passed) })
  assert.deepEqual(rowsOf(expect(again, {})), passed)
})

test('a row that is rendered anew and cannot be has no request of the judge before', async () => {
  const [row] = await render(['vanilla'], [pair()])
  const { response_B: _, ...rest } = row!
  const ran = await jb('render', ['arena_hard', '-q'], { stdin: ndjson([{ ...rest, jb: row!.jb }]) })
  const { jb: made } = rowOf(expect(ran, {}))
  assert.deepEqual(Object.keys(made), ['judge', 'judge_digest', 'item', 'trial', 'error'])
  assert.deepEqual([made.judge, made.error?.code], ['arena_hard', 'missing_field'])
})

test('each: the elements of a list have ids that differ, and those that are given stay', async (t) => {
  const place = folder(t, {
    'judge.yaml':
      'kind: grade\nverdict: { rule: number }\neach: { nugget: nuggets }\nmessages: [{ role: user, content: "{{ nugget }}" }]\n',
  })
  const ids = async (nuggets: string[]) =>
    (await render([`${place}/judge.yaml`], [{ nuggets }])).map(({ jb }) => jb.trial!.nugget)
  assert.deepEqual(await ids(['a', 'a', 'a']), ['a', 'a#2', 'a#3'])
  assert.deepEqual(await ids(['a', 'a', 'a#2', 'a', 'a#2']), ['a', 'a#3', 'a#2', 'a#4', 'a#2#2'])
})

test('a window that is no whole number is an error of the option or of the judge file that gives it', async (t) => {
  const place = folder(t, {
    'judge.yaml':
      'kind: grade\nverdict: { rule: number }\neach: { nugget: nuggets }\nset: { window: 0 }\nmessages: [{ role: user, content: "{{ shown }}" }]\n',
  })
  const run = (...args: string[]) =>
    jb('render', [`${place}/judge.yaml`, ...args], { stdin: ndjson([{ nuggets: ['a'] }]) })
  expect(await run(), { code: 78, err: /judge\.yaml: set: window is 0: expected a whole number from 1 on/ })
  expect(await run('--set', 'window=x'), {
    code: 2,
    err: /--set window=x: expected a whole number from 1 on/,
  })
})

test('an item may have 1,000 trials, and more with --max-trials', async () => {
  const trials = async (...args: string[]) =>
    rowsOf(await jb('render', ['vanilla', ...args], { stdin: ndjson([pair()]) }))
  assert.equal((await trials('--samples', '1000')).length, 1000)
  const [failed, ...more] = await trials('--order', 'both', '--samples', '501')
  assert.deepEqual(
    [more.length, failed!.jb.error!.code, failed!.jb.error!.message],
    [0, 'bad_record', 'this item has 1002 trials, more than 1000 (--max-trials)'],
  )
  assert.equal((await trials('--samples', '1001', '--max-trials', '1001')).length, 1001)
  const messages = Array.from({ length: 70_000 }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: `${i}`,
  }))
  const talk = await jb('render', ['knowledge_retention'], { stdin: ndjson([{ id: 't', messages }]) })
  assert.match(talk.stderr, /this item has \d{5} trials, more than 1000/)
})
