/**
 * Images in requests: a file is read, and an address sent, only if --media allows it, so that no row chooses what is read
 * here or fetched by a server. Nothing is fetched here.
 */
import { labelled } from '../../chat/image.ts'
import { ImageFolders, refusedImage } from '../../chat/image_folders.ts'
import { jsonText, type Params, parsed } from '../../providers/_params.ts'
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { checkedMessage } from './allowed.ts'

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

  /** The parameters, with the bytes of files as data URLs. @throws RowFailure bad_request for what a row may not send */
  filled(params: Params): Params {
    const messages = params.get('messages')
    if (!messages) return params
    const given = parsed(messages) as Json[]
    const all = given.map((message) => checkedMessage(message, (part, source) => this.image(part, source)))
    return all.every((message, i) => message === given[i])
      ? params
      : new Map(params).set('messages', jsonText(all))
  }

  /** An image with its bytes, or its address where --media allows it. @throws RowFailure bad_request */
  private image(part: JsonObject, source: string): JsonObject {
    if (/^data:image\//i.test(source)) return withUrl(part, labelled(source), source)
    if (/^data:/i.test(source) && labelled(source) !== source) return withUrl(part, labelled(source), source)
    if (/^[a-z][a-z\d+.-]+:/i.test(source.trim()) && !/^file:/i.test(source.trim())) {
      if (this.remote && /^[a-z][a-z\d+.-]+:\/\//i.test(source)) return part
      throw refusedImage(
        source,
        'is an address: --media https: sends it to the endpoint, which then fetches it',
      )
    }
    if (part.type !== 'image_url' || source === '') throw refusedImage(source, 'is none that jb-call sends')
    return withUrl(part, this.folders.dataUrl(source), source)
  }
}

/** The part with another URL. */
function withUrl(part: JsonObject, url: string, before: string): JsonObject {
  if (part.type !== 'image_url' || url === before) return part
  const given = isObject(part.image_url) ? part.image_url : {}
  return { ...part, image_url: { ...given, url } }
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
