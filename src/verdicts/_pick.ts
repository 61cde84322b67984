/** Chooses among several verdicts in a reply. */
import { RowFailure } from '../rows/record.ts'

export const conflict = (what: string, values: Iterable<unknown>) =>
  new RowFailure('conflict', `the reply holds different ${what}: ${[...new Set(values)].join(', ')}`)

/**
 * The match that `pick` names: last, first, or only.
 * @param what names matches that differ, for the message
 * @throws RowFailure conflict if there is to be only one value
 */
export function picked<T>(found: readonly T[], pick: unknown, what: string, keyOf: (one: T) => unknown): T {
  const values = pick === 'only' ? new Set(found.map(keyOf)) : undefined
  if (values && values.size > 1) throw conflict(what, values)
  return pick === 'last' ? found.at(-1)! : found[0]!
}
