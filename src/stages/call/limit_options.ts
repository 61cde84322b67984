/** Options for budgets, and for limits shared by processes. */
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
    about:
      'redis://HOST/NAME: -j, --rpm, --tpm, --max-cost and --max-requests are shared by all processes with this URL',
  },
  {
    name: 'limits-lost',
    type: 'string',
    choices: ['stop', 'continue'],
    default: 'stop',
    about:
      'if that Redis does not answer for 5 s: stop (exit 75), or continue with an even part of the limits',
  },
] as const satisfies readonly Option[]
