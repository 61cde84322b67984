/** What all endpoints of OpenAI's API, and of compatible servers, have in common. */
import { isObject, type JsonObject, type Usage } from '../rows/record.ts'
import { answerOf, byIndex, objectsIn, stringIn, tierOf } from './_answer.ts'
import { openaiBatch } from './_openai_batch.ts'
import { bodyOf } from './_params.ts'
import { type Answer, badResponse, errorWords, type Provider } from './_provider.ts'
import { joinedChunks } from './_stream.ts'
import { modelList, withPath } from './_url.ts'

/** All of a provider but how its requests are prepared and its answers read. */
export const openaiEndpoint = (path: string) =>
  ({
    path,
    url: (base) => withPath(base, path),
    base: 'https://api.openai.com/v1',
    keyNames: ['OPENAI_API_KEY'],
    baseNames: ['OPENAI_BASE_URL', 'OPENAI_API_BASE', 'BASE_URL'],
    headers: openaiHeaders,
    body: bodyOf,
    join: joinedChunks,
    models: modelList(path),
    batch: openaiBatch(`/v1${path}`, new RegExp(`${path}$`)),
  }) satisfies Partial<Provider>

/** `Authorization: Bearer`, or `api-key` for Azure's URLs. */
function openaiHeaders(key: string | undefined, url: URL): Record<string, string> {
  if (key === undefined) return {}
  const azure =
    /\.azure\.com$|\.azure-api\.net$/.test(url.hostname) || url.pathname.includes('/openai/deployments/')
  return azure ? { 'api-key': key } : { authorization: `Bearer ${key}` }
}

export function openaiUsage({ usage, service_tier }: JsonObject): Usage | undefined {
  return isObject(usage) ? { ...(usage as Usage), ...tierOf(service_tier) } : undefined
}

/** An answer's first choice. @throws RowFailure bad_response */
export function firstChoice(body: JsonObject): JsonObject {
  const choices = body.choices
  if (!Array.isArray(choices)) throw badResponse('the answer has no choices')
  const [choice] = objectsIn(choices).sort(byIndex)
  if (!choice) throw badResponse('the answer has an empty list of choices')
  // OpenRouter's place for an error of the service behind it.
  if (choice.error) throw badResponse(`the answer is broken: ${errorWords(choice.error)}`)
  return choice
}

/** @throws RowFailure as answerOf */
export const choiceAnswer = (body: JsonObject, choice: JsonObject, text: string, reasoning = ''): Answer =>
  answerOf({
    text,
    reasoning,
    finish: stringIn(choice, 'finish_reason'),
    refusal: "the endpoint's content filter withheld the reply",
    model: body.model,
    usage: openaiUsage(body),
    logprobs: choice.logprobs,
    stop: choice.stop_reason,
  })
