/* `syntax: nunjucks`: the package itself, with the filters on conversations and missing fields named. */
import assert from 'node:assert/strict'
import test from 'node:test'
import nunjucks from 'nunjucks'
import { compileTemplate, loadNunjucks, type TemplateOptions } from '../../src/templates/index.ts'
import { folder } from '../helpers/folder.ts'

await loadNunjucks()

const compile = (source: string, options: TemplateOptions = {}) =>
  compileTemplate(source, { syntax: 'nunjucks', ...options })

const CONTEXT = {
  s: `it's "quoted" & <b>`,
  n: 5,
  nil: null,
  l: [3, 1, 2],
  d: { b: 1, a: [2] },
  range: 'mine',
}

test('templates print what nunjucks prints without autoescape', () => {
  const environment = new nunjucks.Environment([], { autoescape: false })
  for (const source of [
    '{{ s }} {{ n }} {{ nil }}|{{ l }} {{ d }} {{ d.b }} {{ d.nope.deep }}|',
    '{{ not n == 5 }} {{ n === 5 }} {{ 7 // 2 }} {{ "y" if l else "n" }} {{ l | sort | join("-") }} {{ d | dump }}',
    '{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(n) }}{% for k, v in d %}{{ loop.index }}{{ k }}{{ v }}{% endfor %}',
    '{% set x = 0 %}{% for i in l %}{% set x = x + i %}{% endfor %}{{ x }}{% set y %}in {{ n }}{% endset %}{{ y | upper }}',
    '{% switch n %}{% case 5 %}five{% default %}other{% endswitch %}{% filter upper %}a{% endfilter %}{{ n is odd }}',
    '{{ range }}{{ cycler("a", "b").next() }}{{ s.split(" ")[0] }}{{ { s: n, "k": [n] } | dump }}\r\n',
  ])
    assert.equal(compile(source)(CONTEXT), environment.renderString(source, structuredClone(CONTEXT)), source)
})

test('the names of a template are those that it looks up', () => {
  const names = (source: string) => compile(source).variables
  assert.deepEqual(names('{{ a }} {{ b.c[d] }} {{ f(e) }} {{ g | join(h) }} {{ i is divisibleby(j) }}'), [
    ...'abdefghij',
  ])
  assert.deepEqual(names('{% for k, v in a %}{{ k }}{{ loop.index }}{% else %}{{ b }}{% endfor %}'), [
    'a',
    'b',
  ])
  assert.deepEqual(names('{% set x = a %}{{ x }}{% set y %}{{ b }}{% endset %}{{ y }}{{ range(c) }}'), [
    ...'abc',
  ])
  assert.deepEqual(names('{% macro m(p, q=d) %}{{ p }}{{ q }}{{ a }}{% endmacro %}{{ m(b, q=c) }}'), [
    ...'abcd',
  ])
  assert.deepEqual(
    names('{{ { key: a, "b": b } }}{{ c if d else e }}{% switch f %}{% case g %}{{ h }}{% endswitch %}'),
    [...'abcdefgh'],
  )
})

test('a missing field is named, and null prints nothing', () => {
  const render = compile('{{ question }}{{ item.title }}')
  assert.throws(() => render({ item: {} }), { kind: 'undefined', field: 'question' })
  assert.equal(render({ question: null, item: {} }), '')
  assert.equal(compile('[{{ question }}]', { undefined: 'empty' })({}), '[]')
})

test('an error has its place, or the words of the package', () => {
  assert.throws(() => compile('a\n{% if %}', { name: 'j.njk' }), {
    kind: 'syntax',
    message: /^j\.njk:2:7: unexpected/,
  })
  assert.throws(() => compile('{{ x() }}')({ x: 1 }), {
    message: /Unable to call `x`, which is not a function/,
  })
  assert.throws(() => compile('{{ x | transcript(limit=-1) }}')({ x: [{ role: 'user', content: 'a' }] }), {
    name: 'TemplateError',
    message: 'limit is a whole number from 0 on',
  })
  assert.throws(() => compile('{{ x | nosuch }}')({ x: 1 }), { message: /filter not found: nosuch/ })
})

test('the filters on conversations are there', () => {
  const x = [
    { role: 'user', content: 'Hi?' },
    { role: 'assistant', content: 'Yes.' },
  ]
  const both = (source: string) => [compile(source)({ x }), compileTemplate(source)({ x })]
  for (const source of [
    '{{ x | transcript }}',
    '{{ x | transcript(limit=2) }}',
    '{{ x | final | fence("doc") }}',
  ]) {
    const [ours, jinja] = both(source)
    assert.equal(ours, jinja, source)
  }
  assert.equal(
    compile('{{ x | roles("user") | transcript }}')({ x }),
    compile('{{ x | transcript }}')({ x: [x[0]] }),
  )
})

test('templates of the folder are included, their names too', (t) => {
  const dir = folder(t, { 'part.njk': '{{ a }}', 'base.njk': '<{% block b %}{% endblock %}>{{ c }}' })
  const render = compile('{% extends "base.njk" %}{% block b %}{% include "part.njk" %}{% endblock %}', {
    folder: dir,
    name: 'j.njk',
  })
  assert.deepEqual(render.variables, ['a', 'c'])
  assert.equal(render({ a: 1, c: 2 }), '<1>2')
  assert.throws(() => compile('{% include a %}', { folder: dir }), /named by an expression/)
})

test("a caller's data is not changed, and templates in data are text", () => {
  const data = { l: [1, 2] }
  const render = compile('{% set _ = l.push(3) %}{{ l }}')
  assert.equal(render(data), '1,2,3')
  assert.equal(render(data), '1,2,3')
  for (const text of ['{{ 7*7 }}', '{% raw %}', '{# c #}', '$& $1 <b>&amp;"\'</b>', '\u2028}}'])
    assert.equal(compile('{{ x }}')({ x: text }), text)
})
