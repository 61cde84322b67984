/** Where rows stand, as numbers: an item of a million keeps 8 bytes of it. */

/** The factor of a file's number in a place; the rest is the line. */
const FILE = 2 ** 32

export interface RowPlace {
  file: string
  line: number
}

/** Places of rows as numbers. */
export class Places {
  private readonly files: string[] = []
  /** Number of the previous row's file. */
  private file = 0

  number({ file, line }: RowPlace): number {
    if (this.files[this.file] !== file) {
      this.file = this.files.indexOf(file)
      if (this.file < 0) this.file = this.files.push(file) - 1
    }
    return this.file * FILE + line
  }

  text(place: number): string {
    return `${this.files[Math.floor(place / FILE)]}:${place % FILE}`
  }
}
