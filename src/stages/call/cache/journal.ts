/**
 * Replies that were paid for: an append-only file of NDJSON lines with an index in memory.
 *
 * ```json
 * {"key":"9f86d081884c7d659a2feaa0c55ad015","model":"gpt-4o","endpoint":"https://api.openai.com/v1/chat/completions","reply":{…},"sum":"cbf43926"}
 * ```
 * Several processes append to one file: each write is one call with O_APPEND, so lines never mix, and what
 * the others wrote is read in when a key is not found. A line that a killed process left half written is
 * closed with a newline by the next writer and never read. `sum` is the CRC-32 of what stands before it: a damaged
 * line is not read either. Lines of earlier versions have none.
 */
import { accessSync, closeSync, constants, fstatSync, lstatSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../../files/folder.ts'
import { ascii, encode, type Latin1 } from '../../../rows/bytes.ts'
import type { Reply } from '../../../rows/record.ts'
import { replyPieces } from '../written_reply.ts'
import { lineBytesAt, scanLines } from './line_file.ts'
import { OffsetIndex } from './offset_index.ts'

/** Identifies a reply in a journal. */
export interface ReplyIdentity {
  /** 32 hex digits: the request and its sample number. */
  key: string
  model: string
  /** The URL without secrets. */
  endpoint: string
}

export interface StoredReply extends ReplyIdentity {
  reply: Reply
  sum?: string
}

type Wanted = Pick<ReplyIdentity, 'key'> & Partial<ReplyIdentity>

/** A reply to be written. */
interface Pending {
  key: string
  /** The line, one character a byte. */
  pieces: Latin1[]
  /** Bytes of the line with its sum and newline. */
  length: number
  onWritten: () => void
  onFailed: (error: unknown) => void
}

const PREFIX = Buffer.from('{"key":"')
const KEY = 32
const APPEND = constants.O_RDWR | constants.O_APPEND

export class Journal {
  readonly path: string
  /** Undefined until the first reply is written, here or by another process, where there was no file. */
  private file: number | undefined
  private offsets = new OffsetIndex()
  /** Everything before this has been indexed. It is the beginning of a line. */
  private read = 0
  /** The file has bytes after `read` without a line end: a writer was killed, or is writing just now. */
  private torn = false
  private pending: Pending[] = []

  private constructor(path: string, file?: number) {
    this.path = path
    this.file = file
    if (file === undefined) return
    const status = fstatSync(file)
    if (status.isFIFO() || status.isDirectory()) {
      closeSync(file)
      throw new Error(`${path} is a ${status.isFIFO() ? 'pipe' : 'folder'}: replies are kept in a file`)
    }
    this.refresh()
  }

  /** Opens a journal and creates a missing file at once. @throws the system's error */
  static open(path: string): Journal {
    makeFolder(dirname(path), 0o700)
    return new Journal(path, openOwn(path, APPEND))
  }

  /** Opens a journal; a missing file is created with the first reply. @throws the system's error */
  static openLazily(path: string): Journal {
    if (lstatSync(path, { throwIfNoEntry: false })) return Journal.open(path)
    const folder = dirname(path)
    makeFolder(folder, 0o700)
    // A folder without write permission is an error before the first call is paid for.
    accessSync(folder, constants.W_OK)
    return new Journal(path)
  }

  /** Opens one to be read only. @throws the system's error */
  static openToRead(path: string): Journal {
    // A pipe is not waited for: it is refused.
    const journal = new Journal(path, openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
    // No writer will end the last line here: it counts if it is complete.
    if (journal.torn) journal.index(journal.read, undefined)
    return journal
  }

  /** Lines found whose checksum does not match. */
  damaged = 0

  /** Replies in the file, as far as it has been read. */
  get size(): number {
    return this.offsets.size
  }

  /** Ignores all replies in the file so far. */
  forget(): void {
    this.offsets = new OffsetIndex()
  }

  /** The last reply with this key, and with this model and endpoint if given. */
  get(wanted: Wanted): Reply | undefined {
    return this.find(wanted)?.reply
  }

  /** The same with its identity. */
  find(wanted: Wanted): StoredReply | undefined {
    return this.look(wanted) ?? (this.refresh() ? this.look(wanted) : undefined)
  }

  /** Appends a reply; resolves when it is in the file. @throws the system's error */
  put({ key, model, endpoint }: ReplyIdentity, reply: Reply): Promise<void> {
    const head = encode(JSON.stringify({ key, model, endpoint })).slice(0, -1) as Latin1
    const pieces = [head, ascii(',"reply":'), ...replyPieces(reply)]
    let length = SUM_LENGTH + 1
    for (const piece of pieces) length += piece.length
    return new Promise((onWritten, onFailed) => {
      // Replies that arrive in one turn of the event loop are written together.
      if (this.pending.length === 0) setImmediate(() => this.append())
      this.pending.push({ key, pieces, length, onWritten, onFailed })
    })
  }

  close(): void {
    this.append()
    if (this.file !== undefined) closeSync(this.file)
  }

  private append(): void {
    const pending = this.pending.splice(0)
    if (pending.length === 0) return
    try {
      this.file ??= openOwn(this.path, APPEND)
      this.refresh()
      const { file } = this
      const bytes = textOf(pending, ascii(this.torn ? '\n' : ''))
      const begin = fstatSync(file).size
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
      if (begin === this.read && fstatSync(file).size === begin + bytes.length) this.indexOwn(pending)
      // Another process wrote at the same time: the file is read to see where the lines are.
      else this.refresh()
      for (const { onWritten } of pending) onWritten()
    } catch (error) {
      for (const { onFailed } of pending) onFailed(error)
    }
  }

  /** Indexes lines that were just written at `read`, without reading them back. */
  private indexOwn(pending: Pending[]): void {
    for (const { key, length } of pending) {
      this.offsets.add(hashOf(key)!, this.read)
      this.read += length
    }
  }

  /** Indexes what this or another process appended since the last time; false if there is nothing new. */
  private refresh(): boolean {
    if (this.file === undefined) {
      if (!lstatSync(this.path, { throwIfNoEntry: false })) return false
      this.file = openOwn(this.path, APPEND)
    }
    const { file } = this
    const { size } = fstatSync(file)
    if (size < this.read) {
      // Another process has emptied the file.
      this.offsets = new OffsetIndex()
      this.read = 0
    }
    const before = this.read
    if (size > before) this.read = scanLines(file, before, size, (offset, line) => this.index(offset, line))
    this.torn = this.read < size
    return this.read > before
  }

  private index(offset: number, line: Buffer | undefined): void {
    const own =
      line &&
      line.length > PREFIX.length + KEY &&
      line.compare(PREFIX, 0, PREFIX.length, 0, PREFIX.length) === 0
    // A line that begins otherwise is parsed.
    const key = own ? line.latin1Slice(PREFIX.length, PREFIX.length + KEY) : this.lineAt(offset)?.key
    const hash = key === undefined ? undefined : hashOf(key)
    if (hash !== undefined) this.offsets.add(hash, offset)
  }

  private look({ key, model, endpoint }: Wanted): StoredReply | undefined {
    const hash = hashOf(key)
    if (hash === undefined) return undefined
    for (const offset of this.offsets.find(hash)) {
      const line = this.lineAt(offset)
      if (line?.key !== key) continue
      if (model !== undefined && line.model !== model) continue
      if (endpoint !== undefined && line.endpoint !== endpoint) continue
      return line
    }
    return undefined
  }

  private lineAt(offset: number): StoredReply | undefined {
    const bytes = lineBytesAt(this.file!, offset)
    const line = parseLine(bytes.toString())
    if (!line || isSound(bytes, line)) return line
    this.damaged++
    return undefined
  }
}

function textOf(pending: Pending[], lead: Latin1): Buffer {
  let length = lead.length
  for (const line of pending) length += line.length
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = bytes.latin1Write(lead, 0)
  for (const { pieces } of pending) {
    const begin = at
    for (const piece of pieces) at += bytes.latin1Write(piece, at)
    at += bytes.latin1Write(ascii(`${sumText(bytes.subarray(begin, at))}\n`), at)
  }
  return bytes
}

/** The end of a line: the checksum of its bytes before this. */
const sumText = (bytes: Buffer): string =>
  `,"sum":"${process.getBuiltinModule('node:zlib').crc32(bytes).toString(16).padStart(8, '0')}"}`
const SUM_LENGTH = ',"sum":"01234567"}'.length

/** Members of a line without a sum, which earlier versions wrote. */
const UNSUMMED = 'key,model,endpoint,reply'

function isSound(bytes: Buffer, line: StoredReply): boolean {
  if (Object.keys(line).join() === UNSUMMED) return true
  const end = bytes.length - SUM_LENGTH
  if (end > 0 && sumText(bytes.subarray(0, end)) === bytes.latin1Slice(end, bytes.length)) return true
  // jq and others write the same values in their own way: the sum is that of the line as it was first written.
  const { key, model, endpoint, reply } = line
  const first = Buffer.from(JSON.stringify({ key, model, endpoint, reply }).slice(0, -1))
  return sumText(first) === `,"sum":${JSON.stringify(line.sum)}}`
}

/** Opens a file for writing, and creates a missing one. Refuses symbolic links, which may be another user's. */
export function openOwn(path: string, flags: number): number {
  try {
    return openSync(path, flags | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EISDIR')
      throw new Error(`${path} is a folder: replies are kept in a file`, { cause: error })
    if (code === 'ELOOP')
      throw new Error(`${path} is a symbolic link: name the file itself`, { cause: error })
    throw error
  }
}

function parseLine(text: string): StoredReply | undefined {
  try {
    const line = JSON.parse(text)
    return typeof line?.key === 'string' && typeof line.reply?.text === 'string' ? line : undefined
  } catch {
    return undefined
  }
}

/** 32 bits of a key; undefined where it is not valid. */
function hashOf(key: string): number | undefined {
  return /^[0-9a-f]{8}/.test(key) ? Number.parseInt(key.slice(0, 8), 16) : undefined
}
