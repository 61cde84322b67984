/** Rows longer than V8's strings. A part of `make test-long`: three gigabytes go through pipes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replied, rowsOf } from '../helpers/rows.ts'
import { expect, sh } from '../helpers/run.ts'

const GOOD = JSON.stringify(replied('vanilla', 'Output (a)'))

test('a row that is longer than a string may be is a bad row', async () => {
  const long = `printf '{"a":"'; head -c 540000000 /dev/zero | tr '\\0' x; printf '"}'`
  const input = `(echo '${GOOD}'; ${long}; echo; echo '${GOOD}'; ${long})`
  const err = /\(stdin\):2: too long: a row may have 524288000 bytes\n/
  const skipped = expect(await sh(`${input} | jb-parse --bad-rows skip`), { err })
  assert.match(skipped.stderr, /\(stdin\):4: too long: .*\n.*4 rows, 2 failed here \(bad_row 2\)\n$/)
  assert.equal(rowsOf(skipped).length, 2)
  assert.equal(rowsOf(expect(await sh(`${input} | jb-parse -q`), { code: 65, err })).length, 1)
  const passed = rowsOf(expect(await sh(`${input} | jb-parse -q --bad-rows pass`), {}))
  assert.deepEqual(
    passed.map(({ jb }) => jb.error?.code),
    [undefined, 'bad_row', undefined, 'bad_row'],
  )
  assert.match(String(passed[3]?.jb.raw), /^\{"a":"x+$/)
})
