/** Shards add up: --partial and --merge, and which options come too late. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { folder } from '../../helpers/folder.ts'
import { type AnyRow, game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { staged } from '../../helpers/stage.ts'
import { pairs, run } from './_report.ts'

const report = async (text: string, ...args: string[]) => (await staged(spec, aggregate, args, text)).text

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
    'jb-aggregate --merge --partial 0.state 1.state > a; jb-aggregate -q --merge --partial 2.state 3.state | jb-aggregate -q --merge a -'
  const merged = fine(await pipe(`${states}; ${twice}`, { cwd: path }))
  assert.equal(merged.stdout.trimEnd().split('\n').length, 2)
  expect(await jb('aggregate', ['--merge'], { stdin: ndjson(rows) }), {
    code: 65,
    err: /--merge reads what --partial wrote/,
  })
})

test('a shard’s sums are no row, and end no run: --merge is pointed to', async (t) => {
  const { stdout: state } = fine(
    await jb('aggregate', ['--partial'], { stdin: ndjson(pairs({ x: [1, 1] })) }),
  )
  const path = folder(t, { 'a.state': state })
  for (const [filter, ...args] of [['aggregate'], ['write', 'judgebench']] as const)
    expect(await jb(filter, [...args, `${path}/a.state`]), {
      code: 1,
      err: /nothing was measured: .*no_verdict: this is what --partial wrote: add it up with --merge\n$/,
    })
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

test('--merge: a file without a state is told, and items of shards without the groups of others', async (t) => {
  const shard = async (rows: object[], by: string) =>
    fine(await pipe(`jb-aggregate --partial --by ${by}`, { stdin: ndjson(rows) })).stdout
  const rows = (item: string) => pairs({ [item]: [1, 1] }).map((row) => ({ ...row, source: 's' }))
  const dir = folder(t, {
    a: await shard(rows('p'), 'source'),
    b: await shard(rows('q'), 'none'),
    c: await shard(rows('r'), 'source'),
    empty: '',
  })
  const merge = async (files: string, err: RegExp) =>
    expect(await pipe(`jb-aggregate --merge ${files}`, { cwd: dir }), { err })
  await merge('a b', /^jb-aggregate: arena_hard m: 2 of 4 items are in no group by source\n$/)
  await merge('a c', /^$/)
  await merge('a empty c', /^jb-aggregate: empty: there is no state in it: .*\n$/)
})

test('--merge: states by several fields keep them, also in one state, and for an item that failed elsewhere', async () => {
  const by = ['--by', 'source', '--by', 'cat.x']
  const one = (id: string, x: string, jb?: object) => game(id, 0, 1, 'A>B', { source: 's', cat: { x }, jb })
  const error = { stage: 'render', code: 'missing_field', message: 'no question' }
  const lost = one('r', 'u', { reply: undefined, verdict: undefined, error })
  const rows = [one('p', 'u'), one('q', 'v'), lost]
  const all = await report(ndjson(rows), ...by)
  assert.deepEqual(Object.keys(JSON.parse(all).by['cat.x']), ['u', 'v'])
  const states = await Promise.all(rows.map((row) => report(ndjson([row]), '--partial', ...by)))
  assert.equal(await report(states.join(''), '--merge'), all)
  const two = await report(states.slice(0, 2).join(''), '--merge', '--partial')
  assert.equal(await report(two + states[2], '--merge'), all)
})

test('options for scoring are refused where the rows are scored already', async () => {
  const rows = ndjson(pairs({ x: [1, 1] }))
  for (const filter of ['aggregate', 'write judgebench', 'write lm-eval'])
    for (const option of ['--tie 0.5', '--label l', '--combine first']) {
      const ran = await pipe(`jb-score | jb-${filter} ${option}`, { stdin: rows })
      const err = new RegExp(`^jb-\\w+: \\(stdin\\):1: ${option.split(' ')[0]}: the rows are scored already`)
      expect(ran, { code: 2, out: '', err })
    }
  for (const filter of ['score', 'write csv', 'view'])
    for (const option of ['tie 0.5', 'combine first']) {
      const ran = await pipe(`jb-score | jb-${filter} --${option}`, { stdin: rows })
      expect(ran, { code: 2, out: '', err: /:1: --(tie|combine): the rows are scored already: give it/ })
    }
  // The environment is the whole pipe's: jb-score has heard it.
  const tied = ndjson([game('p', 0, 1, 'A=B'), game('q', 0, 1, 'A=B')])
  const ran = await pipe('jb-score | jb-aggregate', { stdin: tied, env: { JB_TIE: '0.5' } })
  const told = 'jb-aggregate: JB_TIE is ignored: the rows are scored already: give it to jb-score\n'
  assert.equal(JSON.parse(expect(ran, { err: told }).stdout).accuracy, 0.5)
})
