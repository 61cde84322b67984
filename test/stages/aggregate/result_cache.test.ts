/** Short rows are read by what they have in common with others: that must show in nothing but the time it takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Choices } from '../../helpers/random.ts'
import { type AnyRow, ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, type Filter, jb } from '../../helpers/run.ts'

/** Rows with every kind of part that can differ while the rest is the same. */
function* rows(seed: number, count: number): Generator<AnyRow> {
  const choices = new Choices(seed)
  const of = <T>(...from: T[]): T => choices.pick(from)
  for (let i = 0; i < count; i++) {
    const id = of(`p${i}`, `"${i}\\`, `é${i}`, `},"jb":{"judge":"${i}`, `,"item":"${i}"`)
    const games = of(1, 1, 1, 2)
    const label = of<unknown>('A>B', 'B>A', 'A=B', 'A', 'wrong', null, undefined, 7)
    const user = {
      id,
      source: of<unknown>('law', 'code', 'é', 3, undefined),
      label,
      note: of('', '}}', '{"jb":'),
    }
    const judge = of('arena_hard', 'vanilla')
    for (let n = 0; n < games; n++) {
      const verdict = of<object | undefined>(
        { label: 'A>B', decision: 'A>B' },
        { label: 'B>A', decision: 'B>A' },
        { label: 'C', decision: 'A=B' },
        { decision: null },
        { score: of(1, 4.5, 10) },
        undefined,
      )
      yield {
        ...user,
        jb: {
          judge,
          ...(choices.chance(0.2) && { name: 'second' }),
          ...(choices.chance(0.95) && { item: id }),
          trial: { n, of: games, order: of('AB', 'BA') },
          ...(choices.chance(0.3) && {
            reply: { text: 'x', model: of('m', 'n'), usage: { prompt_tokens: of(1, 2) } },
          }),
          ...(verdict
            ? { verdict }
            : { error: { stage: 'parse', code: of('unparsed', 'refused'), message: 'no' } }),
        } as AnyRow['jb'],
      }
    }
  }
}

/** The same rows with `jb` in front: the toolkit writes it last, and reads any other row whole. */
const turned = (all: AnyRow[]) => all.map(({ jb, ...user }) => ({ jb, ...user }))

/** With such labels some judges and models have no valid item. */
const ran = async (filter: Filter, all: object[], ...args: string[]) =>
  expect(await jb(filter, ['-q', ...args], { stdin: ndjson(all) }), { code: args[0] === '--label' ? 1 : 0 })

/** Rows of a seed, and what jb-score makes of them. */
const ROWS = [1, 2].map((seed) => {
  const all = [...rows(seed, 400)]
  return { all, scored: once(async () => rowsOf(await ran('score', all))) }
})

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

test('results of rows that have twins', async () => {
  for (const { all, scored } of ROWS) {
    assert.deepEqual(await scored(), rowsOf(await ran('score', turned(all))))
    assert.ok((await scored()).length > 350)
  }
})

for (const args of [
  [],
  ['--by', 'source', '--by', 'label'],
  ['--by', 'none'],
  ['--label', 'source'],
  ['--tie', '0.5'],
])
  test(`reports of rows that have twins: ${args.join(' ') || 'as they come'}`, async () => {
    for (const { all, scored } of ROWS) {
      const report = (await ran('aggregate', all, ...args)).stdout
      assert.equal(report, (await ran('aggregate', turned(all), ...args)).stdout)
      const label = args[0] === '--tie' || args[0] === '--label'
      // The runs come in the order of the rows, and failed results are the last ones.
      const sorted = (text: string) => text.split('\n').sort()
      if (!label)
        assert.deepEqual(sorted((await ran('aggregate', await scored(), ...args)).stdout), sorted(report))
    }
  })

test('replies of rows that have twins are read as any others', async () => {
  const all = [...rows(4, 400)].filter(({ jb }) => !jb.error && !('score' in (jb.verdict ?? {})))
  for (const row of all) {
    row.jb.reply = {
      text: `I say [[${['A>B', 'B>A', 'C'][Math.floor(row.jb.trial!.n)]}]]`,
      model: 'm',
    } as never
    delete row.jb.verdict
  }
  assert.deepEqual(rowsOf(await ran('parse', all)), rowsOf(await ran('parse', turned(all))))
})

test('a key with a quote in it is no other row’s broken key', async () => {
  const row = (key: string, item: string) =>
    `{${key}:1,"label":"A>B","jb":{"judge":"vanilla","item":"${item}","trial":{"n":0,"of":1},"verdict":{"decision":"A>B"}}}\n`
  const good = row('"a\\"b"', 'x')
  expect(await jb('aggregate', ['-q'], { stdin: good + row('"a\\"b"', 'z') }), { out: /"correct":2/ })
  const broken = row('"a"b"', 'y')
  expect(await jb('aggregate', [], { stdin: good + broken }), {
    out: /"failures":\{"bad_row":1\}/,
    err: /\(stdin\):2: bad_row: not valid JSON/,
  })
})
