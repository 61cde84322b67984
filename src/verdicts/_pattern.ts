/** Patterns of judge files. Those of users are matched in linear time (RE2), so no reply can stall a run. */
import type { RE2JS } from 're2js'
import type { Judge } from '../judges/_judge.ts'
import { configError } from '../rows/record.ts'

/** A match, and where it ends; the text and place of its first group that matched, else of the whole. */
export interface Match {
  whole: string
  end: number
  text: string
  index: number
  /** Where the whole and each group begin; -1 for one that did not match. */
  starts: readonly number[]
}

/** Finds every match of a pattern, in order. */
export type Matcher = (text: string) => Match[]

let engine: typeof RE2JS | undefined

/** Loads RE2 for the patterns of a user's judge. Built-in judges do without it and start sooner. */
export async function loadPatterns(judge: Judge): Promise<void> {
  if (!judge.builtin) engine ??= (await import('re2js')).RE2JS
}

/**
 * The matcher of a pattern. `flags`: i (any case), m (^ and $ at line ends).
 * @param needed the groups that it must have
 * @param key where the pattern stands in the judge file
 * @throws Fatal (configuration) for an invalid pattern
 */
export function matcherOf(
  source: unknown,
  flags: string,
  judge: Judge,
  needed = 0,
  key = 'verdict.pattern',
): Matcher {
  const bad = (what: string, cause?: unknown) =>
    configError(`${judge.where}: ${key} ${source === undefined ? '' : `${source}: `}${what}`, cause)
  if (typeof source !== 'string')
    throw bad('must be a string: a pattern whose first group is the label or number')
  let count: number
  let match: Matcher
  try {
    count = judge.builtin
      ? new RegExp(`${source}|`, 'u').exec('')!.length - 1
      : compiled(source, flags).groupCount()
    match = judge.builtin ? native(new RegExp(source, `dgu${flags}`)) : linear(compiled(source, flags))
  } catch (error) {
    throw bad(`${(error as Error).message} (patterns are RE2: no lookaround, no backreferences)`, error)
  }
  if (count < needed) throw bad(`expected ${needed} groups, one for each number, not ${count}`)
  return match
}

function matchOf(groups: (string | undefined)[], starts: number[]): Match {
  const group = Math.max(
    0,
    groups.findIndex((text, i) => i > 0 && text !== undefined),
  )
  const whole = groups[0]!
  return { whole, end: starts[0]! + whole.length, text: groups[group]!, index: starts[group]!, starts }
}

/** Loops over `exec`: matchAll copies the pattern, which costs more than most searches. */
const native =
  (pattern: RegExp): Matcher =>
  (text) => {
    const matches: Match[] = []
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const starts: number[] = []
      for (const range of match.indices!) starts.push(range?.[0] ?? -1)
      matches.push(matchOf(match, starts))
      // From within a surrogate pair, the next match would begin at the same place again.
      if (match[0] === '') pattern.lastIndex += text.codePointAt(match.index)! > 0xffff ? 2 : 1
    }
    return matches
  }

const compiled = (source: string, flags: string) =>
  engine!.compile(
    source,
    (flags.includes('i') ? engine!.CASE_INSENSITIVE : 0) | (flags.includes('m') ? engine!.MULTILINE : 0),
  )

const linear =
  (pattern: RE2JS): Matcher =>
  (text) => {
    const matches: Match[] = []
    const match = pattern.matcher(text)
    while (match.find()) {
      const all = Array.from({ length: pattern.groupCount() + 1 }, (_, group) => group)
      matches.push(
        matchOf(
          all.map((group) => match.group(group) ?? undefined),
          all.map((group) => match.start(group)),
        ),
      )
    }
    return matches
  }
