/** Images in the parts of messages, and what is said of one in words. */
import { isObject, type Json, type JsonObject } from '../rows/record.ts'

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
      return geminiImage(part)
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
