/** `--shuffle SEED`: items in a random order, with a mark by which later filters know it. */
import { itemId } from '../../rows/item_id.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import { shuffleKey } from '../../rows/shuffle.ts'
import type { RenderOptions } from './options.ts'

/** The id that a reader has set; undefined if --id names a field. */
export const knownItem = (row: Row, { id }: Pick<RenderOptions, 'id'>) =>
  id === undefined || row.has('probe') ? row.get('item') : undefined

/** The id that an item has in its trials, or in the row with which it fails. */
function renderedId(row: Row, options: RenderOptions): string {
  try {
    return knownItem(row, options) ?? itemId(row, options.id)
  } catch {
    return itemId(row)
  }
}

/**
 * Yields all rows, when all are read: by unit (an item, or a cluster of items), in the order of a hash of the seed and the
 * unit's id. Each gets `jb.shuffle`: the unit's place `n` of `of`; of clusters also its number of items, and that of the
 * largest.
 */
export async function* shuffled(rows: Rows, options: RenderOptions): Rows {
  const seed = options.shuffle!
  const units = new Map<string, { key: string; rows: Row[]; items: Set<string> }>()
  for await (const batch of rows)
    for (const row of batch) {
      const item = renderedId(row, options)
      const id = clusterOf(row, options) ?? item
      const unit = getOrInsert(units, id, () => ({
        key: shuffleKey(seed, id),
        rows: [],
        items: new Set<string>(),
      }))
      unit.rows.push(row)
      unit.items.add(item)
    }
  const sorted = [...units].sort(([, a], [, b]) => (a.key < b.key ? -1 : 1))
  const most = sorted.reduce((most, [, { items }]) => Math.max(most, items.size), 0)
  for (const [n, [id, { rows, items }]] of sorted.entries()) {
    const cluster = options.cluster !== undefined && { cluster: id, size: items.size, most }
    yield rows.map((row) => row.set('shuffle', { seed, n, of: sorted.length, ...cluster }))
  }
}

/** An item without the field is a cluster of its own. */
function clusterOf(row: Row, { cluster }: RenderOptions): string | undefined {
  const value = cluster === undefined ? null : (row.field(cluster) ?? null)
  return value === null ? undefined : typeof value === 'string' ? value : row.fieldText(cluster!)
}
