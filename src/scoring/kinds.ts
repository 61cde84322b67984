/** The kinds of judge, by name. */
import type { Kind, Result, Verdict } from '../rows/record.ts'
import type { JudgeKind } from './kind.ts'
import { kind as choice } from './kinds/choice.ts'
import { kind as grade } from './kinds/grade.ts'
import { kind as list } from './kinds/list.ts'
import { kind as listwise } from './kinds/listwise.ts'
import { kind as pairwise } from './kinds/pairwise.ts'

// biome-ignore lint/suspicious/noExplicitAny: each has sums of its own, which it alone reads
export const KIND: Record<Kind, JudgeKind<any>> = { pairwise, listwise, grade, choice, list }

/** The kind of judge a verdict comes from. */
export function kindOf(verdict: Verdict): Kind {
  const each = (verdict.each ?? []) as (Verdict | null)[]
  const part = each.find((one) => one && one.error === undefined)
  if (part) return kindOf(part)
  if ('decision' in verdict) return 'pairwise'
  if ('winner' in verdict || 'ranking' in verdict) return 'listwise'
  if ('option' in verdict) return 'choice'
  return 'items' in verdict ? 'list' : 'grade'
}

/** The kind of a result, or of the first verdict of what failed. */
export const kindIn = (result: Result | undefined, [first]: readonly { verdict?: Verdict }[]): Kind =>
  result?.kind ?? (first?.verdict && kindOf(first.verdict)) ?? 'grade'
