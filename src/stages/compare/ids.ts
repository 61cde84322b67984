/** Whether plain rows have an id that tells which are of the same item. */
import { fieldNames, idField, thereAre } from '../../rows/item_id.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { CompareOptions } from './options.ts'

/**
 * The field that names the items of plain rows without --id: the same in all of them. Without one a row would be an item of its
 * own, and only rows with the same value would be compared.
 */
export class PlainIds {
  private readonly options: CompareOptions
  private first: { field: string; place: string } | undefined
  /** Fields that the rows so far have in common. */
  private fields: Set<string> | undefined

  constructor(options: CompareOptions) {
    this.options = options
  }

  /** @throws Fatal (data) for a row without an id, or whose id is in another field */
  see(row: Row): void {
    const { id, value, run } = this.options
    if (id !== undefined || row.has('item')) return
    const names = fieldNames(row).filter((name) => name !== value && name !== run)
    this.fields = new Set(this.fields ? names.filter((name) => this.fields!.has(name)) : names)
    const field = idField(row)
    if (field === undefined)
      throw new Fatal(EXIT.data, `${row.place}: no id tells which rows are of the same item ${this.way()}`)
    this.first ??= { field, place: row.place }
    if (field.toLowerCase() !== this.first.field.toLowerCase())
      throw new Fatal(
        EXIT.data,
        `${row.place}: the id is in "${field}", and in "${this.first.field}" at ${this.first.place} ${this.way()}`,
      )
  }

  private way = () => `(--id FIELD names the field that does${thereAre([...this.fields!])})`
}
