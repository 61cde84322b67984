import { members } from '../../files/members.ts'
import { JUDGE_OPTION, limitOption } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { ORIGINALS } from '../../rows/record.ts'
import { LIMIT_OPTIONS } from './limit_options.ts'
import { EXAMPLES, NOTES } from './notes.ts'

/** Where the command line says nothing else, a judge's own file may. */
export const USUAL = { concurrency: 32, retries: 3, retryMin: 1, retryMax: 60, maxErrorRate: 0.1 } as const

export const spec = {
  name: 'jb-call',
  about: 'sends each request to a model and adds the reply',
  operands: '[FILE…]',
  /** `jb-call --batch join RESULTS [FILE…]` */
  positional: ({ batch, batchFiles }: Record<string, unknown>) =>
    batch === 'join' && batchFiles === undefined ? ['RESULTS'] : [],
  noStdin: (operands: readonly string[], { batch }: Record<string, unknown>) =>
    operands.length === 0 && /^(submit|status|fetch)$/.test(String(batch)),
  standalone: ['list-providers', 'cache-info', 'cache-clear', 'status'],
  examples: EXAMPLES,
  options: [
    {
      name: 'model',
      short: 'm',
      type: 'string',
      value: 'NAME',
      about:
        'the model to ask, as PROVIDER/MODEL or by its name alone; or baseline:longer, :first, :overlap, :random (answered in process)',
    },
    {
      name: 'list-providers',
      type: 'boolean',
      about: 'print the names that may stand before a model: API, base URL and key variable of each',
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
      about: 'the API of the endpoint [chat, or completions for a request with a prompt]',
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
      about: 'a parameter of every request, in place of the judge’s own; KEY= alone removes one',
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
      name: 'header',
      type: 'list',
      value: 'NAME:VALUE',
      about: 'a header of every request; $NAME in it is taken from the environment',
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
      about: 'calls under way at once',
    },
    {
      name: 'retries',
      type: 'number',
      value: 'N',
      integer: true,
      min: 0,
      default: USUAL.retries,
      about: 'attempts after the first, where the failure may be temporary',
    },
    {
      name: 'compat',
      type: 'string',
      choices: ORIGINALS,
      about:
        'as an original does: --repair reads replies as jb-parse --compat does; lm-eval: a task file’s retry_attempts counts all attempts',
    },
    {
      name: 'retry-min',
      type: 'number',
      value: 'SECONDS',
      min: 0,
      default: USUAL.retryMin,
      about: 'the shortest wait before a further attempt',
    },
    {
      name: 'retry-max',
      type: 'number',
      value: 'SECONDS',
      min: 0,
      default: USUAL.retryMax,
      about: 'the longest wait, unless the server asks for more',
    },
    {
      name: 'timeout',
      type: 'number',
      value: 'SECONDS',
      min: 0.001,
      default: 120,
      about: 'the longest a call may take, from its start to its last byte',
    },
    {
      name: 'rpm',
      type: 'number',
      value: 'N',
      min: 0.001,
      about: 'requests a minute at most, for each endpoint and model',
    },
    {
      name: 'tpm',
      type: 'number',
      value: 'N',
      min: 1,
      about: 'tokens a minute at most: estimated before a call, corrected after it',
    },
    { name: 'no-adapt', type: 'boolean', about: 'do not slow down when the endpoint refuses calls' },
    {
      name: 'preflight',
      type: 'boolean',
      about: 'make the first call alone, and end the run if it shows that none can succeed (the default)',
    },
    { name: 'no-preflight', type: 'boolean', about: 'start all calls at once' },
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
      about: 'ask again up to N times if the judge’s rule finds no verdict, in the way the judge file says',
    },
    {
      name: 'cache',
      type: 'list',
      separator: ':',
      value: 'FILE',
      about:
        'where replies are kept; by default in $XDG_CACHE_HOME/jb/replies, a file a model. Given again: more files in which replies are looked up',
    },
    { name: 'no-cache', type: 'boolean', about: 'replies are neither looked up nor kept' },
    {
      name: 'refresh',
      type: 'boolean',
      about: 'make every call: replies are kept, but not taken from the cache or the rows',
    },
    { name: 'record', type: 'string', value: 'FILE', about: 'write every reply to FILE as well' },
    {
      name: 'replay',
      type: 'string',
      value: 'FILE',
      about: 'answer from FILE (a recording or a cache) without any call',
    },
    {
      name: 'price',
      type: 'string',
      value: 'IN,OUT',
      about:
        'dollars per million tokens in and out, or a file of prices by model; they come before the list prices that jb-call knows',
    },
    ...LIMIT_OPTIONS,
    { name: 'log', type: 'string', value: 'FILE', about: 'append a JSON line for every request sent' },
    {
      name: 'dry-run',
      short: 'n',
      type: 'boolean',
      about: 'print how many calls, tokens and dollars a run would take; no call is made',
    },
    {
      name: 'batch',
      type: 'string',
      choices: ['emit', 'submit', 'status', 'fetch', 'join'],
      about:
        'emit: write batch files instead of calling; submit: upload them; status: see how far they are; fetch: wait for the results; join: give rows the answers in RESULTS',
    },
    {
      name: 'batch-files',
      type: 'string',
      value: 'PREFIX',
      about:
        'the batch files are PREFIX-001.jsonl and so on, each for one model and within the provider’s limits; PREFIX-batches.ndjson says how far each is',
    },
    {
      name: 'cache-info',
      type: 'boolean',
      about: 'print what is in the cache (of one model with -m) and exit',
    },
    { name: 'cache-clear', type: 'boolean', about: 'empty the cache (of one model with -m) and exit' },
    {
      name: 'unordered',
      type: 'boolean',
      about: 'write rows as soon as they are done, not in the order of the input',
    },
    {
      name: 'run-file',
      type: 'string',
      value: 'FILE',
      about: 'keep in FILE (NAME.run.json) what this run is, how far it is, and its exit code',
    },
    {
      name: 'status',
      type: 'string',
      value: 'DIR',
      about:
        'print a line on the runs whose --run-file is in DIR, and exit: done, failed, rate, cost, time left',
    },
    limitOption('rows'),
    {
      name: 'total',
      type: 'number',
      value: 'N',
      min: 0,
      integer: true,
      about: 'how many rows will come through the pipe: for the bar and --max-error-rate',
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
  ],
  headings: {
    Model: [
      'list-providers',
      'judge',
      'param',
      'temperature',
      'max-tokens',
      'header',
      'compat',
      'preflight',
      'no-preflight',
    ],
    Limits: ['rpm', 'tpm', 'no-adapt', 'max-requests', 'limits', 'limits-lost'],
    Retries: ['retries', 'retry-min', 'retry-max', 'timeout'],
    Cache: ['no-cache', 'refresh', 'cache-info', 'cache-clear', 'record', 'replay'],
    Cost: ['price'],
    Batch: ['batch', 'batch-files'],
    Output: ['limit', 'total', 'unordered', 'log', 'run-file', 'status'],
  },
  exitCodes: [0, 1, 2, 65, 66, 69, 70, 74, 75, 77, 78],
  eager: true,
  underWay: ({ concurrency }) => Number(concurrency),
} as const satisfies FilterSpec

export type CallOptions = OptionsOf<typeof spec>
