/** The systemone API of TypeSafe and vLLM: typed questions by their names, answered with probabilities (vLLM 0.33, structured_decisions). */

import { type Answers, type Question, valuesOf } from '../rows/questions.ts'
import { isObject, type JsonObject, RowFailure } from '../rows/record.ts'
import { openaiEndpoint } from './_openai.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'
import { answered, decisionOf, distribution, objectAt, probability, textOf, truth } from './_questions.ts'
import { mergedParams, setParams } from './_request.ts'
import { provider as decisions } from './decisions.ts'

const { batch: _, ...endpoint } = openaiEndpoint('/systemone')

export const provider: Provider = {
  ...endpoint,
  base: 'https://api.typesafe.ai/v1',
  keyNames: ['TYPESAFE_API_KEY'],
  baseNames: ['TYPESAFE_BASE_URL'],
  decides: true,

  prepare(params) {
    const { material, questions, rest } = decisionOf(params)
    const state = textOf(material)
    if (state === undefined) throw new RowFailure('bad_request', 'the systemone API takes no images')
    const asked = Object.fromEntries(questions.map((question) => [question.name, questionOf(question)]))
    return mergedParams(setParams(new Map(), { state, questions: asked }), rest)
  },

  read(body, questions = []) {
    checkError(body)
    const given = objectAt(body.answers, 'answers')
    const answers: Answers = Object.fromEntries(
      questions.map((question) => {
        const own = objectAt(given[question.name], `answer to "${question.name}"`)
        return [question.name, read(question, own)]
      }),
    )
    const usage = decisions.usage(body)
    return {
      ...answered(answers, questions),
      finish_reason: 'stop',
      ...(typeof body.model === 'string' && { served_model: body.model }),
      ...(usage && { usage }),
    }
  },

  usage: decisions.usage,
}

/** The API's name of a type. */
const typeOf = ({ type }: Question) => (type === 'predicate' ? 'noul' : type)

function questionOf(question: Question): JsonObject {
  const { instructions } = question
  const one = { type: typeOf(question), instructions }
  if (question.type === 'predicate') return one
  const values = valuesOf(question)
  if (question.type === 'choice')
    return {
      ...one,
      criteria: Object.fromEntries(values.map(([value, meaning]) => [value, meaning ?? null])),
    }
  return {
    ...one,
    criteria: values.map(([label, meaning]) => (meaning === undefined ? label : `${label}: ${meaning}`)),
  }
}

function read(question: Question, answer: JsonObject): Answers[string] {
  if (answer.type === 'refusal') return null
  if (answer.type !== typeOf(question))
    throw badResponse(`"${question.name}" has an answer of type ${JSON.stringify(answer.type)}`)
  if (question.type === 'predicate') return truth(answer.noul)
  const given = Object.entries(isObject(answer.probabilities) ? answer.probabilities : {})
  const values = valuesOf(question).map(([value]) => value)
  return distribution(
    question,
    given.map(([key, p]) => [
      question.type === 'score' ? (/^\d+$/.test(key) ? (values[Number(key)] ?? '') : '') : key,
      probability(p),
    ]),
  )
}
