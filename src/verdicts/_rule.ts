/** What a reading rule is. */
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

/** What a rule may look at beside the text. */
export interface ReadContext {
  trial?: Trial
  reply?: Partial<Reply>
  request?: Request
  /** The item, parsed when asked for. */
  item(): JsonObject
  /** What is drawn at random depends on these and on the trial alone. */
  id?: string
  seed?: string
}

/**
 * A verdict in shown terms, read from the text of a reply.
 * @throws RowFailure no_verdict, conflict or out_of_range, with words that say what was looked for
 */
export interface Read {
  (text: string, context: ReadContext): Verdict
  /** JSON Schema of the reply that is expected, where there is one: given back when the judge is asked again. */
  schema?(context: ReadContext): JsonObject
  /**
   * The same verdict from the JSON text of a reply, a character a byte, without decoding it; undefined where that
   * must be done.
   */
  raw?(json: string, context: ReadContext): Verdict | undefined
}

/** Checks the rule's configuration once and returns the reading function. @throws Fatal (configuration) */
export type Rule = (config: VerdictConfig, judge: Judge) => Read | Promise<Read>

/** The same reading, but with a verdict in place of a failure. @param instead may throw the failure again */
export const orElse = (
  read: Read,
  instead: (failure: RowFailure, text: string, context: ReadContext) => Verdict,
): Read => {
  const reading: Read = (text, context) => {
    try {
      return read(text, context)
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      return instead(error, text, context)
    }
  }
  return Object.assign(reading, read)
}

/** What a rule's file exports. */
export interface RuleModule {
  rule: Rule
  /** It chooses among several verdicts in a reply (`pick`). */
  picks?: boolean
  /** The kinds its verdicts are of, where it is not every kind. */
  kinds?: readonly Kind[]
}

/** The key of a verdict that says what a judge of this kind found. */
export const KEY_OF_KIND = {
  pairwise: 'decision',
  listwise: 'winner',
  grade: 'score',
  choice: 'option',
  list: 'items',
} as const satisfies Record<Kind, keyof Verdict>
