/** Any partition of the items, any order of rows, any tree of merges: the same report, byte for byte. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ndjson } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'

interface Drawn {
  label: string
  source: string
  judge: string
  games: number[]
  wrong: number
}

const DECISIONS = ['A>B', 'B>A', 'A=B'] as const

const drawn: fc.Arbitrary<Drawn> = fc.record({
  label: fc.constantFrom('A>B', 'B>A'),
  source: fc.constantFrom('one', 'two', 'three'),
  judge: fc.constantFrom('j', 'k', 'grades'),
  games: fc.array(fc.nat(99), { minLength: 1, maxLength: 2 }),
  // Three items in ten lack something, or contradict themselves.
  wrong: fc.nat(9),
})

/** The rows of an item: two games, a grade, a failed call, a game that is missing, one that is there twice, the same or not. */
function rowsOf({ label, source, judge, games, wrong }: Drawn, id: number): object[] {
  const row = (draw: number, n: number) => ({
    id,
    source,
    ...(wrong !== 6 && { label: judge === 'grades' ? draw / 10 : label }),
    jb: {
      judge,
      item: `item ${id}`,
      trial: { n, of: games.length, order: n ? 'BA' : 'AB' },
      ...(wrong === 7
        ? { error: { stage: 'call', code: 'timeout', message: 'late', retryable: true } }
        : {
            reply: {
              text: `reply ${draw}`,
              model: 'm',
              usage: { prompt_tokens: draw, completion_tokens: 3 },
              cost: draw / 7,
            },
            verdict:
              judge === 'grades'
                ? { label: `${draw / 10}`, score: draw / 10, range: [0, 10] }
                : { label: DECISIONS[draw % 3], decision: DECISIONS[draw % 3] },
          }),
    },
  })
  const rows = games.map(row)
  if (wrong === 8) rows.push(row(99 - games[0]!, 0))
  if (wrong === 5) rows.pop()
  return wrong === 4 ? [...rows, ...rows] : rows
}

/** A line a judge, in the order in which they came. */
const lines = (text: string) => text.trimEnd().split('\n').sort()

const report = async (stdin: string, ...args: string[]) =>
  (await jb('aggregate', ['-q', ...args], { stdin })).stdout

test('shards in any number and order, merged in any tree, give the report of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.nat(1000)),
      fc.constantFrom([], ['--combine', 'first']),
      async (items, shards, stream, options) => {
        const draw = (below: number) => stream.next().value! % below
        const shuffled = <T>(all: T[]) => {
          const rest = [...all]
          return all.map(() => rest.splice(draw(rest.length), 1)[0]!)
        }
        const whole = lines(await report(ndjson(items.flatMap(rowsOf)), ...options))
        const turned = await report(ndjson(shuffled(items.flatMap(rowsOf))), ...options)
        assert.deepEqual(lines(turned), whole, 'in another order')
        const parts: object[][] = Array.from({ length: shards }, () => [])
        for (const [id, item] of items.entries()) parts[draw(shards)]!.push(...rowsOf(item, id))
        let states = await Promise.all(
          parts
            .filter(({ length }) => length > 0)
            .map((part) => report(ndjson(shuffled(part)), '--partial', ...options)),
        )
        while (states.length > 1) {
          const [one, other, ...more] = shuffled(states)
          states = [...more, await report(`${one}${other}`, '--merge', '--partial')]
        }
        if (states.length > 0)
          assert.deepEqual(lines(await report(states[0]!, '--merge')), whole, `${shards} shards`)
      },
    ),
    { numRuns: 12, seed: 20 },
  )
})
