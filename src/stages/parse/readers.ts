/** The judges that read rows, loaded on first use. */
import { basename } from 'node:path'
import { READING_DIGITS, readingDigest } from '../../judges/_digest.ts'
import { asksNothing, type Judge } from '../../judges/_judge.ts'
import { isTemplate, loadJudge } from '../../judges/_load.ts'
import { type Allowed, allowJudges, judgeOfRow, nameOfRow } from '../../judges/_of_row.ts'
import { someNames } from '../../options/nearest.ts'
import { envName } from '../../options/option.ts'
import type { Jb, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, rowFailure } from '../../rows/stage.ts'
import { failedScore } from '../../verdicts/_original.ts'
import { readerOf } from '../../verdicts/_read.ts'
import type { Read } from '../../verdicts/_rule.ts'
import type { ParseOptions } from './options.ts'

export interface Reader {
  judge: Judge
  read: Read
  /** Digits of the digest of rows that are to be read like this; undefined for a built-in judge, which does not change. */
  digits?: string | undefined
  /** The score that the original of --compat gives a failed call. */
  failed?: number
}

export class Readers {
  readonly allowed: Allowed
  private readonly options: ParseOptions
  private readonly context: Context
  /** `own`: the judge that the user named reads every row. */
  private readonly need: { reading: true; own: boolean }
  /** By the judge's name; if rows name an original (`jb.compat`), by both. */
  private readonly readers = new Map<string, Reader>()
  /** The files or names of the judges that read a row. */
  private readonly used = new Set<string>()

  private constructor(options: ParseOptions, allowed: Allowed, own: boolean, context: Context) {
    this.options = options
    this.context = context
    this.allowed = allowed
    this.need = { reading: true, own }
  }

  static async create(options: ParseOptions, context: Context): Promise<Readers> {
    const allowed = allowJudges(options.judge, context.env)
    const { only } = allowed
    // What is wrong with the file is reported at the first row that needs it.
    const judge = only === undefined ? undefined : await loadJudge(only).catch(() => undefined)
    const own = options.text !== undefined || (judge !== undefined && asksNothing(judge))
    return new Readers(options, allowed, own, context)
  }

  /** Whether a row has a verdict and no reply, as a reward model's: it is not read again. */
  isRead(row: Row): boolean {
    return !this.need.own && !row.has('reply') && row.has('verdict')
  }

  /** The reader of a row's judge, or why it has none; undefined for a row that is not read again. */
  known(row: Row): Reader | RowFailure | 'not loaded' | undefined {
    const { readers, need } = this
    if (this.isRead(row)) return undefined
    try {
      return (
        (need.own ? undefined : readers.get(this.key(row.get('judge') as string, row))) ??
        readers.get(this.key(this.name(row), row)) ??
        'not loaded'
      )
    } catch (error) {
      return rowFailure(error, row)
    }
  }

  /** The same for a judge that is not loaded. @throws Fatal (configuration) */
  load(row: Row): Promise<Reader | RowFailure> {
    return this.read(row).catch((error) => rowFailure(error, row))
  }

  private async read(row: Row): Promise<Reader> {
    const { options, context } = this
    const judge = await judgeOfRow(row, this.allowed, this.need)
    const own = row.get('judge')
    this.used.add(basename(judge.name.replace(/#[^#]*$/s, '')))
    // Other programs name their judges as they like.
    if (own !== undefined && row.has('judge_digest') && isOther(own, judge) && !isTemplate(own))
      context.note(`--judge ${judge.name}: it reads replies that ${own} asked for`, { kind: 'other judge' })
    const compat = originalFor(row, options)
    const failed = compat ? await failedScore(judge, compat) : undefined
    const read = await readerOf(judge, { ...options, compat, note: context.note })
    const digits = judge.builtin ? undefined : readingDigest(judge)
    const reader: Reader = { judge, read, digits, ...(failed !== undefined && { failed }) }
    this.readers.set(this.key(this.name(row), row), reader)
    return reader
  }

  /** Tells of judges of --judge that read no row; in the environment they are for other filters, too. */
  tell(): void {
    const { judge } = this.options
    if (this.used.size === 0 || this.context.env[envName('judge')] !== undefined) return
    const unused = judge.find((name) => !this.used.has(basename(name.replace(/#[^#]*$/s, ''))))
    if (unused !== undefined)
      this.context.note(
        `--judge ${unused}: no row is of this judge, and all were read by their own, ${someNames([...this.used])}`,
      )
  }

  private name(row: Row): string {
    return nameOfRow(row, this.allowed, this.need).name
  }

  private key(name: string, row: Row): string {
    return this.options.compat === undefined && row.has('compat') ? `${row.get('compat')}\n${name}` : name
  }
}

/** The original by whose rule a row is read; undefined for the judge's own. */
export function originalFor(row: Row, { compat }: ParseOptions): Jb['compat'] {
  if (compat === 'none') return undefined
  return compat ?? row.get('compat')
}

const isOther = (own: string, { name }: Judge) => basename(own) !== basename(name)

/** What makes the reading another than that of the row's own judge and original; '' for nothing. */
function changesOf(
  row: Row,
  digest: string,
  { judge, digits }: Reader,
  { judge: judges, pick, fallback }: ParseOptions,
  original: string,
): string {
  const own = row.get('judge')
  // A file may be named by another path, as from another folder.
  const other = judges.length > 0 && own !== undefined && isOther(own, judge)
  return [
    other && `+judge=${judge.name}`,
    // The file has changed since, or is another one.
    digits !== undefined && digits !== digest.slice(-READING_DIGITS) && `+reading=${digits}`,
    original,
    pick !== undefined && `+pick=${pick}`,
    fallback !== undefined && `+fallback=${fallback}`,
  ]
    .filter(Boolean)
    .join('')
}

/** That another original, or none, reads a row than it was rendered for; '' if not. */
function originalMark(row: Row, digest: string, options: ParseOptions): string {
  const [said] = /\+compat=[^+]*/.exec(digest) ?? []
  if (options.compat === undefined) return said ?? ''
  // What jb-parse marked was rendered for none.
  const rendered = said === undefined ? row.get('compat') : undefined
  return originalFor(row, options) === rendered ? '' : `+compat=${options.compat}`
}

/**
 * The digest of a row's judge, followed by what changes how it reads, options or a new rule in its file: rows that were read
 * in different ways are different versions. Undefined if it stays as it is.
 */
export function markedDigest(row: Row, reader: Reader, options: ParseOptions): string | undefined {
  const digest = row.get('judge_digest')
  if (digest === undefined) return undefined
  const { judge: judges, pick, compat, fallback } = options
  const given = judges.length > 0 || (pick ?? compat ?? fallback ?? reader.digits) !== undefined
  if (!given && !digest.includes('+')) return undefined
  const own = digest.replace(/\+.*/s, '')
  const marked = own + changesOf(row, own, reader, options, originalMark(row, digest, options))
  return marked === digest ? undefined : marked
}
