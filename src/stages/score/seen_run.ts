/** What jb-score remembers of a run: a digest of each trial, and which items wait in a file. */
import type { Row } from '../../rows/row.ts'
import { failureCode } from '../../scoring/_digest.ts'
import { hash, hashTrial } from '../../scoring/_item_hash.ts'
import { ItemTable } from '../../scoring/_item_table.ts'
import type { RunIdentity } from '../../scoring/_run_identity.ts'
import { hashRow } from './item_key.ts'

/** The hash of the item that is asked about. */
const item = new Uint32Array(2)

/** Whether the digest of a trial is one of a reply. */
export const isReply = (digest: number) => digest !== 0 && failureCode(digest) === undefined

/** The trials of one version of a judge with one model. What it tells of an item is about that of {@link askAbout}. */
export class SeenRun {
  readonly number: number
  readonly identity: RunIdentity
  /** Whose runs it is one of. */
  readonly owner: object
  /** The number of replies. */
  valid = 0
  /** Whether an item has several trials. */
  several = false
  private readonly trials = new ItemTable()
  private readonly itemsInFile = new ItemTable()

  constructor(number: number, identity: RunIdentity, owner: object) {
    this.number = number
    this.identity = identity
    this.owner = owner
  }

  /** The digest of a trial; 0 if it was not seen. */
  digest(n: number): number {
    rehash(n)
    return this.trials.digest
  }

  /** Remembers a trial. @param known the digest that it had */
  remember(n: number, known: number, digest: number): void {
    if (isReply(digest)) this.valid++
    rehash(n)
    if (known === 0) this.trials.take(digest)
    else if (isReply(digest) && !isReply(known)) this.trials.replace(digest)
  }

  get isInFile(): boolean {
    rehash()
    return this.itemsInFile.has
  }

  addToFile(): void {
    rehash()
    this.itemsInFile.take(1)
  }
}

/** Makes the row's item the one that runs are asked about. */
export function askAbout(row: Row): void {
  hashRow(row)
  item[0] = hash[0]!
  item[1] = hash[1]!
}

/** Sets the hash that tables use. */
function rehash(n?: number): void {
  hash[0] = item[0]!
  hash[1] = item[1]!
  if (n !== undefined) hashTrial(n)
}
