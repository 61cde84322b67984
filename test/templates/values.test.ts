/* Contexts: objects and JSON text, what a template asks for, and what it must leave as it was. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { compileTemplate, TemplateError } from '../../src/templates/index.ts'
import { folder } from '../helpers/folder.ts'

const render = (template: string, context: object | string, options = {}) =>
  compileTemplate(template, options)(context)

test('numbers in JSON text keep their form', () => {
  const cases: [string, string][] = [
    ['1', '1'],
    ['1.0', '1.0'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1e2', '100.0'],
    ['1E400', 'inf'],
    ['-1e400', '-inf'],
    ['1e21', '1e+21'],
    ['1e-7', '1e-07'],
    ['0.1', '0.1'],
    ['2.50', '2.5'],
    ['12345678901234567890', '12345678901234567890'],
    ['9007199254740993', '9007199254740993'],
    ['123456789012345', '123456789012345'],
    ['1234567890123456', '1234567890123456'],
    ['[1.0, {"a": 2e0}]', "[1.0, {'a': 2.0}]"],
    ['true', 'True'],
    ['null', 'None'],
    ['"\\u00e9\\ud83d\\ude00\\n"', 'é😀\n'],
    ['NaN', 'nan'],
  ]
  for (const [json, printed] of cases) {
    assert.equal(render('{{ x }}', `{"x": ${json}}`), printed, json)
    assert.equal(render('{{ x }}', ` {"y":[{"z":"a: 1.0, \\"10\\":"}],"x":${json}} `), printed, json)
    // A template that changes its data reads them in another way.
    assert.equal(render('{% set _ = [].append(1) %}{{ x }}', `{"x": ${json}}`), printed, json)
  }
})

test('keys keep their order, the last of equal ones wins', () => {
  assert.equal(
    render('{{ x }}', '{"x": {"10": 1, "2": 2, "a": 3, "1": 4}}'),
    "{'10': 1, '2': 2, 'a': 3, '1': 4}",
  )
  assert.equal(render('{{ x }}', '{"x": {"a": 1.0, "b": 2, "a": 3.0}}'), "{'a': 3.0, 'b': 2}")
  assert.equal(render("{{ x['__proto__'] }}{{ x|list }}", '{"x": {"__proto__": 1.0}}'), "1.0['__proto__']")
})

test('floor division of large floats, as CPython rounds it', () => {
  const cases: [string, string][] = [
    ['(2.5 + 1e16 + 3.14159) // 2.5', '4000000000000001.0'],
    ['1e17 // 3', '3.3333333333333332e+16'],
    ['-7.5 // 2', '-4.0'],
    ['-0.5 // 1', '-1.0'],
  ]
  for (const [expression, printed] of cases) assert.equal(render(`{{ ${expression} }}`, {}), printed)
})

test('comparisons of views and methods are refused, not answered otherwise than by Python', () => {
  for (const expression of [
    'd.items() == d.items()',
    'd.keys() <= d.keys()',
    'd.items == d.items',
    '[d.keys()] == [d.keys()]',
  ])
    assert.throws(() => render(`{{ ${expression} }}`, { d: { a: 1 } }), /comparing/, expression)
  assert.throws(
    () => render('{{ [1, d.items()]|unique|list }}', { d: { a: 1 } }),
    /unhashable type: 'dict_items'/,
  )
  assert.equal(render('{{ [nope, nope]|unique|list }}', {}, { undefined: 'empty' }), '[Undefined]')
  assert.equal(render("{{ d.items == 'x' }} {{ d.items() == 1 }}", { d: { a: 1 } }), 'False False')
})

test('JSON text that is none, or no object, is refused', () => {
  for (const text of [
    '',
    '{',
    '[]',
    '1',
    '{"a": 1.0',
    '{"a": 01}',
    '{"a": 1.}',
    "{'a': 1}",
    '{"a": 1.0,}',
    '{"a" 1.0}',
    '{"a": 1.0} x',
    '{"a": "\n", "b": 1.0}',
    '{"a": "\\q", "b": 1.0}',
    '{"a": +1.0}',
  ]) {
    assert.throws(() => render('x', text), TemplateError, text)
  }
})

test('plain objects: whole numbers are ints, what is undefined is missing', () => {
  const context = {
    a: 1,
    b: 1.5,
    c: 1e21,
    d: Number.NaN,
    e: undefined,
    f: [undefined, null],
    g: { h: undefined },
    big: 12345678901234567890n,
  }
  assert.equal(
    render('{{ a }} {{ b }} {{ c }} {{ d }} {{ f }} {{ g }} {{ big }}', context),
    '1 1.5 1000000000000000000000 nan [None, None] {} 12345678901234567890',
  )
  assert.equal(render('{{ e is defined }} {{ g.h is defined }} {{ g|length }}', context), 'False False 0')
  assert.equal(render('{{ a }}', Object.assign(Object.create(null), { a: 'x' })), 'x')
})

test("a template may change what it sees, never the caller's data", () => {
  const data = { l: [1, 2], d: { a: [1] } }
  const template = compileTemplate(
    "{% set _ = l.append(3) %}{% set _ = d.a.extend(l) %}{% set _ = d.update({'b': 1}) %}{{ l }}{{ d }}",
  )
  for (let i = 0; i < 3; i++) assert.equal(template(data), "[1, 2, 3]{'a': [1, 1, 2, 3], 'b': 1}")
  assert.equal(template('{"l": [], "d": {"a": []}}'), "[3]{'a': [3], 'b': 1}")
  assert.deepEqual(data, { l: [1, 2], d: { a: [1] } })
})

test('variables are the free names', () => {
  const cases: [string, string[]][] = [
    ['{{ b }} {{ a.c }} {{ b }}', ['a', 'b']],
    ['{% for i in l %}{{ i }}{{ loop.index }}{{ o }}{% endfor %}', ['l', 'o']],
    ['{% set a = 1 %}{{ a }}{% if b %}{% set c = 1 %}{% endif %}{{ c }}', ['b', 'c']],
    [
      '{% macro m(a, b=d) %}{{ a }}{{ x }}{{ varargs }}{{ caller() }}{% endmacro %}{{ m(y) }}',
      ['d', 'x', 'y'],
    ],
    ['{% with a = b %}{{ a }}{% endwith %}{{ range(3) }}{{ namespace() }}', ['b']],
    ["{{ 'x'|replace(y, z)|default(w) }}{{ 1 is eq(v) }}", ['v', 'w', 'y', 'z']],
    ['no names', []],
  ]
  for (const [template, names] of cases)
    assert.deepEqual(compileTemplate(template).variables, names, template)
})

test('variables of included templates count where they see the context', (t) => {
  const dir = folder(t, {
    'part.j2': '{{ inner }}{% include "deep.j2" %}',
    'deep.j2': '{{ deepest }}{% include "part.j2" ignore missing %}',
  })
  const variables = (source: string) => compileTemplate(source, { folder: dir }).variables
  assert.deepEqual(variables('{% include "part.j2" %}{{ a }}'), ['a', 'deepest', 'inner'])
  assert.deepEqual(variables('{% include "nope.j2" ignore missing %}{% include which %}'), ['which'])
})

test('plain: text and bare names, after white space control', () => {
  assert.deepEqual(compileTemplate('a {{ x }}\n {{- y -}} \nb{# c #}c\n').plain, [
    'a ',
    { field: 'x' },
    { field: 'y' },
    'bc',
  ])
  assert.deepEqual(compileTemplate('text\r\nmore').plain, ['text\nmore'])
  assert.deepEqual(compileTemplate('{% raw %}{{ x }}{% endraw %}{{ x }}').plain, ['{{ x }}', { field: 'x' }])
  for (const source of [
    '{{ x.y }}',
    '{{ x|upper }}',
    '{{ 1 }}',
    '{% if x %}{% endif %}',
    '{{ x, y }}',
    '{% set x = 1 %}{{ x }}',
  ]) {
    assert.equal(compileTemplate(source).plain, undefined, source)
  }
})

test('the two ways with what is missing', () => {
  assert.equal(
    render(
      '[{{ nope }}]{% for i in nope %}x{% endfor %}{{ "y" if nope else "n" }}',
      {},
      { undefined: 'empty' },
    ),
    '[]n',
  )
  assert.throws(() => render('{{ nope.x }}', {}, { undefined: 'empty' }), {
    kind: 'undefined',
    field: 'nope',
  })
  for (const template of [
    '{{ nope }}',
    '{% if nope %}{% endif %}',
    '{% for i in nope %}{% endfor %}',
    "{{ nope ~ 'x' }}",
    '{{ nope|upper }}',
    '{{ nope == 1 }}',
    '{{ not nope }}',
  ]) {
    assert.throws(() => render(template, {}), { kind: 'undefined', field: 'nope' }, template)
  }
  assert.equal(
    render("{{ nope is defined }}{{ nope|default('d') }}{{ x.y|default('e') }}", { x: {} }),
    'Falsede',
  )
})

test('the same input gives the same output', () => {
  const template = compileTemplate('{{ l|random }}{{ l|map("string")|list }}')
  const context = { l: [1, 2, 3, 4, 5, 6, 7], d: {} }
  assert.equal(template(context), template(structuredClone(context)))
})
