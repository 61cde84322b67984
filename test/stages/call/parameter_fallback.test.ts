/** Which parameter a server refused is told from its message. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ascii } from '../../../src/rows/bytes.ts'
import { ParameterFallback } from '../../../src/stages/call/parameter_fallback.ts'

test('a refused parameter is told from a wrong value and from a word that only sounds like one', () => {
  const sent = new Map(
    ['messages', 'temperature', 'stop', 'n', 'top_logprobs', 'logprobs', 'seed'].map((key) => [
      key,
      ascii('1'),
    ]),
  )
  const learn = (message: string, more: object = {}) =>
    new ParameterFallback().learn(
      { status: 400, headers: {}, body: Buffer.from(JSON.stringify({ error: { message, ...more } })) },
      sent,
    )
  assert.match(learn("Unsupported parameter: 'stop' is not supported with this model.")!, /^stop is refused/)
  assert.match(learn('top_logprobs: Extra inputs are not permitted')!, /^top_logprobs is refused/)
  assert.match(learn('logprobs is not supported')!, /^logprobs is refused/)
  assert.match(learn('Unknown parameter: seed')!, /^seed is refused/)
  assert.equal(learn('Invalid request: the messages must not stop in the middle of n words'), undefined)
  assert.equal(learn('temperature must be at most 2', { param: 'temperature' }), undefined)
  assert.equal(learn('something else is invalid'), undefined)
  assert.equal(learn('max_tokens is not supported'), undefined, 'it was not sent')
  const refused = (message: string) => ({
    status: 400,
    headers: {},
    body: Buffer.from(JSON.stringify({ error: { message } })),
  })
  const fallback = new ParameterFallback()
  fallback.learn(refused("'seed' is not supported"), sent)
  assert.equal(
    fallback.learn(refused("'seed' is not supported"), sent),
    '',
    'it was sent before that was known',
  )
})

test('of temperature and top_p together it is top_p that goes, also where both stand inside another parameter', () => {
  const body = Buffer.from('{"message":"`temperature` and `top_p` cannot both be specified for this model."}')
  const refused = { status: 400, headers: {}, body }
  const asked = new Map(['messages', 'temperature', 'top_p'].map((key) => [key, ascii('1')]))
  assert.match(new ParameterFallback().learn(refused, asked)!, /^top_p is refused/)
  const fallback = new ParameterFallback()
  const prepared = new Map(['messages', 'inferenceConfig'].map((key) => [key, ascii('1')]))
  assert.match(fallback.learn(refused, prepared, asked)!, /^top_p is refused/)
  assert.deepEqual([...fallback.apply(asked).keys()], ['messages', 'temperature'])
})
