/** Images that rows name by their paths, for the page. */
import { imageIn } from '../../chat/image.ts'
import { ImageFolders } from '../../chat/image_folders.ts'
import { isConversation, messagesOf } from '../../chat/message.ts'
import { Spool } from '../../files/spool.ts'
import { isObject, type Json, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'

/** Bytes of the largest image in a page. */
const LARGEST = 200_000

const IMAGE_NAME = /^[^\n]{1,1000}\.(?:png|jpe?g|gif|webp)$/i

export class PageImages {
  /** By path: the number of the piece in the spool; -1 for one that is not in the page. */
  private readonly numbers = new Map<string, number>()
  /** Data URLs. */
  readonly spool = new Spool()
  private readonly folders: ImageFolders
  private readonly note: Context['note']

  /** @throws Fatal (configuration) for a folder that is not there */
  constructor(folders: readonly string[], note: Context['note']) {
    this.folders = new ImageFolders(folders, { largest: LARGEST })
    this.note = note
  }

  /** Adds the images that these fields of a row name. */
  add(row: Row, fields: readonly string[]): void {
    for (const source of fields.flatMap((field) => sourcesIn(row.field(field)))) {
      if (this.numbers.has(source) || /^data:/i.test(source)) continue
      try {
        this.spool.add(this.folders.dataUrl(source))
        this.numbers.set(source, this.spool.pieces - 1)
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        this.numbers.set(source, -1)
        this.note(`${error.message}: only its name is shown`, {
          ...{ file: row.file, line: row.line, kind: 'image' },
        })
      }
    }
  }

  /** By path: the number of an image in the page. */
  get places(): Record<string, number> {
    return Object.fromEntries([...this.numbers].filter(([, number]) => number >= 0))
  }
}

/** The sources of images in a value: a conversation, a part of a message, a path, or a list of these. */
function sourcesIn(value: Json | undefined): string[] {
  if (isConversation(value))
    return messagesOf(value).flatMap(({ media }) => media.flatMap(({ source }) => source ?? []))
  return (Array.isArray(value) ? value : [value]).flatMap((one) =>
    typeof one === 'string' ? (IMAGE_NAME.test(one) ? [one] : []) : isObject(one) ? (imageIn(one) ?? []) : [],
  )
}
