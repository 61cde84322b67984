/** Neither a template nor data reaches code, other data than its own, or files outside of its folder. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { compileTemplate, type Syntax, TemplateError } from '../../src/templates/index.ts'
import { folder } from '../helpers/folder.ts'

const NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'call',
  'apply',
  'bind',
  'caller',
  'arguments',
  'process',
  'require',
  'toJSON',
]

const VALUES = [
  's',
  'n',
  'f',
  'b',
  'z',
  'l',
  'd',
  'range',
  'cycler("a")',
  'joiner()',
  "''",
  '[]',
  '{}',
  '1',
  'm',
  'nope',
  'd.items',
  's.upper',
  'l.append',
  's.toUpperCase',
  'l.join',
]

const CONTEXT = { s: 'text', n: 5, f: 1.5, b: true, z: null, l: [1, 2], d: { k: 'v' } }

/** Renders; what can't be rendered is no text. */
const attempt = (
  template: string,
  syntax: Syntax,
  context: object | string = CONTEXT,
): string | undefined => {
  try {
    return compileTemplate(template, { syntax, undefined: 'empty' })(context)
  } catch (error) {
    assert.ok(error instanceof TemplateError, `${template}: ${(error as Error).stack}`)
    return undefined
  }
}

/** Nothing that JavaScript functions or classes print as. */
const innocent = (text: string | undefined, template: string): void => {
  assert.doesNotMatch(text ?? '', /native code|function |=>|class [A-Z]|\[object (?!Object\])/, template)
}

test('no property of JavaScript objects and functions can be reached', () => {
  for (const value of VALUES) {
    for (const name of NAMES) {
      const macro = value === 'm' ? '{% macro m() %}{% endmacro %}' : ''
      for (const access of [`(${value}).${name}`, `(${value})|attr('${name}')`]) {
        innocent(attempt(`${macro}{{ ${access} }}`, 'jinja'), access)
        innocent(attempt(`${macro}{{ ${access}.constructor('return process.pid')() }}`, 'jinja'), access)
      }
    }
  }
})

test("crafted names don't become code", () => {
  const crafted = [
    'a"b',
    "a'b",
    'a`b',
    'a\\u0022b',
    'a);process.exit(1);//',
    'a"+process.exit(1)+"',
    'a\u2028b',
    '__proto__',
    'constructor',
    'a$1',
    'a/*',
    'eval',
    'this',
    'await',
    'new',
  ]
  for (const name of crafted) {
    const templates = [
      `{{ ${name} }}`,
      `{{ s|${name} }}`,
      `{{ s is ${name} }}`,
      `{% for ${name} in l %}x{% endfor %}`,
      `{% set ${name} = 1 %}{{ ${name} }}`,
      `{% macro ${name}(a) %}x{% endmacro %}{{ ${name}() }}`,
      `{% block ${name} %}x{% endblock %}`,
      `{{ m(${name}=1) }}`,
      `{% import '${name}' as ${name} %}`,
      `{{ {${name}: 1} }}`,
      `{{ s.${name} }}`,
    ]
    for (const template of templates) innocent(attempt(template, 'jinja'), template)
  }
})

test('names and keys out of data are only data', () => {
  for (const key of NAMES) {
    const context = { doc: { a: 1 }, list: ['x'], text: 't', key }
    for (const template of [
      '{{ doc[key] }}',
      '{{ list[key] }}',
      '{{ text[key] }}',
      '{{ doc[key][key] }}',
      "{{ doc[key]('x') }}",
      '{{ list|map(attribute=key)|list }}',
      '{{ [doc]|groupby(key) }}',
      '{{ doc|attr(key) }}',
    ]) {
      innocent(attempt(template, 'jinja', context), `${template} ${key}`)
    }
    const own = JSON.parse(`{"doc": {"${key}": "mine"}}`) as object
    assert.equal(attempt(`{{ doc['${key}'] }}`, 'jinja', own), 'mine', key)
    assert.equal(attempt(`{{ doc['${key}'] }}`, 'jinja', `{"doc": {"${key}": 1.0}}`), '1.0')
    assert.equal(attempt(`{{ ${key} is defined }}`, 'jinja', {}), 'False')
  }
})

test('nothing pollutes the prototypes', () => {
  const templates = [
    '{% set __proto__ = {"polluted": 1} %}{{ __proto__ }}',
    "{{ {'__proto__': {'polluted': 1}} }}",
    "{% set _ = d.update({'__proto__': {'polluted': 1}}) %}{{ d }}",
    '{% set ns = namespace() %}{% set ns.__proto__ = 1 %}{{ ns }}',
    "{{ dict(__proto__={'polluted': 1}) }}",
    "{% set _ = d.setdefault('__proto__', {}).update({'polluted': 1}) %}",
  ]
  for (const template of templates)
    attempt(template, 'jinja', JSON.parse('{"d": {"__proto__": {"x": 1}}}') as object)
  assert.equal(({} as { polluted?: number }).polluted, undefined)
})

test('templates in data are text', () => {
  const data = [
    '{{ 7*7 }}',
    '{% raw %}',
    '{# c #}',
    '\\frac{a}{b}',
    '<b>&amp;"\'</b>',
    '$& $1 $` $$',
    '__keywords',
    '{0} {x} %s %(a)s',
    '\u2028\u2029',
    '}}',
    '%}',
  ]
  for (const text of data) {
    for (const [template, syntax] of [
      ['{{ x }}', 'jinja'],
      ['{x}', 'format'],
      ['{x}', 'alpaca'],
    ] as const) {
      assert.equal(compileTemplate(template, { syntax })({ x: text }), text)
      assert.equal(compileTemplate(template, { syntax })(JSON.stringify({ x: text })), text)
    }
    assert.equal(
      compileTemplate("{{ 'A-B'|replace('-', x) }}{{ x ~ '' }}{{ '%s' % x }}")({ x: text }),
      `A${text}B${text}${text}`,
    )
  }
})

test('nothing outside of the folder is read', (t) => {
  const dir = folder(t, {
    'in/part.j2': 'part',
    'in/deep/x.j2': 'deep',
    'secret.j2': 'SECRET',
    'inside.j2': 'SECRET',
  })
  symlinkSync(join(dir, 'secret.j2'), join(dir, 'in/link.j2'))
  symlinkSync(dir, join(dir, 'in/up'))
  const inside = join(dir, 'in')
  const names = [
    '../secret.j2',
    'deep/../../secret.j2',
    `${dir}/secret.j2`,
    'link.j2',
    'up/secret.j2',
    './../secret.j2',
    '..\\secret.j2',
    'part.j2\0',
    '',
    '.',
    '..',
    '/',
    '../inside.j2',
    'file:///etc/passwd',
  ]
  for (const syntax of ['jinja'] as const) {
    for (const name of names) {
      for (const tag of [
        `{% include '${name}' %}`,
        `{% extends '${name}' %}`,
        `{% import '${name}' as x %}`,
        '{% include name %}',
      ]) {
        assert.throws(
          () => compileTemplate(tag, { folder: inside, syntax })({ name }),
          { name: 'TemplateError' },
          `${syntax} ${tag}`,
        )
      }
    }
    assert.equal(
      compileTemplate("{% include 'part.j2' %}{% include 'deep/x.j2' %}", { folder: inside, syntax })({}),
      'partdeep',
    )
  }
})

test('no code is generated: it runs where that is not allowed', () => {
  const script = `
    const { compileTemplate } = await import(${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)})
    const jinja = compileTemplate("{% macro m(a) %}{{ a|upper }}{% endmacro %}{% for i in l %}{{ m(i) }}{% endfor %}{{ '%d' % 3 }}{{ '{:>3}'.format(1) }}")
    const format = compileTemplate('{a:>3}', { syntax: 'format' })
    console.log(jinja({ l: ['a', 'b'] }) + format({ a: 1 }))`
  const args = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script]
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.equal(run.stdout, 'AB3  1  1\n', run.stderr)
})
