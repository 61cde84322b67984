/** In which order an item's answers are shown: told from the item's id, never from its place in the stream. */
import { seededBytes } from '../../rows/seed.ts'

/** The orders of an item's trials for `--order`. Random is one coin per item and seed. */
export function ordersOf(order: string, item: string, seed: string): string[] {
  switch (order) {
    case 'ba':
      return ['BA']
    case 'both':
      return ['AB', 'BA']
    case 'random':
      return [seededBytes(`order:${seed}:${item}`)[0]! & 1 ? 'BA' : 'AB']
    default:
      return ['AB']
  }
}
