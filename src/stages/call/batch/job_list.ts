/**
 * `PREFIX-batches.ndjson`: the batch files and their states. Lines are appended before and after everything that costs money,
 * so that a killed run can be continued; the last line of a file counts.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cannotRead } from '../../../files/cannot_read.ts'
import { foreignObject } from '../../../rows/foreign_json.ts'
import { configError, EXIT, Fatal } from '../../../rows/record.ts'

export interface Job {
  file: string
  /** The requested model. */
  model: string
  requests: number
  bytes: number
  /** The endpoint of single requests. */
  endpoint: string
  /** `start` was sent; without `batch`, its outcome is unknown. */
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

  /** @param prefix of `--batch-files` @throws Fatal if there is no list, or a line is not valid */
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

  /** Changes a file's state, in the list and on disk. */
  update(job: Job, change: Partial<Job>): void {
    Object.assign(job, change)
    try {
      appendFileSync(this.path, `${JSON.stringify(job)}\n`)
    } catch (error) {
      throw new Fatal(EXIT.io, `${this.path}: ${(error as Error).message}`, { cause: error })
    }
  }

  /** @throws Fatal if a batch of the list was started, which only the list records */
  static refuseStarted(prefix: string): void {
    const path = listPath(prefix)
    if (!existsSync(path)) return
    const started = new JobList(prefix).all().filter(({ starting }) => starting)
    if (started.length > 0)
      throw configError(`${path} lists batches that were submitted: choose another PREFIX, or remove it`)
  }

  static create(prefix: string, jobs: readonly Job[]): void {
    try {
      writeFileSync(listPath(prefix), jobs.map((job) => `${JSON.stringify(job)}\n`).join(''))
    } catch (error) {
      throw new Fatal(EXIT.io, `--batch-files: ${(error as Error).message}`, { cause: error })
    }
  }
}

/** The files of fetched results. @throws Fatal if there are none */
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
    // Skips an incomplete last line.
    return readFileSync(path, 'utf8').split('\n').slice(0, -1)
  } catch (error) {
    const { message, cause } = cannotRead(path, error)
    throw new Fatal(EXIT.noInput, `${message} (--batch emit writes it)`, { cause })
  }
}

function parse(line: string): Job | undefined {
  const job = foreignObject(line)
  const valid = job && ['file', 'model', 'endpoint'].every((key) => typeof job[key] === 'string')
  return valid ? (job as unknown as Job) : undefined
}
