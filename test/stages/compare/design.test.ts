/** Runs of another judge, model or design: what differs is said, and a design that differs ends the run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { type AnyRow, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { figures, run } from './_compare.ts'

const ITEMS = Array.from({ length: 6 }, (_, i) => `i${i}`)

interface How {
  orders?: (i: number) => string[]
  samples?: number
  criteria?: string[]
  jb?: object
  model?: string
}

/** The trials of a run. */
const judged = ({ orders = () => ['AB'], samples = 1, criteria = [], jb = {}, model = 'm' }: How) =>
  ndjson(
    ITEMS.flatMap((item, i) => {
      const asked = orders(i).flatMap((order) =>
        (criteria.length > 0 ? criteria : [undefined]).flatMap((criterion) =>
          Array.from({ length: samples }, (_, sample) => ({
            order,
            ...(criterion !== undefined && { criterion }),
            ...(samples > 1 && { sample }),
          })),
        ),
      )
      return asked.map((trial, n) => ({
        label: 'A>B',
        jb: {
          ...{ judge: 'j', judge_digest: 'd1', item, trial: { n, of: asked.length, ...trial } },
          request: { messages: [], temperature: 0 },
          reply: { text: 't', model },
          verdict: { label: 'A', decision: 'A>B' },
          ...jb,
        },
      })) as AnyRow[]
    }),
  )

const both = () => ['AB', 'BA']
const oneEach = (i: number) => [i % 2 ? 'AB' : 'BA']

test('orders, samples or criteria that differ end the run; --differ names what may', async (t) => {
  const cwd = folder(t, {
    old: judged({}),
    both: judged({ orders: both }),
    drawn: judged({ orders: oneEach }),
    twice: judged({ samples: 2 }),
    clear: judged({ criteria: ['clear'] }),
    short: judged({ criteria: ['short'] }),
  })
  const cases = [
    ['old', 'both', 'orders', 'orders AB in old, AB+BA in both'],
    ['both', 'drawn', 'orders', 'orders AB+BA in both, one of each item in drawn'],
    ['old', 'twice', 'samples', 'samples 1 in old, 2 in twice'],
    ['clear', 'short', 'criteria', 'criteria clear in clear, short in short'],
  ] as const
  for (const [a, b, aspect, words] of cases) {
    expect(await jb('compare', [a, b], { cwd }), {
      code: 65,
      out: '',
      err: `jb-compare: not of the same design: ${words} (--differ ${aspect} compares them all the same)\n`,
    })
    const { notes, ending } = await run([`${cwd}/${a}`, `${cwd}/${b}`, '--differ', aspect])
    assert.equal(ending, undefined, aspect)
    assert.match(notes.join(), /runs of another design are compared: /, aspect)
  }
  expect(await jb('compare', ['both', 'drawn', '--differ', 'samples'], { cwd }), { code: 65 })
})

test('judge, model, digest and parameters may differ: the sentence says it, JSON and CSV have all of each run', async (t) => {
  const dir = folder(t, {
    old: judged({ orders: both }),
    new: judged({
      orders: both,
      model: 'n',
      jb: {
        judge_digest: 'd2',
        request: { messages: [], temperature: 1 },
        reply: { text: 't', model: 'n', served_model: 'n-1' },
      },
    }),
  })
  const runs = [`old=${dir}/old`, `new=${dir}/new`]
  const [pair] = await figures(runs)
  assert.match(
    pair.sentence,
    /^undecided: new \(digest d2, model n, temperature 1\) against old \(digest d1, model m, temperature 0\) 0\.0 points/,
  )
  const [a, b] = [pair.made.a, pair.made.b]
  assert.deepEqual(
    [a, b],
    [
      {
        judge: 'j',
        digest: 'd1',
        model: 'm',
        served_models: [],
        orders: ['AB', 'BA'],
        samples: 1,
        parameters: { temperature: 0 },
        items: 6,
      },
      {
        judge: 'j',
        digest: 'd2',
        model: 'n',
        served_models: ['n-1'],
        orders: ['AB', 'BA'],
        samples: 1,
        parameters: { temperature: 1 },
        items: 6,
      },
    ],
  )
  const { text: table } = await run([...runs, '--format', 'table'])
  assert.match(table, /^old: judge j, digest d1, model m, orders AB\+BA$/m)
  const { text: csv } = await run([...runs, '--format', 'csv'])
  assert.match(csv, /,made_a_judge,made_a_digest,made_a_model,/)
})

test('some items in one order and some in both: an alarm; an order of its own for each item is none', async (t) => {
  const dir = folder(t, {
    mixed: judged({ orders: (i) => (i < 4 ? ['AB'] : both()) }),
    drawn: judged({ orders: oneEach }),
    other: judged({ orders: oneEach, model: 'n' }),
  })
  const codes = async (a: string, b: string) =>
    (await figures([`${dir}/${a}`, `${dir}/${b}`, '--differ', 'orders']))[0].warnings.map(
      ({ code }: { code: string }) => code,
    )
  assert.ok((await codes('mixed', 'drawn')).includes('mixed_orders'))
  assert.ok(!(await codes('drawn', 'other')).includes('mixed_orders'))
  const alarms = async (name: string) =>
    objects((await jb('aggregate', ['-q', `${dir}/${name}`])).stdout)[0].warnings as {
      code: string
      sentence: string
    }[]
  const [alarm] = (await alarms('mixed')).filter(({ code }) => code === 'mixed_orders')
  assert.match(alarm!.sentence, /^4 items were judged in one order and 2 in several/)
  assert.ok(!(await alarms('drawn')).some(({ code }) => code === 'mixed_orders'))
})
