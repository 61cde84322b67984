/**
 * Every request that the built-in judges make, and the second ones that repair replies, against what OpenAI's reference
 * allows (fixtures/providers/openai.json): chat, completions, responses, and batch files.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import type { Judge } from '../../src/judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge } from '../../src/judges/_load.ts'
import type { BatchCall } from '../../src/providers/_batch.ts'
import { jsonText, type Params } from '../../src/providers/_params.ts'
import type { Provider } from '../../src/providers/_provider.ts'
import { provider as chat } from '../../src/providers/chat.ts'
import { provider as completions } from '../../src/providers/completions.ts'
import { provider as responses } from '../../src/providers/responses.ts'
import { ROOT } from '../helpers/run.ts'
import { FORMAT } from './_ask.ts'

const {
  $defs,
  about: _,
  ...facts
} = JSON.parse(readFileSync(`${ROOT}fixtures/providers/openai.json`, 'utf8'))
const ajv = new Ajv({ strict: false, allErrors: true })
const CHECKS = Object.fromEntries(
  Object.entries(facts).map(([name, schema]) => [name, ajv.compile({ $defs, ...(schema as object) })]),
)

function check(name: string, value: unknown, where: string): void {
  const valid = CHECKS[name]!
  assert.ok(
    valid(value),
    `${where}: ${JSON.stringify(valid.errors)} in ${JSON.stringify(value).slice(0, 300)}`,
  )
}

/** All that ask a model. */
const JUDGES = (await Promise.all(BUILTIN_JUDGES.names().map(loadJudge))).filter(
  ({ messages, prompt }) => messages ?? prompt,
)

const paramsOf = (request: object): Params =>
  new Map(Object.entries(request).map(([key, value]) => [key, jsonText(value)]))

const bodyOf = (provider: Provider, request: object) =>
  JSON.parse(provider.body(provider.prepare(paramsOf(request), {}), 'gpt-4o').toString())

/** What PandaLM's own model is asked with, by vLLM: OpenAI refuses it, and it is left out from then on. */
const VLLM = new Set(['use_beam_search', 'early_stopping', 'best_of', 'repetition_penalty'])

/** A judge's request, and the one that asks again with a stop or a schema. */
function requestsOf({ name, messages, prompt, request, again }: Judge): object[] {
  const words = messages ? { messages: messages.map(({ role, content }) => ({ role, content })) } : { prompt }
  const asked = Object.entries(request ?? {}).filter(([key]) => name !== 'panda_lm' || !VLLM.has(key))
  const first = { ...words, ...Object.fromEntries(asked) }
  return [
    first,
    { ...first, response_format: FORMAT },
    ...(again?.request ? [{ ...first, ...again.request }] : []),
  ]
}

test('requests of every built-in judge', () => {
  let checked = 0
  for (const judge of JUDGES)
    for (const request of requestsOf(judge)) {
      check('chat', bodyOf(chat, request), `${judge.name}, chat`)
      const { response_format: _, ...plain } = request as Record<string, unknown>
      check('completions', bodyOf(completions, plain), `${judge.name}, completions`)
      const { stop: __, ...unstopped } = request as Record<string, unknown>
      check('responses', bodyOf(responses, unstopped), `${judge.name}, responses`)
      checked++
    }
  assert.ok(checked > 60, `${checked} requests`)
})

test('everything that a request may ask for, and what it must not hold', () => {
  const all = {
    messages: [{ role: 'user', content: 'q' }],
    temperature: 1,
    top_p: 0.5,
    max_completion_tokens: 100,
    logprobs: true,
    top_logprobs: 5,
    reasoning_effort: 'low',
    verbosity: 'low',
    service_tier: 'flex',
    store: true,
    prompt_cache_key: 'k',
    metadata: { run: 'a' },
    response_format: FORMAT,
  }
  check('chat', bodyOf(chat, all), 'chat')
  check('responses', bodyOf(responses, all), 'responses')
  assert.ok(!CHECKS.chat!(bodyOf(chat, { ...all, top_logprobs: 21 })), 'the check finds what is wrong')
  assert.ok(!CHECKS.responses!({ ...bodyOf(responses, all), seed: 1 }))
})

test('lines of batch files, and the request that begins a batch', async () => {
  for (const [name, provider] of Object.entries({ chat, completions, responses })) {
    const request = { prompt: 'q', temperature: 0 }
    const body = provider.body(provider.prepare(paramsOf(request), {}), 'gpt-4o')
    const line = JSON.parse(provider.batch!.line('jb-1', body).toString())
    check('line', line, name)
    check(name, line.body, name)
    const { jobs } = provider.batch!
    const file = { name: 'b-001.jsonl', size: 0, open: async function* () {} }
    const url = provider.url(new URL(provider.base), 'gpt-4o', {})
    const send = async (call: BatchCall) => {
      assert.equal(call.url.href, 'https://api.openai.com/v1/batches')
      check('batch', JSON.parse(String(call.body)), name)
      return { id: 'batch_1' }
    }
    assert.equal(await jobs.start('file-1', file, { url, model: 'gpt-4o', env: {}, send }), 'batch_1')
  }
})
