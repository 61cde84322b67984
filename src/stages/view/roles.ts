/** Finds the fields of the question, the answers and the label. */
import { type Allowed, allowJudges, judgeOfRow } from '../../judges/_of_row.ts'
import { nearest } from '../../options/nearest.ts'
import { envName, mappedFields } from '../../options/option.ts'
import { QUESTION_FIELDS } from '../../rows/pair_fields.ts'
import { RowFailure, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import type { Roles } from './model.ts'

/** Common names, in order of precedence. */
const QUESTIONS: readonly string[] = QUESTION_FIELDS
const ANSWERS = [
  ['response_A', 'response_B'],
  ['response_a', 'response_b'],
  ['answer_a', 'answer_b'],
  ['answer_A', 'answer_B'],
  ['response_1', 'response_2'],
  ['answer_1', 'answer_2'],
  ['output_1', 'output_2'],
  ['completion_a', 'completion_b'],
  ['chosen', 'rejected'],
  ['responses'],
  ['answers'],
  ['response'],
  ['answer'],
  ['completion'],
  ['output'],
]
/** What an agent's log says of a run, beside its question. */
const CONVERSATIONS = ['messages', 'conversations', 'trajectory']
const LABELS = ['label', 'human_label', 'human_score', 'winner', 'gold', 'score']

/** The names of --map. */
const MAPPED = ['question', 'answer', 'answer_a', 'answer_b']

/** Reports unknown names of --map. @throws Fatal (usage) for a misspelt name on the command line */
export function checkMappedNames(map: readonly string[], { env, note }: Pick<Context, 'env' | 'note'>): void {
  for (const name of mappedFields(map).keys()) {
    if (MAPPED.includes(name)) continue
    const near = env[envName('map')] ? undefined : nearest(name, MAPPED)
    if (near !== undefined) throw usageError(`--map ${name}=…: did you mean ${near}?`)
    note(`--map ${name}=… is ignored: the names are ${MAPPED.join(', ')}`)
  }
}

/**
 * The roles of a row's fields: from --map, or the row's judge if it is built in or a file that the user named or rendered with (a row must
 * not name a file to load), or by common names.
 */
export async function rolesOf(
  row: Row,
  options: { map: string[]; judge: string[]; label?: string },
  env?: Context['env'],
): Promise<Roles> {
  const own = mappedFields(options.map)
  const judged = await judgeFields(row, allowJudges(options.judge, env))
  const has = (field: string | undefined): field is string =>
    field !== undefined && row.field(field) !== undefined
  const first = (names: readonly string[]) => names.find(has)
  const usual = ANSWERS.find((names) => names.every(has)) ?? []
  const mappedField = (name: string) => [own.get(name)].filter(has)
  // If --map names only one of two answers, the other is found by name.
  const pairs = [judged.answers, ...ANSWERS].filter(({ length }) => length === 2)
  const sides = ['answer_a', 'answer_b'].map((name, i) => ({
    named: mappedField(name),
    found: pairs.map((names) => names[i]).filter(has),
  }))
  const two = sides.some(({ named }) => named.length > 0)
    ? sides.flatMap(({ named, found }) => [...named, ...found].slice(0, 1))
    : []
  const given = [...mappedField('answer'), ...two]
  const answers = given.length > 0 ? given : judged.answers.filter(has)
  const roles: Roles = {
    question:
      own.get('question') ??
      [judged.question].find(has) ??
      judged.shown.find((field) => QUESTIONS.includes(field) && has(field)) ??
      first(QUESTIONS),
    answers: answers.length > 0 ? answers : usual,
    label: options.label ?? first(LABELS),
    shown: [],
  }
  const taken = [roles.question, roles.label, ...roles.answers]
  roles.shown = [...new Set([...judged.shown, ...CONVERSATIONS])].filter(
    (field) => has(field) && !taken.includes(field),
  )
  return roles
}

interface JudgeFields {
  question?: string
  answers: string[]
  /** All that stand in the prompt. */
  shown: string[]
}

/** The fields in the judge's prompt, the question's and the answers' among them. */
async function judgeFields(row: Row, allowed: Allowed): Promise<JudgeFields> {
  const judge = row.get('judge')
  const criterion = row.get('criterion')
  const evaluated = criterion?.to_evaluate_field
  if (typeof evaluated === 'string') {
    const context = Array.isArray(criterion?.context_fields) ? criterion.context_fields.map(String) : []
    return { answers: [evaluated], shown: context }
  }
  const loaded = await judgeOfRow(row, allowed).catch((error: unknown) => {
    if (error instanceof RowFailure) return undefined
    throw error
  })
  if (typeof judge !== 'string' || !loaded) return { answers: [], shown: [] }
  const { fields = {}, answers = [] } = loaded
  const map = row.get('map') ?? {}
  const at = (name: string) => (typeof map[name] === 'string' ? map[name] : fields[name])
  const names = (list: readonly string[]) => list.map(at).filter((field) => typeof field === 'string')
  const single = Object.keys(fields).filter((name) => /^(answer|response|output|completion)/.test(name))
  return {
    question: names(QUESTIONS)[0],
    answers: names(answers.length > 0 ? answers : single),
    shown: names(Object.keys(fields)),
  }
}
