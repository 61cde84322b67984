/** The interface of a rule that reads replies. */
import type { ValueCheck } from '../judges/_check.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import {
  type JsonObject,
  type Kind,
  type Reply,
  type Request,
  RowFailure,
  type Trial,
  type Verdict,
} from '../rows/record.ts'
import type { Match } from './_pattern.ts'

/** What a rule may use besides the text. */
export interface ReadContext {
  trial?: Trial
  reply?: Partial<Reply>
  /** Those of the reply, where that is not read. */
  logprobs?: unknown
  /** The reply's finish_reason. */
  finish?: string | null
  /** The reply without thinking, with other people's words. */
  whole?: string
  request?: Request
  /** The item, parsed on demand. */
  item(): JsonObject
  /** The item, with whole numbers beyond 2^53 as strings of digits. */
  exact?(): JsonObject
  /** Random draws depend on it and the trial. */
  id?: string
  /** Called with each step of the reading, for jb-parse --explain. */
  explain?: ((step: Step) => void) | undefined
}

/**
 * A step of reading a reply: the text that is looked at, and the same without other people's words; what one pattern found
 * in it; the match that counts; JSON objects that have a verdict.
 */
export type Step =
  | { text: string; own: string }
  | { pattern: string; found: readonly Match[] }
  | { chosen: Match }
  | { objects: readonly JsonObject[] }

/**
 * Reads a verdict, in shown terms, from the text of a reply: without thinking, with spaces in place of other people's words
 * (block quotes, fenced code, elements of the prompt). If that has none, it gets the text with them.
 * @throws RowFailure no_verdict, conflict, out_of_range or truncated, with a message that says what was looked for
 */
export type Read = (text: string, context: ReadContext) => Verdict

/** Checks the rule's configuration once and returns the reading function. @throws Fatal (configuration) */
export type Rule = (config: VerdictConfig, judge: Judge) => Read | Promise<Read>

/** A verdict that was found and counts for nothing: other people's words are not read in its place. */
export class FoundFailure extends RowFailure {}

/** Reads what was found. @throws FoundFailure for its no_verdict */
export function standing<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RowFailure) || error.code !== 'no_verdict') throw error
    throw new FoundFailure(error.code, error.message, error.detail)
  }
}

/** The same reading, but with a verdict in place of a failure. @param instead may throw the failure again */
export const orElse =
  (read: Read, instead: (failure: RowFailure, text: string, context: ReadContext) => Verdict): Read =>
  (text, context) => {
    try {
      return read(text, context)
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      return instead(error, text, context)
    }
  }

/** What a rule's file exports. */
export interface RuleModule {
  rule: Rule
  /** Whether it has `pick`, which chooses among several verdicts in a reply. */
  picks?: boolean
  /** Whether it reads several elements by itself; other rules are given a line of the reply for each. */
  windows?: boolean
  /** The kinds of judge that may use it; by default all. */
  kinds?: readonly Kind[]
  /** Its verdicts are JSON: fenced code is where they stand, and the text is as it was written. */
  structured?: (config: VerdictConfig) => boolean
  /** The keys of its `verdict`: others are refused, and are not in the schema of judge files. The checks that are its own. */
  keys?: readonly string[]
  own?: Record<string, ValueCheck>
}

/** The main key of a verdict, by the judge's kind. */
export const KEY_OF_KIND = {
  pairwise: 'decision',
  listwise: 'winner',
  grade: 'score',
  choice: 'option',
  list: 'items',
} as const satisfies Record<Kind, keyof Verdict>
