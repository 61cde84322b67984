import { members } from '../../files/members.ts'
import { JUDGE_OPTION, OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { LIMIT_OPTIONS } from './limit_options.ts'
import { EXAMPLES, NOTES } from './notes.ts'

/** Defaults that a judge's own file can replace. */
export const USUAL = {
  concurrency: 32,
  retries: 3,
  retryMin: 1,
  retryMax: 60,
  refusedFor: 300,
  maxErrorRate: 0.1,
} as const

export const spec = {
  name: 'jb-call',
  about: 'sends each request to a model and adds the reply',
  operands: '[FILE…]',
  /** `jb-call --batch join RESULTS [FILE…]` */
  positional: ({ batch, batchFiles }: Record<string, unknown>) =>
    batch === 'join' && batchFiles === undefined ? ['RESULTS'] : [],
  noStdin: (operands: readonly string[], { batch }: Record<string, unknown>) =>
    operands.length === 0 && /^(submit|status|fetch)$/.test(String(batch)),
  examples: EXAMPLES,
  options: [
    OUTPUT_OPTION,
    {
      name: 'model',
      short: 'm',
      type: 'string',
      value: 'NAME',
      about:
        'the model, as MODEL or PROVIDER/MODEL; or baseline:longer, :first, :overlap, :random (answered in process)',
    },
    {
      name: 'base-url',
      type: 'string',
      value: 'URL',
      about: 'the endpoint, up to /v1 [https://api.openai.com/v1]',
    },
    {
      name: 'api',
      type: 'string',
      choices: members('providers'),
      about:
        'the API of the endpoint [chat, or completions for a request with a prompt]; decisions and systemone are those of models that answer typed questions with probabilities',
    },
    {
      name: 'api-key-env',
      type: 'string',
      value: 'NAME',
      about: 'the environment variable that holds the key',
    },
    JUDGE_OPTION,
    {
      name: 'param',
      type: 'list',
      value: 'KEY=JSON',
      about: 'set a parameter of every request, replacing the judge’s; KEY= removes one',
    },
    {
      name: 'media',
      type: 'list',
      value: 'DIR|https:',
      about:
        'images of requests may be files below DIR, which are read; with https: addresses go to the endpoint, which fetches them (repeatable) [neither]',
    },
    { name: 'temperature', type: 'number', value: 'T', min: 0, about: 'the same as --param temperature=T' },
    {
      name: 'max-tokens',
      type: 'number',
      value: 'N',
      integer: true,
      min: 1,
      about: 'the same as --param max_tokens=N',
    },
    {
      name: 'samples-at-once',
      type: 'boolean',
      about:
        'ask for samples that follow one another in one request (n), which pays for the prompt once; for chat and completions',
    },
    {
      name: 'header',
      type: 'list',
      value: 'NAME:VALUE',
      about: 'add a header to every request; $NAME is replaced by that environment variable',
    },
    {
      name: 'where',
      type: 'string',
      value: 'CONDITION,…',
      leavesOut: true,
      about:
        'ask only the items of which the verdicts of an earlier model are unsure, and pass the others on: error (no verdict), inconsistent (games differ), split (samples differ), tie, confidence<C (that of the item, 0 to 1)',
    },
    {
      name: 'concurrency',
      short: 'j',
      type: 'number',
      value: 'N',
      integer: true,
      min: 1,
      max: 10000,
      default: USUAL.concurrency,
      about: 'the most calls in flight',
    },
    {
      name: 'retries',
      type: 'number',
      value: 'N',
      integer: true,
      min: 0,
      default: USUAL.retries,
      about: 'attempts after a failure that may be temporary (a refused call uses up none)',
    },
    {
      name: 'refused-for',
      type: 'number',
      value: 'SECONDS',
      min: 0,
      default: USUAL.refusedFor,
      about: 'how long a row is tried again while the endpoint refuses it (429, 503, 529, no connection)',
    },
    {
      name: 'retry-min',
      type: 'number',
      value: 'SECONDS',
      min: 0,
      default: USUAL.retryMin,
      about: 'the first wait before another attempt, half to all of it; then twice as long each time',
    },
    {
      name: 'retry-max',
      type: 'number',
      value: 'SECONDS',
      min: 0,
      default: USUAL.retryMax,
      about: 'the longest of these waits, unless the server asks for more',
    },
    {
      name: 'timeout',
      type: 'number',
      value: 'SECONDS',
      min: 0.001,
      default: 120,
      about: 'the longest duration of a call, from its start to its last byte',
    },
    {
      name: 'rpm',
      type: 'number',
      value: 'N',
      min: 0.001,
      about: 'the most requests per minute, for each endpoint and model',
    },
    {
      name: 'tpm',
      type: 'number',
      value: 'N',
      min: 1,
      about: 'the most tokens per minute: estimated before a call, corrected after it',
    },
    {
      name: 'max-error-rate',
      type: 'number',
      value: 'R',
      min: 0,
      max: 1,
      default: USUAL.maxErrorRate,
      about: 'exit 1 when a larger share of the rows failed; the run ends early once that is certain',
    },
    {
      name: 'repair',
      type: 'number',
      value: 'N',
      integer: true,
      min: 0,
      about: 'ask again up to N times if the judge’s rule finds no verdict, as the judge file says',
    },
    {
      name: 'cache',
      type: 'list',
      separator: ':',
      value: 'FILE',
      about:
        'the file for replies [a file per model in $XDG_CACHE_HOME/jb/replies]; given again: more files to look up replies in',
    },
    { name: 'no-cache', type: 'boolean', about: 'do not look up or store replies' },
    {
      name: 'refresh',
      type: 'boolean',
      about: 'make every call: store replies, but take none from the cache or the rows',
    },
    { name: 'record', type: 'string', value: 'FILE', about: 'also write every reply to FILE' },
    {
      name: 'replay',
      type: 'string',
      value: 'FILE',
      about: 'take all replies from FILE (a recording or a cache), without calls',
    },
    {
      name: 'price',
      type: 'string',
      value: 'IN,OUT',
      about:
        'dollars per million input and output tokens, or a file of prices by model [the list prices of known services]',
    },
    ...LIMIT_OPTIONS,
    {
      name: 'dry-run',
      short: 'n',
      type: 'boolean',
      about: 'print the number of calls, tokens and dollars that a run would take, without calls',
    },
    {
      name: 'batch',
      type: 'string',
      choices: ['emit', 'submit', 'status', 'fetch', 'join'],
      about:
        'emit: write batch files instead of calling; submit: upload them; status: print their progress; fetch: wait for the results; join: add the replies in RESULTS to the rows',
    },
    {
      name: 'batch-files',
      type: 'string',
      value: 'PREFIX',
      about:
        'the batch files are PREFIX-001.jsonl and so on, each for one model and within the provider’s limits; PREFIX-batches.ndjson has their progress',
    },
    {
      name: 'unordered',
      type: 'boolean',
      about: 'write rows as soon as they are done, not in the order of the input',
    },
  ],
  notes: NOTES,
  main: [
    'model',
    'base-url',
    'api',
    'api-key-env',
    'concurrency',
    'max-error-rate',
    'max-cost',
    'cache',
    'repair',
    'dry-run',
    'output',
  ],
  headings: {
    Model: ['judge', 'param', 'temperature', 'max-tokens', 'samples-at-once', 'header'],
    Limits: ['rpm', 'tpm', 'max-requests', 'limits'],
    Retries: ['retries', 'refused-for', 'retry-min', 'retry-max', 'timeout'],
    Cache: ['no-cache', 'refresh', 'record', 'replay'],
    Cost: ['price'],
    Batch: ['batch', 'batch-files'],
    Output: ['unordered'],
  },
  exitCodes: [0, 1, 2, 65, 66, 69, 70, 74, 75, 77, 78],
  eager: true,
} as const satisfies FilterSpec

export type CallOptions = OptionsOf<typeof spec>
