/**
 * Stores replies in an append-only NDJSON file, with an index in memory.
 *
 * ```json
 * {"key":"9f86d081884c7d659a2feaa0c55ad015","model":"gpt-4o","endpoint":"https://api.openai.com/v1/chat/completions","reply":{…},"sum":"cbf43926"}
 * ```
 * Several processes can append to one file: each write is one call with O_APPEND, so lines are never interleaved. If a key
 * is not found, the lines of the others are read. An incomplete line of a killed process is ended with a newline by the next
 * writer and ignored. `sum` is the CRC-32 of the bytes before it; damaged lines are ignored. What
 * jb-read makes of another program's cache has no sum.
 */
import { accessSync, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../../files/folder.ts'
import { foreignObject } from '../../../rows/foreign_json.ts'
import type { Reply } from '../../../rows/record.ts'
import { writeWhole } from '../../../rows/writer.ts'
import { lineBytesAt, scanLines } from './line_file.ts'

/** Identifies a reply in a journal. */
export interface ReplyIdentity {
  /** 32 hex digits: the request and its sample number. */
  key: string
  model: string
  /** The URL without secrets. */
  endpoint: string
}

interface StoredReply extends ReplyIdentity {
  reply: Reply
  sum?: string
}

type Wanted = Pick<ReplyIdentity, 'key'> & Partial<ReplyIdentity>

interface Pending {
  key: string
  /** The line without its sum. */
  line: Buffer
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
  /** Undefined while there is no file. */
  private file: number | undefined
  /** The offsets of lines by 32 bits of their key: a number takes a third of the memory of the whole key. */
  private readonly offsets = new Map<number, number | number[]>()
  /** Replies in the part of the file that was read. */
  size = 0
  /** The beginning of the first line that is not indexed. */
  private read = 0
  /** The file ends with an incomplete line: a writer was killed, or is still writing. */
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

  /** Opens a journal and creates a missing file. @throws the system's error; if the file holds something else */
  static open(path: string): Journal {
    makeFolder(dirname(path), 0o700)
    const file = openOwn(path, APPEND)
    const journal = new Journal(path, file)
    // Without a complete reply, the file is empty or begins with one.
    if (journal.size > 0 || fstatSync(file).size === 0 || lineBytesAt(file, 0).indexOf(PREFIX) === 0)
      return journal
    journal.close()
    throw new Error(`${path} holds something else: replies are kept in a file of their own`)
  }

  /** Opens a journal; a missing file is created with the first reply. @throws the system's error */
  static openLazily(path: string): Journal {
    if (lstatSync(path, { throwIfNoEntry: false })) return Journal.open(path)
    const folder = dirname(path)
    makeFolder(folder, 0o700)
    // Fails now, not after the first call was paid for.
    accessSync(folder, constants.W_OK)
    return new Journal(path)
  }

  /** Opens a journal for reading. @throws the system's error */
  static openToRead(path: string): Journal {
    // Without O_NONBLOCK, opening a pipe would block; the constructor refuses it.
    const journal = new Journal(path, openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
    // The last line may lack only its newline.
    if (journal.torn) journal.index(journal.read, undefined)
    return journal
  }

  /** Lines with a wrong checksum that were read. */
  damaged = 0

  /** Ignores all replies in the file so far. */
  forget(): void {
    this.offsets.clear()
    this.size = 0
  }

  /** The last reply with this key, and with this model and endpoint if given. */
  get(wanted: Wanted): Reply | undefined {
    return this.find(wanted)?.reply
  }

  /** The last such reply with its identity. */
  find(wanted: Wanted): StoredReply | undefined {
    return this.look(wanted) ?? (this.refresh() ? this.look(wanted) : undefined)
  }

  /** Appends a reply; resolves when it is in the file. @throws the system's error */
  put({ key, model, endpoint }: ReplyIdentity, reply: Reply): Promise<void> {
    const line = Buffer.from(JSON.stringify({ key, model, endpoint, reply }).slice(0, -1))
    const length = line.length + SUM_LENGTH + 1
    return new Promise((onWritten, onFailed) => {
      // Replies of one turn of the event loop are written together.
      if (this.pending.length === 0) setImmediate(() => this.append())
      this.pending.push({ key, line, length, onWritten, onFailed })
    })
  }

  /** Closes the file, which is opened again when it is needed. */
  close(): void {
    this.append()
    if (this.file !== undefined) closeSync(this.file)
    this.file = undefined
  }

  private append(): void {
    const pending = this.pending.splice(0)
    if (pending.length === 0) return
    try {
      this.file ??= openOwn(this.path, APPEND)
      this.refresh()
      const { file } = this
      const bytes = textOf(pending, this.torn ? '\n' : '')
      const begin = fstatSync(file).size
      writeWhole(file, bytes)
      if (begin === this.read && fstatSync(file).size === begin + bytes.length) this.indexOwn(pending)
      // Another process wrote at the same time: read the offsets from the file.
      else this.refresh()
      for (const { onWritten } of pending) onWritten()
    } catch (error) {
      for (const { onFailed } of pending) onFailed(error)
    }
  }

  /** Indexes the lines that were just written at `read`. */
  private indexOwn(pending: Pending[]): void {
    for (const { key, length } of pending) {
      this.add(hashOf(key)!, this.read)
      this.read += length
    }
  }

  /** Indexes lines appended since the last time. @returns whether there are any */
  private refresh(): boolean {
    if (this.file === undefined) {
      if (!lstatSync(this.path, { throwIfNoEntry: false })) return false
      this.file = openOwn(this.path, APPEND)
    }
    const { file } = this
    const { size } = fstatSync(file)
    if (size < this.read) {
      // Another process truncated the file.
      this.forget()
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
    const key = own ? line.toString('latin1', PREFIX.length, PREFIX.length + KEY) : this.lineAt(offset)?.key
    const hash = key === undefined ? undefined : hashOf(key)
    if (hash !== undefined) this.add(hash, offset)
  }

  private add(hash: number, offset: number): void {
    const before = this.offsets.get(hash)
    this.offsets.set(hash, before === undefined ? offset : [offset].concat(before))
    this.size++
  }

  private look({ key, model, endpoint }: Wanted): StoredReply | undefined {
    const hash = hashOf(key)
    if (hash === undefined) return undefined
    for (const offset of [this.offsets.get(hash) ?? []].flat()) {
      const line = this.lineAt(offset)
      if (line?.key !== key) continue
      if (model !== undefined && line.model !== model) continue
      if (endpoint !== undefined && line.endpoint !== endpoint) continue
      return line
    }
    return undefined
  }

  private lineAt(offset: number): StoredReply | undefined {
    this.file ??= openOwn(this.path, APPEND)
    const bytes = lineBytesAt(this.file, offset)
    const line = parseLine(bytes.toString())
    if (!line || isSound(bytes, line)) return line
    this.damaged++
    return undefined
  }
}

function textOf(pending: Pending[], lead: string): Buffer {
  const lines = pending.flatMap(({ line }) => [line, Buffer.from(`${sumText(line)}\n`)])
  return Buffer.concat([Buffer.from(lead), ...lines])
}

/** The end of a line with the checksum of the bytes before it. */
const sumText = (bytes: Buffer): string =>
  `,"sum":"${process.getBuiltinModule('node:zlib').crc32(bytes).toString(16).padStart(8, '0')}"}`
const SUM_LENGTH = ',"sum":"01234567"}'.length

/** The members of a line without sum. */
const UNSUMMED = 'key,model,endpoint,reply'

function isSound(bytes: Buffer, line: StoredReply): boolean {
  if (Object.keys(line).join() === UNSUMMED) return true
  const end = bytes.length - SUM_LENGTH
  if (end > 0 && sumText(bytes.subarray(0, end)) === bytes.toString('latin1', end)) return true
  // If jq or another program rewrote the line, the sum is that of the original bytes.
  const { key, model, endpoint, reply } = line
  const first = Buffer.from(JSON.stringify({ key, model, endpoint, reply }).slice(0, -1))
  return sumText(first) === `,"sum":${JSON.stringify(line.sum)}}`
}

/** Opens or creates a file for writing. Refuses symbolic links, which another user may have made. */
function openOwn(path: string, flags: number): number {
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
  const line = foreignObject(text) as Partial<StoredReply> | undefined
  return typeof line?.key === 'string' && typeof line.reply?.text === 'string'
    ? (line as StoredReply)
    : undefined
}

/** 32 bits of a key; undefined where it is not valid. */
function hashOf(key: string): number | undefined {
  return /^[0-9a-f]{8}/.test(key) ? Number.parseInt(key.slice(0, 8), 16) | 0 : undefined
}
