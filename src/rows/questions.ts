/** Typed questions of a request, in the form of OpenAI's decisions API (openai-python 3.57, types/decision*.py). */
import { isObject, type Json, RowFailure } from './record.ts'

export type Question =
  | { type: 'predicate'; name: string; instructions: string }
  | { type: 'choice'; name: string; instructions: string; choices: { value: string; description?: string }[] }
  | { type: 'score'; name: string; instructions: string; levels: { label: string; description?: string }[] }

/** What a question may be answered with, and what each value means, where that is said; in order. */
export function valuesOf(question: Question): [value: string, meaning: string | undefined][] {
  switch (question.type) {
    case 'predicate':
      return [
        ['true', undefined],
        ['false', undefined],
      ]
    case 'choice':
      return question.choices.map(({ value, description }) => [value, description])
    case 'score':
      return question.levels.map(({ label, description }) => [label, description])
  }
}

/** The probability of each value of each question; null for a question that the model declined. */
export type Answers = Record<string, Record<string, number> | null>

const LISTS = { choice: ['choices', 'value'], score: ['levels', 'label'] } as const

/** The questions of a row's request, which anybody may have written. @throws RowFailure bad_request */
export function questionsIn(value: Json): Question[] {
  const listed = Array.isArray(value) && value.length > 0 ? value : undefined
  if (!listed?.every(isQuestion))
    throw new RowFailure('bad_request', '"questions" of the request are not typed questions')
  if (new Set(listed.map(({ name }) => name)).size < listed.length)
    throw new RowFailure('bad_request', 'two "questions" of the request have the same name')
  return listed
}

function isQuestion(value: Json): value is Json & Question {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.instructions !== 'string')
    return false
  if (value.type === 'predicate') return true
  if (value.type !== 'choice' && value.type !== 'score') return false
  const [list, key] = LISTS[value.type]
  const values = value[list]
  return (
    Array.isArray(values) &&
    values.every(
      (one) =>
        isObject(one) &&
        typeof one[key] === 'string' &&
        (one.description === undefined || typeof one.description === 'string'),
    )
  )
}
