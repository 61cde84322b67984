/** What the members of a jury are, and what they said. */
import type { TrialResult } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { RunIdentity } from '../../scoring/run_identity.ts'

export interface Member {
  title: string
  identity: RunIdentity
  votes: number
  /** Of its ballots among those of an item. */
  place: number
}

/** What a member came to: its verdict, or its error, and what that cost. */
export type Ballot = Pick<TrialResult, 'usage' | 'cost' | 'verdict' | 'error'> & {
  order?: string | undefined
  answers?: number | undefined
}

/** The ballots of an item by the places of their members; undefined for one that has no row of it. */
export type Ballots = readonly (Ballot | undefined)[]

/** An item: where its row waits, and its ballots. */
export interface Case {
  row: number
  ballots: (Ballot | undefined)[]
}

/** All items, by id and models, and what reads the row of one. */
export interface Cases {
  cases: Map<string, Case>
  rowOf(one: Case): Row
}
