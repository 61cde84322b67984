/** How a judge reads replies: its rule, set up once and applied to every reply. */

import { members } from '../files/members.ts'
import type { Judge } from '../judges/_judge.ts'
import { didYouMean } from '../options/nearest.ts'
import { endingOf } from '../rows/finish_reason.ts'
import { configError, RowFailure } from '../rows/record.ts'
import { truncated } from './_form.ts'
import { keeperOf } from './_keep.ts'
import { checkKeys } from './_keys.ts'
import { originalOf } from './_original.ts'
import { ownParse } from './_own.ts'
import { loadPatterns } from './_pattern.ts'
import { checkedRange } from './_range.ts'
import { FoundFailure, orElse, type Read, type RuleModule } from './_rule.ts'
import { matchable, ownWords, promptElements, withoutThinking } from './_text.ts'
import { lineByLine, windowOf } from './_window.ts'

interface ReadSettings {
  pick?: string
  compat?: string
  /** For grades: the score recorded for a reply without one, which still counts as a failure [the judge file's]. */
  fallback?: number
  /** Fail a reply to which the original or the judge file gives a default value, so that --repair asks again. */
  raise?: boolean
  /** Called with a message about a setting that has no effect. */
  note?: (message: string) => void
}

/** The reading function of a judge, with `--pick` and `--compat` applied. @throws Fatal (configuration) */
export async function readerOf(judge: Judge, settings: ReadSettings = {}): Promise<Read> {
  const { compat, pick, raise = false } = settings
  const unchanged = (option: string, why: string) =>
    settings.note?.(`--${option} has no effect on ${judge.where}: ${why}`)
  const original = compat ? await originalOf(judge, compat, raise) : undefined
  if (compat && !original) unchanged(`compat ${compat}`, `${originalsOf(judge)}; its own rule reads replies`)
  if (original && pick) unchanged(`pick ${pick}`, `--compat ${compat} picks as that original does`)
  const own = original ? undefined : await ownRule(judge, pick, unchanged)
  const read = keeping(
    withEnding(
      // Originals read the whole reply.
      own ?? lineByLine(original!, judge),
      original !== undefined || comesFirst(judge),
    ),
    await keeperOf(judge),
  )
  const fallback = settings.fallback ?? (own && !raise ? judge.verdict?.fallback : undefined)
  if (typeof fallback !== 'number') return read
  if (judge.kind !== 'grade') {
    unchanged('fallback', `a ${judge.kind} judge gives no grade`)
    return read
  }
  const [low, high] = checkedRange((own && judge.verdict?.range) ?? judge.range, judge) ?? []
  // A score outside the range is allowed as a marker (FastChat's -1), but counts in a mean.
  if (low !== undefined && high !== undefined && (fallback < low || fallback > high))
    settings.note?.(`fallback ${fallback}: the scores of ${judge.where} are from ${low} to ${high}`)
  return orElse(read, ({ code }) => ({ label: null, score: fallback, failure: code }))
}

/** Whether a verdict may be whole in a reply that was cut short: it comes first, or is a single token. */
const comesFirst = ({ verdict }: Judge) =>
  verdict?.first === true || (verdict?.rule === 'label' && verdict.weighted === true)

/**
 * A reply that a limit ended has no verdict, unless that may come before the end (rule 5). A refusal, a limit or too
 * deep a nesting is the cause of a failure, if there is one.
 */
function withEnding(read: Read, mayComeBefore: boolean): Read {
  return (text, context) => {
    const ending = endingOf(context.finish)
    if (ending === 'cut' && !mayComeBefore) throw truncated(context)
    try {
      return read(text, context)
    } catch (error) {
      if (error instanceof RangeError)
        throw new RowFailure('bad_response', `the reply cannot be read: ${error.message}`)
      if (!(error instanceof RowFailure) || error.code !== 'no_verdict') throw error
      if (ending === 'cut') throw truncated(context)
      if (ending === 'refused') throw new RowFailure('refused', `the model refused (${context.finish})`)
      throw error
    }
  }
}

/** A judge's own function reads all but the thinking. */
const afterThinking =
  (read: Read): Read =>
  (text, context) =>
    read(withoutThinking(text), context)

/** A rule reads the judge's own words, and other people's only where those have no verdict (rules 1 and 2). */
function ownFirst(read: Read, judge: Judge, structured: boolean): Read {
  const elements = promptElements(judge)
  return (reply, context) => {
    const whole = withoutThinking(reply)
    const text = structured ? whole : matchable(whole)
    const own = ownWords(text, elements, { fences: !structured })
    context.whole = whole
    if (!windowOf(context.trial)) context.explain?.({ text, own })
    try {
      return read(own, context)
    } catch (error) {
      const isNone = error instanceof RowFailure && error.code === 'no_verdict'
      if (!isNone || error instanceof FoundFailure || own === text) throw error
      return read(text, context)
    }
  }
}

/** The same reading, whose verdicts also have what the judge keeps of a reply. */
function keeping(read: Read, keep: Awaited<ReturnType<typeof keeperOf>>): Read {
  if (!keep) return read
  return (text, context) => {
    const verdict = read(text, context)
    const kept = keep(text)
    // A stated confidence goes before one from log probabilities.
    if (kept.confidence !== undefined) delete verdict.probabilities
    return { ...verdict, ...kept }
  }
}

function originalsOf({ compat = {} }: Judge): string {
  const names = Object.keys(compat)
  return names.length > 0 ? `it can read as ${names.join(', ')}` : 'it cannot read as any original'
}

/** The reading of the judge's own function or rule. @throws Fatal (configuration) */
async function ownRule(
  judge: Judge,
  pick: string | undefined,
  unchanged: (option: string, why: string) => void,
): Promise<Read> {
  const { parse, verdict: config, where, kind } = judge
  const unpicked = (why: string) => pick && unchanged(`pick ${pick}`, why)
  if (parse) {
    unpicked('its parse function reads the whole reply')
    return afterThinking(lineByLine(ownParse(judge), judge))
  }
  if (!config)
    throw configError(
      `${where}: a template does not say how replies are read: name a judge (jb-parse --judge JUDGE)`,
    )
  const names = members('verdicts')
  if (!names.includes(config.rule)) {
    const hint = didYouMean(config.rule, names, `, expected one of ${names.join(', ')}`)
    throw configError(`${where}: verdict.rule is "${config.rule}"${hint}`)
  }
  await loadPatterns(judge)
  const { rule, picks, kinds, windows, structured, keys, own } = (await import(
    `./${config.rule}.ts`
  )) as RuleModule
  if (kinds && !kinds.includes(kind))
    throw configError(
      `${where}: verdict.rule "${config.rule}" is for judges of kind ${kinds.join(' or ')}, not ${kind}`,
    )
  checkKeys(config, keys ?? [], judge, own)
  if (!picks) unpicked(`rule "${config.rule}" reads the whole reply`)
  const read = await rule({ ...config, ...(picks && pick && { pick }) }, judge)
  return ownFirst(windows ? read : lineByLine(read, judge), judge, structured?.(config) ?? false)
}
