/** `each`: a judge that is asked once for every element of a list in the item, such as its nuggets. */
import type { Judge } from '../../judges/_judge.ts'
import { configError, isObject, type Json, RowFailure, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { seededBytes } from '../../rows/seed.ts'

export interface Element {
  /** What tells the trial from the others: `{ nugget: id }`, or `{ nuggets: [ids] }` of a window. */
  trial: Record<string, string | string[]>
  /** JSON text of the element, under the name the templates have for it. */
  extra: ReadonlyMap<string, string>
}

/**
 * Elements of the list that the judge's `each: { nugget: nuggets }` names: template name, item field. An
 * element is known by its `id`, a text by itself where it is short, anything else by a hash.
 * Undefined for a judge without `each`.
 * @param window how many of them are asked about at once, under the template name `shown`; 1 asks about each alone
 * @throws Fatal (configuration); the function: RowFailure missing_field
 */
export function elementsOf(judge: Judge, window = 1): ((row: Row) => Element[]) | undefined {
  const { each } = judge
  if (each === undefined) return undefined
  const [entry, ...more] = isObject(each) ? Object.entries(each) : []
  if (!entry || more.length > 0 || typeof entry[1] !== 'string')
    throw configError(
      `${judge.where}: "each" must be one template name and the item's field: { nugget: nuggets }`,
    )
  const [name, field] = entry as [string, string]
  return (row) => {
    const list = row.field(field)
    if (!Array.isArray(list) || list.length === 0)
      throw new RowFailure(
        'missing_field',
        `field "${field}" ${list === undefined ? 'is missing' : 'holds no list of at least one'} (the judge asks once for each element of it)`,
      )
    const seen = new Map<string, number>()
    const elements = list.map((element) => {
      const id = idOf(element)
      const count = seen.get(id) ?? 0
      seen.set(id, count + 1)
      return { id: count === 0 ? id : `${id}#${count + 1}`, json: JSON.stringify(element) }
    })
    if (window === 1)
      return elements.map(({ id, json }) => ({ trial: { [name]: id }, extra: new Map([[name, json]]) }))
    const windows = Array.from({ length: Math.ceil(elements.length / window) }, (_, i) =>
      elements.slice(i * window, (i + 1) * window),
    )
    return windows.map((shown) => ({
      trial: { [field]: shown.map(({ id }) => id) },
      extra: new Map([['shown', `[${shown.map(({ json }) => json).join(',')}]`]]),
    }))
  }
}

function idOf(element: Json): string {
  const given = isObject(element) ? element.id : undefined
  if (typeof given === 'string' || typeof given === 'number') return String(given)
  if (typeof element === 'string' && element.length <= 80) return element
  return seededBytes(JSON.stringify(element)).toString('hex').slice(0, 16)
}

/** The judge's `window`, which --set replaces; 1 where it has none. @throws Fatal (usage) */
export function windowSize(judge: Judge, set: readonly string[]): number {
  if (judge.set?.window === undefined) return 1
  const given = set.findLast((text) => text.startsWith('window='))?.slice('window='.length)
  const size = Number(given ?? judge.set.window)
  if (!Number.isInteger(size) || size < 1)
    throw usageError(`--set window=${given}: expected a whole number from 1 on`)
  return size
}
