/** What a fault is: from an answer and three draws, the edits that make it surely worse; undefined where that is not sure. */
import type { Edit } from '../../../rows/json_places.ts'
import type { Answer } from './material.ts'

export type Draws = readonly [number, number, number]

/** What `jb.probe` says of a change. */
type Told = Partial<Record<'was' | 'now' | 'call' | 'from', string>>

export interface Change {
  edits: Edit[]
  told: Told
}

export type Fault = (answer: Answer, draws: Draws) => Change | undefined
