/** Which parameter a server refused is told from its message. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ParameterFallback } from '../../../src/stages/call/parameter_fallback.ts'

const ones = (...keys: string[]) => new Map(keys.map((key) => [key, '1']))
const answer = (error: object) => ({
  status: 400,
  headers: {},
  body: Buffer.from(JSON.stringify({ error })),
})

test('a refused parameter is told from a wrong value and from a word that only sounds like one', () => {
  const sent = ones('messages', 'temperature', 'stop', 'n', 'top_logprobs', 'logprobs', 'seed')
  const refused = (message: string, more: object = {}) => {
    const request = new ParameterFallback().request()
    return request.refused(answer({ message, ...more }), sent) ? request.accepted().join() : undefined
  }
  assert.match(
    refused("Unsupported parameter: 'stop' is not supported with this model.")!,
    /^stop is refused/,
  )
  assert.match(refused('top_logprobs: Extra inputs are not permitted')!, /^top_logprobs is refused/)
  assert.match(refused('logprobs is not supported')!, /^logprobs is refused/)
  assert.match(refused('Unknown parameter: seed')!, /^seed is refused/)
  assert.equal(refused('Invalid request: the messages must not stop in the middle of n words'), undefined)
  assert.equal(refused('temperature must be at most 2', { param: 'temperature' }), undefined)
  assert.equal(refused('something else is invalid'), undefined)
  assert.equal(refused('max_tokens is not supported'), undefined, 'it was not sent')
})

test('a refusal is the row’s until its request is accepted without the parameter, and is then said once', () => {
  const fallback = new ParameterFallback()
  const sent = ones('messages', 'seed')
  const requests = [fallback.request(), fallback.request()]
  for (const request of requests) {
    assert.equal(request.refused(answer({ message: "'seed' is not supported" }), sent), true)
    assert.deepEqual([...request.apply(sent).keys()], ['messages'])
    assert.deepEqual(fallback.request().apply(sent), sent)
  }
  assert.deepEqual(
    requests.map((request) => request.accepted().length),
    [1, 0],
  )
  assert.deepEqual([...fallback.request().apply(sent).keys()], ['messages'])
})

test('of temperature and top_p together it is top_p that goes, also where both stand inside another parameter', () => {
  const words = answer({ message: '`temperature` and `top_p` cannot both be specified for this model.' })
  const asked = ones('messages', 'temperature', 'top_p')
  for (const prepared of [asked, ones('messages', 'inferenceConfig')]) {
    const request = new ParameterFallback().request()
    assert.equal(request.refused(words, prepared, asked), true)
    assert.deepEqual([...request.apply(asked).keys()], ['messages', 'temperature'])
  }
})
