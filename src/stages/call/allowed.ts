/**
 * What a row's own request may say, for all providers: a row is data. It asks in words and images, and names no address, key,
 * tool server or mock; whoever runs jb-call may, with --param.
 */
import { imageIn } from '../../chat/image.ts'
import { type Params, parsed } from '../../providers/_params.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../../rows/record.ts'

/** Parameters that servers and gateways obey beyond the model's answer. */
const REFUSED = new Set([
  ...['api_base', 'base_url', 'api_key', 'api_version', 'fallbacks', 'model_list', 'server_url'],
  ...['extra_headers', 'mcp_servers'],
])
const MOCK = /^mock_/

/** Other APIs' names of what is asked: a row asks in messages or a prompt alone. */
const CONTENT = new Set(['input', 'state', 'contents', 'system', 'system_instruction', 'systemInstruction'])

const isRefused = (name: string) => REFUSED.has(name) || MOCK.test(name) || CONTENT.has(name)

/**
 * @param given on the command line, in place of the row's
 * @throws RowFailure bad_request for a parameter of the row that only --param may give
 */
export function checkParameters(params: Params, given: Params): void {
  for (const [name, text] of params) {
    if (given.has(name)) continue
    if (isRefused(name))
      throw refused(`a row's request may not have "${name}" (--param ${name}=VALUE sends it)`)
    if (name === 'tools' || name === 'extra_body') checkInside(name, parsed(text))
  }
}

/** Checks the tools, or the members that a client adds to the body. */
function checkInside(name: string, value: Json): void {
  for (const one of [value].flat()) {
    if (!isObject(one)) continue
    const key = Object.keys(one).find(isRefused)
    const said = key ?? (one.type === 'mcp' ? 'mcp' : undefined)
    if (said !== undefined)
      throw refused(`a row's request may not have "${said}" in "${name}" (--param ${name}=VALUE sends it)`)
  }
}

/** Parts of a message that are words, by their type, and the member that has them. */
const WORDS: Record<string, string> = {
  text: 'text',
  input_text: 'text',
  output_text: 'text',
  tool_use: 'input',
  tool_result: 'content',
}
const IMAGES = new Set(['image_url', 'input_image', 'image'])

const isAddress = (text: string) => text.includes('://') || /^\s*(?:\/\/|(?:file|data|gs|s3):)/i.test(text)

/**
 * The message with each image as `image` gives it.
 * @param image the part of an image as it is sent, and its source. @throws RowFailure
 * @throws RowFailure bad_request for a part that is neither words nor an image, and for an address in any other place
 */
export function checkedMessage(message: Json, image: Image): Json {
  if (!isObject(message)) throw refused('a message of the request is no object')
  // What tools were asked, and what was thought, are words.
  const {
    content = null,
    tool_calls: _,
    function_call: __,
    reasoning: ___,
    reasoning_content: ____,
    ...rest
  } = message
  checkNoAddress(rest, 'a message')
  if (content === null || typeof content === 'string') return message
  if (!Array.isArray(content)) throw refused('the content of a message is neither a text nor a list of parts')
  const parts = content.map((part) => checkedPart(part, image))
  return parts.every((part, i) => part === content[i]) ? message : { ...message, content: parts }
}

/** How an image is sent. @param source empty if the part does not say where it is */
type Image = (part: JsonObject, source: string) => JsonObject

function checkedPart(part: Json, image: Image): Json {
  if (typeof part === 'string') return part
  const kind = isObject(part)
    ? (part.type ?? (typeof part.text === 'string' ? 'text' : undefined))
    : undefined
  if (isObject(part) && typeof kind === 'string') {
    if (Object.hasOwn(WORDS, kind)) return checkedWords(part, kind)
    if (IMAGES.has(kind)) {
      const source = imageIn(part) ?? ''
      checkNoAddress(part, `a part of type ${kind}`, source)
      return image(part, source)
    }
  }
  const words = JSON.stringify(kind ?? part).slice(0, 60)
  throw refused(`jb-call sends only text, images and tool calls, and a message has ${words}`)
}

function checkedWords(part: JsonObject, kind: string): JsonObject {
  const { [WORDS[kind]!]: words, ...rest } = part
  checkNoAddress(rest, `a part of type ${kind}`)
  if (kind === 'tool_result' && Array.isArray(words)) {
    for (const one of words) {
      if (!isObject(one) || one.type !== 'text') throw refused('a tool_result has a part that is no text')
      checkedWords(one, 'text')
    }
  } else if (kind !== 'tool_use' && typeof words !== 'string')
    throw refused(`a part of type ${kind} has no text`)
  return part
}

/** @param but an address that is checked elsewhere. @throws RowFailure bad_request */
function checkNoAddress(value: Json, where: string, but?: string): void {
  if (typeof value === 'string') {
    if (value !== but && isAddress(value))
      throw refused(`${where} has an address: ${JSON.stringify(value.slice(0, 100))}`)
  } else if (value !== null && typeof value === 'object')
    for (const one of Object.values(value)) checkNoAddress(one as Json, where, but)
}

const refused = (why: string) => new RowFailure('bad_request', why)
