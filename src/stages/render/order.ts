/** In which order an item's answers are shown: decided by the item's id, never from its place in the stream. */
import type { Judge } from '../../judges/_judge.ts'
import { pythonCoin } from '../../rows/python_random.ts'
import type { Row } from '../../rows/row.ts'
import { seededBytes } from '../../rows/seed.ts'

/**
 * The orders of an item's trials for `--order`. Random is one coin per item and seed; alpaca_eval's is drawn from the
 * item's instruction, as its annotators draw it.
 */
export function ordersOf(order: string, item: string, seed: string, instruction = ''): string[] {
  switch (order) {
    case 'ba':
      return ['BA']
    case 'both':
      return ['AB', 'BA']
    case 'random':
      return [seededBytes(`order:${seed}:${item}`)[0]! & 1 ? 'BA' : 'AB']
    case 'alpaca_eval':
      return [pythonCoin(`is_switched_outputs${instruction}${seed}`) ? 'BA' : 'AB']
    default:
      return ['AB']
  }
}

/**
 * The places of an item's `n` answers in the order shown, for each trial; undefined as the item has them. Random
 * exchanges the first with one drawn by item and seed, which may be the first.
 */
export function placesOf(order: string, item: string, seed: string, n: number): (number[] | undefined)[] {
  const all = Array.from({ length: n }, (_, place) => place)
  switch (order) {
    case 'ba':
      return [all.toReversed()]
    case 'both':
      return [all, all.toReversed()]
    case 'random': {
      const slot = seededBytes(`order:${seed}:${item}`).readUInt32BE() % n
      return [all.map((place) => (place === 0 ? slot : place === slot ? 0 : place))]
    }
    default:
      return [undefined]
  }
}

/** What a trial says of the seed, where another one gives other trials. */
export const drawnBy = ({ order, sample, seed }: { order?: string; sample?: number; seed: string }) =>
  order === 'random' || order === 'alpaca_eval' || sample !== undefined ? { seed } : undefined

/** What alpaca_eval's order is drawn from. */
export const instructionOf = (row: Row, judge: Judge) =>
  String(row.field('instruction') ?? row.field(judge.fields.question ?? 'question') ?? '')
