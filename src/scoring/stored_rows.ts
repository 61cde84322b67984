/** Rows that wait in a temporary file until all are in: a ledger holds their places. */
import { Spool } from '../files/spool.ts'
import { Row } from '../rows/row.ts'

/** Where a row is. */
export interface Stored {
  readonly piece: number
  readonly file: string
  readonly line: number
}

/** Close it when done. */
export class StoredRows {
  private readonly spool = new Spool()
  private last: { row: Row; stored: Stored } | undefined

  /** A row that is stored again, as one of several trials is, has one place. @throws Fatal (write error), such as a full disk */
  readonly store = (row: Row): Stored => {
    if (this.last?.row === row) return this.last.stored
    this.spool.add(row.toText())
    this.last = { row, stored: { piece: this.spool.pieces - 1, file: row.file, line: row.line } }
    return this.last.stored
  }

  read({ piece, file, line }: Stored): Row {
    return Row.read(this.spool.read(piece).toString(), file, line)
  }

  close(): void {
    this.spool.close()
  }
}
