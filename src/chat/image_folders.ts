/** Images that rows name by a path: read only below the folders of --media, so that no row chooses what is read here. */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configError, RowFailure } from '../rows/record.ts'
import { imageType, sizeWords } from './image.ts'

export class ImageFolders {
  /** Real paths of the folders. */
  private readonly folders: string[]

  private readonly largest: number

  /**
   * @param largest bytes of a file @param hint what else the option may be
   * @throws Fatal (configuration) for a folder that is not there
   */
  constructor(given: readonly string[], { largest = 20e6, hint = '' } = {}) {
    this.largest = largest
    this.folders = given.map((folder) => {
      try {
        return realpathSync(folder)
      } catch {
        throw configError(`--media ${folder}: no such folder${hint}`)
      }
    })
  }

  /** An image as a data URL. @throws RowFailure bad_request */
  dataUrl(source: string): string {
    if (this.folders.length === 0)
      throw refusedImage(source, 'is a file: --media DIR names the folder of images')
    const bytes = this.bytes(source)
    const mime = imageType(bytes)
    if (mime === undefined) throw refusedImage(source, 'is no PNG, JPEG, GIF or WebP')
    return `data:${mime};base64,${bytes.toString('base64')}`
  }

  private bytes(source: string): Buffer {
    let file: number | undefined
    try {
      const path = /^file:/i.test(source) ? fileURLToPath(source) : source
      const real = this.folders
        .map((folder) => ({ folder, path: realOf(isAbsolute(path) ? path : resolve(folder, path)) }))
        .find((one) => one.path?.startsWith(one.folder.replace(/[/\\]$/, '') + sep))?.path
      if (real === undefined) throw refusedImage(source, 'is no file below a folder of --media')
      // What was a file may be a link or a pipe by now.
      file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
      const about = fstatSync(file)
      if (!about.isFile()) throw refusedImage(source, 'is no plain file')
      if (about.size > this.largest) throw refusedImage(source, `has more than ${sizeWords(this.largest)}`)
      return readFileSync(file)
    } catch (error) {
      if (error instanceof RowFailure) throw error
      throw refusedImage(source, `cannot be read: ${(error as Error).message}`)
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

export const refusedImage = (source: string, why: string) =>
  new RowFailure('bad_request', `the image ${JSON.stringify(source.slice(0, 100))} ${why}`)
