/**
 * Zip archives of JSON: stored, deflate and zstd members (PKWARE's APPNOTE 6.3.10, sections 4.3 to 4.5), as inspect_ai and
 * Python's zipfile write them.
 */
import {
  closeSync,
  createWriteStream,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'

/** Bytes of the largest member that is read. */
export const LARGEST_MEMBER = 500e6

export interface Member {
  name: string
  method: number
  /** Bit 0: encrypted. */
  flags: number
  crc: number
  packed: number
  size: number
  /** Of its own header. */
  at: number
}

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
  readonly members: ReadonlyMap<string, Member>
  private readonly file: number
  private readonly size: number

  /** @param name of the archive, for messages @throws Fatal (data) if it is no whole archive */
  constructor(path: string, name: string) {
    this.file = openSync(path, 'r')
    this.size = fstatSync(this.file).size
    try {
      this.members = this.directory()
    } catch (error) {
      this.close()
      if (!(error instanceof RangeError)) throw error
      throw new Fatal(
        EXIT.data,
        `${name}: not a whole zip archive: its list of members is missing or damaged`,
      )
    }
  }

  close(): void {
    closeSync(this.file)
  }

  /** @throws RangeError if the file has fewer bytes */
  private bytes(at: number, length: number): Buffer {
    if (at < 0 || length < 0 || at + length > this.size) throw new RangeError('it ends before that')
    const bytes = Buffer.allocUnsafe(length)
    for (let done = 0; done < length; ) {
      const read = readSync(this.file, bytes, done, length - done, at + done)
      if (read === 0) throw new RangeError('it ends before that')
      done += read
    }
    return bytes
  }

  /** The central directory, whose place is at the end of the file. @throws RangeError */
  private directory(): Map<string, Member> {
    const tail = this.bytes(Math.max(0, this.size - 65_557), Math.min(this.size, 65_557))
    const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
    if (end < 0) throw new RangeError('no end of the directory')
    let [count, length, at] = [
      tail.readUInt16LE(end + 10),
      tail.readUInt32LE(end + 12),
      tail.readUInt32LE(end + 16),
    ]
    if (end >= 20 && tail.toString('latin1', end - 20, end - 16) === 'PK\x06\x07') {
      const wide = this.bytes(Number(tail.readBigUInt64LE(end - 12)), 56)
      ;[count, length, at] = [32, 40, 48].map((place) => Number(wide.readBigUInt64LE(place))) as [
        number,
        number,
        number,
      ]
    }
    const bytes = this.bytes(at, length)
    const members = new Map<string, Member>()
    for (let i = 0, from = 0; i < count; i++) {
      if (bytes.readUInt32LE(from) !== 0x02014b50) throw new RangeError('not a member')
      const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(from + place)) as [
        number,
        number,
        number,
      ]
      const member = memberAt(bytes.subarray(from, from + 46 + name + extra), name)
      members.set(member.name, member)
      from += 46 + name + extra + comment
    }
    return members
  }

  /** The bytes of a member. @throws RangeError with the reason, for one that is damaged, too long or packed otherwise */
  async read(member: Member): Promise<Buffer> {
    const { method, flags, packed, size, at } = member
    if (flags & 1) throw new RangeError('it is encrypted')
    if (size > LARGEST_MEMBER)
      throw new RangeError(`it has ${Math.round(size / 1e6)} MB, more than ${LARGEST_MEMBER / 1e6}`)
    const head = this.bytes(at, 30)
    if (head.readUInt32LE(0) !== 0x04034b50) throw new RangeError('its header is damaged')
    const data = this.bytes(at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28), packed)
    const bytes = await unpacked(data, method, size)
    if (bytes.length !== size) throw new RangeError(`it has ${bytes.length} bytes, not the ${size} stated`)
    const { crc32 } = process.getBuiltinModule('node:zlib')
    if (crc32(bytes) !== member.crc) throw new RangeError('its checksum is wrong')
    return bytes
  }
}

function memberAt(entry: Buffer, nameLength: number): Member {
  const member: Member = {
    name: entry.toString('utf8', 46, 46 + nameLength),
    method: entry.readUInt16LE(10),
    flags: entry.readUInt16LE(8),
    crc: entry.readUInt32LE(16),
    packed: entry.readUInt32LE(20),
    size: entry.readUInt32LE(24),
    at: entry.readUInt32LE(42),
  }
  // Zip64: what does not fit is in an extra field, in this order.
  const wide = (['size', 'packed', 'at'] as const).filter((key) => member[key] === 0xffffffff)
  for (let from = 46 + nameLength; wide.length > 0 && from + 4 <= entry.length; ) {
    const [id, length] = [entry.readUInt16LE(from), entry.readUInt16LE(from + 2)]
    if (id === 1)
      for (const [i, key] of wide.splice(0).entries())
        member[key] = Number(entry.readBigUInt64LE(from + 4 + i * 8))
    from += 4 + length
  }
  return member
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
