/** Labels a person gives: kept in this browser, downloaded as NDJSON. */

export interface GivenLabel {
  /** A decision in the item's own terms, a score, an option or the index of an answer. */
  label?: string | number
  /** A label for each criterion, null where it has none yet, of an item that is judged by several. */
  criteria?: Record<string, string | number | null>
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

  /** Labels given: one an item, or one a criterion of it. */
  get size(): number {
    return this.lines().length
  }

  /** Whether the item has its label, or one for each of its criteria. */
  has(id: string): boolean {
    const { label, criteria } = this.labels.get(id) ?? {}
    return label !== undefined || (criteria !== undefined && !Object.values(criteria).includes(null))
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

  /** One line a label, for jb-aggregate --labels and jb-audit --truth. */
  ndjson(): string {
    return this.lines()
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
  }

  private lines(): object[] {
    return [...this.labels].flatMap(([item, { label, criteria = {}, ...more }]) =>
      label !== undefined
        ? [{ item, label, ...more }]
        : Object.entries(criteria).flatMap(([criterion, label]) =>
            label === null ? [] : [{ item, criterion, label, ...more }],
          ),
    )
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

/** That the answer with this index is the better of two, as a decision. */
export const decisionFor = (index: number): string => (index === 0 ? 'A>B' : 'B>A')
