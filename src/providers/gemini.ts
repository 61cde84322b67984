/**
 * Google's Gemini API: `generateContent`, with the model in the URL and most parameters in `generationConfig`. Field names as
 * in its REST reference (v1beta, 2026).
 */
import { isObject, type Json, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import { answerOf, objectsIn, stringIn, tokenCount, usageIn } from './_answer.ts'
import { idIn, type JobState, multipart, requestLine, unanswered } from './_batch.ts'
import { bodyOf, type Params, parsed } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'
import { defined, mergedParams, RequestReader, setParams, type TextPart } from './_request.ts'
import { mapPath, segment, siblingUrl } from './_url.ts'

const PATH = '/models/MODEL:generateContent'
const TIERS = { default: 'standard', flex: 'flex', priority: 'priority' }
/** Thinking budgets in tokens, by level, for models without levels (2.5); as in Google's OpenAI-compatible API. */
const BUDGETS: Record<string, number> = { none: 0, minimal: 1024, low: 1024, medium: 8192, high: 24576 }
const EFFORTS = { none: 'none', minimal: 'minimal', low: 'low', medium: 'medium', high: 'high' }
/** `prepare` does not know the model: it leaves the level for `body` to translate. */
const EFFORT = 'reasoning_effort'

export const provider: Provider = {
  path: PATH,
  url(base, model) {
    const [, kind = 'models', name] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model)!
    return mapPath(base, (given) => {
      if (given.endsWith(':generateContent')) return given
      const version = /\/v\d+(?:beta|alpha)?\d*$/.test(given) ? '' : '/v1beta'
      return `${given}${version}/${kind}/${segment(name!)}:generateContent`
    })
  },
  base: 'https://generativelanguage.googleapis.com/v1beta',
  keyNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  baseNames: ['GEMINI_BASE_URL', 'GEMINI_API_BASE'],

  headers: (key): Record<string, string> => (key === undefined ? {} : { 'x-goog-api-key': key }),

  body: (params, model) => bodyOf(withThinking(params, model)),

  models: {
    url: (url) => siblingUrl(url, '/models', /\/models\/.*$/),
    read: ({ models }) => objectsIn(models).map(({ name }) => String(name).replace(/^models\//, '')),
  },

  prepare(params) {
    const request = new RequestReader(params, 'the Gemini API')
    const own = request.keep('tools')
    const native = request.take('generationConfig')
    const schema = request.schema()
    const effort = request.choice(EFFORT, EFFORTS)
    const { system, turns } = request.conversation()
    const logprobs = request.take('logprobs')
    setParams(own, {
      systemInstruction: system.length > 0 ? { parts: partsOf(system) } : undefined,
      contents: turns.map(({ role, parts }) => ({
        role: role === 'assistant' ? 'model' : 'user',
        parts: partsOf(parts),
      })),
      generationConfig: defined({
        ...native,
        temperature: request.take('temperature'),
        topP: request.take('top_p'),
        topK: request.take('top_k'),
        maxOutputTokens: request.take('max_completion_tokens', 'max_tokens'),
        stopSequences: request.stop(),
        seed: request.take('seed'),
        frequencyPenalty: request.take('frequency_penalty'),
        presencePenalty: request.take('presence_penalty'),
        responseLogprobs: logprobs,
        logprobs: request.take('top_logprobs'),
        responseMimeType: schema && 'application/json',
        responseJsonSchema: schema === true ? undefined : schema?.schema,
      }),
      serviceTier: request.choice('service_tier', TIERS),
      [EFFORT]: effort,
    })
    return mergedParams(own, request.rest())
  },

  read(body) {
    checkError(body)
    const candidate = Array.isArray(body.candidates) ? body.candidates[0] : undefined
    const blocked = isObject(body.promptFeedback) ? body.promptFeedback.blockReason : undefined
    if (!isObject(candidate)) {
      if (blocked) throw new RowFailure('refused', `the prompt is blocked: ${blocked}`)
      throw badResponse('the answer has no candidates')
    }
    const content = isObject(candidate.content) ? candidate.content : {}
    const parts = objectsIn(content.parts)
    const texts = (thought: boolean) =>
      parts
        .filter((part) => typeof part.text === 'string' && (part.thought === true) === thought)
        .map((part) => part.text)
        .join('')
    const usage = usageOf(body)
    const reason = stringIn(candidate, 'finishReason')
    return answerOf({
      text: texts(false),
      reasoning: texts(true),
      finish: reason,
      endWords: candidate.finishMessage,
      thought: usage?.completion_tokens_details !== undefined,
      refusal: `the reply is withheld: ${reason}`,
      model: body.modelVersion,
      usage,
      logprobs: logprobsOf(candidate.logprobsResult),
    })
  },

  usage: usageOf,

  // An invalid key is a 400 with this reason.
  status: (status, { details }) =>
    objectsIn(details).some(({ reason }) => reason === 'API_KEY_INVALID') ? 401 : status,
  wait({ details }) {
    const delay = objectsIn(details).find(({ retryDelay }) => typeof retryDelay === 'string')?.retryDelay
    const seconds = Number.parseFloat(String(delay))
    return seconds >= 0 ? seconds : undefined
  },

  // {key, request}; at most 2 GB a file.
  batch: {
    requests: Number.POSITIVE_INFINITY,
    bytes: 2_000_000_000,
    id: 'key',
    line: (id, body) => requestLine({ key: id }, 'request', body),
    result({ response, error }) {
      if (!isObject(response)) throw unanswered(error)
      return { status: 200, body: response }
    },
    jobs: {
      async upload(file, { url, send }) {
        const metadata = `Content-Type: application/json\r\n\r\n${JSON.stringify({ file: { display_name: file.name } })}`
        const head = 'Content-Type: application/jsonl\r\n\r\n'
        const { headers, body } = multipart('related', [metadata], head, file)
        const answer = await send({
          method: 'POST',
          url: siblingUrl(url, '/upload/$1/files', OWN_PATH),
          headers: { ...headers, 'x-goog-upload-protocol': 'multipart' },
          body,
        })
        return idIn(isObject(answer.file) ? answer.file : {}, 'name')
      },
      async start(file_name, file, { url, send }) {
        const batch = { display_name: file.name, input_config: { file_name } }
        const body = Buffer.from(JSON.stringify({ batch }))
        const to = siblingUrl(url, ':batchGenerateContent', /:generateContent$/)
        return idIn(await send({ method: 'POST', url: to, body }), 'name')
      },
      async state(id, _file, { url, send }) {
        const operation = await send({ method: 'GET', url: siblingUrl(url, `/$1/${id}`, OWN_PATH) })
        return stateOf(operation, (file) => {
          const to = siblingUrl(url, `/download/$1/${file}:download`, OWN_PATH)
          to.searchParams.set('alt', 'media')
          return to
        })
      },
    },
  },
}

/** The path of requests from the version on. */
const OWN_PATH = /\/(v\d\w*)\/\w+\/[^/]+:generateContent$/

/** An operation's state: BATCH_STATE_… in the API's reference, JOB_STATE_… in its guide. */
function stateOf(operation: JsonObject, download: (file: string) => URL): JobState {
  const metadata = isObject(operation.metadata) ? operation.metadata : {}
  const status = String(metadata.state ?? '').replace(/^(BATCH|JOB)_STATE_/, '')
  const response = isObject(operation.response) ? operation.response : {}
  const output = isObject(metadata.output) ? metadata.output : {}
  const stats = isObject(metadata.batchStats) ? metadata.batchStats : {}
  const [file] = [response, output].filter(({ responsesFile }) => responsesFile)
  const error = isObject(operation.error) ? String(operation.error.message) : undefined
  const over = operation.done === true || /^(SUCCEEDED|FAILED|CANCELLED|EXPIRED)$/.test(status)
  return {
    phase: over ? (file ? 'ended' : 'failed') : 'waiting',
    status: status.toLowerCase(),
    completed: Number(stats.successfulRequestCount ?? 0),
    failed: Number(stats.failedRequestCount ?? 0),
    ...(error && { message: error }),
    results: file ? [download(idIn(file, 'responsesFile'))] : [],
  }
}

const partsOf = (parts: readonly TextPart[]) =>
  parts.map(({ text, image }) => {
    if (!image) return { text }
    if (image.data !== undefined) return { inlineData: { mimeType: image.mime, data: image.data } }
    const [, ending] = /\.(png|jpe?g|gif|webp)(?:[?#]|$)/i.exec(image.url) ?? []
    const mimeType = ending && `image/${ending.toLowerCase().replace('jpg', 'jpeg')}`
    return { fileData: { ...(mimeType && { mimeType }), fileUri: image.url } }
  })

/** Translates the reasoning effort: a level, or a budget for models of the 2.5 family. */
function withThinking(params: Params, model: string): Params {
  const text = params.get(EFFORT)
  if (text === undefined) return params
  const effort: string = parsed(text)
  const own = new Map(params)
  own.delete(EFFORT)
  const config: JsonObject = parsed(own.get('generationConfig') ?? '{}')
  const thinkingConfig: Json =
    /gemini-2\.5/.test(model) || effort === 'none'
      ? { thinkingBudget: BUDGETS[effort]! }
      : { thinkingLevel: effort }
  return setParams(own, { generationConfig: { ...config, thinkingConfig } })
}

/** Log probabilities in the format of chat completions. */
function logprobsOf(result: unknown): JsonObject | undefined {
  if (!isObject(result)) return undefined
  const tops = objectsIn(result.topCandidates)
  const token = ({ token, logProbability }: JsonObject): JsonObject => ({
    token: token ?? '',
    logprob: logProbability ?? null,
  })
  return {
    content: objectsIn(result.chosenCandidates).map((chosen, i) => ({
      ...token(chosen),
      top_logprobs: objectsIn(tops[i]?.candidates).map(token),
    })),
  }
}

function usageOf({ usageMetadata: usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const reasoning = tokenCount(usage.thoughtsTokenCount)
  return usageIn({
    prompt: tokenCount(usage.promptTokenCount) + tokenCount(usage.toolUsePromptTokenCount),
    completion: tokenCount(usage.candidatesTokenCount) + reasoning,
    cached: tokenCount(usage.cachedContentTokenCount),
    reasoning,
    tier: usage.serviceTier,
  })
}
