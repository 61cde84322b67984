/** OpenAI's decisions API, which vLLM, SGLang and others serve too: typed questions, answered with probabilities (openai-python 3.57, vLLM 0.33). */

import { type Answers, type Question, valuesOf } from '../rows/questions.ts'
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import { tokenCount, usageIn } from './_answer.ts'
import { openaiEndpoint } from './_openai.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'
import {
  answered,
  decisionOf,
  distribution,
  objectAt,
  type Part,
  probability,
  textOf,
  truth,
} from './_questions.ts'
import { imageOf, mergedParams, setParams } from './_request.ts'

const { batch: _, ...endpoint } = openaiEndpoint('/decisions')

export const provider: Provider = {
  ...endpoint,
  decides: true,

  prepare(params) {
    const { material, questions, rest } = decisionOf(params)
    const input = textOf(material) ?? [{ role: 'user', content: material.map(partOf) }]
    return mergedParams(setParams(new Map(), { input, questions }), rest)
  },

  read(body, questions = []) {
    checkError(body)
    const given = body.answers
    if (!Array.isArray(given) || given.length !== questions.length)
      throw badResponse(`the answer has not the ${questions.length} answers asked for`)
    const answers: Answers = Object.fromEntries(
      questions.map((question, i) => [question.name, read(question, objectAt(given[i], `answer ${i + 1}`))]),
    )
    const usage = usageOf(body)
    return {
      ...answered(answers, questions),
      finish_reason: 'stop',
      ...(typeof body.model === 'string' && { served_model: body.model }),
      ...(usage && { usage }),
    }
  },

  usage: usageOf,
}

function read(question: Question, answer: JsonObject): Answers[string] {
  if (answer.name !== undefined && answer.name !== null && answer.name !== question.name)
    throw badResponse(`an answer to ${JSON.stringify(answer.name)} stands in the place of "${question.name}"`)
  if (answer.type === 'refusal') return null
  if (answer.type !== question.type)
    throw badResponse(`"${question.name}" has an answer of type ${JSON.stringify(answer.type)}`)
  if (question.type === 'predicate') return truth(answer.probability)
  const values = valuesOf(question).map(([value]) => value)
  const given = Array.isArray(answer.probabilities) ? answer.probabilities : []
  return distribution(
    question,
    given.map((one) => {
      const { value, probability: p } = objectAt(one, `probability of "${question.name}"`)
      const own = question.type === 'score' && typeof value === 'number' ? values[value] : value
      return [String(own), probability(p)] as const
    }),
  )
}

/** Usage under the names of responses. */
function usageOf({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const within = (details: unknown, name: string) => (isObject(details) ? tokenCount(details[name]) : 0)
  return usageIn({
    prompt: tokenCount(usage.input_tokens ?? usage.prompt_tokens),
    completion: tokenCount(usage.output_tokens ?? usage.completion_tokens),
    cached: within(usage.input_tokens_details, 'cached_tokens'),
    reasoning: within(usage.output_tokens_details, 'reasoning_tokens'),
  })
}

function partOf(part: Part): JsonObject {
  if ('text' in part) return { type: 'input_text', text: part.text }
  const image = imageOf(part.image)
  if (!image) throw new RowFailure('bad_request', 'the decisions API takes texts and images')
  return { type: 'input_image', image_url: image.url, detail: image.detail ?? 'auto' }
}
