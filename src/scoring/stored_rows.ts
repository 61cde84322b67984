/** Rows that wait in a temporary file until all are in: whoever asks for them holds their places. */
import { Spool } from '../files/spool.ts'
import { Row } from '../rows/row.ts'

/** Close it when done. */
export class StoredRows {
  private readonly spool = new Spool()
  private readonly files: string[] = []
  private last: { row: Row; place: number } | undefined

  /** @returns its place; a row that is stored again, as one of several trials is, has one. @throws Fatal (write error), such as a full disk */
  readonly store = (row: Row): number => {
    if (this.last?.row === row) return this.last.place
    if (this.files.at(-1) !== row.file) this.files.push(row.file)
    this.spool.add(`${this.files.length - 1} ${row.line} ${row.toText()}`)
    this.last = { row, place: this.spool.pieces - 1 }
    return this.last.place
  }

  read(place: number): Row {
    const text = this.spool.read(place).toString()
    const from = text.indexOf('{')
    const [file, line] = text.slice(0, from).split(' ').map(Number) as [number, number]
    return Row.read(text.slice(from), this.files[file]!, line)
  }

  close(): void {
    this.spool.close()
  }
}
