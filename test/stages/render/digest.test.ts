/** jb.judge_digest: another one for each version of a judge, the same however its trials are laid out. */
import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'

const ITEM = { id: 1, question: 'q', answer: 'a', response_A: 'a', response_B: 'b', response: 'r' }

const judge = (prompt: string, pattern = '(\\d)') =>
  `kind: grade\nfields: { answer: answer }\nmessages: [{ role: user, content: '${prompt} {{ answer }} {{ rubric }}' }]\nset: { rubric: r }\nverdict: { rule: number, pattern: '${pattern}' }\n`
const module = (words: string) =>
  `export const kind = 'grade'\nexport const render = () => '${words}'\nexport const parse = () => 1\n`
const criterion = (description: string) =>
  `{"name":"c","description":"${description}","to_evaluate_field":"response","options":[{"name":"Yes","score":1},{"name":"No","score":0}]}`

test('what reaches the prompt or the reading makes another digest, the layout of trials does not', async (t) => {
  const place = folder(t, {
    'a.yaml': judge('Rate'),
    'deep/a.yaml': judge('Rate'),
    'b.yaml': judge('Grade'),
    'c.yaml': judge('Rate', '(\\d\\d)'),
    'a.mjs': module('x'),
    'b.mjs': module('y'),
    'a.json': criterion('Is it so?'),
    'b.json': criterion('Is it not?'),
    'deep/a.json': criterion('Is it so?'),
    'one/autoj_prompt.jinja2': 'One {{ prompt }} {{ response }} {{ response_another }}',
    'two/autoj_prompt.jinja2': 'Two {{ prompt }} {{ response }} {{ response_another }}',
  })
  const of = async (...args: string[]) => {
    const named = args.map((arg) => (/^(deep|one|two|[abc]\.)/.test(arg) ? `${place}/${arg}` : arg))
    const rows = rowsOf(fine(await jb('render', [...named, '-q'], { stdin: ndjson([ITEM]) })))
    const digests = new Set(rows.map(({ jb }) => jb.judge_digest))
    assert.equal(digests.size, 1)
    assert.match([...digests][0]!, /^[0-9a-f]{12}$/)
    return [...digests][0]
  }
  const one = await of('a.yaml')
  for (const args of [['deep/a.yaml'], ['a.yaml', '--samples', '3'], ['a.yaml', '--name', 'n', '--id', 'id']])
    assert.equal(await of(...args), one, args.join(' '))
  const pairs = await of('vanilla')
  for (const order of ['both', 'ba', 'random'])
    assert.equal(await of('vanilla', '--order', order, '--seed', '7'), pairs, order)
  // The same criteria under another path, and through a link.
  const asked = await of('direct', '--criteria', 'a.json')
  assert.equal(await of('direct', '--criteria', 'deep/a.json'), asked)
  symlinkSync('a.json', `${place}/c.json`)
  assert.equal(await of('direct', '--criteria', 'c.json'), asked)
  assert.equal(
    await of('direct', '--criteria', 'deep/a.json#c'),
    await of('direct', '--criteria', 'a.json#c'),
  )
  const others: [string[], string[]][] = [
    [['a.yaml'], ['b.yaml']],
    [['a.yaml'], ['c.yaml']],
    [['a.yaml'], ['a.yaml', '--set', 'rubric=s']],
    [['a.yaml'], ['a.yaml', '--map', 'answer=question']],
    [['a.mjs'], ['b.mjs']],
    [
      ['direct', '--criteria', 'a.json'],
      ['direct', '--criteria', 'b.json'],
    ],
    [
      ['auto_j', '--templates', 'one'],
      ['auto_j', '--templates', 'two'],
    ],
  ]
  for (const [first, second] of others)
    assert.notEqual(await of(...first), await of(...second), second.join(' '))
  // The same file with another text.
  const before = await of('direct', '--criteria', 'a.json')
  writeFileSync(`${place}/a.json`, criterion('Is it not?'))
  assert.notEqual(await of('direct', '--criteria', 'a.json'), before)
})
