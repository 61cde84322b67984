/** Options for budgets, and for rates shared by processes. */
import type { Option } from '../../options/option.ts'

export const LIMIT_OPTIONS = [
  { name: 'max-cost', type: 'number', value: 'USD', min: 0, about: 'stop (exit 75) before more is spent' },
  {
    name: 'max-requests',
    type: 'number',
    value: 'N',
    integer: true,
    min: 0,
    about: 'stop (exit 75) before more requests are sent',
  },
  {
    name: 'limits',
    type: 'string',
    value: 'URL',
    about: 'redis://HOST/NAME: --rpm and --tpm are those of all processes with this URL together',
  },
] as const satisfies readonly Option[]
