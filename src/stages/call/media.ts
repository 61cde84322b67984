/**
 * Images in requests: a file is read, and an address sent, only if --media allows it, so that no row chooses what is read
 * here or fetched by a server. Nothing is fetched here.
 */
import { imageIn, labelled } from '../../chat/image.ts'
import { ImageFolders, refusedImage } from '../../chat/image_folders.ts'
import { jsonText, type Params, parsed } from '../../providers/_params.ts'
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'

export class ImageFiles {
  private readonly folders: ImageFolders
  private readonly remote: boolean

  /** @param given values of --media. @throws Fatal (configuration) for a folder that is not there */
  constructor(given: readonly string[]) {
    this.remote = given.includes('https:')
    this.folders = new ImageFolders(
      given.filter((one) => one !== 'https:'),
      { hint: ' (or https:, which sends addresses of images)' },
    )
  }

  /** The parameters, with the bytes of files as data URLs. @throws RowFailure bad_request */
  filled(params: Params): Params {
    const messages = params.get('messages')
    if (!messages || !mayHaveParts(messages)) return params
    let isChanged = false
    const part = (given: Json): Json => {
      const sent = isObject(given) ? this.part(given) : given
      isChanged ||= sent !== given
      return sent
    }
    const all = (parsed(messages) as Json[]).map((message) =>
      isObject(message) && Array.isArray(message.content)
        ? { ...message, content: message.content.map(part) }
        : message,
    )
    return isChanged ? new Map(params).set('messages', jsonText(all)) : params
  }

  private part(part: JsonObject): JsonObject {
    const source = imageIn(part)
    if (source === undefined) return part
    if (/^data:/i.test(source)) return withUrl(part, labelled(source), source)
    if (/^[a-z][a-z\d+.-]+:/i.test(source) && !/^file:/i.test(source)) {
      if (this.remote) return part
      throw refusedImage(
        source,
        'is an address: --media https: sends it to the endpoint, which then fetches it',
      )
    }
    return part.type === 'image_url' ? withUrl(part, this.folders.dataUrl(source), source) : part
  }
}

/** The part with another URL. */
function withUrl(part: JsonObject, url: string, before: string): JsonObject {
  if (part.type !== 'image_url' || url === before) return part
  const given = isObject(part.image_url) ? part.image_url : {}
  return { ...part, image_url: { ...given, url } }
}

/** Whether a message may have parts: the value of a member is a list. In a text, the quote before it is escaped. */
function mayHaveParts(messages: string): boolean {
  for (let at = messages.indexOf('[', 1); at >= 0; at = messages.indexOf('[', at + 1)) {
    const before = messages.slice(0, at).trimEnd()
    if (before.endsWith(':') && before.slice(0, -1).trimEnd().endsWith('"')) return true
  }
  return false
}

const DATA = /data:image\/[\w+.-]+;base64,[A-Za-z0-9+/=]*/g

/** Tokens of an image: of a usual one, and with `detail: low` (OpenAI's). */
const TOKENS = 1000
const LOW = 85

/**
 * The length of a body for estimates by bytes a token: an image counts by its tokens, not by its base64.
 * @param given the request, as OpenAI names its parameters
 */
export function estimatedLength(length: number, given: Params, bytesPerToken = 4): number {
  const messages = given.get('messages')
  if (!messages?.includes('"image_url"')) return length
  const bytes = (messages.match(DATA) ?? []).reduce((sum, url) => sum + url.length, 0)
  const all = messages.split(/"type"\s*:\s*"image_url"/).length - 1
  const low = Math.min(all, messages.split(/"detail"\s*:\s*"low"/).length - 1)
  return Math.max(0, length - bytes) + bytesPerToken * (TOKENS * (all - low) + LOW * low)
}
