/** `keep` of a judge file: what a reply says beside its verdict, by name, as in `keep: { confidence: 'Confidence:\s*([0-9.]+)' }`. */
import type { Judge } from '../judges/_judge.ts'
import { configError, type Verdict } from '../rows/record.ts'
import { loadPatterns, type Matcher, matcherOf } from './_pattern.ts'
import { matchable, ownWords, promptElements, withoutThinking } from './_text.ts'

/** Keys of a verdict that hold a text, even if it is a number. */
const TEXTS = ['reason', 'explanation', 'feedback']

/** Keys that say what the verdict is, and how it was read. */
const VERDICT = [
  ...['label', 'decision', 'strength', 'winner', 'ranking', 'score', 'range', 'scores', 'option', 'items'],
  ...['preference', 'dimensions', 'each', 'object', 'repaired', 'failure', 'error', 'dropped', 'model'],
]

/** A number, also one that a full stop ends, but none that a number in JSON could not hold: 007, 20 digits. */
const NUMBER = /^(-?(?:0|[1-9]\d{0,14})?(?:\.\d{1,15})?)\.?$/

/**
 * A function that finds in a reply what its judge keeps; undefined if that is nothing. The last match of a pattern counts,
 * one in other people's words only if there is no other; what is not in the reply is not in the result.
 * @throws Fatal (configuration) for a name that is taken, or an invalid pattern
 */
export async function keeperOf(judge: Judge): Promise<((reply: string) => Partial<Verdict>) | undefined> {
  if (judge.keep === undefined) return undefined
  await loadPatterns(judge)
  const kept = Object.entries(judge.keep).map(([name, pattern]) => {
    const key = `keep.${name}`
    if (VERDICT.includes(name))
      throw configError(`${judge.where}: ${key}: the verdict has a "${name}" of its own: choose another name`)
    if (!/^[a-z]\w*$/i.test(name))
      throw configError(`${judge.where}: ${key}: expected a name of letters, digits and _`)
    return { name, match: matcherOf(pattern, '', judge, 0, key) }
  })
  const elements = promptElements(judge)
  return (reply) => {
    const text = matchable(withoutThinking(reply))
    const own = ownWords(text, elements)
    const found = kept.flatMap(({ name, match }) => {
      const value = keptAs(name, lastOf(match, own) ?? lastOf(match, text))
      return value === undefined ? [] : [[name, value]]
    })
    return Object.fromEntries(found)
  }
}

const lastOf = (match: Matcher, text: string) => match(text).at(-1)?.text.trim()

/** A text, or the number that it is. */
function keptAs(name: string, text: string | undefined): string | number | undefined {
  if (text === undefined || text === '') return undefined
  if (TEXTS.includes(name)) return text
  const [, digits] = NUMBER.exec(text) ?? []
  if (digits !== undefined && /\d/.test(digits)) return Number(digits)
  return name === 'confidence' ? undefined : text
}
