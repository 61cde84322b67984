/** Lines that are no rows: what they are instead, and what to do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jb } from '../helpers/run.ts'

test('a file of another kind, and what another program wrote for JSON, are told by name', async () => {
  const cases: [Buffer | string, RegExp][] = [
    ['a,b\n1,2\n', /looks like CSV: read it with jb-read csv$/m],
    ['a\tb\n1\t2\n', /looks like TSV: read it with jb-read csv --delimiter \$'\\t'$/m],
    ['a;b\n1;2\n', /looks like CSV: read it with jb-read csv --delimiter ';'$/m],
    [Buffer.from('{"a":"é').subarray(0, 7), /:1: not valid JSON: cut short after 7 bytes$/m],
    [Buffer.from('{"a":"x🙂').subarray(0, 10), /:1: not valid JSON: cut short after 10 bytes$/m],
    [Buffer.from('\ufeff{"a":1}\n', 'utf16le'), /is UTF-16: convert it with iconv -f UTF-16 -t UTF-8$/m],
    [Buffer.from('{"a":1}\n', 'utf16le'), /is UTF-16: convert it with iconv -f UTF-16 -t UTF-8$/m],
    [Buffer.from('{"a":"\xe9"}\n', 'latin1'), /:1: not valid UTF-8 at byte 7: convert the file with iconv/],
    [`{'a': 'b'}\n`, /Python's notation, not JSON: write it with json\.dumps$/m],
    ['{"a":1}\n{"a":NaN}\n', /:2: not valid JSON: NaN is no number of JSON \(null\?\)$/m],
    ['{"a":-Infinity}\n', /:1: not valid JSON: /],
    ['{"a":1},\n{"a":2}\n', /a comma ends the line: NDJSON has one object a line/],
    ['{"a":1}\r{"a":2}\r', /end in a carriage return alone: convert the file with tr '\\r' '\\n'$/m],
    ['[{"a":1}]\n', /is a JSON array, .*jb-read json/],
    ['{\n "a":1}\n', /is an indented JSON document/],
    ['{"evalId": "eval-1",\n "results": {}}\n', /is a JSON document of several lines .*jb-read json/],
    ['{"a": {"b":1},\n "c": 1}\n', /is a JSON document of several lines/],
    ['{"results": [\n]}\n', /is a JSON document of several lines/],
  ]
  for (const [stdin, message] of cases) {
    const { code, stderr } = await jb('score', [], { stdin })
    assert.equal(code, 65, String(stdin))
    assert.match(stderr, message)
  }
})
