/** Names in messages: suggestions for misspelt ones, and lists. */
import { fieldNames, thereAre } from '../rows/item_id.ts'
import { grouped } from '../rows/maps.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** `: did you mean "NAME"?` for a field that a row lacks, else the fields it has. Fields of `used` are not suggested. */
export function fieldHint(field: string, row: Row, used: readonly string[] = []): string {
  const names = fieldNames(row)
  const near = nearest(
    field,
    names.filter((name) => !used.includes(name)),
  )
  return near === undefined ? thereAre(names) : `: did you mean "${near}"?`
}

/** Says that no row has the field of an option. @param names of the fields that a row has */
export function noRowHas(option: string, field: string, names: readonly string[] = []): string {
  const parts = field.split(',')
  const several = parts.length > 1 && parts.every((part) => names.includes(part))
  const near = nearest(field, names)
  const meant = several
    ? parts.map((part) => `--${option} ${part}`).join(' ')
    : near !== undefined && JSON.stringify(near)
  const hints = [meant && `did you mean ${meant}?`, thereAre(names).slice(2)].filter(Boolean)
  return `--${option} ${field}: no row has this field${hints.length > 0 ? ` (${hints.join(' ')})` : ''}`
}

/** Fields that options name and that no row has had so far. */
export class UnseenFields {
  private unseen: [option: string, field: string][]
  /** The fields of the first row that lacks one. */
  private names: string[] | undefined

  private readonly given: string[]

  constructor(options: Record<string, string | readonly string[] | undefined>) {
    this.given = Object.keys(options).filter((name) => options[name] !== undefined)
    this.unseen = Object.entries(options).flatMap(([option, fields = []]) =>
      [fields].flat().map((field): [string, string] => [option, field]),
    )
  }

  see(row: Row): void {
    this.unseen = this.unseen.filter(([, field]) => (row.field(field) ?? null) === null)
    if (this.unseen.length > 0) this.names ??= fieldNames(row)
  }

  /** Whether the option is given, and a row has its field. */
  saw(option: string): boolean {
    return this.given.includes(option) && this.unseen.every(([name]) => name !== option)
  }

  tell(note: (message: string) => void): void {
    for (const [option, field] of this.names ? this.unseen : []) note(noRowHas(option, field, this.names))
  }
}

/** Up to `most` names, and the number of the others. */
export function someNames(names: readonly string[], most = 10): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return names.slice(0, most).join(', ') + more
}

/**
 * As `someNames` those of `all` that are not in `has`; empty if there are none. It takes no longer than reading `has`, however
 * many are lacking.
 */
export function someLacking(all: ReadonlySet<string>, has: ReadonlySet<string>, most = 10): string {
  let lacking = all.size
  for (const one of has) if (all.has(one)) lacking--
  const names: string[] = []
  for (const one of all) {
    if (names.length === Math.min(most, lacking)) break
    if (!has.has(one)) names.push(one)
  }
  return names.join(', ') + (lacking > names.length ? ` and ${lacking - names.length} more` : '')
}

/** `: did you mean NAME?` if a name is similar, else `otherwise`. @param prefix goes before the name */
export function didYouMean(word: string, names: readonly string[], otherwise = '', prefix = ''): string {
  const near = nearest(word, names)
  return near === undefined ? otherwise : `: did you mean ${prefix}${near}?`
}

/** The name with the fewest edits from `word`, if it is close enough to be a typing error. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let least = (word.length <= 3 ? 1 : Math.floor(word.length / 3) + 1) + 1
  for (const name of names) {
    const distance =
      name.startsWith(word) && word.length > 2 ? 1 : edits(word.toLowerCase(), name.toLowerCase())
    if (distance < least) {
      best = name
      least = distance
    }
  }
  return best
}

/** Letters to add, leave out, change, or exchange with the next one (optimal string alignment). */
function edits(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, changed, isSwap ? before[j - 2]! + 1 : Infinity))
    }
    before = row
    row = next
  }
  return row[b.length]!
}

/** Says which names are the same but for capital letters and blanks at their ends. @param what they name, in the plural */
export function noteAlike(what: string, names: Iterable<string>, note: Context['note']): void {
  for (const alike of grouped(new Set(names), (name) => name.trim().toLowerCase()).values())
    if (alike.length > 1)
      note(
        `${alike
          .sort()
          .map((name) => JSON.stringify(name))
          .join(' and ')} are ${alike.length} ${what}: they differ in capital letters or blanks alone`,
        { kind: 'alike' },
      )
}
