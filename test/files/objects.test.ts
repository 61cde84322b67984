/** Small side files of NDJSON: objects with their places, and what is wrong with file and line. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectsOf } from '../../src/files/objects.ts'
import { EXIT } from '../../src/rows/record.ts'

test('objects come with their lines; blank lines, CRLF and U+2028 are no matter, ids keep their digits', async () => {
  const text = '{"a":1}\r\n\n  \n{"id":12345678901234567890,"t":"x\u2028y"}\n {"b":[null]}'
  assert.deepEqual(await objectsOf(text, 'f'), [
    { object: { a: 1 }, place: 'f:1' },
    { object: { id: '12345678901234567890', t: 'x\u2028y' }, place: 'f:4' },
    { object: { b: [null] }, place: 'f:5' },
  ])
  assert.deepEqual(await objectsOf('\n', 'f'), [])
  const many = Array.from({ length: 5000 }, (_, i) => `{"i":${i}}`).join('\n')
  assert.equal((await objectsOf(many, 'f')).at(-1)?.place, 'f:5000')
})

test('a line that is no object is told with file and line, and the exit code asked for', async () => {
  const cases: [text: string, message: RegExp][] = [
    ['{"a":1}\n{"b":nope}\n', /^f:2: not valid JSON: /],
    ['{"a":1}\n\nnull\n{"b":1}', /^f:3: expected a JSON object$/],
    ['[1]\n', /^f:1: expected a JSON object$/],
    ['{"a":1}\n7', /^f:2: expected a JSON object$/],
    ['id,title\n1,x', /^f:1: the input is no NDJSON; it looks like CSV/],
  ]
  for (const [text, message] of cases)
    await assert.rejects(objectsOf(text, 'f', EXIT.config), { exitCode: EXIT.config, message })
})
