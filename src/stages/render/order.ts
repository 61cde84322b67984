/** The order in which an item's answers are shown. It depends on the item's id, never on its position in the stream. */
import type { Judge } from '../../judges/_judge.ts'
import { pythonCoin } from '../../rows/python_random.ts'
import type { Row } from '../../rows/row.ts'
import { seededBytes } from '../../rows/seed.ts'

/**
 * The orders of an item's trials for `--order`. `random` tosses one coin per item and seed; `alpaca_eval` draws from the
 * item's instruction, as the annotators of alpaca_eval do.
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
 * For each trial, the places of the item's `n` answers in the order shown; undefined for the item's own order.
 * `random` swaps the first answer with one drawn by item and seed, which may be the first itself.
 */
export function orderedPlaces(
  order: string,
  item: string,
  seed: string,
  n: number,
): (number[] | undefined)[] {
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

/** `{ seed }` for `jb.trial` if the trials depend on the seed. */
export const drawnBy = ({ order, sample, seed }: { order?: string; sample?: number; seed: string }) =>
  order === 'random' || order === 'alpaca_eval' || sample !== undefined ? { seed } : undefined

/** The text from which alpaca_eval's order is drawn. @param map fields by template name, as --map gives them */
export function instructionOf(row: Row, judge: Judge, map: Record<string, string> = {}): string {
  const mapped = map.instruction ?? map.question
  const fields = mapped === undefined ? ['instruction', judge.fields.question ?? 'question'] : [mapped]
  return String(fields.map((field) => row.field(field) ?? undefined).find((text) => text !== undefined) ?? '')
}
