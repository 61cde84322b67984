/** Errors of a line (BadRow), of a row (RowFailure) and of a run (Fatal). */

/** Codes of `jb.error`: a closed list, so that reports of different stages add up. */
export const ERROR_CODES = [
  'bad_row',
  'bad_record',
  'source_failed',
  'missing_field',
  'unknown_judge',
  'template_error',
  'auth',
  'rate_limited',
  'timeout',
  'unavailable',
  'bad_request',
  'refused',
  'truncated',
  'bad_response',
  'budget',
  'no_verdict',
  'conflict',
  'out_of_range',
  'incomplete',
  'missing',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Codes of calls that failed: nothing is known of what the model would have said. */
export const FAILED_CALLS: readonly (ErrorCode | undefined)[] = [
  'auth',
  'rate_limited',
  'timeout',
  'unavailable',
  'bad_response',
  'budget',
]

/**
 * One row failed. Thrown by a stage's per-row function; the row is passed on with `jb.error`.
 */
export class RowFailure extends Error {
  readonly code: ErrorCode
  readonly detail: { retryable?: boolean; [key: string]: unknown }
  constructor(
    code: ErrorCode,
    message: string,
    detail: { retryable?: boolean; [key: string]: unknown } = {},
  ) {
    // A message that quotes part of a row may have cut a pair in two: jq 1.6 reads no such line.
    super(message.replace(/\p{Cs}/gu, '\ufffd'))
    this.code = code
    this.detail = detail
  }
}

/** A line that is not a row. `message` says why. */
export class BadRow extends Error {}

/** Exit codes of every filter. */
export const EXIT = {
  ok: 0,
  gate: 1,
  usage: 2,
  data: 65,
  noInput: 66,
  unavailable: 69,
  bug: 70,
  io: 74,
  stopped: 75,
  auth: 77,
  config: 78,
} as const
/** Their meaning in `--help`. */
export const EXIT_MEANING: Record<number, string> = {
  0: 'done',
  1: 'done, but a gate was missed',
  2: 'wrong usage',
  65: 'bad data, such as a line that is not a JSON object',
  66: 'an input file cannot be read',
  69: 'the endpoint cannot be reached',
  70: 'a bug in this program',
  74: 'write error',
  75: 'stopped early (budget, interrupt): run again to go on',
  77: 'the key was refused',
  78: 'a judge file or configuration is wrong',
}

/** Ends the run with one line on stderr and an exit code. `message` is lower case, without a full stop. */
export class Fatal extends Error {
  readonly exitCode: number
  constructor(exitCode: number, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.exitCode = exitCode
  }
}
export const usageError = (message: string) => new Fatal(EXIT.usage, message)
export const configError = (message: string, cause?: unknown) => new Fatal(EXIT.config, message, { cause })
