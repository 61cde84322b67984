/**
 * Images in requests: a file is read, and an address sent, only if --media allows it, so that no row chooses what is read
 * here or fetched by a server. Nothing is fetched here.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { imageIn } from '../../chat/image.ts'
import { jsonText, type Params, parsed } from '../../providers/_params.ts'
import { configError, isObject, type Json, type JsonObject, RowFailure } from '../../rows/record.ts'

/** Bytes of the largest file. */
const LARGEST_IMAGE = 20e6

/** The first bytes of the types that all APIs take. */
const MAGIC: [mime: string, is: (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.toString('latin1', 0, 4) === '\x89PNG'],
  ['image/jpeg', (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff'],
  ['image/gif', (bytes) => bytes.toString('latin1', 0, 4) === 'GIF8'],
  ['image/webp', (bytes) => /^RIFF[\s\S]{4}WEBP/.test(bytes.toString('latin1', 0, 12))],
]

export class ImageFiles {
  /** Real paths of the folders that files may be in. */
  private readonly folders: string[]
  private readonly remote: boolean

  /** @param given values of --media. @throws Fatal (configuration) for a folder that is not there */
  constructor(given: readonly string[]) {
    this.remote = given.includes('https:')
    this.folders = given
      .filter((one) => one !== 'https:')
      .map((folder) => {
        try {
          return realpathSync(folder)
        } catch {
          throw configError(`--media ${folder}: no such folder (or https:, which sends addresses of images)`)
        }
      })
  }

  /** The parameters, with the bytes of files as data URLs. @throws RowFailure bad_request */
  filled(params: Params): Params {
    const messages = params.get('messages')
    if (!messages || !HAS_IMAGE.test(messages)) return params
    const list = parsed(messages) as Json[]
    const all = list.map((message) =>
      isObject(message) && Array.isArray(message.content)
        ? { ...message, content: message.content.map((part) => (isObject(part) ? this.part(part) : part)) }
        : message,
    )
    return new Map(params).set('messages', jsonText(all))
  }

  private part(part: JsonObject): JsonObject {
    const source = imageIn(part)
    if (source === undefined || /^data:/i.test(source)) return part
    if (/^[a-z][a-z\d+.-]+:/i.test(source) && !/^file:/i.test(source)) {
      if (this.remote) return part
      throw refused(source, 'is an address: --media https: sends it to the endpoint, which then fetches it')
    }
    if (part.type !== 'image_url') return part
    const given = isObject(part.image_url) ? part.image_url : {}
    return { ...part, image_url: { ...given, url: this.dataUrl(source) } }
  }

  /** @throws RowFailure bad_request */
  private dataUrl(source: string): string {
    if (this.folders.length === 0) throw refused(source, 'is a file: --media DIR names the folder of images')
    const bytes = this.bytes(source)
    const [mime] = MAGIC.find(([, is]) => is(bytes)) ?? []
    if (mime === undefined) throw refused(source, 'is no PNG, JPEG, GIF or WebP')
    return `data:${mime};base64,${bytes.toString('base64')}`
  }

  private bytes(source: string): Buffer {
    let file: number | undefined
    try {
      const path = /^file:/i.test(source) ? fileURLToPath(source) : source
      const real = this.folders
        .map((folder) => ({ folder, path: realOf(isAbsolute(path) ? path : resolve(folder, path)) }))
        .find((one) => one.path?.startsWith(one.folder.replace(/[/\\]$/, '') + sep))?.path
      if (real === undefined) throw refused(source, 'is no file below a folder of --media')
      // What was a file may be a link or a pipe by now.
      file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
      const about = fstatSync(file)
      if (!about.isFile()) throw refused(source, 'is no plain file')
      if (about.size > LARGEST_IMAGE) throw refused(source, 'has more than 20 MB')
      return readFileSync(file)
    } catch (error) {
      if (error instanceof RowFailure) throw error
      throw refused(source, `cannot be read: ${(error as Error).message}`)
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const refused = (source: string, why: string) =>
  new RowFailure('bad_request', `the image ${JSON.stringify(source.slice(0, 100))} ${why}`)

/** Parts with images, and other parts of such types: a quick look. */
const HAS_IMAGE =
  /"type"\s*:\s*"(?:image|input_image|image_url|uri|file|blob)"|"(?:file_?[dD]ata|inline_?[dD]ata)"/
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
