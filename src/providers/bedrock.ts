/**
 * Amazon Bedrock's Converse API, with the model in the URL. Requests are signed (SigV4) with the environment's AWS keys, or
 * have a Bedrock API key. Field names as in its API reference (2026).
 */
import { isObject, type Json, type JsonObject, type Usage } from '../rows/record.ts'
import { answerOf, stringIn, tokenCount, usageIn } from './_answer.ts'
import { awsSigner } from './_aws.ts'
import { bedrockBatch } from './_bedrock_batch.ts'
import { bodyOf } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'
import { bytesOf, defined, RequestReader, type SentImage, setParams, type TextPart } from './_request.ts'
import { mapPath, segment } from './_url.ts'

const PATH = '/model/MODEL/converse'
const TIERS = { default: 'default', flex: 'flex', priority: 'priority' }
/** Converse's own parameters, sent unchanged. */
const OWN = ['additionalModelRequestFields', 'guardrailConfig', 'performanceConfig', 'requestMetadata']
const CACHE_POINT: JsonObject = { cachePoint: { type: 'default' } }

export const provider: Provider = {
  path: PATH,
  // A model may be an ARN, with colons and slashes.
  url: (base, model) =>
    mapPath(base, (given) =>
      given.endsWith('/converse') ? given : `${given}/model/${segment(model)}/converse`,
    ),
  base: 'https://bedrock-runtime.{AWS_REGION|AWS_DEFAULT_REGION}.amazonaws.com',
  keyNames: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
  baseNames: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'BEDROCK_BASE_URL'],

  headers: (key, _url, env): Record<string, string> =>
    key === undefined || key === env.AWS_ACCESS_KEY_ID?.trim() ? {} : { authorization: `Bearer ${key}` },

  authorize({ env, key, url, hide }) {
    if (key === undefined || key !== env.AWS_ACCESS_KEY_ID?.trim()) return undefined
    const sign = awsSigner(env, url.hostname, hide)
    return (body) => sign({ method: 'POST', url, body, service: 'bedrock' })
  },

  body: (params) => bodyOf(params),

  prepare(params) {
    const request = new RequestReader(params, 'the Converse API').withoutIdleTopP()
    const own = request.keep(...OWN)
    const schema = request.schema()
    if (schema === true) throw request.refusal('"response_format": "json_object"', 'response_format')
    const { system, turns } = request.conversation()
    const cached = request.take('cache_control') !== undefined
    const tier = request.choice('service_tier', TIERS)
    setParams(own, {
      system: system.length > 0 ? [...blocks(system), ...(cached ? [CACHE_POINT] : [])] : undefined,
      messages: turns.map(({ role, parts }, i) => ({
        role,
        content: [
          ...blocks(parts),
          ...(cached && system.length === 0 && i === turns.length - 1 ? [CACHE_POINT] : []),
        ],
      })),
      inferenceConfig: defined({
        maxTokens: request.take('max_completion_tokens', 'max_tokens'),
        temperature: request.take('temperature'),
        topP: request.take('top_p'),
        stopSequences: request.stop(),
      }),
      toolConfig: schema && {
        tools: [{ toolSpec: { name: schema.name, inputSchema: { json: schema.schema } } }],
        toolChoice: { tool: { name: schema.name } },
      },
      serviceTier: tier && { type: tier },
    })
    request.refuseRest()
    return own
  },

  read(body) {
    checkError(body)
    const message = isObject(body.output) ? body.output.message : undefined
    if (!isObject(message) || !Array.isArray(message.content))
      throw badResponse('the answer has no output message')
    const content = message.content.filter(isObject)
    const tool = content.map(({ toolUse }) => toolUse).find(isObject)
    const text = tool
      ? JSON.stringify(tool.input)
      : content.map((block) => (typeof block.text === 'string' ? block.text : '')).join('')
    const reason = stringIn(body, 'stopReason')
    return answerOf({
      text,
      reasoning: content.map(({ reasoningContent }) => thoughts(reasoningContent)).join(''),
      finish: reason,
      refusal: `the reply is withheld: ${reason}`,
      usage: usageOf(body),
    })
  },

  usage: usageOf,

  batch: bedrockBatch,
}

/** Text blocks, with a cache point after each part that ends a cached prefix. */
const blocks = (parts: readonly TextPart[]): Json[] =>
  parts.flatMap(({ text, cached, image }) => [
    image ? imageBlock(image) : { text },
    ...(cached ? [CACHE_POINT] : []),
  ])

/** @throws RowFailure for an address other than one of S3 */
function imageBlock(image: SentImage): Json {
  const [, ending] = /^s3:.*\.(png|jpe?g|gif|webp)$/i.exec(image.url) ?? []
  if (ending)
    return {
      image: {
        format: ending.toLowerCase().replace('jpg', 'jpeg'),
        source: { s3Location: { uri: image.url } },
      },
    }
  const { mime, data } = bytesOf(image, 'the Converse API')
  return { image: { format: mime.replace('image/', ''), source: { bytes: data } } }
}

function thoughts(content: unknown): string {
  const inner = isObject(content) ? content.reasoningText : undefined
  return isObject(inner) && typeof inner.text === 'string' ? inner.text : ''
}

function usageOf({ usage, serviceTier }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const cached = tokenCount(usage.cacheReadInputTokens)
  const written = tokenCount(usage.cacheWriteInputTokens)
  return usageIn({
    prompt: tokenCount(usage.inputTokens) + cached + written,
    completion: tokenCount(usage.outputTokens),
    cached,
    written,
    tier: isObject(serviceTier) ? serviceTier.type : undefined,
  })
}
