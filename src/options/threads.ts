/** `--threads` of the filters that have it. */
import type { Option } from './option.ts'

/** Bytes of input from which a further thread saves more time than its start takes. */
export const THREAD_BYTES = 32 * 1024 * 1024

export const THREADS_OPTION = {
  name: 'threads',
  type: 'number',
  value: 'N',
  min: 1,
  max: 1024,
  integer: true,
  about:
    'read plain files in N threads, with the same output; other input is read in one [one for each 32 MB of files, at most one for each core]',
} as const satisfies Option
