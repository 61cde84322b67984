/** Patterns of judge files. Those of users are matched in linear time (RE2), so no reply can stall a run. */
import type { RE2JS } from 're2js'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { configError } from '../rows/record.ts'

/** A match: its whole text, its first group that matched (else the whole), and that group's index. */
export interface Match {
  whole: string
  text: string
  index: number
}

let engine: typeof RE2JS | undefined

/** Loads RE2 for the patterns of a user's judge. Built-in judges do without it and start sooner. */
export async function loadPatterns(judge: Judge): Promise<void> {
  if (!judge.builtin) engine ??= (await import('re2js')).RE2JS
}

/** A match and its groups, as RegExp.exec returns them; with the flag `d` also their indices. */
export type Groups = (string | undefined)[] & { indices?: ([number, number] | undefined)[] }

type Matcher = (text: string) => Groups[]

/**
 * A function that finds the groups of every match of a pattern, in order. `flags`: i (any case), m (^ and $ at line ends).
 * @throws Fatal (configuration) if the pattern is invalid or has fewer groups than `needed`
 */
export function groupsOf(source: unknown, flags: string, judge: Judge, needed = 0): Matcher {
  if (typeof source !== 'string')
    throw configError(
      `${judge.where}: verdict.pattern ${source === undefined ? 'is missing' : 'must be a string'}: a pattern whose first group is the label or number`,
    )
  let pattern: { find: Matcher; count(): number }
  try {
    pattern = judge.builtin ? nativePattern(source, flags) : linearPattern(source, flags)
  } catch (error) {
    throw configError(
      `${judge.where}: verdict.pattern ${source}: ${(error as Error).message} (patterns are RE2: no lookaround, no backreferences)`,
      error,
    )
  }
  if (needed > 0 && pattern.count() < needed)
    throw configError(
      `${judge.where}: verdict.pattern ${source}: expected ${needed} groups, one for each number, not ${pattern.count()}`,
    )
  return pattern.find
}

/** Python's `\s`, within a character class. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\p{Z}'
type Tokens = { [token: string]: string }
/** What stands for Python's classes, its ends of lines and, within a character class, its classes. */
const CLASSES: Tokens = { '\\d': '\\p{Nd}', '\\s': `[${SPACE}]` }
const LINE_ENDS: Tokens = { '^': '(?<![^\n])', $: '(?![^\n])' }
const IN_CLASS: Tokens = { '\\d': '\\p{Nd}', '\\s': SPACE }

/** An original's rule, with the digits, the white space and the line ends (\n alone) of Python's `re` in its patterns. */
export function pythonPatterns(
  { pattern, patterns, flags = '', ...rule }: VerdictConfig,
  { builtin }: Judge,
): VerdictConfig {
  // RE2 means the same by ^ and $.
  const lines = builtin && String(flags).includes('m')
  const outside = lines ? { ...CLASSES, ...LINE_ENDS } : CLASSES
  const inPython = (source: string) => {
    let inClass = false
    return source.replace(/\\.|[[\]^$]/gs, (token) => {
      if (token === '[') inClass = true
      if (token === ']') inClass = false
      return (inClass ? IN_CLASS : outside)[token] ?? token
    })
  }
  return {
    ...rule,
    ...(typeof pattern === 'string' && { pattern: inPython(pattern) }),
    ...(Array.isArray(patterns) && { patterns: patterns.map(inPython) }),
    ...(flags !== '' && { flags: lines ? String(flags).replace('m', '') : flags }),
  } as VerdictConfig
}

function nativePattern(source: string, flags: string): { find: Matcher; count(): number } {
  const pattern = new RegExp(source, `gu${flags}`)
  const find: Matcher = (text) => {
    const found: Groups[] = []
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      found.push(match)
      // From within a surrogate pair, the next match would begin at the same place again.
      if (match[0] === '') pattern.lastIndex += text.codePointAt(match.index)! > 0xffff ? 2 : 1
    }
    return found
  }
  return { find, count: () => new RegExp(`${source}|`, 'u').exec('')!.length - 1 }
}

function linearPattern(source: string, flags: string): { find: Matcher; count(): number } {
  const { CASE_INSENSITIVE, MULTILINE } = engine!
  const pattern = engine!.compile(
    source,
    (flags.includes('i') ? CASE_INSENSITIVE : 0) | (flags.includes('m') ? MULTILINE : 0),
  )
  const count = pattern.groupCount()
  const find: Matcher = (text) => {
    const found: Groups[] = []
    const match = pattern.matcher(text)
    while (match.find()) {
      const groups: Groups = Array.from({ length: count + 1 }, (_, group) => match.group(group) ?? undefined)
      if (flags.includes('d'))
        groups.indices = groups.map((_, group) => [match.start(group), match.end(group)])
      found.push(groups)
    }
    return found
  }
  return { find, count: () => count }
}

/** Finds matches with their indexes. @throws as groupsOf */
export function patternOf(source: unknown, flags: string, judge: Judge): (text: string) => Match[] {
  const find = groupsOf(source, `d${flags}`, judge)
  return (text) =>
    find(text).map((groups) => {
      const group = Math.max(
        0,
        groups.findIndex((one, i) => i > 0 && one !== undefined),
      )
      return { whole: groups[0]!, text: groups[group]!, index: groups.indices![group]![0] }
    })
}
