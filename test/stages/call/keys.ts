/** Keys of every origin, servers that send them back, and the search for them in all that is written. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { members } from '../../../src/files/members.ts'
import type { Provider } from '../../../src/providers/_provider.ts'
import { folder } from '../../helpers/folder.ts'
import type { Choices } from '../../helpers/random.ts'
import { ndjson } from '../../helpers/rows.ts'
import { jb, type Ran } from '../../helpers/run.ts'
import { trial } from './rows.ts'
import { type Call, chatBody, chatServer, type Deed } from './server.ts'

/** A key with letters that JSON and URLs write otherwise. */
export const KEY = 'sk-proj-Ab3"\\/+=&4567890xyz'
/** What a provider gives for it. */
const TOKEN = 'eyJ0b2tlbi00NzExLXNlY3JldA'
const codes = [...KEY].map((letter) => letter.charCodeAt(0).toString(16))
const ENCODINGS = ['base64', 'base64url'] as const
const OFFSETS = ['', 'a', 'ab']
/** The key in base64, wherever it stands in what was encoded: what is the same whatever stands around it. */
const INNER_BASE64 = OFFSETS.flatMap((before) =>
  ENCODINGS.map((encoding) => Buffer.from(`${before}${KEY}`).toString(encoding).slice(4, -4)),
)
const ESCAPED = [
  KEY,
  JSON.stringify(KEY).slice(1, -1),
  encodeURIComponent(KEY),
  encodeURIComponent(encodeURIComponent(KEY)),
  codes.map((code) => `%${code}`).join(''),
  codes.map((code) => `\\u00${code}`).join(''),
]
/** Ways in which a server may write it. */
export const FORMS = [
  ...ESCAPED,
  ...OFFSETS.flatMap((before) =>
    ENCODINGS.map((encoding) => Buffer.from(`${before}${KEY}!`).toString(encoding)),
  ),
]

/** Every file below a folder. */
export function filesIn(path: string): string[] {
  return readdirSync(path).flatMap((name) => {
    const inner = join(path, name)
    return statSync(inner).isDirectory() ? filesIn(inner) : [inner]
  })
}

/** The key stands in nothing that was written. @param place its files too, but for those that hold it from the start */
export function clean(ran: Ran, place: string, own: readonly string[] = []): void {
  const written: [string, string][] = [
    ['stdout', ran.stdout],
    ['stderr', ran.stderr],
    ...filesIn(place)
      .filter((path) => !own.includes(path))
      .map((path): [string, string] => [path, readFileSync(path, 'utf8')]),
  ]
  for (const [where, text] of written)
    for (const secret of [...ESCAPED, ...INNER_BASE64, TOKEN])
      assert.ok(!text.includes(secret), `${ran.command}\n${secret} stands in ${where}: ${text.slice(0, 500)}`)
}

const providerOf = async (api: string): Promise<Provider> =>
  (await import(`../../../src/providers/${api}.ts`)).provider

interface Given {
  args?: string[]
  env?: Record<string, string>
  url?: string
  /** Of the rows. */
  jb?: object
  /** Files that hold it. */
  files?: string[]
}

/** Where a key comes from. */
const ORIGINS: Record<string, (at: { url: string; api: string; place: string }) => Given | Promise<Given>> = {
  provider: async ({ api }) => ({ env: { [(await providerOf(api)).keyNames[0]!]: KEY } }),
  'a token is had for it': () => ({
    env: { WATSONX_APIKEY: KEY, AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE4711', AWS_SECRET_ACCESS_KEY: KEY },
  }),
  '--api-key-env': () => ({ args: ['--api-key-env', 'MINE'], env: { MINE: KEY } }),
  'of all judges': () => ({ env: { LLM_JUDGE_API_KEY: KEY } }),
  'of a named judge': () => ({ env: { LLM_JUDGE_TONE_API_KEY: KEY }, jb: { name: 'tone' } }),
  '--header': () => ({ args: ['--header', 'X-Gate: Token $GATE'], env: { GATE: KEY } }),
  '--header authorization': () => ({ args: ['--header', 'Authorization: Bearer $GATE'], env: { GATE: KEY } }),
  'password in the URL': ({ url }) => ({
    url: url.replace('http://', `http://user:${encodeURIComponent(KEY)}@`),
  }),
  'query of the URL': ({ url }) => ({ url: `${url}?api_key=${encodeURIComponent(KEY)}` }),
  'judge file': ({ url, place }) => {
    const path = `${place}/task.yaml`
    const metric = {
      metric: 'llm_judge',
      prompt_template: 'Rate {{ prediction }}',
      model: 'm',
      api_base: url,
      api_key: KEY,
    }
    writeFileSync(
      path,
      JSON.stringify({ task: 't', dataset_path: 'x', doc_to_text: '{{q}}', metric_list: [metric] }),
    )
    return { args: ['--judge', path], jb: { judge: path }, files: [path] }
  },
  'password of --limits': () => ({
    args: ['--limits', `redis://:${encodeURIComponent(KEY)}@127.0.0.1:1/run`],
  }),
}

/** What a batch is called that has ended, where it is not "completed". */
const ENDED: Record<string, string> = { bedrock: 'Completed', mistral: 'SUCCESS' }

/** An answer that every API reads a text from. */
const said = (text: string, api: string) => ({
  ...chatBody(text),
  choices: [{ index: 0, text, message: { role: 'assistant', content: text, reasoning_content: text } }],
  message: { role: 'assistant', content: text },
  content: [{ type: 'text', text }],
  candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }],
  output: [{ type: 'message', content: [{ type: 'output_text', text }], message: { content: [{ text }] } }],
  done: true,
  // A batch that has ended, too.
  ...{ id: 'b1', status: ENDED[api] ?? 'completed', processing_status: 'ended', jobArn: 'arn:aws:job/b1' },
  ...{ output_file_id: 'o1', output_file: 'o1' },
  ...{
    file: { name: 'files/f1' },
    name: 'batches/b1',
    metadata: { state: 'BATCH_STATE_SUCCEEDED' },
    response: { responsesFile: 'o1' },
  },
})

/** Of these a request for a token is one, too. */
const TOKEN_REFUSED = new Set(['refuses the key', 'breaks', 'no JSON'])

/** What the server does with a request, whose headers and URL it sends back with every form of the key. */
const DEEDS: Record<string, (echo: string, api: string) => Deed> = {
  answers: (echo, api) => ({ body: said(echo, api), headers: { 'x-echo': encodeURIComponent(echo) } }),
  'bad request': (echo) => ({ status: 400, body: { error: { message: echo, code: echo, param: echo } } }),
  'refuses the key': (echo) => ({ status: 401, body: { error: { message: echo } } }),
  'no such model': (echo) => ({ status: 404, body: { detail: echo, errors: [{ message: echo }] } }),
  'too many': (echo) => ({
    status: 429,
    body: { error: { message: echo } },
    headers: { 'retry-after': '0' },
  }),
  breaks: (echo) => ({ status: 500, body: `<p>${echo}</p>` }),
  'no JSON': (echo) => ({ body: echo }),
  redirects: (echo) => ({
    status: 307,
    headers: { location: `http://there/?q=${encodeURIComponent(echo)}` },
  }),
  resets: () => 'reset',
}

type Run = (args: string[]) => Promise<Ran>
interface Surroundings {
  judge: string
  env: Record<string, string>
}

/** What is asked for. @param run jb-call with the options of the call; `place` is its folder */
const MODES: Record<string, (run: Run, place: string, around: Surroundings) => Promise<Ran[]>> = {
  call: async (run, place) => [await run(['--record', `${place}/record`])],
  replay: async (run, place) => [
    await run(['--record', `${place}/record`]),
    await run(['--no-cache', '--replay', `${place}/record`]),
  ],
  'from the cache': async (run) => [await run([]), await run([])],
  repair: async (run) => [await run(['--repair', '1', '--unordered'])],
  render: async (_, __, { judge, env }) => {
    const stdin = ndjson([{ id: 1, question: 'q', response_A: 'a', response_B: 'b', prediction: 'p' }])
    const render = (args: string[]) => jb('render', [judge, '-v', '--debug', ...args], { stdin, env })
    return [await render([]), await render(['--show'])]
  },
  'dry run': async (run) => [await run(['--dry-run'])],
  batch: async (run, place) => {
    const files = ['--batch-files', `${place}/batch`]
    const ran = [await run(['--batch', 'emit', ...files])]
    for (const what of ['submit', 'status', 'fetch', 'join']) ran.push(await run(['--batch', what, ...files]))
    return ran
  },
}

/** Each way in which a run may come by a key and give it away. */
export const FACTORS = {
  origin: Object.keys(ORIGINS),
  api: members('providers'),
  deed: Object.keys(DEEDS),
  proxy: ['none', 'with a password'],
  mode: Object.keys(MODES),
} as const
type Case = Record<keyof typeof FACTORS, string>
const NAMES = Object.keys(FACTORS) as (keyof typeof FACTORS)[]

/** Cases in which every two values of different factors meet. */
export function pairwise(choices: Choices): Case[] {
  const pairsOf = (one: Case) =>
    NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => `${a}=${one[a]} ${b}=${one[b]}`))
  const missing = new Set(
    NAMES.flatMap((a, i) =>
      NAMES.slice(i + 1).flatMap((b) =>
        FACTORS[a].flatMap((x) => FACTORS[b].map((y) => `${a}=${x} ${b}=${y}`)),
      ),
    ),
  )
  const cases: Case[] = []
  while (missing.size > 0) {
    const gain = (one: Case) => pairsOf(one).filter((pair) => missing.has(pair)).length
    const some = Array.from({ length: 60 }, () =>
      Object.fromEntries(NAMES.map((name) => [name, choices.pick(FACTORS[name])])),
    ) as Case[]
    const best = some.reduce((a, b) => (gain(b) > gain(a) ? b : a))
    for (const pair of pairsOf(best)) missing.delete(pair)
    if (gain(best) >= 0 && !cases.includes(best)) cases.push(best)
  }
  return cases
}

/** Every case there is. */
export function allCases(): Case[] {
  return NAMES.reduce<Case[]>(
    (cases, name) => cases.flatMap((one) => FACTORS[name].map((value) => ({ ...one, [name]: value }))),
    [{} as Case],
  )
}

/** Runs them one after another. @returns the origins whose key a server was sent */
export async function search(t: TestContext, cases: readonly Case[]): Promise<Set<string>> {
  const sent = new Set<string>()
  let now: Case | undefined
  const server = await chatServer(t, (call) => {
    const echo = echoOf(call)
    const known = [...FORMS, ...INNER_BASE64].some((form) => echo.includes(form))
    if (known) sent.add(now!.origin)
    if (call.path.includes('identity/token') && !TOKEN_REFUSED.has(now!.deed))
      return { body: { access_token: TOKEN, expires_in: 3600 } }
    const all = known ? [echo, ...FORMS] : [echo]
    return DEEDS[now!.deed]!(all.join(' '), now!.api)
  })
  for (const one of cases) {
    now = one
    const place = folder(t)
    const given = await ORIGINS[one.origin]!({ url: server.url, api: one.api, place })
    const proxy = `http://user:${encodeURIComponent(KEY)}@127.0.0.1:${server.port}`
    const env: Record<string, string> = {
      XDG_CACHE_HOME: place,
      JB_BASE_URL: given.url ?? server.url,
      ...{ AZURE_API_VERSION: '2025-01-01', AWS_REGION: 'eu-west-1', WATSONX_PROJECT_ID: 'p' },
      WATSONX_IAM_URL: server.url,
      ...{ AWS_S3_BUCKET_NAME: 'b', AWS_BATCH_ROLE_ARN: 'arn:aws:iam::1:role/r' },
      ...{ AWS_ENDPOINT_URL_S3: server.url, AWS_ENDPOINT_URL_BEDROCK: server.url },
      ...(one.proxy === 'none' ? {} : { http_proxy: proxy, no_proxy: '' }),
      ...given.env,
    }
    const options = [
      ...['-m', 'm', '--api', one.api, '-v', '--debug'],
      ...['--retries', '1', '--refused-for', '0.02', '--retry-min', '0', '--retry-max', '0.001'],
      ...(given.args ?? []),
    ]
    const stdin = ndjson([0, 1].map((n) => trial(n, `question ${n}`, given.jb)))
    const run: Run = (args) => jb('call', [...options, ...args], { stdin, env })
    const judge = given.files?.[0] ?? 'arena_hard'
    for (const ran of await MODES[one.mode]!(run, place, { judge, env })) clean(ran, place, given.files)
  }
  return sent
}

const echoOf = ({ headers, path, body }: Call) => `${JSON.stringify(headers)} ${path} ${JSON.stringify(body)}`
