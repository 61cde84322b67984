/** `each`: a judge that is asked once for every element of a list in the item, such as its nuggets. */
import type { Judge } from '../../judges/_judge.ts'
import { configError, type Json, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { seededBytes } from '../../rows/seed.ts'

export interface Element {
  /** What tells the trial from the others: `{ nugget: id }`. */
  trial: Record<string, string>
  /** JSON text of the element, under the name the templates have for it. */
  extra: ReadonlyMap<string, string>
}

/**
 * Elements of the list that the judge's `each: { nugget: nuggets }` names: template name, item field. An
 * element is known by its `id`, a text by itself where it is short, anything else by a hash.
 * Undefined for a judge without `each`.
 * @throws Fatal (configuration); the function: RowFailure missing_field
 */
export function elementsOf(judge: Judge): ((row: Row) => Element[]) | undefined {
  const { each } = judge
  if (each === undefined) return undefined
  const [entry, ...more] =
    each !== null && typeof each === 'object' && !Array.isArray(each) ? Object.entries(each) : []
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
    return list.map((element) => {
      const id = idOf(element)
      const count = seen.get(id) ?? 0
      seen.set(id, count + 1)
      return {
        trial: { [name]: count === 0 ? id : `${id}#${count + 1}` },
        extra: new Map([[name, JSON.stringify(element)]]),
      }
    })
  }
}

function idOf(element: Json): string {
  const given =
    element !== null && typeof element === 'object' && !Array.isArray(element) ? element.id : undefined
  if (typeof given === 'string' || typeof given === 'number') return String(given)
  if (typeof element === 'string' && element.length <= 80) return element
  return seededBytes(JSON.stringify(element)).toString('hex').slice(0, 16)
}
