/**
 * The form of a verdict: patterns in order, of which the first that matches decides (rules 2 to 5 of docs/judges.md).
 * Of its matches the last counts, and fails if its line has one with another meaning, or one of a later pattern behind it; or as `pick` says.
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { endingOf } from '../rows/finish_reason.ts'
import { RowFailure } from '../rows/record.ts'
import { type Match, type Matcher, matcherOf } from './_pattern.ts'
import type { ReadContext } from './_rule.ts'
import { matchable } from './_text.ts'

export interface Found<Value> extends Match {
  value: Value
  /** The text in which it was found. */
  within: string
}

interface FormSettings<Value> {
  /** What is looked for, in a message. */
  what: string
  /** What a match means; undefined if it means nothing. Values that print the same are the same. */
  meaningOf(match: Match, text: string): Value | undefined
  /** The patterns, if not the configuration's. */
  patterns?: readonly string[]
  /** The groups that each pattern must have. */
  groups?: number
  /** A label of one token is whole also where the reply ends with it. */
  token?: boolean
}

type Find<Value> = (text: string, context: ReadContext) => Found<Value>

/** @throws Fatal (configuration); the function RowFailure no_verdict, conflict or truncated */
export function formOf<Value>(
  config: VerdictConfig,
  judge: Judge,
  settings: FormSettings<Value>,
): Find<Value> {
  const sources = settings.patterns ?? (config.patterns as string[] | undefined) ?? [config.pattern as string]
  const patterns = sources.map((source) => ({
    source,
    match: matcherOf(source, String(config.flags ?? ''), judge, settings.groups),
  }))
  const pick = config.pick ?? (config.first === true ? 'first' : 'last')

  const meant = (match: Matcher, text: string): Found<Value>[] => {
    const found: Found<Value>[] = []
    for (const one of match(text)) {
      const value = settings.meaningOf(one, text)
      if (value !== undefined) found.push(Object.assign(one, { value, within: text }))
    }
    return found
  }

  /** What the first pattern finds that finds anything, and that pattern's place. */
  const allIn = (text: string, { explain }: ReadContext): [found: Found<Value>[], place: number] => {
    for (const [place, { source, match }] of patterns.entries()) {
      const found = meant(match, text)
      explain?.({ pattern: source, found })
      if (found.length > 0) return [found, place]
    }
    return [[], 0]
  }

  /** The matches that must not mean anything else. What comes after the first is an explanation. */
  const rivalsOf = (chosen: Found<Value>, found: Found<Value>[], place: number): Found<Value>[] => {
    if (pick === 'only' || pick === 'first') return pick === 'only' ? found : []
    const { end, within } = chosen
    const behind = WORD.test(lineFrom(within, end)) ? patterns.slice(place + 1) : []
    const later = behind.flatMap(({ match }) => meant(match, within).filter((one) => one.index >= end))
    return found.length + later.length > 1 ? onLineOf(chosen, [...found, ...later]) : []
  }

  return (text, context) => {
    const [found, place] = allIn(text, context)
    const chosen = pick === 'first' ? found[0] : found.at(-1)
    if (!chosen) throw new RowFailure('no_verdict', `looked for ${settings.what}, and found none`)
    context.explain?.({ chosen })
    const rivals = rivalsOf(chosen, found, place)
    if (rivals.some(({ value }) => String(value) !== String(chosen.value)))
      throw conflict(pick === 'only' ? 'the reply has' : 'one line has', rivals)
    // More of it might have followed: [[1 may have been the beginning of [[10]].
    if (endingOf(context.finish) === 'cut' && !settings.token && !isFollowed(chosen, context))
      throw truncated(context)
    return chosen
  }
}

/** Whether more text follows a match, other people's words as well. */
function isFollowed({ end, within }: Found<unknown>, { whole }: ReadContext): boolean {
  const all = whole === undefined ? within : matchable(whole)
  return /\s\S|\p{P}\p{L}/u.test((all.length === within.length ? all : within).slice(end))
}

const WORD = /[\p{L}\p{N}]/u

/** The rest of a line. */
function lineFrom(text: string, index: number): string {
  const end = text.indexOf('\n', index)
  return text.slice(index, end < 0 ? undefined : end)
}

/** Those of the matches whose label is on the line of this one. */
function onLineOf<Value>({ index, within }: Found<Value>, found: readonly Found<Value>[]): Found<Value>[] {
  const from = index === 0 ? 0 : within.lastIndexOf('\n', index - 1) + 1
  const to = index + lineFrom(within, index).length
  return found.filter((one) => one.index >= from && one.index < to)
}

const conflict = (where: string, found: readonly Match[]) =>
  new RowFailure(
    'conflict',
    `${where} different verdicts: ${[...new Set(found.map(({ text }) => text.trim()))].join(', ')}`,
  )

/** For a reply that a limit ended. */
export const truncated = ({ finish }: ReadContext): RowFailure =>
  new RowFailure(
    'truncated',
    `the reply was cut short (finish_reason ${finish}): give it more tokens (jb-call --max-tokens)`,
  )
