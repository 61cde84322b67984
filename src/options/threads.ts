/** The option `--threads`. */
import type { Option } from './option.ts'

const OPTION = {
  name: 'threads',
  type: 'number',
  value: 'N',
  min: 1,
  max: 1024,
  integer: true,
} as const satisfies Omit<Option, 'about'>

const ABOUT = 'read plain files in N threads, with the same output; other input is read in one'

export const THREADS_OPTION = { ...OPTION, about: `${ABOUT} [one]` } as const satisfies Option

/** Rows for each thread without `--threads` (docs/performance.md). */
export const ROWS_A_THREAD = 250_000
export const SEVERAL_THREADS_OPTION = {
  ...OPTION,
  about: `${ABOUT} [one, a further one for each 250,000 rows from 500,000 on, up to the cores and 8]`,
} as const satisfies Option
