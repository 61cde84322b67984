/** Random rows, and what counts of them by scripts/oracles/ledger.py, against jb-aggregate and jb-score. */
import assert from 'node:assert/strict'
import { aggregate } from '../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../src/stages/aggregate/options.ts'
import { spec as scoreSpec } from '../../src/stages/score/options.ts'
import { score } from '../../src/stages/score/score.ts'
import type { Choices } from '../helpers/random.ts'
import { ndjson } from '../helpers/rows.ts'
import { objects, staged } from '../helpers/stage.ts'

/** The figures of a run. */
interface Figures {
  items: number
  valid: number
  failures: Record<string, number>
  correct: number
  /** The sum of the items' scores, in twelfths. */
  score: number
  tokens: number
  cost: number
  groups: Record<string, [items: number, valid: number]>
}

interface Stream {
  /** Whether its rows agree on the number of trials. */
  agree: boolean
  rows: { id: string; jb: { reply?: object; error?: { model?: string } } }[]
  figures: Record<string, Figures>
}

export const streamsIn = (text: string): Stream[] => objects(text)

export const report = async (text: string, ...args: string[]) =>
  (await staged(aggregateSpec, aggregate, args, text)).text

/** The figures of a report, by run. */
function figuresIn(text: string): Record<string, Figures> {
  const all = objects(text).map((run): [string, Figures] => {
    const { judge, model, kind, items, valid, failures, correct = 0, score, usage, cost = 0, by } = run
    const groups = Object.entries<Figures>(by?.source ?? {}).map(([name, sums]) => [
      name,
      [sums.items, sums.valid],
    ])
    return [
      `${judge} ${model}`,
      {
        ...{ items, valid, failures, correct: kind === 'pairwise' ? correct : 0 },
        score: kind === 'grade' ? Math.round(12 * score * valid) : 0,
        ...{ tokens: usage?.total_tokens ?? 0, cost, groups: Object.fromEntries(groups) },
      },
    ]
  })
  return Object.fromEntries(all)
}

const shuffled = <T>(choices: Choices, all: readonly T[]): T[] => {
  const rest = [...all]
  return all.map(() => rest.splice(choices.below(rest.length), 1)[0]!)
}

/** States of one to three shards, each with all rows of its items, merged in any tree. */
async function merged(choices: Choices, rows: Stream['rows']): Promise<string> {
  const shards = choices.between(1, 3)
  const shardOf = new Map<string, number>()
  for (const { id } of rows) shardOf.set(id, shardOf.get(id) ?? choices.below(shards))
  const parts = [0, 1, 2].map((shard) => rows.filter(({ id }) => shardOf.get(id) === shard))
  const states = await Promise.all(
    parts
      .filter(({ length }) => length > 0)
      .map((part) => report(ndjson(shuffled(choices, part)), '--partial')),
  )
  while (states.length > 1 && choices.chance(0.5)) {
    const [one, other] = states.splice(0, 2)
    states.push(await report(`${one}${other}`, '--merge', '--partial'))
  }
  return report(shuffled(choices, states).join(''), '--merge')
}

/** Counts the rows in all ways. @throws AssertionError where they do not count as they should */
export async function checkStream({ agree, rows, figures }: Stream, choices: Choices): Promise<void> {
  if (Object.keys(figures).length === 0) return
  const scored = async (some: Stream['rows']) =>
    (await staged(scoreSpec, score, [], ndjson(shuffled(choices, some)))).text
  const whole = await report(ndjson(rows))
  const ways: [way: string, text: string][] = [
    ['as they are', whole],
    ['in any order', await report(ndjson(shuffled(choices, rows)))],
    ['shards', await merged(choices, rows)],
  ]
  const sorted = (text: string) => text.split('\n').sort()
  for (const [way, text] of ways) assert.deepEqual(sorted(text), sorted(whole), told(way))
  // Results are written before it is known that rows disagree on the number of trials.
  if (agree) ways.push(['through jb-score', await report(await scored(rows))])
  // jb-score gives a failure without a model to the runs that it sees.
  if (agree && rows.every(({ jb }) => jb.reply ?? jb.error?.model)) {
    const isScored = new Set(rows.filter(() => choices.chance(0.5)).map(({ id }) => id))
    const [some, others] = [true, false].map((is) => rows.filter(({ id }) => isScored.has(id) === is))
    ways.push(['mixed', await report((await scored(some!)) + ndjson(others!))])
  }
  for (const [way, text] of ways) assert.deepEqual(figuresIn(text), figures, told(way))

  function told(way: string): string {
    return `${way}\n${ndjson(rows)}`
  }
}
