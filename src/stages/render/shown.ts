/** What a judge with criteria is shown: one text with its options, or labelled answers. */
import { isConversation } from '../../chat/message.ts'
import { textOrJson } from '../../criteria/_roles.ts'
import type { Judge } from '../../judges/_judge.ts'
import { type Criterion, type Json, type JsonObject, RowFailure, type Trial } from '../../rows/record.ts'

/** A trial without its numbers and its criterion, and values for the template by name. */
export interface Shape {
  trial: Omit<Trial, 'n' | 'of'>
  extra: Record<string, unknown>
}

/** One text and the options to choose from, in the order shown. */
export function textShapes(
  judged: Json,
  judge: Judge,
  criterion: Criterion,
  orders: (string | undefined)[],
  feedback: boolean,
): Shape[] {
  if (Array.isArray(judged) && !isConversation(judged))
    throw new RowFailure(
      'missing_field',
      `field "${criterion.to_evaluate_field}" is a list of ${judged.length}: this judge takes one text (pairwise compares several)`,
    )
  const listed = typeof judge.options === 'number' ? worstFirst(criterion.options) : criterion.options
  return orders.map((order) => {
    const options = order === 'BA' ? listed.toReversed() : listed
    return {
      trial: {
        ...(order !== undefined && { order }),
        options: options.map(({ name }) => name),
        ...(feedback && { feedback }),
      },
      extra: { text: textOrJson(judged), options },
    }
  })
}

/** Numbered steps of a rubric, worst first: by score if all options have one, else as listed. */
const worstFirst = (options: Criterion['options']) =>
  options.every(({ score }) => score !== null) ? options.toSorted((a, b) => a.score! - b.score!) : options

/** Labelled answers in the order shown: all of them, or each pair. */
export function answerShapes(
  judge: Judge,
  judged: Json,
  criterion: Criterion,
  orders: (string | undefined)[],
  { tie, contests, original }: { tie: boolean; contests: boolean; original: boolean },
): Shape[] {
  const { to_evaluate_field: field } = criterion
  // EvalAssist also asks about a single answer: that one, or a tie.
  if (!Array.isArray(judged) || isConversation(judged) || judged.length < (original && !contests ? 1 : 2))
    throw new RowFailure(
      'missing_field',
      `field "${field}" is ${isConversation(judged) ? 'one conversation' : Array.isArray(judged) ? `a list of ${judged.length}` : 'not a list'}: two or more answers are compared`,
    )
  const answers = judged.map(textOrJson)
  const n = answers.length
  const pattern = typeof judge.options === 'string' ? judge.options : '{field}_{n}'
  const label = (place: number) => pattern.replace('{field}', () => field).replace('{n}', String(place + 1))
  const pairs: ([number, number] | undefined)[] = contests
    ? answers.flatMap((_, i) => answers.slice(i + 1).map((_, k): [number, number] => [i, i + 1 + k]))
    : [undefined]
  return pairs.flatMap((pair) =>
    orders.map((order) => {
      const all = pair ?? answers.map((_, index) => index)
      const shown = order === 'BA' ? all.toReversed() : all
      // In reverse order the last answer has the first label.
      const labels = shown.map((index) => label(order === 'BA' ? n - 1 - index : index))
      return {
        trial: {
          ...(order !== undefined && { order }),
          answers: n,
          ...(pair && { pair }),
          options: tie ? [...labels, 'tie'] : labels,
        },
        extra: {
          answers: shown.map((index, place) => ({ label: labels[place], text: answers[index] })),
          tie,
        },
      }
    }),
  )
}

/** A criterion's examples, as the template gets them. */
export function examplesOf({ examples = [], to_evaluate_field, context_fields }: Criterion): JsonObject[] {
  return examples.map(({ instance, explanation = '', selected_option }) => {
    const { fields = {}, context = {}, response = null } = instance as Record<string, JsonObject>
    const all: JsonObject = { ...(context as JsonObject), ...(fields as JsonObject) }
    const names = context_fields ?? Object.keys(all).filter((name) => name !== to_evaluate_field)
    const text = all[to_evaluate_field] ?? response ?? ''
    return {
      context: names.filter((name) => name in all).map((name) => ({ name, value: textOrJson(all[name]!) })),
      text: textOrJson(text),
      explanation: String(explanation ?? ''),
      option:
        typeof selected_option === 'number'
          ? `${to_evaluate_field}_${selected_option + 1}`
          : (selected_option ?? ''),
    }
  })
}
