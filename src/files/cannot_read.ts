/** Why a file cannot be read, in words. */
import { EXIT, Fatal } from '../rows/record.ts'
import { KEY_ADVICE, looksLikeKey, maskedKey } from './api_key.ts'

/** The error for a file that cannot be read. */
export function cannotRead(path: string, error: unknown): Fatal {
  const code = (error as NodeJS.ErrnoException).code
  const reason =
    code === 'ENOENT'
      ? 'no such file'
      : code === 'EACCES'
        ? 'no permission to read it'
        : (error as Error).message
  // A key given by mistake as a file must not be echoed into a log.
  if (code === 'ENOENT' && looksLikeKey(path))
    return new Fatal(EXIT.noInput, `${maskedKey(path)}: no such file; it looks like a key: ${KEY_ADVICE}`)
  if (code === 'ENOENT' && path.startsWith('baseline:'))
    return new Fatal(EXIT.noInput, `${path}: no such file (a model is named with -m)`)
  const variable = code === 'ENOENT' && VARIABLE.exec(path)?.[1]
  if (variable)
    return new Fatal(
      EXIT.noInput,
      `${variable}=…: no such file; a variable stands in front of the command: ${variable}=… jb-call …`,
    )
  return new Fatal(EXIT.noInput, `${path || "''"}: ${reason}`, { cause: error })
}

/** An assignment of a secret: `OPENAI_API_KEY=…`. */
const VARIABLE = /^([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD))=./
