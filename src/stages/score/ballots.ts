/** What the members of a jury are, and what they said. */
import type { TrialResult } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { RunIdentity } from '../../scoring/run_identity.ts'

export interface Member {
  title: string
  identity: RunIdentity
  votes: number
}

/** What a member came to: its verdict, or its error, and what that cost. */
export type Ballot = Pick<TrialResult, 'model' | 'usage' | 'cost' | 'verdict' | 'error'> & {
  order?: string
  answers?: number
}

/** An item, and the ballots of the members that have a row of it. */
export interface Case {
  row: Row
  ballots: Map<string, Ballot>
}
