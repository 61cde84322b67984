/** Verdicts as jb-parse --compat leaves them where an original keeps something in place of a decision. */
import { game } from '../helpers/rows.ts'

/** A game that may say anything: null and '' are replies that were not read, other words stay as they are. */
export function said(item: string, n: number, of: number, decision: string | null, more: object = {}) {
  const verdict = decision
    ? { label: decision, decision }
    : { label: null, decision, failure: 'no_verdict' as const }
  return game(item, n, of, decision, { ...more, jb: { verdict } })
}
