/** In which order an item's answers are shown: told from the item's id, never from its place in the stream. */

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

/** 32 bytes that depend on the text alone: the same on every machine and in every order of rows. */
export function seededBytes(text: string): Buffer {
  // Asked for when it is needed: not every run draws a coin.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(text).digest()
}
