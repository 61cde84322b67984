/** The interface of the page for its views. */
import type { Overview } from '../model.ts'
import type { Data } from './data.ts'
import type { Labels } from './labels.ts'
import type { State } from './state.ts'

export interface App {
  readonly overview: Overview
  /** The runs' names: the parts that all share, and the rest of each. */
  readonly names: { shared: string; own: readonly string[] }
  /** Undefined until the index has been read. */
  readonly data: Data | undefined
  readonly state: State
  readonly labels: Labels
  /** The places of the filtered items, in order. */
  readonly selected: readonly number[]
  /** The share of the data that the current search has covered; null without a search. */
  readonly searching: number | null
  /** The data URL of an image that a row names by its path, if it is in the page. */
  media(path: string): string | undefined
  /** Changes the state and the address. @param quiet adds no entry to the browser's history */
  go(change: Partial<State>, quiet?: boolean): void
  /** The address of a changed state. */
  link(change: Partial<State>): string
  /** Announces a message to screen readers. */
  say(message: string): void
  /** Draws again after a label has changed. */
  labelled(): void
}
