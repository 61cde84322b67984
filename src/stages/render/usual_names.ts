/** Questions and answers under other usual names than the judge's: alpaca_eval's files have `instruction` and `output`. */
import type { Judge } from '../../judges/_judge.ts'
import { mappedFields } from '../../options/option.ts'
import { ANSWER_FIELDS } from '../../rows/pair_fields.ts'
import type { Row } from '../../rows/row.ts'
import type { RequestMaker } from './prompt.ts'

/** Names that mean the same, each list one thing: here a question, then an answer, the first of two answers, the second. */
const QUESTION = ['question', 'prompt', 'instruction', 'query', 'input']
const SAME: readonly (readonly string[])[] = [
  QUESTION,
  ['answer', 'response', 'output', 'completion'],
  ANSWER_FIELDS.map(([first]) => first),
  ANSWER_FIELDS.map(([, second]) => second),
]

interface UsualNames {
  /** For a name whose field the row lacks, the one field that it has of the names that mean the same: `NAME=FIELD`. */
  map: string[]
  /** Judges that show a question where there is one, by the name that they have for it, which no field has. */
  unasked: Map<string, Judge>
}

/** What --map would say of this row. Where a row has several fields for a name, nothing is guessed. */
export function usualNames(
  row: Row,
  uses: readonly { judge: Judge; ask: RequestMaker }[],
  { map, set }: { map: readonly string[]; set: readonly string[] },
): UsualNames {
  const unasked = new Map<string, Judge>()
  const given = new Set([...map, ...set].map((text) => text.slice(0, text.indexOf('='))))
  const found = new Map<string, string>()
  for (const { judge, ask } of uses) {
    if (judge.criteria !== undefined || judge.inner !== undefined) continue
    const names = new Set([...Object.keys(judge.fields), ...(ask.variables ?? [])])
    const fieldOf = (name: string) => judge.fields[name] ?? name
    const taken = new Set([...[...names].map(fieldOf), ...mappedFields(map).values()])
    const asks = QUESTION.some(
      (word) => given.has(word) || (taken.has(word) && row.field(word) !== undefined),
    )
    for (const name of names) {
      const field = fieldOf(name)
      if (given.has(name) || row.field(field) !== undefined || judge.set?.[name] !== undefined) continue
      const same = SAME.find((words) => words.includes(field)) ?? []
      const others = same.filter((word) => !taken.has(word) && row.field(word) !== undefined)
      if (others.length === 1) found.set(name, others[0]!)
      else if (same === QUESTION && !asks) unasked.set(name, judge)
    }
  }
  return { map: [...found].map(([name, field]) => `${name}=${field}`), unasked }
}
