/** Numbers values by a text, from 1 on: rows share them. */
export class Interned<T> {
  /** By number; there is none at 0. */
  readonly values: T[] = [undefined as T]
  private readonly numbers = new Map<string, number>()

  /** The number of a text's value, which is made when the text is new. */
  number(text: string, make: () => T): number {
    let number = this.numbers.get(text)
    if (number === undefined) {
      number = this.values.push(make()) - 1
      this.numbers.set(text, number)
    }
    return number
  }
}
