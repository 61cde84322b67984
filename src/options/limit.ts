/** The option `--limit`. */
import type { Option } from './option.ts'

export const limitOption = (what: string) =>
  ({
    name: 'limit',
    type: 'number',
    value: 'N',
    min: 0,
    integer: true,
    about: `only the first N ${what}`,
  }) as const satisfies Option
