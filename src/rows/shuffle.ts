/** The random order of jb-render --shuffle, which later filters check. */
import { itemId } from './item_id.ts'
import type { Row } from './row.ts'
import { seededBytes } from './seed.ts'

/** Units are in ascending order of this text. @param id the item's, or the cluster's name */
export const shuffleKey = (seed: string, id: string): string => seededBytes(`${seed}\0${id}`).toString('hex')

/** The item of a row. */
export const itemOf = (row: Row): string => row.get('item') ?? itemId(row)

/** The id of a row's unit: its cluster, else its item. */
export const unitOf = (row: Row): string => row.get('shuffle')?.cluster ?? itemOf(row)
