/** Games by cluster and pair of models, as columns: a hundred thousand battles are a few megabytes. */

/** All games in the order of their clusters' names, within one in that of the models'. */
export interface Cells {
  /** Sorted; `a` and `b` are places in it, a's before b's. */
  models: readonly string[]
  /** Sorted. */
  clusters: readonly string[]
  /** Where each cluster's cells begin; the last is the end of all. */
  starts: Int32Array
  a: Int32Array
  b: Int32Array
  /** Games, a's wins with ties as halves, and of these how many were wins and ties. */
  n: Float64Array
  share: Float64Array
  wins: Float64Array
  ties: Float64Array
}

/** Texts by numbers, in the order in which they were first seen. */
class Names {
  readonly all: string[] = []
  private readonly numbers = new Map<string, number>()

  number(name: string): number {
    let number = this.numbers.get(name)
    if (number === undefined) this.numbers.set(name, (number = this.all.push(name) - 1))
    return number
  }

  /** The names sorted, and each one's place by its number. */
  sorted(): { names: string[]; places: Int32Array } {
    const order = [...this.all.keys()].sort((x, y) => (this.all[x]! < this.all[y]! ? -1 : 1))
    const places = new Int32Array(order.length)
    for (const [place, number] of order.entries()) places[number] = place
    return { names: order.map((number) => this.all[number]!), places }
  }
}

/** What a cell has in `keys` and in `sums`. */
const [KEYS, SUMS] = [3, 4]

/** Sums that grow. */
export class CellTable {
  private readonly clusters = new Names()
  private readonly models = new Names()
  private size = 0
  /** Numbers of a cell's cluster, a and b. */
  private keys = new Int32Array(KEYS * 1024)
  /** Its n, share, wins and ties. */
  private sums = new Float64Array(SUMS * 1024)
  /** One more than a cell's number, from its hash on (open addressing); 0 is free. At most half are used. */
  private slots = new Int32Array(2 * 1024)

  /** Adds games between a and b, whose name comes after a's. */
  add(cluster: string, a: string, b: string, n: number, share: number, wins: number, ties: number): void {
    const at = SUMS * this.find(this.clusters.number(cluster), this.models.number(a), this.models.number(b))
    const { sums } = this
    sums[at]! += n
    sums[at + 1]! += share
    sums[at + 2]! += wins
    sums[at + 3]! += ties
  }

  private find(cluster: number, a: number, b: number): number {
    if (KEYS * this.size === this.keys.length) this.grow()
    const { keys, slots } = this
    let slot = slotOf(cluster, a, b, slots)
    for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
      const at = KEYS * (slots[slot]! - 1)
      if (keys[at] === cluster && keys[at + 1] === a && keys[at + 2] === b) return slots[slot]! - 1
    }
    const at = KEYS * this.size
    keys[at] = cluster
    keys[at + 1] = a
    keys[at + 2] = b
    slots[slot] = ++this.size
    return this.size - 1
  }

  private grow(): void {
    const { keys, sums } = this
    this.keys = new Int32Array(2 * keys.length)
    this.keys.set(keys)
    this.sums = new Float64Array(2 * sums.length)
    this.sums.set(sums)
    this.slots = new Int32Array(2 * this.slots.length)
    for (let cell = 0; cell < this.size; cell++) {
      let slot = slotOf(keys[KEYS * cell]!, keys[KEYS * cell + 1]!, keys[KEYS * cell + 2]!, this.slots)
      while (this.slots[slot] !== 0) slot = (slot + 1) & (this.slots.length - 1)
      this.slots[slot] = cell + 1
    }
  }

  /** All that was added, in an order that does not depend on when it was. */
  cells(): Cells {
    const { size, keys, sums } = this
    const [{ names: clusters, places: cluster }, { names: models, places }] = [
      this.clusters.sorted(),
      this.models.sorted(),
    ]
    const part = (cell: number, key: number) => (key === 0 ? cluster : places)[keys[KEYS * cell + key]!]!
    const order = Uint32Array.from({ length: size }, (_, cell) => cell).sort(
      (x, y) => part(x, 0) - part(y, 0) || part(x, 1) - part(y, 1) || part(x, 2) - part(y, 2),
    )
    const starts = new Int32Array(clusters.length + 1)
    for (const cell of order) starts[part(cell, 0) + 1]!++
    for (let c = 0; c < clusters.length; c++) starts[c + 1]! += starts[c]!
    const key = (which: number) => Int32Array.from(order, (cell) => part(cell, which))
    const sum = (which: number) => Float64Array.from(order, (cell) => sums[SUMS * cell + which]!)
    return {
      models,
      clusters,
      starts,
      a: key(1),
      b: key(2),
      n: sum(0),
      share: sum(1),
      wins: sum(2),
      ties: sum(3),
    }
  }
}

/** Where the search for a cell begins: the mixing of murmur3's finaliser. */
function slotOf(cluster: number, a: number, b: number, { length }: Int32Array): number {
  let x = Math.imul(cluster, 0x9e3779b1) ^ Math.imul(a, 0x85ebca6b) ^ Math.imul(b, 0xc2b2ae35)
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  return (x ^ (x >>> 13)) & (length - 1)
}
