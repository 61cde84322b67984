/**
 * Zip archives of JSON: stored, deflate and zstd members (PKWARE's APPNOTE 6.3.10, sections 4.3 to 4.5), as inspect_ai and
 * Python's zipfile write them.
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Entry, ZipFile } from 'yauzl'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'

/** Bytes of the largest member that is read. */
export const LARGEST_MEMBER = 500e6

/** How many times its own bytes an archive may have unpacked, if that is more than {@link LARGEST_MEMBER}. */
const MOST_TIMES = 100

/** A source as a file on the disk; what comes from a pipe is copied first. */
export async function onDisk(source: Source): Promise<{ path: string; source: Source; remove(): void }> {
  const { path, name } = source
  if (path !== undefined && statSync(path).isFile()) return { path, source, remove() {} }
  const folder = mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'jb-'))
  const copy = join(folder, 'input')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await pipeline(source.open(), createWriteStream(copy, { mode: 0o600 }))
  } catch (error) {
    remove()
    throw error
  }
  const { createReadStream } = process.getBuiltinModule('node:fs')
  return { path: copy, source: { name, path: copy, open: () => createReadStream(copy) }, remove }
}

/** An archive that is open for reading; close it when done. */
export class Zip {
  /** By name: of several with one name the last counts. */
  readonly members = new Map<string, Entry>()
  private readonly file: ZipFile

  private constructor(file: ZipFile) {
    this.file = file
  }

  /** @param name of the archive, for messages @throws Fatal (data) if it is no whole archive */
  static async open(path: string, name: string): Promise<Zip> {
    const { openPromise } = await import('yauzl')
    let zip: Zip | undefined
    try {
      // Names and sizes are checked where a member is read, so that a bad one is one bad row.
      const settings = { autoClose: false, decodeStrings: false, validateEntrySizes: false }
      zip = new Zip(await openPromise(path, settings))
      const all: Entry[] = []
      for await (const member of zip.file.eachEntry()) {
        all.push(member)
        zip.members.set(member.fileNameRaw.toString(), member)
      }
      checkSizes(all, statSync(path).size, name)
      return zip
    } catch (error) {
      zip?.close()
      if (error instanceof Fatal || (error as NodeJS.ErrnoException).syscall) throw error
      const words = `${name}: not a whole zip archive: its list of members is missing or damaged`
      throw new Fatal(EXIT.data, words, { cause: error })
    }
  }

  close(): void {
    this.file.close()
  }

  /** The bytes of a member. @throws RangeError with the reason, for one that is damaged, too long or packed otherwise */
  async read(member: Entry): Promise<Buffer> {
    const { compressionMethod: method, uncompressedSize: size } = member
    if (member.isEncrypted()) throw new RangeError('it is encrypted')
    if (size > LARGEST_MEMBER)
      throw new RangeError(`it has ${Math.round(size / 1e6)} MB, more than ${LARGEST_MEMBER / 1e6}`)
    const bytes = await this.packed(member).then((data) => unpacked(data, method, size))
    if (bytes.length !== size) throw new RangeError(`it has ${bytes.length} bytes, not the ${size} stated`)
    const { crc32 } = process.getBuiltinModule('node:zlib')
    if (crc32(bytes) !== member.crc32) throw new RangeError('its checksum is wrong')
    return bytes
  }

  /** @throws RangeError */
  private async packed(member: Entry): Promise<Buffer> {
    try {
      return await buffer(await this.file.openReadStreamPromise(member, { decodeFileData: false }))
    } catch (error) {
      throw new RangeError(`it cannot be read: ${(error as Error).message}`)
    }
  }
}

/** Bytes of a member's header besides its name and more. */
const HEADER = 30

/**
 * Refuses an archive that is made to fill a disk or the time of who reads it, before any of it is unpacked.
 * @param bytes of the archive @throws Fatal (data)
 */
function checkSizes(members: readonly Entry[], bytes: number, name: string): void {
  const placed = [...members].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  let end = 0
  for (const member of placed) {
    const { relativeOffsetOfLocalHeader: begin, compressedSize, fileNameRaw } = member
    if (begin < end)
      throw new Fatal(
        EXIT.data,
        `${name}: members overlap, as in no archive that a program writes: ${fileNameRaw}`,
      )
    end = begin + HEADER + fileNameRaw.length + compressedSize
  }
  // One that is too large by itself is a bad row.
  const total = members.reduce(
    (sum, { uncompressedSize: size }) => sum + (size > LARGEST_MEMBER ? 0 : size),
    0,
  )
  if (total > Math.max(LARGEST_MEMBER, MOST_TIMES * bytes))
    throw new Fatal(
      EXIT.data,
      `${name}: unpacked it would have ${Math.round(total / 1e6)} MB, more than ${LARGEST_MEMBER / 1e6} MB and ${MOST_TIMES} times its own size: unpack it yourself if that is right, and read the JSON files`,
    )
}

/** @throws RangeError */
async function unpacked(data: Buffer, method: number, size: number): Promise<Buffer> {
  const zlib = process.getBuiltinModule('node:zlib') as typeof import('node:zlib') & {
    // Of Node 22.15 and later.
    zstdDecompressSync?(data: Buffer, options: { maxOutputLength: number }): Buffer
  }
  const maxOutputLength = Math.max(1, size)
  try {
    if (method === 0) return data
    if (method === 8) return zlib.inflateRawSync(data, { maxOutputLength })
    if (method === 93 && zlib.zstdDecompressSync) return zlib.zstdDecompressSync(data, { maxOutputLength })
    if (method === 93) {
      const { decompressZstd } = await import('hyparquet-compressors')
      return Buffer.from(decompressZstd(data, new Uint8Array(size)))
    }
  } catch (error) {
    throw new RangeError(`it cannot be unpacked: ${(error as Error).message}`)
  }
  throw new RangeError(`its compression (method ${method}) is not read here`)
}
