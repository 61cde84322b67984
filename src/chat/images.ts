/** The images that a value holds, for a judge that is to see them. */
import { isObject, type Json, RowFailure } from '../rows/record.ts'
import { imageIn } from './image.ts'
import { isConversation, messagesOf } from './message.ts'

interface ShownImage {
  /** A data URL, an address or a path. */
  url: string
  /** Of a conversation: the number in its transcript. */
  k?: number
}

/**
 * A text is one image, and so is a part of any message's form; a list may hold several, and a conversation has those of its
 * messages.
 * @param name of the field, for messages @throws RowFailure missing_field if there is none, bad_record for other values
 */
export function imagesOf(value: Json, name: string): ShownImage[] {
  const found = isConversation(value)
    ? messagesOf(value).flatMap(({ media }) =>
        media.flatMap(({ source, k }) =>
          source === undefined || k === undefined ? [] : [{ url: source, k }],
        ),
      )
    : (Array.isArray(value) ? value : [value]).map((one) => imageOne(one, name))
  if (found.length === 0) throw new RowFailure('missing_field', `"${name}" has no image`)
  return found
}

function imageOne(value: Json, name: string): ShownImage {
  const url = typeof value === 'string' ? value : isObject(value) ? imageIn(value) : undefined
  if (url) return { url }
  throw new RowFailure(
    'bad_record',
    `"${name}" has something that is no image: ${JSON.stringify(value).slice(0, 60)}`,
  )
}
