/** The journals replies are kept in: one a model, or the one the user names; none with `--no-cache`. */
import { EXIT, Fatal, type Reply } from '../../../rows/record.ts'
import type { CallRequest } from '../call_request.ts'
import { cacheFile, cacheFolder } from './cache_files.ts'
import { Claims } from './claims.ts'
import { Journal, type ReplyIdentity } from './journal.ts'

export interface CacheOptions {
  /** The file that is written; others are read. */
  cache?: string[]
  noCache: boolean
  refresh: boolean
}

/** A journal, and the calls that other processes are making for it. */
interface JournalEntry {
  journal: Journal
  claims: Claims
}

/** ms after which a process that neither began nor ended a call is taken for dead. */
const STALE_MS = 300_000

export class StoredReplies {
  private readonly options: CacheOptions
  private readonly folder: string
  private readonly note: (message: string) => void
  private readonly journals = new Map<string, JournalEntry | undefined>()

  private readonly damaged = new Set<Journal>()
  /** Further journals, which are only read. */
  private readonly others: Journal[] = []

  constructor(
    options: CacheOptions,
    env: Record<string, string | undefined>,
    note: (message: string) => void,
  ) {
    this.options = options
    this.folder = cacheFolder(env)
    this.note = note
    const [cache, ...others] = options.cache ?? []
    if (cache === undefined || options.noCache) return
    if (!options.refresh)
      this.others = others.map((file) => opened(() => Journal.openToRead(file), EXIT.noInput, '--cache'))
    this.journals.set('', this.prepare(opened(() => Journal.open(cache), EXIT.io, '--cache')))
  }

  /** Where finished calls are kept, for messages; undefined without a cache. */
  get place(): string | undefined {
    return this.options.noCache ? undefined : (this.options.cache?.[0] ?? this.folder)
  }

  /** Whether replies of this model are kept at all. */
  keeps(model: string): boolean {
    return this.entry(model) !== undefined
  }

  /** A reply that needs no call: the one that the row holds to this very request, else the one in the cache. */
  find(request: CallRequest): { reply: Reply; source: 'row' | 'cache' } | undefined {
    const held = this.options.refresh ? undefined : request.held
    if (held) return { reply: held, source: 'row' }
    const kept = this.get(request)
    return kept && { reply: kept, source: 'cache' }
  }

  /** The reply in the cache. */
  get(request: CallRequest): Reply | undefined {
    const { model, nowhere } = request.endpoint
    const journal = this.entry(model)?.journal
    // Without a cache the identity need not be worked out.
    const wanted = () => (nowhere ? { key: request.identity.key, model } : request.identity)
    const kept = journal?.get(wanted())
    if (journal && journal.damaged > 0) this.reportDamage(journal)
    if (kept) return kept
    for (const other of this.others) {
      const found = other.get(wanted()) ?? other.get(request.foreign)
      if (other.damaged > 0) this.reportDamage(other)
      if (found) return found
    }
    return undefined
  }

  /** Resolves when the reply is in the file, or cannot be: a paid reply is worth more than its copy. */
  async put(identity: ReplyIdentity, reply: Reply): Promise<void> {
    const journal = this.entry(identity.model)?.journal
    try {
      await journal?.put(identity, reply)
    } catch (error) {
      this.note(
        `the cache ${journal!.path} cannot be written (${(error as Error).message}): going on without it`,
      )
    }
  }

  /**
   * Tells other processes that this one is about to make a call; undefined where no other can be told: a reply may then
   * be paid for twice.
   * @param changes as it was when the journal was looked up
   */
  claim(model: string, what: string, changes: number): HeldClaim | undefined {
    const claims = this.options.refresh ? undefined : this.entry(model)?.claims
    try {
      const claim = claims?.take(what)
      return (
        claim && {
          shared: !claims!.alone || claims!.changes !== changes,
          earlier: () => claims!.earlier(claim),
          drop: () => claims!.drop(claim),
        }
      )
    } catch {
      return undefined
    }
  }

  /** Whether other processes that keep replies in the same file may not have noticed this one yet. */
  unnoticed(model: string): boolean {
    if (this.options.refresh) return false
    try {
      return this.entry(model)?.claims.unnoticed === true
    } catch {
      return false
    }
  }

  /** How often other processes were seen to come to the cache or to leave it. */
  changes(model: string): number {
    return this.entry(model)?.claims.changes ?? 0
  }

  close(): void {
    for (const one of this.journals.values()) {
      one?.journal.close()
      one?.claims.close()
    }
    for (const other of this.others) other.close()
  }

  private reportDamage(journal: Journal): void {
    if (this.damaged.has(journal)) return
    this.damaged.add(journal)
    this.note(
      `${journal.path}: a line is damaged (its checksum does not match): its reply is called for again`,
    )
  }

  private prepare(journal: Journal): JournalEntry {
    // With --refresh every request is asked again, and once only.
    if (this.options.refresh) journal.forget()
    return { journal, claims: new Claims(journal.path, STALE_MS) }
  }

  private entry(model: string): JournalEntry | undefined {
    const { noCache, cache = [] } = this.options
    if (noCache) return undefined
    const name = cache.length > 0 ? '' : model
    if (this.journals.has(name)) return this.journals.get(name)
    let found: JournalEntry | undefined
    try {
      found = this.prepare(Journal.open(cacheFile(this.folder, model)))
    } catch (error) {
      this.note(`no cache: ${(error as Error).message} (--cache FILE names another place)`)
    }
    this.journals.set(name, found)
    return found
  }
}

/** A call that this process has said it makes. */
export interface HeldClaim {
  /** Another process uses the cache, or has since the journal was looked up: the reply may be there. */
  shared: boolean
  /** Whether another process said so before, and is still there. */
  earlier(): boolean
  drop(): void
}

/** @throws Fatal that names the option */
export function opened(open: () => Journal, exitCode: number, option: string): Journal {
  try {
    return open()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const words =
      code === 'ENOENT' ? message.replace(/^ENOENT: no such file or directory, \w+/, 'no file') : message
    throw new Fatal(exitCode, `${option}: ${words}`, { cause: error })
  }
}
