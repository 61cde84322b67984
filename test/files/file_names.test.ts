/** Names of files from texts of the data. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FileNames, fileName, uniqueName } from '../../src/files/file_names.ts'

const TEXTS = [
  ...[
    '',
    '.',
    '..',
    '...',
    '.git',
    '/',
    '\\',
    '../../etc',
    'C:\\x',
    'a/b',
    'a__b',
    'a:b',
    'A/B',
    'a\u0000b',
    'a\nb',
  ],
  ...[
    '\u202eexe',
    'é',
    'e\u0301',
    '-rf',
    ' ',
    '\ud800',
    'x'.repeat(300),
    `${'x'.repeat(300)}y`,
    '文'.repeat(100),
  ],
]

test('a name is one file in its folder, of at most 200 bytes', () => {
  for (const text of TEXTS)
    for (const name of [fileName(text), fileName(text, '.jsonl'), uniqueName(text, '.ndjson')]) {
      assert.match(name, /^[^./\\\p{C}][^/\\\p{C}]*$/u, JSON.stringify(text))
      assert.ok(Buffer.byteLength(name) <= 200)
    }
  assert.equal(fileName('org/model:free', '.jsonl'), 'org__model__free.jsonl')
  assert.equal(uniqueName('gpt-4o', '.ndjson'), 'gpt-4o.ndjson')
})

test('two texts never have one name, whatever their order, and a text has the same again', () => {
  for (const texts of [TEXTS, TEXTS.toReversed()]) {
    const names = new FileNames()
    const made = texts.map((text) => names.of(text, '.jsonl'))
    assert.equal(new Set(made.map((name) => name.normalize('NFC').toLowerCase())).size, texts.length)
    assert.deepEqual(
      texts.map((text) => names.of(text, '.jsonl')),
      made,
    )
  }
  assert.equal(new Set(TEXTS.map((text) => uniqueName(text))).size, TEXTS.length)
})
