/**
 * `PREFIX-batches.ndjson`: the files of a batch and how far each has come. Lines are appended before and after
 * everything that costs money, so that a run that was killed goes on where it was; the last line of a file counts.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cannotRead } from '../../../files/files.ts'
import { configError, EXIT, Fatal, isObject } from '../../../rows/record.ts'

export interface Job {
  file: string
  /** As it was asked for. */
  model: string
  requests: number
  bytes: number
  /** Where its requests would have gone, one by one. */
  endpoint: string
  /** The upload is there, and `start` was sent: without `batch` its outcome is unknown. */
  starting?: boolean
  /** The provider's id. */
  batch?: string
  status?: string
  completed?: number
  failed?: number
  /** The file of results. */
  results?: string
}

export class JobList {
  private readonly path: string
  private readonly jobs = new Map<string, Job>()

  /** @param prefix of `--batch-files` @throws Fatal where there is no list, or a line of it is not valid */
  constructor(prefix: string) {
    this.path = listPath(prefix)
    for (const [n, line] of read(this.path).entries()) {
      const job = parse(line)
      if (!job) throw configError(`${this.path}:${n + 1}: not a line of --batch emit`)
      this.jobs.set(job.file, job)
    }
  }

  all(): Job[] {
    return [...this.jobs.values()]
  }

  /** Changes a file's state, and writes it down. */
  note(job: Job, change: Partial<Job>): Job {
    Object.assign(job, change)
    append(this.path, job)
    return job
  }

  /** Begins a list. @throws Fatal where one of these batches has been started: its list is all that knows of it */
  static refuseStarted(prefix: string): void {
    const path = listPath(prefix)
    if (!existsSync(path)) return
    const started = new JobList(prefix).all().filter(({ starting }) => starting)
    if (started.length > 0)
      throw configError(`${path} knows of batches that were submitted: choose another PREFIX, or remove it`)
  }

  static begin(prefix: string, jobs: readonly Job[]): void {
    try {
      writeFileSync(listPath(prefix), jobs.map((job) => `${JSON.stringify(job)}\n`).join(''))
    } catch (error) {
      throw new Fatal(EXIT.io, `--batch-files: ${(error as Error).message}`, { cause: error })
    }
  }
}

/** The results that were fetched. @throws Fatal where there are none */
export function fetchedFiles(prefix: string): string[] {
  const files = new JobList(prefix).all().flatMap(({ results }) => results ?? [])
  if (files.length > 0) return files
  throw new Fatal(EXIT.noInput, `${listPath(prefix)}: nothing has been fetched (--batch fetch does that)`)
}

const listPath = (prefix: string) => `${prefix}-batches.ndjson`

/** The name of a file's results. */
export const resultsOf = (file: string): string => file.replace(/\.jsonl$/, '.results.jsonl')

function read(path: string): string[] {
  try {
    // A line that was cut short when its writer was killed is skipped.
    return readFileSync(path, 'utf8').split('\n').slice(0, -1)
  } catch (error) {
    const { message, cause } = cannotRead(path, error)
    throw new Fatal(EXIT.noInput, `${message} (--batch emit writes it)`, { cause })
  }
}

function append(path: string, job: Job): void {
  try {
    appendFileSync(path, `${JSON.stringify(job)}\n`)
  } catch (error) {
    throw new Fatal(EXIT.io, `${path}: ${(error as Error).message}`, { cause: error })
  }
}

function parse(line: string): Job | undefined {
  try {
    const job: unknown = JSON.parse(line)
    const whole = isObject(job) && ['file', 'model', 'endpoint'].every((key) => typeof job[key] === 'string')
    return whole ? (job as unknown as Job) : undefined
  } catch {
    return undefined
  }
}
