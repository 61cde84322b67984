/** The user's labels, stored in the browser and downloaded as NDJSON. */

export interface GivenLabel {
  /** A decision in the item's own terms, a score, an option or the index of an answer. */
  label?: string | number
  /** Labels by criterion, null for those without one yet, if there are several. */
  criteria?: Record<string, string | number | null>
  note?: string
  /** The order in which the answers were shown, such as `BA`. */
  shown?: string
}

/** The browser's storage. */
export interface Store {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

export class Labels {
  private readonly labels: Map<string, GivenLabel>
  private readonly store: Store | undefined
  private readonly key: string

  /** @param key of the page's data, which keeps the labels of pages apart */
  constructor(key: string, store?: Store) {
    this.key = `jb-view labels ${key}`
    this.store = store
    this.labels = new Map(Object.entries(read(store, this.key)))
  }

  /** The number of labels. */
  get size(): number {
    return this.lines().length
  }

  /** Whether the item has a label, or one for each criterion. */
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

  /** Sets or removes a label. @returns whether the browser stored it */
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

  /** One line per label, for jb-aggregate --labels and jb-audit --truth. */
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
  // Mixes the bits: the low ones depend only on the low bits of the characters.
  value ^= value >>> 15
  value = Math.imul(value, 0x2c1b3c6d)
  return (value ^ (value >>> 12)) >>> 0
}

/** The order in which an item's answers are shown: random, but the same for every reader of the page. */
export function shownOrder(seed: string, id: string, answers: number): number[] {
  const order = Array.from({ length: answers }, (_, i) => i)
  for (let i = answers - 1; i > 0; i--) {
    const j = hash(`${seed} ${id} ${i}`) % (i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}

/** The decision for the better of two answers. */
export const decisionFor = (index: number): string => (index === 0 ? 'A>B' : 'B>A')
