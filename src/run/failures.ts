/** Message and exit code for an error that ends a run. */
import { cannotRead } from '../files/cannot_read.ts'
import { STOPPED } from '../rows/chunks.ts'
import { withoutControls } from '../rows/controls.ts'
import { EXIT, Fatal, RowFailure } from '../rows/record.ts'
import { type Host, stderrOf } from './host.ts'
import type { Messages } from './messages.ts'

/** Whether an error only means that the run was interrupted. */
export const isStop = (error: unknown) =>
  [error, (error as Error | undefined)?.cause].some((one) => (one as { code?: unknown })?.code === STOPPED)

/** Whether the reader of a pipe has closed it, as `| head -1` does: that is no failure. */
export const isClosedPipe = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'

const IO_ERRORS: Record<string, string> = {
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EIO: 'input/output error',
  EFBIG: 'file too large',
}

/** Gives any error an exit code; an unexpected one is a bug. */
function asFatal(error: unknown): Fatal {
  if (error instanceof Fatal) return error
  if (error instanceof RowFailure) return new Fatal(EXIT.data, error.message, { cause: error })
  const { code = '', syscall, path, message } = error as NodeJS.ErrnoException
  const fatal = (exitCode: number, words: string) => new Fatal(exitCode, words, { cause: error })
  const words = IO_ERRORS[code] ?? message
  if (syscall === 'read' && code) return fatal(EXIT.noInput, `read error: ${words}`)
  if (syscall === 'write' || code in IO_ERRORS) return fatal(EXIT.io, `write error: ${words}`)
  if (code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR')
    return fatal(EXIT.data, `${path === undefined ? '' : `${path}: `}${gzipProblem(message)}`)
  if (syscall === 'open' && path) return cannotRead(path, error)
  return fatal(EXIT.bug, message ?? String(error))
}

const gzipProblem = (message: string) =>
  /header check/.test(message)
    ? 'this is not a gzip file, though its name ends in .gz (or something else follows its gzip data)'
    : `the gzip data is damaged or cut short: ${message}`

/** Prints an error that ends a run and sets its exit code. @param debug with a stack trace */
export function reportError(error: unknown, host: Host, messages: Messages, debug = false): void {
  const fatal = asFatal(error)
  host.exitCode = fatal.exitCode
  // A Python judge that fails has the exit code of a bug, too, but no cause.
  const bug = fatal.exitCode === EXIT.bug && fatal.cause !== undefined
  messages.say(`${bug ? 'bug: ' : ''}${fatal.message}${bug && !debug ? ' (--debug shows where)' : ''}`)
  if (debug) stderrOf(host).write(withoutControls(`${(fatal.cause as Error)?.stack ?? fatal.stack}\n`))
}
