/** Wraps the parse function of a `.mjs` judge, and checks its result against the judge's kind. */
import type { Judge, ParsedReply } from '../judges/_judge.ts'
import { called, returnedJson, type UserFunction } from '../judges/_user_function.ts'
import { isObject, type Json, type Kind, RowFailure, type Verdict } from '../rows/record.ts'
import { asNumber } from './_numbers.ts'
import { checkedRange, inRange } from './_range.ts'
import { KEY_OF_KIND, type Read } from './_rule.ts'

/** @throws Fatal (configuration) for an invalid range */
export function ownParse(judge: Judge): Read {
  const fn: UserFunction = { where: judge.where, name: 'parse', code: 'no_verdict' }
  const key = KEY_OF_KIND[judge.kind]
  const range = judge.kind === 'grade' ? checkedRange(judge.range ?? judge.verdict?.range, judge) : undefined
  return (text, context) => {
    const found: ParsedReply = called(() => judge.parse!(text, context.item()), fn)
    const given = isObject(found) ? found : { [key]: found }
    // As in the row: JSON drops undefined values and functions.
    const { label, ...verdict }: Partial<Verdict> = JSON.parse(returnedJson(given, fn))
    const said = (verdict[key] ?? null) as Json
    const ranked = key === 'winner' && said === null && Array.isArray(verdict.ranking)
    if (!ranked) Object.assign(verdict, { [key]: checkedValue(said, judge, verdict.reason ?? undefined) })
    if (range) {
      inRange(verdict.score!, range)
      verdict.range ??= range
    }
    const shown = ranked ? verdict.ranking!.join(' ') : Array.isArray(said) ? said.length : said
    return { label: String(label ?? shown), ...verdict }
  }
}

/** The value of the kind's verdict. @throws RowFailure no_verdict if there is none */
function checkedValue(said: Json, { kind }: Judge, reason?: string): Json {
  if (said === null || said === '')
    throw new RowFailure('no_verdict', String(reason ?? 'the judge file’s parse found no verdict'))
  const value = VALUES[kind](said)
  if (value !== undefined) return value
  const words = JSON.stringify(said).slice(0, 60)
  throw new RowFailure('no_verdict', `parse gave ${KEY_OF_KIND[kind]} ${words}, expected ${EXPECTED[kind]}`)
}

/** Converts a result to the value of the kind's verdict; undefined if it cannot be one. */
const VALUES: Record<Kind, (said: Json) => Json | undefined> = {
  pairwise: (said) => (['A>B', 'B>A', 'A=B'].includes(said as string) ? said : undefined),
  listwise: (said) => (said === 'tie' ? said : asNumber(said)),
  grade: asNumber,
  choice: (said) => (typeof said === 'string' || typeof said === 'number' ? String(said) : undefined),
  list: (said) => (Array.isArray(said) ? said : undefined),
}

const EXPECTED: Record<Kind, string> = {
  pairwise: '"A>B", "B>A", "A=B" or ""',
  listwise: 'the index of an answer, or "tie"',
  grade: 'a number',
  choice: 'the name of an option',
  list: 'a list',
}
