/** Helpers for maps of counts and of lists. */

/** Adds to the count of a key. */
export function count<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** How often each occurs, in order of first appearance. */
export function countEach<K>(all: Iterable<K>): Map<K, number> {
  const counts = new Map<K, number>()
  for (const one of all) count(counts, one)
  return counts
}

/** The value of a key, inserted first if it is missing. */
export function getOrInsert<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

/** The object with other values. */
export const mapValues = <V, W>(object: Record<string, V>, of: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, of(value)]))

/** Entries in the order of their keys. */
export const byKey = <K extends string, V>(entries: Iterable<readonly [K, V]>): (readonly [K, V])[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** Appends to the list of a key. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Values grouped by a key, in order of first appearance. */
export function grouped<K, V>(all: Iterable<V>, keyOf: (one: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  for (const one of all) append(groups, keyOf(one), one)
  return groups
}
