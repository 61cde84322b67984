/** What the endpoints of OpenAI's API have in common, and those of the many servers that speak it. */
import { isObject, type JsonObject, type Usage } from '../rows/record.ts'
import { answerOf, tierOf } from './_answer.ts'
import { openaiBatch } from './_openai_batch.ts'
import { bodyOf } from './_params.ts'
import { type Answer, badResponse, type Provider } from './_provider.ts'
import { modelList, withPath } from './_url.ts'

/** An endpoint at a path: all of a provider but the form of its requests and answers. */
export const openaiEndpoint = (path: string) =>
  ({
    path,
    url: (base) => withPath(base, path),
    base: 'https://api.openai.com/v1',
    keyNames: ['OPENAI_API_KEY'],
    baseNames: ['OPENAI_BASE_URL', 'OPENAI_API_BASE', 'BASE_URL'],
    headers: openaiHeaders,
    body: bodyOf,
    models: modelList(path),
    batch: openaiBatch(`/v1${path}`, new RegExp(`${path}$`)),
  }) satisfies Partial<Provider>

/** Bearer, or `api-key` where the URL is one of Azure's. */
function openaiHeaders(key: string | undefined, url: URL): Record<string, string> {
  if (key === undefined) return {}
  const azure =
    /\.azure\.com$|\.azure-api\.net$/.test(url.hostname) || url.pathname.includes('/openai/deployments/')
  return azure ? { 'api-key': key } : { authorization: `Bearer ${key}` }
}

export function openaiUsage({ usage, service_tier }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  // Another price holds for another tier.
  const tier = tierOf(service_tier)
  return tier.service_tier === undefined ? (usage as Usage) : { ...(usage as Usage), ...tier }
}

/** The first of an answer's choices, of chat completions and of completions. @throws RowFailure bad_response */
export function firstChoice(body: JsonObject): JsonObject {
  const choices = body.choices
  if (!Array.isArray(choices)) throw badResponse('the answer has no choices')
  const choice = choices[0]
  if (!isObject(choice)) throw badResponse('the answer has an empty list of choices')
  return choice
}

/** The answer that a choice is. @throws RowFailure refused (content filter), truncated (no text within max_tokens) */
export const choiceAnswer = (body: JsonObject, choice: JsonObject, text: string, reasoning = ''): Answer =>
  answerOf({
    text,
    reasoning,
    finish: typeof choice.finish_reason === 'string' ? choice.finish_reason : null,
    refusal: "the endpoint's content filter withheld the reply",
    model: body.model,
    usage: openaiUsage(body),
    logprobs: choice.logprobs,
    stop: choice.stop_reason,
  })
