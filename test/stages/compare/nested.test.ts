/** A field nested too deeply to be written again names a run or a slice as it stands in the row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jb } from '../../helpers/run.ts'

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const rows = [1, 2]
  .map((id) => `{"id":${id},"x":1,"of":${deep},"model_a":"m","model_b":"n","winner":"model_a"}\n`)
  .join('')

test('jb-compare --run, --by and jb-rank --by', async () => {
  for (const [filter, args] of [
    ['compare', ['--value', 'x', '--run', 'of']],
    ['compare', ['--value', 'x', '--by', 'of', '--run', 'winner']],
    ['rank', ['--by', 'of', '--bootstrap', '0']],
  ] as const) {
    const { code, stderr } = await jb(filter, [...args], { stdin: rows })
    assert.notEqual(code, 70, `${filter} ${args}: ${stderr.slice(0, 300)}`)
  }
})
