/** What the views share: the data, the state, and how it is changed. */
import type { Overview } from '../model.ts'
import type { Data } from './data.ts'
import type { Labels } from './labels.ts'
import type { State } from './state.ts'

export interface App {
  readonly overview: Overview
  /** Of the runs: what all share, and what is each one's own. */
  readonly names: { shared: string; own: readonly string[] }
  /** Undefined until the columns have been read. */
  readonly data: Data | undefined
  readonly state: State
  readonly labels: Labels
  /** Places of the items that fit the filters, in order. */
  readonly selected: readonly number[]
  /** Share of the data that a search under way has looked at; null where none is. */
  readonly searching: number | null
  /** Changes the state, and the address with it. `quiet`: no step back is kept. */
  go(change: Partial<State>, quiet?: boolean): void
  /** The address of a state that differs from this one. */
  link(change: Partial<State>): string
  /** Puts words where a screen reader reads them out. */
  say(words: string): void
  /** Draws what depends on the labels again. */
  labelled(): void
}
