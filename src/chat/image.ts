/** Images in the parts of messages, and what is said of one in words. */
import { isObject, type Json, type JsonObject } from '../rows/json.ts'

/** The first bytes of the types that all APIs take. */
const MAGIC: [mime: string, is: (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.toString('latin1', 0, 4) === '\x89PNG'],
  ['image/jpeg', (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff'],
  ['image/gif', (bytes) => bytes.toString('latin1', 0, 4) === 'GIF8'],
  ['image/webp', (bytes) => /^RIFF[\s\S]{4}WEBP/.test(bytes.toString('latin1', 0, 12))],
]

/** The type that the bytes of an image say; undefined for others than PNG, JPEG, GIF and WebP. */
export const imageType = (bytes: Buffer): string | undefined => MAGIC.find(([, is]) => is(bytes))?.[0]

/** Characters of base64 with the bytes that say a type. */
const HEAD = 32

/** The same data URL with the type that its bytes say, where they say one: services refuse one that is labelled otherwise. */
export function labelled(url: string): string {
  const [head, parameters] = /^data:([^,]*),\s*/i.exec(url) ?? []
  if (head === undefined || !/;\s*base64\s*$/i.test(parameters!)) return url
  const mime = imageType(Buffer.from(url.slice(head.length, head.length + HEAD), 'base64'))
  const right = `data:${mime};base64,`
  return mime === undefined || head === right ? url : right + url.slice(head.length)
}

const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

const dataUrl = (mime: Json | undefined, data: Json | undefined): string | undefined =>
  typeof data === 'string' ? `data:${text(mime) ?? ''};base64,${data}` : undefined

/**
 * The data URL, address, path or id of the image that a part is, of any of the forms; empty if the part does not say.
 * Undefined for any other part.
 */
export function imageIn(part: JsonObject): string | undefined {
  const { type } = part
  const url = part.image_url
  switch (type) {
    case 'image_url':
    case 'input_image':
    case 'computer_screenshot':
      return (isObject(url) ? text(url.url) : text(url)) ?? text(part.file_id) ?? ''
    case 'image':
      return typedImage(part) ?? ''
    case 'blob':
    case 'uri':
    case 'file':
      return isImage(part)
        ? (dataUrl(part.mime_type, part.content) ?? text(part.uri) ?? text(part.file_id) ?? '')
        : undefined
    case undefined:
      return 'bytes' in part && 'path' in part ? bytesImage(part) : geminiImage(part)
    default:
      return undefined
  }
}

const isImage = ({ modality, mime_type }: JsonObject) =>
  modality === 'image' || (modality === undefined && String(mime_type).startsWith('image/'))

/** Anthropic's `source`, inspect's `image`, LangChain's `base64`, `data` or `url`, MCP's `data`. */
function typedImage(part: JsonObject): string | undefined {
  const { source, image } = part
  if (isObject(source))
    return dataUrl(source.media_type, source.data) ?? text(source.url) ?? text(source.file_id)
  const mime = part.mime_type ?? part.mimeType
  return text(image) ?? dataUrl(mime, part.base64 ?? part.data) ?? text(part.url) ?? text(part.file_id)
}

/** An image of Hugging Face's datasets: its bytes, which JSON and rows of Parquet have in base64, or a path. */
function bytesImage({ bytes, path }: JsonObject): string | undefined {
  if (typeof bytes !== 'string') return text(path)
  const mime = imageType(Buffer.from(bytes.slice(0, HEAD), 'base64'))
  return mime && dataUrl(mime, bytes)
}

function geminiImage(part: JsonObject): string | undefined {
  const inline = part.inlineData ?? part.inline_data
  const file = part.fileData ?? part.file_data
  const given = isObject(inline) ? inline : isObject(file) ? file : undefined
  const mime = given?.mimeType ?? given?.mime_type
  if (!given || !String(mime ?? 'image/').startsWith('image/')) return undefined
  return dataUrl(mime, given.data) ?? text(given.fileUri ?? given.file_uri) ?? ''
}

/** What an image's source says of it: `image/png, 8 B`, or its address. */
export function imageWords(source: string): string {
  const [head, mime, coding] = /^data:([^;,]*)((?:;[^,]*)?),/i.exec(source) ?? []
  if (head === undefined) return source
  const data = source.length - head.length
  const padding = source.endsWith('==') ? 2 : source.endsWith('=') ? 1 : 0
  const bytes = /;base64$/i.test(coding!) ? Math.floor((data * 3) / 4) - padding : data
  return `${mime || 'no type'}, ${sizeWords(Math.max(0, bytes))}`
}

/** `8 B`, `12 KB`, `1.4 MB` */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  return `${Number((bytes / 1e6).toFixed(1))} MB`
}
