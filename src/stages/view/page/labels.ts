/** Labels a person gives: kept in this browser, downloaded as NDJSON. */

export interface GivenLabel {
  /** A decision in the item's own terms, a score, an option or the place of an answer; a note may come before it. */
  label?: string | number
  note?: string
  /** Answers as they were shown: `BA` is the other way round. */
  shown?: string
}

/** What keeps texts: the browser's storage, or nothing where it has none. */
export interface Store {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

export class Labels {
  private readonly labels: Map<string, GivenLabel>
  private readonly store: Store | undefined
  private readonly key: string

  /** @param key of the page's data: labels of another page are others */
  constructor(key: string, store?: Store) {
    this.key = `jb-view labels ${key}`
    this.store = store
    this.labels = new Map(Object.entries(read(store, this.key)))
  }

  get size(): number {
    return this.ids().size
  }

  has(id: string): boolean {
    return this.labels.get(id)?.label !== undefined
  }

  get(id: string): GivenLabel | undefined {
    return this.labels.get(id)
  }

  ids(): ReadonlySet<string> {
    return new Set([...this.labels.keys()].filter((id) => this.has(id)))
  }

  /** Sets or takes away. False where the browser could not keep it. */
  set(id: string, label: GivenLabel | undefined): boolean {
    if (label) this.labels.set(id, label)
    else this.labels.delete(id)
    try {
      this.store?.setItem(this.key, JSON.stringify(Object.fromEntries(this.labels)))
      return this.store !== undefined
    } catch {
      return false
    }
  }

  /** One line a label, for jb-aggregate --labels. */
  ndjson(): string {
    return [...this.ids()].map((item) => `${JSON.stringify({ item, ...this.get(item) })}\n`).join('')
  }
}

function read(store: Store | undefined, key: string): Record<string, GivenLabel> {
  try {
    const kept: unknown = JSON.parse(store?.getItem(key) ?? '{}')
    return kept !== null && typeof kept === 'object' && !Array.isArray(kept)
      ? (kept as Record<string, GivenLabel>)
      : {}
  } catch {
    return {}
  }
}

/** FNV-1a of the text, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  // Its low bits alone depend on the last characters' low bits.
  value ^= value >>> 15
  value = Math.imul(value, 0x2c1b3c6d)
  return (value ^ (value >>> 12)) >>> 0
}

/** The order in which an item's answers are shown: the same for every reader of this page, and no pattern to it. */
export function shownOrder(seed: string, id: string, answers: number): number[] {
  const order = Array.from({ length: answers }, (_, i) => i)
  for (let i = answers - 1; i > 0; i--) {
    const j = hash(`${seed} ${id} ${i}`) % (i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}

/** A decision about what is shown first and second, in the item's own terms. */
export function itemDecision(said: 'first' | 'second' | 'tie', order: readonly number[]): string {
  if (said === 'tie') return 'A=B'
  const winner = order[said === 'first' ? 0 : 1]
  return winner === 0 ? 'A>B' : 'B>A'
}
