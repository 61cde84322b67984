/** Patterns of judge files. A user's are matched in linear time (RE2), so no reply can stall a run. */
import type { RE2JS } from 're2js'
import type { Judge } from '../judges/_judge.ts'
import { configError } from '../rows/record.ts'

/** A match: the whole of it, its first group that took part (or the whole), and where that group stands. */
export interface Match {
  whole: string
  text: string
  index: number
}

let engine: typeof RE2JS | undefined

/** Makes ready what a user's patterns are matched with: built-in judges, which need none of it, start sooner. */
export async function loadPatterns(judge: Judge): Promise<void> {
  if (!judge.builtin) engine ??= (await import('re2js')).RE2JS
}

/** A pattern in RE2's syntax. @throws Error where it is wrong */
function linearPattern(source: string, flags: string): RE2JS {
  const { CASE_INSENSITIVE, MULTILINE } = engine!
  return engine!.compile(
    source,
    (flags.includes('i') ? CASE_INSENSITIVE : 0) | (flags.includes('m') ? MULTILINE : 0),
  )
}

/** What a pattern is made to. @throws Fatal (configuration) where it is wrong, or none */
function made<T>(
  source: unknown,
  flags: string,
  judge: Judge,
  { native, linear }: Record<'native' | 'linear', (source: string, flags: string) => T>,
): T {
  if (typeof source !== 'string')
    throw configError(
      `${judge.where}: verdict.pattern ${source === undefined ? 'is missing' : 'must be a text'}: a pattern whose first group is what is looked for`,
    )
  try {
    return judge.builtin ? native(source, flags) : linear(source, flags)
  } catch (error) {
    throw configError(
      `${judge.where}: verdict.pattern ${source}: ${(error as Error).message} (patterns are RE2: no lookaround, no backreferences)`,
      error,
    )
  }
}

/** The whole match and its groups, as RegExp.exec gives them. */
export type Groups = (string | undefined)[]

/**
 * Finds the groups of every match of a pattern, in order. `flags`: i (any case), m (^ and $ at line ends).
 * @throws Fatal (configuration) where the pattern is wrong, or has fewer groups than are needed
 */
export function groupsOf(
  source: unknown,
  flags: string,
  judge: Judge,
  needed = 0,
): (text: string) => Groups[] {
  const find = made(source, flags, judge, { native: nativeGroups, linear: linearGroups })
  const count = needed && made(source, flags, judge, { native: nativeCount, linear: linearCount })
  if (count < needed)
    throw configError(
      `${judge.where}: verdict.pattern ${source}: ${needed} groups are needed, one for each number, not ${count}`,
    )
  return find
}

/** How many groups a pattern has. */
const nativeCount = (source: string) => new RegExp(`${source}|`, 'u').exec('')!.length - 1
const linearCount = (source: string, flags: string) => linearPattern(source, flags).groupCount()

function nativeGroups(source: string, flags: string): (text: string) => Groups[] {
  const pattern = new RegExp(source, `gu${flags}`)
  return (text) => {
    const found: Groups[] = []
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      found.push(match)
      if (match[0] === '') pattern.lastIndex++
    }
    return found
  }
}

function linearGroups(source: string, flags: string): (text: string) => Groups[] {
  const pattern = linearPattern(source, flags)
  return (text) => {
    const found: Groups[] = []
    const match = pattern.matcher(text)
    while (match.find())
      found.push(
        Array.from({ length: match.groupCount() + 1 }, (_, group) => match.group(group) ?? undefined),
      )
    return found
  }
}

/**
 * Finds every match of a pattern, in order. `flags`: i (any case), m (^ and $ at line ends).
 * @throws Fatal (configuration) where the pattern is wrong
 */
export const patternOf = (source: unknown, flags: string, judge: Judge) =>
  made(source, flags, judge, { native: nativeMatches, linear: linearMatches })

function nativeMatches(source: string, flags: string): (text: string) => Match[] {
  const pattern = new RegExp(source, `dgu${flags}`)
  return (text: string) =>
    Array.from(text.matchAll(pattern), (match) => {
      const group = Math.max(
        0,
        match.findIndex((found, index) => index > 0 && found !== undefined),
      )
      return { whole: match[0], text: match[group]!, index: match.indices![group]![0] }
    })
}

function linearMatches(source: string, flags: string): (text: string) => Match[] {
  const pattern = linearPattern(source, flags)
  return (text: string) => {
    const found: Match[] = []
    const match = pattern.matcher(text)
    while (match.find()) {
      let group = 0
      for (let i = 1; i <= match.groupCount() && group === 0; i++) if (match.group(i) !== null) group = i
      const whole = match.group() ?? ''
      found.push({ whole, text: match.group(group) ?? '', index: match.start(group) })
    }
    return found
  }
}
