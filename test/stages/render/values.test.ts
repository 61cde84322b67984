/** What stands in a prompt: fields, --map, --set, and texts exactly as the item has them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { folder } from '../../helpers/folder.ts'
import { ndjson, pair, rowOf, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'

/** A judge whose prompt shows these values, each in its own lines. */
const judge = (content: string, more: object = {}) =>
  JSON.stringify({
    kind: 'grade',
    messages: [{ role: 'user', content }],
    verdict: { rule: 'number', name: 'Score' },
    ...more,
  })

test('the words of an answer are never read as a template', async () => {
  const odd = [
    '{{ question }}',
    '{% if x %}',
    '{# no #}',
    '{{',
    '%}',
    '$&',
    '$1',
    '\\1',
    '%s',
    '{answer_b}',
    '|USER:',
    '</s>',
  ]
  const items = odd.map((text) => pair({ question: text, response_A: text, response_B: `${text}!` }))
  const rows = rowsOf(fine(await jb('render', ['vanilla', '--order', 'both'], { stdin: ndjson(items) })))
  for (const [i, text] of odd.entries())
    for (const row of rows.slice(2 * i, 2 * i + 2)) {
      const { content } = row.jb.request!.messages![0]!
      assert.equal(content.split(text).length - 1, 3, content)
    }
})

// fc.string's own units map all of Unicode once, which takes seconds.
const codes = (max: number) => fc.array(fc.oneof(fc.nat(0xff), fc.nat(max)), { maxLength: 20 })
/** Texts that JSON can write in more than one way. */
const text = fc.oneof(
  codes(0x10ffff).map((all) => String.fromCodePoint(...all)),
  codes(0xffff).map((all) => String.fromCharCode(...all)),
  fc.constantFrom(
    '"',
    '\\',
    '\n',
    '\t',
    '\u0000',
    '\u2028',
    '\ud800',
    'é',
    '😀',
    '</script>',
    "it's",
    '{{ x }}',
    ' \n',
  ),
)
/** The same text as JSON with every character escaped that can be. */
const escaped = (value: string) =>
  `"${[...Array(value.length).keys()].map((i) => `\\u${value.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`

test('any text stands in the prompt as it is, however the row writes it, by either way of rendering', async (t) => {
  const plain = 'Q: {{ question }}\nA: {{ answer_a }}\nB: {{ answer_b }}.'
  const path = folder(t, {
    'plain.jinja2': plain,
    // A loop that runs once: nothing that could be copied unread.
    'slow.jinja2': `{% for one in [1] %}${plain}{% endfor %}`,
  })
  await fc.assert(
    fc.asyncProperty(
      // A row whose fields are all empty is no item.
      fc.array(
        fc.tuple(
          text.map((one) => `q${one}`),
          text,
          text,
          fc.boolean(),
        ),
        { minLength: 200, maxLength: 200 },
      ),
      async (items) => {
        const stdin = items
          .map(([q, a, b, odd]) => {
            const write = odd ? escaped : (value: string) => JSON.stringify(value)
            return `{"question":${write(q)},"answer_a":${write(a)},"answer_b":${write(b)}}\n`
          })
          .join('')
        for (const file of ['plain.jinja2', 'slow.jinja2']) {
          const ran = fine(await jb('render', [file, '--order', 'ba', '-q'], { stdin, cwd: path }))
          assert.deepEqual(
            rowsOf(ran).map(({ jb }) => jb.request!.messages![0]!.content),
            items.map(([q, a, b]) => `Q: ${q}\nA: ${b}\nB: ${a}.`),
            file,
          )
        }
      },
    ),
    { numRuns: 1, endOnFailure: true },
  )
})

test('values print as Python prints them, numbers in the form they have in the row', async (t) => {
  const path = folder(t, { 'j.json': judge('{{ v }}') })
  const cases: [json: string, printed: string][] = [
    ['"text"', 'text'],
    ['1', '1'],
    ['1.0', '1.0'],
    ['12345678901234567890', '12345678901234567890'],
    ['-0.5', '-0.5'],
    ['1e3', '1000.0'],
    ['true', 'True'],
    ['false', 'False'],
    ['null', 'None'],
    ['[]', '[]'],
    ['["a",1,1.0,null,true]', "['a', 1, 1.0, None, True]"],
    ['{"k":{"n":[]}}', "{'k': {'n': []}}"],
    [`"it's"`, "it's"],
    [`["it's"]`, `["it's"]`],
    ['""', ''],
  ]
  const stdin = cases.map(([json]) => `{"v":${json}}\n`).join('')
  const rows = rowsOf(fine(await jb('render', ['j.json'], { stdin, cwd: path })))
  assert.deepEqual(
    rows.map(({ jb }) => jb.request?.messages?.[0]?.content),
    cases.map(([, printed]) => printed),
  )
})

test('a template that changes what it sees changes nothing for the other trials and templates', async (t) => {
  const change = '{% set _ = l.append(n) %}{% set _ = d.update({"k": l}) %}{{ l }}{{ d }}'
  const path = folder(t, {
    'j.json': JSON.stringify({
      kind: 'grade',
      messages: [
        { role: 'system', content: '{{ l }}{{ d }}' },
        { role: 'user', content: change },
        { role: 'user', content: change },
      ],
      verdict: { rule: 'number', name: 'Score' },
    }),
  })
  for (const word of ['x', 'é', '\\u00e9']) {
    const stdin = `{"id":1,"l":["${word}",1.0],"d":{"10":1,"2":"${word}"},"n":12345678901234567890}\n`
    const ran = fine(await jb('render', ['j.json', '--samples', '2'], { stdin, cwd: path }))
    const shown = JSON.parse(`"${word}"`)
    const before = `['${shown}', 1.0]{'10': 1, '2': '${shown}'}`
    const after = `['${shown}', 1.0, 12345678901234567890]{'10': 1, '2': '${shown}', 'k': ['${shown}', 1.0, 12345678901234567890]}`
    for (const { jb } of rowsOf(ran))
      assert.deepEqual(
        jb.request!.messages!.map(({ content }) => content),
        [before, after, after],
      )
    assert.equal(rowsOf(ran).length, 2)
    assert.ok(ran.stdout.startsWith(stdin.slice(0, -2)))
  }
})

test('a row’s own field is meant where Jinja2 has a function of that name', async (t) => {
  const path = folder(t, {
    'range.jinja2': '{{ range }}{{ dict is string }}{% for i in [1] %}{{ cycler }}{% endfor %}',
    'loop.jinja2': '{% for i in range(2) %}{{ i }}{% endfor %}{{ dict(a=1) }}',
  })
  const content = async (file: string, row: object) =>
    rowOf(fine(await jb('render', [file], { stdin: ndjson([row]), cwd: path }))).jb.request!.messages![0]!
      .content
  assert.equal(await content('range.jinja2', { range: 'r', dict: 'd', cycler: 'c' }), 'rTruec')
  assert.equal(await content('loop.jinja2', { q: 1 }), "01{'a': 1}")
})

test('--map: a template’s name is another field, also one deep inside; --set: a value for all', async (t) => {
  const path = folder(t, {
    'j.json': judge('{{ a }}|{{ b }}|{{ rubric }}', { set: { rubric: 'the file’s' } }),
  })
  const item = {
    text: 'one',
    deep: { list: [{ x: 'two' }, { x: 'three' }], 'a.b': 'dotted' },
    'c.d': 'key with a dot',
  }
  const said = async (...args: string[]) => {
    const ran = fine(await jb('render', ['j.json', ...args], { stdin: ndjson([item]), cwd: path }))
    return rowOf(ran).jb.request!.messages![0]!.content
  }
  assert.equal(await said('--map', 'a=text', '--map', 'b=deep.list.1.x'), 'one|three|the file’s')
  assert.equal(await said('--map', 'a=c.d', '--map', 'b=deep.list.-1.x'), 'key with a dot|three|the file’s')
  assert.equal(await said('--map', 'a=deep.a.b', '--map', 'b=text'), 'dotted|one|the file’s')
  assert.equal(
    await said('--set', 'a=1.0', '--set', 'b="quoted"', '--set', 'rubric=plain words'),
    '1.0|quoted|plain words',
  )
  assert.equal(await said('--set', 'a=[1,2]', '--set', 'b=a=b', '--set', 'rubric='), '[1, 2]|a=b|')
  // The later one counts.
  assert.equal(await said('--set', 'a=x', '--set', 'a=y', '--map', 'b=text'), 'y|one|the file’s')
})

test('a name that is neither: a failed row that says how to give it, or nothing with --undefined empty', async (t) => {
  const path = folder(t, {
    'j.json': judge('line one\n{{ here }} {{ nowhere }}!'),
    'cond.json': judge('{% if nowhere is defined %}there{% else %}not there{% endif %}'),
    'field.json': judge('{{ a }}.', { fields: { a: 'gone' } }),
  })
  const stdin = ndjson([{ here: 'x' }])
  const ran = expect(await jb('render', ['j.json', '-q'], { stdin, cwd: path }), {})
  assert.equal(rowOf(ran).jb.error?.code, 'missing_field')
  assert.match(
    rowOf(ran).jb.error!.message,
    /'nowhere'.*--map nowhere=FIELD, --set nowhere=VALUE, or --undefined empty/,
  )
  const content = async (file: string, ...args: string[]) => {
    const ran = fine(await jb('render', [file, ...args], { stdin, cwd: path }))
    return rowOf(ran).jb.request!.messages![0]!.content
  }
  assert.equal(await content('j.json', '--undefined', 'empty'), 'line one\nx !')
  // A template that asks whether a name is there may be told that it is not.
  assert.equal(await content('cond.json'), 'not there')
  // A field the judge file names must be there, however the template uses it.
  const named = expect(await jb('render', ['field.json', '-q'], { stdin, cwd: path }), {})
  assert.match(rowOf(named).jb.error!.message, /field "gone" is missing: there are here \(.*--map a=FIELD/)
  assert.equal(await content('field.json', '--undefined', 'empty'), '.')
})

test('a template that fails on one row fails that row, with its place', async (t) => {
  const path = folder(t, { 'j.json': judge('a\n{{ x.y.z }}\n{{ 1 // n }}') })
  const stdin = ndjson([
    { x: { y: { z: 1 } }, n: 1 },
    { x: 1, n: 1 },
    { x: { y: { z: 1 } }, n: 0 },
  ])
  const rows = rowsOf(expect(await jb('render', ['j.json', '-q'], { stdin, cwd: path }), {}))
  assert.equal(rows[0]?.jb.request?.messages?.[0]?.content, 'a\n1\n1')
  for (const row of rows.slice(1)) {
    assert.ok(['template_error', 'missing_field'].includes(row.jb.error!.code), JSON.stringify(row.jb))
    assert.match(row.jb.error!.message, /j\.json/)
  }
})

test('the whole item is there as item', async (t) => {
  const path = folder(t, { 'j.json': judge('{{ item.a }} {{ item["b c"] }} {{ item | length }}') })
  const ran = fine(await jb('render', ['j.json'], { stdin: '{"a":1.0,"b c":2}\n', cwd: path }))
  assert.equal(rowOf(ran).jb.request?.messages?.[0]?.content, '1.0 2 2')
})
