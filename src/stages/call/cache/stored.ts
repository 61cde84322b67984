/** The journals replies are kept in: one a model, or the one the user names; none with `--no-cache`. */
import { EXIT, Fatal, type Reply } from '../../../rows/record.ts'
import { bareReply } from '../reply_text.ts'
import { cacheFile, cacheFolder } from './cache_files.ts'
import { Claims } from './claims.ts'
import { type Identity, Journal } from './journal.ts'

export interface CacheOptions {
  cache?: string
  noCache: boolean
  refresh: boolean
}

/** A journal and what other processes are getting for it. */
interface Shelf {
  journal: Journal
  claims: Claims
}

/** ms after which a process that neither began nor ended a call is taken for dead. */
const STALE_MS = 300_000

export class StoredReplies {
  private readonly options: CacheOptions
  private readonly folder: string
  private readonly note: (message: string) => void
  private readonly shelves = new Map<string, Shelf | undefined>()

  constructor(
    options: CacheOptions,
    env: Record<string, string | undefined>,
    note: (message: string) => void,
  ) {
    this.options = options
    this.folder = cacheFolder(env)
    this.note = note
    const { cache } = options
    if (cache && !options.noCache)
      this.shelves.set('', this.shelve(opened(() => Journal.open(cache), EXIT.io, '--cache')))
  }

  /** Where finished calls are kept, for messages; undefined without a cache. */
  get place(): string | undefined {
    return this.options.noCache ? undefined : (this.options.cache ?? this.folder)
  }

  /** Whether replies of this model are kept at all. */
  keeps(model: string): boolean {
    return this.shelf(model) !== undefined
  }

  get(identity: Identity): Reply | undefined {
    return this.shelf(identity.model)?.journal.get(identity)
  }

  /** Resolves when the reply is in the file, or cannot be: a paid reply is worth more than its copy. */
  async put(identity: Identity, reply: Reply): Promise<void> {
    const journal = this.shelf(identity.model)?.journal
    try {
      await journal?.put(identity, reply)
    } catch (error) {
      this.note(
        `the cache ${journal!.path} cannot be written (${(error as Error).message}): going on without it`,
      )
    }
  }

  /** Takes over a reply that a row holds, where there is none yet; one that was repaired is not the request's own. */
  async takeOver(identity: Identity, reply: Reply): Promise<void> {
    if (!reply.turns && this.keeps(identity.model) && !this.get(identity))
      await this.put(identity, bareReply(reply))
  }

  /**
   * Says to other processes that this one is about to ask; undefined where nobody needs to know.
   * Without a folder to say it in, a reply may be paid for twice and no more.
   */
  claim(model: string, what: string): Claimed | undefined {
    const claims = this.options.refresh ? undefined : this.shelf(model)?.claims
    try {
      const before = claims?.alone
      const claim = claims?.take(what)
      return (
        claim && {
          alone: before === true && claims!.alone,
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
      return this.shelf(model)?.claims.unnoticed === true
    } catch {
      return false
    }
  }

  close(): void {
    for (const one of this.shelves.values()) {
      one?.journal.close()
      one?.claims.close()
    }
  }

  private shelve(journal: Journal): Shelf {
    // With --refresh every request is asked once more, and once only.
    if (this.options.refresh) journal.forget()
    return { journal, claims: new Claims(journal.path, STALE_MS) }
  }

  private shelf(model: string): Shelf | undefined {
    const { noCache, cache } = this.options
    if (noCache) return undefined
    const name = cache ? '' : model
    if (this.shelves.has(name)) return this.shelves.get(name)
    let found: Shelf | undefined
    try {
      found = this.shelve(Journal.open(cacheFile(this.folder, model)))
    } catch (error) {
      this.note(`no cache: ${(error as Error).message} (--cache FILE names another place)`)
    }
    this.shelves.set(name, found)
    return found
  }
}

/** A call that this process has said it makes. */
export interface Claimed {
  /** No other process uses the cache, nor did until now. */
  alone: boolean
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
