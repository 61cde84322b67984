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
  /** Judges that show an answer and, where there is one, its question: which the row lacks. By their name for the question. */
  unasked: Map<string, Judge>
}

type Given = { map: readonly string[]; set: readonly string[] }

/** What --map would say of this row. Where a row has several fields for a name, nothing is guessed. */
export function usualNames(
  row: Row,
  uses: readonly { judge: Judge; ask: RequestMaker }[],
  given: Given,
): UsualNames {
  const found = new Map<string, string>()
  const unasked = new Map<string, Judge>()
  for (const { judge, ask } of uses) {
    if (judge.criteria !== undefined || judge.inner !== undefined) continue
    const names = [...new Set([...Object.keys(judge.fields), ...(ask.variables ?? [])])]
    const { lacking, shown } = fieldsFor(row, judge, names, given)
    for (const [name, field] of lacking) if (field !== undefined) found.set(name, field)
    // A conversation has its question in it.
    if (shown.length !== 1 || typeof shown[0] !== 'string') continue
    for (const [name, field] of lacking)
      if (field === undefined && QUESTION.includes(name) && judge.fields[name] === undefined)
        unasked.set(name, judge)
  }
  return { map: [...found].map(([name, field]) => `${name}=${field}`), unasked }
}

/** Of a judge's names those whose field the row lacks, with the one that means the same; and what the row has for the others. */
function fieldsFor(row: Row, judge: Judge, names: readonly string[], { map, set }: Given) {
  const mapped = mappedFields(map)
  const given = new Set([...map, ...set].map((text) => text.slice(0, text.indexOf('='))))
  const fieldOf = (name: string) => judge.fields[name] ?? name
  const taken = new Set([...names.map(fieldOf), ...mapped.values()])
  const lacking = new Map<string, string | undefined>()
  for (const name of names) {
    const field = fieldOf(name)
    if (given.has(name) || row.field(field) !== undefined || judge.set?.[name] !== undefined) continue
    const same = SAME.find((words) => words.includes(field)) ?? []
    const others = same.filter((word) => !taken.has(word) && row.field(word) !== undefined)
    lacking.set(name, others.length === 1 ? others[0] : undefined)
  }
  const fields = names.map((name) => lacking.get(name) ?? mapped.get(name) ?? fieldOf(name))
  return { lacking, shown: fields.flatMap((field) => row.field(field) ?? []) }
}
