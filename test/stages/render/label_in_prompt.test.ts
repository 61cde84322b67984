/** A prompt that tells the judge the right verdict. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spec } from '../../../src/stages/render/options.ts'
import { render } from '../../../src/stages/render/render.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { staged } from '../../helpers/stage.ts'

test('a label that reaches the prompt is warned of before any call; a reference answer is not', async (t) => {
  const judge = (fields: string, text: string) =>
    `about: x\nkind: grade\nfields: { question: question${fields} }\nprompt: '{{ question }} ${text}'\nverdict: { rule: number, range: [1, 5] }\n`
  const dir = folder(t, {
    'leak.yaml': judge('', '({{ label }})'),
    'named.yaml': judge(', right: expected_result', '({{ right }})'),
    'reference.yaml': judge(', reference: reference', '({{ reference }})'),
    'set.yaml': judge('', 'a {{ label }}'),
  })
  const row = { id: 1, question: 'q', label: 'A>B', expected_result: 'A>B', reference: 'r' }
  const notes = async (...args: string[]) =>
    (await staged(spec, render, [`${dir}/${args[0]}`, ...args.slice(1)], ndjson([row]))).notes.join('\n')
  assert.match(
    await notes('leak.yaml'),
    /warning: the prompt tells the judge the field label.*label_in_prompt/,
  )
  assert.match(await notes('named.yaml'), /the field expected_result.*take \{\{ right \}\} out/)
  assert.doesNotMatch(await notes('reference.yaml'), /warning/)
  assert.doesNotMatch(await notes('set.yaml', '--set', 'label="x"'), /warning/)
  assert.match(await notes('reference.yaml', '--map', 'reference=label'), /take \{\{ reference \}\} out/)
})
