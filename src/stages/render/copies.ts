/** `--probe`: changed copies of an item, each its own line with one change. */
import type { Judge } from '../../judges/_judge.ts'
import { JsonPlaces } from '../../rows/json_places.ts'
import { ANSWER_FIELDS } from '../../rows/pair_fields.ts'
import { type Criterion, isObject, type Probe as JbProbe, RowFailure } from '../../rows/record.ts'
import { Row } from '../../rows/row.ts'
import type { Bindings } from './context.ts'
import { planted } from './faults/faults.ts'
import { FAULTS, type FaultKind } from './faults/kinds.ts'
import { Material, type ShownFields } from './faults/material.ts'
import { type Donor, donorOf, ringOf } from './faults/texts.ts'
import { PROBES, type Probe, probed } from './probe.ts'
import type { TrialQuestion } from './prompt.ts'

/** Template names of the answer in judges that show one. */
export const SINGLE = ['answer', 'response', 'summary', 'text', 'output']

type CopyKind = Probe | FaultKind

/** The kinds of --probe, in the order in which copies are made. `faults` stands for all that should make a verdict worse, and their control. */
export function kindsOf(given: readonly string[]): CopyKind[] {
  const named = (kind: CopyKind) => given.includes(kind)
  return [...PROBES.filter(named), ...(given.includes('faults') ? FAULTS : FAULTS.filter(named))]
}

const isFault = (kind: CopyKind): kind is FaultKind => !(PROBES as readonly string[]).includes(kind)

/** Whether its criteria name what is shown, and no prompt of its own, as that of typed questions. */
const isByCriteria = ({ criteria, questions }: Judge) => criteria !== undefined && !questions

/** What a judge shows of a row: by the names in its prompt the fields of the item. */
export function shownFields(
  judge: Judge,
  variables: readonly string[] | undefined,
  bindings: Bindings,
): Map<string, string> {
  const used = isByCriteria(judge) ? [] : (variables ?? [])
  const names = new Set([...Object.keys(judge.fields), ...used, ...bindings.keys()])
  const shown = new Map<string, string>()
  for (const name of names) {
    const binding = bindings.get(name) ?? { field: name }
    if ('field' in binding) shown.set(name, binding.field)
  }
  return shown
}

interface Settings {
  kinds: readonly CopyKind[]
  seed: string
  shown: ReadonlyMap<string, string>
  /** What the judge asks about an item. */
  questions(row: Row, id: string): readonly TrialQuestion[]
}

/** The copies of items before one judge. */
export class Copies {
  private readonly kinds: readonly CopyKind[]
  private readonly seed: string
  private readonly judge: Judge
  private readonly shown: ReadonlyMap<string, string>
  private readonly questions: Settings['questions']
  /** Items that may give their answers to others, and these in their order. */
  private readonly donors: Donor[] = []
  private ring: { donors: Donor[]; places: Map<string, number> } | undefined
  private items = 0
  private readonly made = new Map<FaultKind, number>()

  constructor(judge: Judge, { kinds, seed, shown, questions }: Settings) {
    this.judge = judge
    this.kinds = kinds
    this.seed = seed
    this.shown = shown
    this.questions = questions
  }

  /** Notes an item that may give its answer to others: all of them, before the first copy is made. */
  offer(row: Row, id: string): void {
    try {
      this.donors.push(donorOf(this.material(row, id)))
    } catch (error) {
      // Its own row says what is wrong with it.
      if (!(error instanceof RowFailure)) throw error
    }
  }

  /**
   * The copies of an item, or why one cannot be made. Where a fault is not sure to make the answer worse, there is none.
   * @param hasFailed the item itself cannot be asked about
   */
  *of(
    row: Row,
    id: string,
    hasFailed: boolean,
  ): Generator<{ kind: CopyKind; item: string; copy: Row | RowFailure }> {
    if (this.kinds.some(isFault)) this.items++
    let material: Material | undefined
    for (const kind of this.kinds) {
      const item = `${id}#${kind}`
      try {
        if (isFault(kind) && (hasFailed || this.judge.kind === 'listwise')) continue
        const made = isFault(kind)
          ? this.planted((material ??= this.material(row, id)), kind)
          : this.probed(row, kind, id)
        if (made) yield { kind, item, copy: copyOf(row, item, made) }
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        yield { kind, item, copy: error }
      }
    }
  }

  /** Says how many copies with faults were made of each kind. @param name of the judge, if there are several */
  tell(note: (message: string) => void, name?: string): void {
    if (this.items === 0) return
    const kinds = FAULTS.filter((kind) => this.kinds.includes(kind))
    const counts = kinds.flatMap((kind) => (this.made.has(kind) ? [`${kind} ${this.made.get(kind)}`] : []))
    const isAll = kinds.every((kind) => this.made.get(kind) === this.items)
    const judge = name === undefined ? '' : `${name}: `
    note(
      `${judge}copies of ${this.items} ${this.items === 1 ? 'item' : 'items'}: ${counts.join(', ') || 'none'}` +
        (isAll ? '' : ' (of the others it is not sure that they would be worse)'),
    )
  }

  private planted(material: Material, kind: FaultKind): Made | undefined {
    if (material.fields.length === 0) this.checkShown(material, kind)
    const copy = planted(material, kind, this.seed, () => this.after(material.id))
    if (copy) this.made.set(kind, (this.made.get(kind) ?? 0) + 1)
    return copy
  }

  /** @throws RowFailure missing_field for a judge that shows neither an answer nor a conversation */
  private checkShown(material: Material, kind: FaultKind): void {
    const { answers, texts } = material.shown
    if (answers !== undefined || texts.length > 0) return
    // A conversation that cannot be read, perhaps.
    for (const field of this.shown.values()) if (isHolderOrNone(material.valueOf(field))) return
    throw new RowFailure('missing_field', this.lacks(kind))
  }

  private lacks(kind: CopyKind): string {
    const or = isFault(kind) ? ', and no conversation' : ''
    return `--probe ${kind}: ${this.judge.where} has no field of a known name for an answer (${SINGLE.join(', ')})${or}`
  }

  /** The other items in the order in which they give their answers, from the one after this on. */
  private *after(id: string): Generator<Donor> {
    this.ring ??= placed(ringOf(this.donors, this.seed))
    const { donors, places } = this.ring
    const place = places.get(id)
    if (place === undefined) return
    for (let i = 1; i < donors.length; i++) yield donors[(place + i) % donors.length]!
  }

  private material(row: Row, id: string): Material {
    return new Material(row.itemText(), id, this.shownIn(row, id))
  }

  private shownIn(row: Row, id: string): ShownFields {
    const { judge, shown } = this
    if (isByCriteria(judge)) {
      // Of a judge that asks once, asking would change what it asks.
      const asked = judge.criteria === 'each' ? this.questions(row, id) : []
      return criterionFields(
        row,
        asked.flatMap(({ criterion }) => criterion ?? []),
        shown,
      )
    }
    const fieldOf = (name: string) => shown.get(name) ?? name
    const texts = (judge.answers ?? SINGLE.filter((name) => shown.has(name))).map(fieldOf)
    if (judge.kind !== 'pairwise') return { answers: undefined, texts, fields: shown }
    const usual = ANSWER_FIELDS.find((pair) => pair.every((name) => shown.has(name)))
    return { answers: judge.answers?.map(fieldOf) ?? usual?.map(fieldOf), texts: [], fields: shown }
  }

  /** A copy whose verdict should be the same. @throws RowFailure missing_field */
  private probed(row: Row, kind: Probe, id: string): Made {
    const { answers, texts: possible } = this.shownIn(row, id)
    const single = possible.find((field) => typeof row.field(field) === 'string') ?? possible[0]
    const fields = answers ?? this.judge.answers?.map((name) => this.shown.get(name) ?? name) ?? single
    if (fields === undefined) throw new RowFailure('missing_field', this.lacks(kind))
    const places = new JsonPlaces(row.itemText())
    const found = [fields].flat().map((field) => {
      const member = places.at(field)
      if (typeof member?.value === 'string') return member
      throw new RowFailure('missing_field', `--probe ${kind}: field "${field}" is not a string`)
    })
    const before = found.map(({ value }) => value as string)
    const { texts, answer } = probed(row, kind, before, { seed: this.seed, id })
    const edits = found.flatMap(({ start, end }, i) =>
      texts[i] === before[i] ? [] : [{ start, end, text: JSON.stringify(texts[i]) }],
    )
    return { text: places.edited(edits), probe: { kind, of: id, ...(answer !== undefined && { answer }) } }
  }
}

interface Made {
  text: string
  probe: JbProbe
}

/** A row with the text of a copy, which `jb` follows without the white space that stood before the closing brace. */
function copyOf({ file, line }: Row, item: string, { text, probe }: Made): Row {
  const whole = `${text.slice(0, text.lastIndexOf('}')).trimEnd()}}`
  return Row.read(whole, file, line).set('item', item).set('probe', probe)
}

const isHolderOrNone = (value: unknown) => Array.isArray(value) || isObject(value)

const placed = (donors: Donor[]) => ({ donors, places: new Map(donors.map(({ id }, i) => [id, i])) })

/** What is shown for criteria: the field that they judge, if it is one, and its context. */
function criterionFields(
  row: Row,
  criteria: readonly Criterion[],
  mapped: ReadonlyMap<string, string>,
): ShownFields {
  const inFields = isObject(row.field('fields'))
  const fieldOf = (name: string) => mapped.get(name) ?? (inFields ? `fields.${name}` : name)
  const judged = new Set(criteria.map(({ to_evaluate_field }) => to_evaluate_field))
  const context = criteria.flatMap(({ context_fields }) => context_fields ?? [...mapped.keys()])
  const names = new Set([...judged, ...context])
  return {
    answers: judged.size === 1 ? [...judged].map(fieldOf) : undefined,
    texts: [],
    fields: new Map([...names].map((name) => [name, fieldOf(name)])),
  }
}
