/** Which of the options shown a text is, or names. */

/**
 * The option that a text is, in any case, with or without Markdown, quotes, a full stop and a reason (`Good (one typo)`,
 * `Good: one typo`); undefined if it is not just one.
 */
export function asOption(text: string, options: string[] = []): string | undefined {
  if (options.includes(text)) return text
  const same = (said: string) => options.filter((option) => folded(option) === folded(said))
  const found = same(text)
  if (found.length > 0) return found.length === 1 ? found[0] : undefined
  const [, said, reason] = REASONED.exec(text) ?? []
  if (said === undefined || mentions(reason!.replace(/\bnot ["“']?\w+/gi, ''), options).length > 0)
    return undefined
  return same(said).length === 1 ? same(said)[0] : undefined
}

/** An option and its reason. */
const REASONED =
  /^([^\n:(]{1,60}?)(?:[ \t]?\(|(?::|[ \t][-–—])[ \t](?=\p{L}))(?!(?:or|if|but|partly|partially|in part|maybe|perhaps|almost|nearly|unless)\b)([^\n]+)$/u

const folded = (text: string) =>
  text
    .replace(/^[\s*_\x60"'“”‘’]{1,20}|[\s*_\x60"'“”‘’.!]{1,20}$/g, '')
    .replace(/[\s_-]+/g, ' ')
    .toLowerCase()

/** Options that the text has as whole words, in any case; a longer option hides those within it. */
export function mentions(text: string, options: string[]): string[] {
  let rest = text
  const found: string[] = []
  for (const option of options.toSorted((a, b) => b.length - a.length)) {
    const words = option.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}_]|\\d[.,])${words}(?![\\p{L}\\p{N}_]|[.,]\\d)`, 'giu')
    if (words.trim() === '' || !pattern.test(rest)) continue
    found.push(option)
    rest = rest.replace(pattern, '\n')
  }
  return found
}
