/** Columns that grow while rows are read. */
import { areYesNo } from '../../criteria/_yes_no.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Json, Result } from '../../rows/record.ts'
import { statedConfidence } from '../../scoring/confidence.ts'
import type { CountedItem } from '../../scoring/group.ts'
import type { Scored } from '../../scoring/kind.ts'
import { NO_VALUES, outcomeOf, wider } from '../../scoring/outcome.ts'
import { itemShare } from '../../scoring/share.ts'
import type { RunColumns, Words } from './model.ts'
import { cutText } from './page/cut_text.ts'
import { answerWord } from './verdict_word.ts'

/** A column of words; each distinct word is stored once. */
export class WordColumn {
  readonly words: string[] = []
  private readonly places = new Map<string, number>()
  readonly at: number[] = []

  set(index: number, word: string): void {
    fill(this.at, index, -1)
    this.at[index] = getOrInsert(this.places, word, () => this.words.push(word) - 1)
  }

  get(index: number): string | undefined {
    return this.words[this.at[index] ?? -1]
  }

  finish(items: number): Words {
    fill(this.at, items, -1)
    return { words: this.words, at: this.at }
  }
}

/** A column of numbers; null for items without one. */
export class NumberColumn<N extends number = number> {
  readonly at: (N | null)[] = []

  set(index: number, value: N): void {
    fill(this.at, index, null)
    this.at[index] = value
  }

  add(index: number, value: N): void {
    this.set(index, ((this.at[index] ?? 0) + value) as N)
  }

  finish(items: number): (N | null)[] {
    fill(this.at, items, null)
    return this.at
  }
}

function fill<T>(list: T[], length: number, value: T): void {
  while (list.length < length) list.push(value)
}

/** A run's results, by item. */
export class RunCells {
  readonly verdict = new WordColumn()
  readonly score = new NumberColumn()
  readonly correct = new NumberColumn<0 | 1>()
  /** What an item adds to the accuracy: with --tie a tie may be worth a part. */
  readonly credit = new NumberColumn()
  /** Of pairs the first answer's share. */
  readonly share = new NumberColumn()
  readonly consistent = new NumberColumn<0 | 1>()
  readonly error = new WordColumn()
  readonly why = new WordColumn()
  readonly numbers = new Map<string, NumberColumn>()
  /** The values that there can be; undefined if unknown for some item. */
  range = NO_VALUES

  /** Adds what the calls of an item cost. */
  addCosts(index: number, { calls }: CountedItem): void {
    const sumOf = (name: string) =>
      calls.reduce((sum, { usage }) => sum + (typeof usage?.[name] === 'number' ? usage[name] : 0), 0)
    for (const { cost } of calls) if (cost) this.number('cost').add(index, cost)
    const tokens = sumOf('total_tokens') || sumOf('prompt_tokens') + sumOf('completion_tokens')
    if (tokens > 0) this.number('tokens').set(index, tokens)
  }

  addResult(index: number, result: Result, trials: readonly Scored[]): void {
    const { decision, option, winner, score, correct, credit, consistent } = result
    const outcome = outcomeOf(result, trials)
    if (outcome) this.range = wider(this.range, outcome.range)
    const said = decision ?? option ?? answerWord(winner)
    if (said !== undefined) this.verdict.set(index, String(said))
    if (typeof score === 'number') this.score.set(index, score)
    if (typeof correct === 'boolean') {
      this.correct.set(index, correct ? 1 : 0)
      this.credit.set(index, typeof credit === 'number' ? credit : Number(correct))
    }
    const share = decision === undefined ? undefined : itemShare(result, trials)
    if (share !== undefined) this.share.set(index, share)
    if (typeof consistent === 'boolean') this.consistent.set(index, consistent ? 1 : 0)
    const confidence = statedConfidence(result, trials)
    if (confidence !== undefined) this.number('confidence').set(index, confidence)
  }

  number(name: string): NumberColumn {
    return getOrInsert(this.numbers, name, () => new NumberColumn())
  }

  /** Whether its options are worth 1 or 0, and no label says which is right. */
  private get passes(): boolean {
    const { range, verdict, score, correct } = this
    const scores = score.at.filter((one) => one !== null)
    const isScale = range !== undefined && range[0] === 0 && range[1] === 1
    return (
      verdict.words.length > 0 &&
      correct.at.length === 0 &&
      scores.length > 0 &&
      scores.every((one) => one === 0 || one === 1) &&
      (isScale || areYesNo(verdict.words))
    )
  }

  finish(items: number): RunColumns {
    return {
      ...(this.passes && { passes: true }),
      verdict: this.verdict.finish(items),
      score: this.score.finish(items),
      correct: this.correct.finish(items),
      consistent: this.consistent.finish(items),
      error: this.error.finish(items),
      why: this.why.finish(items),
      numbers: Object.fromEntries([...this.numbers].map(([name, column]) => [name, column.finish(items)])),
    }
  }
}

/** The most values of a field that the page offers as choices, and their length. */
const CHOICES = 40
const LONGEST = 60

/** The user's fields with few values or with numbers, for filters. */
export class Facets {
  private readonly words = new Map<string, WordColumn | null>()
  private readonly numbers = new Map<string, NumberColumn>()

  /** @param except fields that are no filters: shown texts, ids */
  add(index: number, item: Record<string, Json>, except: ReadonlySet<string>): void {
    for (const [field, value] of Object.entries(item)) {
      if (except.has(field)) continue
      if (typeof value === 'number') this.number(field, index, value)
      else if (typeof value === 'boolean') this.word(field, index, String(value))
      else if (typeof value === 'string') this.word(field, index, value)
    }
  }

  private word(field: string, index: number, value: string): void {
    let column = this.words.get(field)
    if (column === null) return
    if (column === undefined) this.words.set(field, (column = new WordColumn()))
    column.set(index, value.length > LONGEST ? `${cutText(value, LONGEST)}…` : value)
    if (column.words.length > CHOICES) this.words.set(field, null)
  }

  private number(field: string, index: number, value: number): void {
    getOrInsert(this.numbers, field, () => new NumberColumn()).set(index, value)
  }

  /** Leaves out fields in which nearly every item has another value. */
  finish(items: number): { groups: Record<string, Words>; numbers: Record<string, (number | null)[]> } {
    const groups = [...this.words].flatMap(([field, column]) =>
      column && column.words.length < Math.max(items / 2, 6) ? [[field, column.finish(items)] as const] : [],
    )
    const numbers = [...this.numbers].map(([field, column]) => [field, column.finish(items)] as const)
    return { groups: Object.fromEntries(groups), numbers: Object.fromEntries(numbers) }
  }
}
