/** `--threads` of the filters that have it. */
import type { Option } from './option.ts'

export const THREADS_OPTION = {
  name: 'threads',
  type: 'number',
  value: 'N',
  min: 1,
  max: 1024,
  integer: true,
  about: 'read plain files in N threads, with the same output; other input is read in one [one]',
} as const satisfies Option
