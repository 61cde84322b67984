/** The cache of replies: one journal a model, or the file of `--cache`; none with `--no-cache`. */
import { existsSync, statSync } from 'node:fs'
import type { Env } from '../../../providers/_access.ts'
import { EXIT, Fatal, type Reply } from '../../../rows/record.ts'
import { type CallRequest, isWhole } from '../call_request.ts'
import type { CallOptions } from '../options.ts'
import { cacheFile, cacheFolder } from './cache_files.ts'
import { Journal, type ReplyIdentity } from './journal.ts'

/** Journals that are open at a time: rows may name thousands of models. */
const MOST_OPEN = 64

export class StoredReplies {
  private readonly options: CallOptions
  private readonly folder: string
  private readonly note: (message: string) => void
  private readonly readOnly: boolean
  private readonly journals = new Map<string, Journal | undefined>()
  /** The journals whose files may be open, the one that was used last at the end. */
  private readonly recent = new Set<Journal>()
  private readonly damaged = new Set<Journal>()
  /** Read-only journals, from further --cache options. */
  private readonly others: Journal[] = []

  /** A read-only cache, which creates no file. */
  static toRead(options: CallOptions, env: Env, note: (message: string) => void): StoredReplies {
    return new StoredReplies(options, env, note, true)
  }

  constructor(options: CallOptions, env: Env, note: (message: string) => void, readOnly = false) {
    this.options = options
    this.folder = cacheFolder(env)
    this.note = note
    this.readOnly = readOnly
    // Only the first file is written.
    const [cache, ...others] = options.cache
    if (cache === undefined || options.noCache) return
    if (!options.refresh)
      this.others = others.map((file) => opened(() => Journal.openToRead(file), EXIT.noInput, '--cache'))
    this.journals.set(
      '',
      opened(() => this.open(cache), EXIT.io, '--cache'),
    )
  }

  /** The cache's file or folder, for messages; undefined without a cache. */
  get location(): string | undefined {
    return this.options.noCache ? undefined : (this.options.cache[0] ?? this.folder)
  }

  /** Whether replies of this model are cached. */
  keeps(model: string): boolean {
    return this.journal(model) !== undefined
  }

  /** A reply that needs no call: the row's own reply to this request, else the cached one. */
  find(request: CallRequest): { reply: Reply; source: 'row' | 'cache' } | undefined {
    const inRow = this.options.refresh ? undefined : request.replyInRow
    if (inRow) return { reply: inRow, source: 'row' }
    const cached = this.get(request)
    return cached && { reply: cached, source: 'cache' }
  }

  /** The reply in the cache. */
  get(request: CallRequest): Reply | undefined {
    const own = this.journal(request.endpoint.model)
    // The keys are expensive: they are only computed if there is a journal.
    for (const journal of own ? [own, ...this.others] : this.others) {
      const reply = wholeReply(journal, request, journal !== own)
      if (journal.damaged > 0) this.reportDamage(journal)
      if (reply) return reply
    }
    return undefined
  }

  /** Resolves when the reply is in the file, or cannot be written, which is reported. */
  async put(identity: ReplyIdentity, reply: Reply): Promise<void> {
    const journal = this.journal(identity.model)
    try {
      await journal?.put(identity, reply)
    } catch (error) {
      this.note(
        `the cache ${journal!.path} cannot be written (${(error as Error).message}): going on without it`,
      )
    }
  }

  close(): void {
    for (const journal of this.journals.values()) journal?.close()
    for (const other of this.others) other.close()
  }

  private reportDamage(journal: Journal): void {
    if (this.damaged.has(journal)) return
    this.damaged.add(journal)
    this.note(
      `${journal.path}: a line is damaged (its checksum does not match): its reply is called for again`,
    )
  }

  private open(path: string): Journal | undefined {
    if (this.readOnly && !existsSync(path)) return undefined
    const journal = this.readOnly ? Journal.openToRead(path) : Journal.openLazily(path)
    // With --refresh each request is sent again, but only once.
    if (this.options.refresh) journal.forget()
    return journal
  }

  private journal(model: string): Journal | undefined {
    const { noCache, cache } = this.options
    if (noCache) return undefined
    const name = cache.length > 0 ? '' : model
    if (this.journals.has(name)) return this.used(this.journals.get(name))
    let found: Journal | undefined
    try {
      checkOwn(this.folder)
      found = this.open(cacheFile(this.folder, model))
    } catch (error) {
      const words = `no cache: ${(error as Error).message} (--cache FILE names another place, --no-cache does without)`
      throw new Fatal(EXIT.io, words, { cause: error })
    }
    this.journals.set(name, found)
    return this.used(found)
  }

  /** The same journal; the one that was not used for longest is closed until it is. */
  private used(journal: Journal | undefined): Journal | undefined {
    if (!journal) return undefined
    const [oldest] = this.recent
    if (this.recent.size === MOST_OPEN && !this.recent.has(journal)) {
      oldest!.close()
      this.recent.delete(oldest!)
    }
    this.recent.delete(journal)
    this.recent.add(journal)
    return journal
  }
}

/** Replies that another user may have written are not believed. @throws Error */
function checkOwn(folder: string): void {
  const about = statSync(folder, { throwIfNoEntry: false })
  const user = process.getuid?.()
  if (!about || user === undefined) return
  if (about.uid !== user) throw new Error(`${folder} belongs to another user`)
  if ((about.mode & 0o022) !== 0) throw new Error(`others can write to ${folder} (chmod go-w)`)
}

/** A journal's reply to a request that counts as an answer. @param imported whether the journal may be of another program */
function wholeReply(journal: Journal, request: CallRequest, imported: boolean): Reply | undefined {
  const { model, nowhere } = request.endpoint
  const get = (identity: ReplyIdentity) => {
    const reply = journal.get(nowhere ? { key: identity.key, model } : identity)
    return reply && isWhole(reply) ? reply : undefined
  }
  return get(request.identity) ?? (imported ? get(request.importedIdentity) : undefined)
}

/** @throws Fatal that names the option */
export function opened<T>(open: () => T, exitCode: number, option: string): T {
  try {
    return open()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const words =
      code === 'ENOENT' ? message.replace(/^ENOENT: no such file or directory, \w+/, 'no file') : message
    throw new Fatal(exitCode, `${option}: ${words}`, { cause: error })
  }
}
