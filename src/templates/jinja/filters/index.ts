/* The filters of Jinja2 3.1, by name. */
import type { Filter } from './filter.ts'
import { NUMBER_FILTERS } from './numbers.ts'
import { ORDER_FILTERS, SEQUENCE_FILTERS } from './sequences.ts'
import { TEXT_FILTERS } from './text.ts'

const TABLES = [TEXT_FILTERS, SEQUENCE_FILTERS, ORDER_FILTERS, NUMBER_FILTERS]

/** The filter of a name, if there is one. */
export const filterNamed = (name: string): Filter | undefined =>
  TABLES.find((table) => Object.hasOwn(table, name))?.[name]
