/** jb-audit on planted faults: the section, its sentence and the gate, against an independent program's figures. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ROOT } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { card, run } from './_audit.ts'

type Said = [item: string, verdict: string | number | null, answer?: number]
interface Recorded {
  kind: 'choice' | 'grade' | 'pair'
  judge: string
  said: Record<string, Said[]>
  figures: Record<string, Record<string, unknown>>
  sentence: string
  missed: Record<string, string | null>
}

const { sections } = JSON.parse(readFileSync(`${ROOT}fixtures/vectors/faults.json`, 'utf8')) as {
  sections: Recorded[]
}

const SCORES: Record<string, number> = { none: 1, some: 0 }

function verdictOf(kind: Recorded['kind'], said: string | number) {
  if (kind === 'pair') return { label: said, decision: said }
  if (kind === 'grade') return { label: String(said), score: said, range: [1, 10] }
  return { label: said, option: said, score: SCORES[said] }
}

const rowsOf = ({ kind, judge, said }: Recorded) =>
  Object.entries(said).flatMap(([copy, all]) =>
    all.map(([of, verdict, answer = 0]) => {
      const expect = copy === 'same' ? 'same' : 'worse'
      return {
        id: of,
        jb: {
          judge,
          item: copy === 'items' ? of : `${of}#${copy}`,
          ...(copy !== 'items' && { probe: { kind: copy, of, answer, expect } }),
          trial: { n: 0, of: 1, ...(kind === 'pair' && { order: 'AB' }) },
          ...(verdict === null
            ? { error: { stage: 'parse', code: 'no_verdict', message: 'none' } }
            : { reply: { text: 'x', model: 'm' }, verdict: verdictOf(kind, verdict) }),
        },
      }
    }),
  )

function near(actual: unknown, expected: unknown, place: string): void {
  if (Array.isArray(expected))
    for (const [i, one] of expected.entries()) near((actual as unknown[])[i], one, place)
  else if (typeof expected !== 'number') assert.equal(actual, expected, place)
  else
    assert.ok(
      Math.abs((actual as number) - expected) <= 1e-8 * Math.abs(expected),
      `${place}: ${actual}, expected ${expected}`,
    )
}

for (const recorded of sections)
  test(`${recorded.kind}: figures, sentence, gate`, async () => {
    const rows = rowsOf(recorded)
    const { faults, conclusion, probes } = await card([], rows)
    const { judge, ...kinds } = faults
    assert.deepEqual(Object.keys(kinds), Object.keys(recorded.figures))
    for (const [kind, figures] of Object.entries(recorded.figures)) {
      assert.deepEqual(Object.keys(kinds[kind]), Object.keys(figures))
      for (const [name, figure] of Object.entries(figures)) near(kinds[kind][name], figure, `${kind} ${name}`)
    }
    assert.equal(conclusion.faults, recorded.sentence)
    assert.equal(probes, undefined)
    assert.deepEqual((await card([], rows.toReversed())).faults, faults)
    for (const [least, reason] of Object.entries(recorded.missed)) {
      const { ending } = await run(['--fail-caught', least], rows)
      assert.deepEqual(ending, reason === null ? undefined : { code: 1, message: reason })
    }
  })

const said = (item: string, option: string | null, probe?: object) => ({
  id: item,
  jb: {
    ...{ judge: 'j', item, ...(probe && { probe }), trial: { n: 0, of: 1 } },
    ...(option === null
      ? { error: { stage: 'parse', code: 'no_verdict', message: 'none' } }
      : {
          reply: { text: 'x', model: 'm' },
          verdict: { label: option, option, score: option === 'good' ? 1 : 0 },
        }),
  },
})
const copy = (of: string, kind: string, option: string | null, expect: string | null = 'worse') =>
  said(`${of}#${kind}`, option, { kind, of, answer: 0, ...(expect && { expect }) })

test('the gate: without faults, without unchanged copies, with few items, and beyond 0 to 1', async () => {
  const items = Array.from({ length: 25 }, (_, i) => `${i}`)
  const plain = items.map((id) => said(id, 'good'))
  const cut = items.map((id) => copy(id, 'cut', 'bad'))
  const same = items.map((id) => copy(id, 'same', 'good', 'same'))
  const gate = async (rows: object[], least = '0.8') => (await run(['--fail-caught', least], rows)).ending
  assert.equal(await gate([...plain, ...cut, ...same]), undefined)
  assert.match((await gate([...plain, ...cut]))!.message, /no unchanged copies to compare with/)
  assert.match((await gate([...plain, ...cut.slice(6), ...same]))!.message, /no kind of fault has 20 items/)
  const padded = items.map((id) => copy(id, 'pad', 'good', null))
  assert.match((await gate([...plain, ...padded]))!.message, /no copies with planted faults/)
  for (const least of ['1.1', '-0.1']) await assert.rejects(gate(plain, least), /--fail-caught/)
})

test('a copy whose original is not there, or that failed, is counted as failed', async () => {
  const rows = [said('1', 'good'), said('2', null), copy('1', 'cut', null), copy('2', 'cut', 'bad')]
  const { faults } = await card([], [...rows, copy('3', 'cut', 'bad')])
  assert.deepEqual([faults.cut.items, faults.cut.failed, faults.cut.not_made], [0, 3, 0])
})

test('copies that should not move a verdict, and those that must, are in sections of their own; options without scores in none', async () => {
  const rows = [said('1', 'good'), copy('1', 'pad', 'bad', null), copy('1', 'cut', 'bad')]
  const { probes, faults } = await card([], rows)
  assert.deepEqual(Object.keys(probes), ['judge', 'pad'])
  assert.deepEqual(Object.keys(faults), ['judge', 'cut'])
  const unscored = objects(JSON.stringify(rows)).flat() as ReturnType<typeof said>[]
  for (const { jb } of unscored) delete (jb as { verdict?: { score?: number } }).verdict?.score
  assert.equal((await card([], unscored)).faults, undefined)
})

test('a copy that says what no copy says is a bad record, and the run goes on', async () => {
  const rows = [said('1', 'good'), copy('1', 'cut', 'bad'), copy('2', 'cut', 'bad', 'better')]
  const { text, notes } = await run([], rows)
  assert.ok(notes.some((note) => /bad_record: jb\.probe\.expect is "better"/.test(note)))
  assert.equal(objects(text).find(({ section }) => section === 'faults').cut.caught, 1)
})
