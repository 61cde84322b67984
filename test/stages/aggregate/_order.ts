/** Rows in every order, and the report that all of them must make. */
import assert from 'node:assert/strict'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { staged } from '../../helpers/stage.ts'

export const report = (rows: object[], ...args: string[]) =>
  jb('aggregate', ['-q', ...args], { stdin: ndjson(rows) }).then(fine)

export function permutations<T>(all: T[]): T[][] {
  if (all.length < 2) return [all]
  const texts = all.map((one) => JSON.stringify(one))
  // Rows that are equal take each other's place.
  const firsts = all.filter((_, i) => texts.indexOf(texts[i]!) === i)
  return firsts.flatMap((one) =>
    permutations(all.toSpliced(all.indexOf(one), 1)).map((rest) => [one, ...rest]),
  )
}

/** A trial of an item, in the first place where nothing else is said. */
export const trial = (n: number, of: number, fields: object, more: object = {}, item = 'x') => ({
  id: item,
  label: 'A>B',
  source: 's',
  ...fields,
  jb: {
    judge: 'j',
    item,
    trial: { n, of },
    reply: { text: `A, ${n}`, model: 'm' },
    ...(!('error' in more) && { verdict: { label: 'A', decision: 'A>B' } }),
    ...more,
  },
})

export const FAILED = { error: { stage: 'call', code: 'timeout', message: 'late', retryable: true } }

/**
 * What each item of an order of the rows comes to, the same for all orders: valid and failed ones by source, correct ones.
 * Another item stands in each place in turn.
 */
export function ofAllOrders(rows: object[], ...args: string[]): Promise<string> {
  const orders = permutations(rows)
  const count = Math.max(orders.length, rows.length + 1)
  const other = trial(0, 1, {}, {}, 'y')
  return ofOrders(
    Array.from({ length: count }, (_, i) =>
      orders[i % orders.length]!.toSpliced(i % (rows.length + 1), 0, other),
    ),
    ...args,
  )
}

export async function ofOrders(orders: object[][], ...args: string[]): Promise<string> {
  const texts = new Set<string>()
  for (const some of orders) texts.add((await staged(spec, aggregate, args, ndjson(some))).text)
  assert.equal(texts.size, 1, [...texts].join(''))
  const { by, correct, failures } = JSON.parse([...texts][0]!)
  const groups = Object.entries(by.source as Record<string, { valid: number; items: number }>)
  return [
    ...groups.map(([name, { valid, items }]) => `${name} ${valid}/${items}`).sort(),
    `correct ${correct}`,
    ...Object.keys(failures),
  ].join(', ')
}
