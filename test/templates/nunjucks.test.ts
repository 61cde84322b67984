/* `syntax: 'nunjucks'`: the same text as nunjucks itself, which runs generated code. */
import assert from 'node:assert/strict'
import test from 'node:test'
import nunjucks from 'nunjucks'
import { compileTemplate, TemplateError } from '../../src/templates/index.ts'

const CONTEXT = {
  s: 'Hello World',
  q: `it's "quoted" & <b>`,
  n: 5,
  f: 2.5,
  t: true,
  no: false,
  nil: null,
  l: [3, 1, 2],
  ls: ['b', 'a', 'C'],
  d: { b: 1, a: 2, 'x y': 3 },
  e: [],
  o: {},
  ld: [
    { name: 'x', age: 3, ok: true },
    { name: 'y', age: 1, ok: false },
  ],
  pairs: [
    ['k', 1],
    ['m', 2],
  ],
  text: 'line one\nline two\n',
  long: 'the quick brown fox jumps over the lazy dog',
}

const TEMPLATES = `
{{ s }} {{ n }} {{ f }} {{ t }} {{ nil }} {{ l }} {{ d }} {{ nope }}|
{{ 1 + 2 }} {{ '1' + 2 }} {{ 5 - '2' }} {{ 7 / 2 }} {{ 7 // 2 }} {{ 7 % 3 }} {{ 2 ** 3 }} {{ -n }} {{ +n }}
{{ 1 - 2 + 3 - 4 }} {{ 2 * 3 / 4 }} {{ 10 / 2 * 3 }} {{ 1 ~ 2 + 3 }} {{ 'a' ~ nil ~ nope ~ t }}
{{ not n == 5 }} {{ not t }} {{ n == '5' }} {{ n === 5 }} {{ n !== '5' }} {{ 1 < 2 < 3 }} {{ 3 > 2 > 1 }}
{{ 10 * 3 % 4 }} {{ 2 * 7 // 2 }} {{ 8 / 2 ** 2 }} {{ -n ** 2 }} {{ not n % 2 == 1 }} {{ not (n == 5) }} {{ 1 < 2 == 3 > 2 }} {{ n + 1 is even }}
{{ nil is none }} {{ n is not none }} {{ s is not null }} {% if n %}a{% elseif s %}b{% endif %} {% set q1 %}x{% endset %}{{ q1 }}
{{ l[0] }}{{ l[-1] }}{{ l.length }}{{ s.length }}{{ s[1] }}{{ d.b }}{{ d['x y'] }}{{ d.nope.deep }}
{{ 'y' if e else 'n' }}{{ 'y' if o else 'n' }}{{ 'y' if '' else 'n' }}{{ 'y' if no }}{{ 'y' if 0 else 'n' }}
{{ e or 'z' }}|{{ '' or 'z' }}|{{ n and 'a' }}|{{ nil and 'a' }}|{{ t or no and no }}
{% for i in l %}{{ loop.index }}/{{ loop.length }}:{{ i }}{{ ',' if not loop.last }}{% endfor %}
{% for i in e %}a{% else %}b{% endfor %}{% for i in nope %}a{% else %}c{% endfor %}
{% for k, v in d %}{{ k }}={{ v }};{% endfor %}{% for k, v in pairs %}{{ k }}={{ v }};{% endfor %}
{% for c in s %}{{ c }}.{% endfor %}{% for i in n %}x{% else %}none{% endfor %}
{% for i in l %}{{ loop.first }}{{ loop.last }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.index0 }} {% endfor %}
{% set x = 0 %}{% for i in l %}{% set x = x + i %}{% endfor %}{{ x }}
{% for i in l %}{% set y = i %}{% endfor %}{{ y }}|
{% set a, b = 5 %}{{ a }}{{ b }}{% set blk %}in {{ s }}{% endset %}{{ blk | upper }}
{% if n > 3 %}big{% elif n %}some{% else %}none{% endif %}{% if e %}E{% endif %}{% if nope %}N{% endif %}
{% raw %}{{ x }} {% y %}{% endraw %}{% verbatim %}{{ z }}{% endverbatim %}
{# a comment #}a {%- if t -%} b {%- endif -%} c
{{ s | upper }} {{ s | lower }} {{ s | title }} {{ 'aBC dEF' | capitalize }} {{ s | length }} {{ l | length }} {{ d | length }}
{{ l | join }} {{ l | join('-') }} {{ ld | join(',', 'name') }} {{ l | first }} {{ l | last }} {{ l | sum }} {{ ld | sum('age') }}
{{ l | sort }} {{ l | sort(true) }} {{ ls | sort }} {{ ls | sort(false, true) }} {{ ld | sort(attribute='age') | join(',', 'name') }} {{ l | sort(reverse=true) }}
{{ l | reverse }} {{ s | reverse }} {{ s | list }} {{ d | list | dump }}
{{ d | dump }} {{ l | dump }} {{ s | dump }} {{ ld | dump(2) }} {{ nil | dump }} {{ q | dump }} {{ nope | dump }}
{{ text | nl2br }} {{ text | trim }}| {{ text | indent }} {{ text | indent(2, true) }}|
{{ s | replace('l', 'L') }} {{ s | replace('l', 'L', 1) }} {{ n | replace('5', '6') }} {{ 'abc' | replace('', '.') }} {{ s | replace('zz', '') }}
{{ long | truncate(10) }} {{ long | truncate(10, true) }} {{ long | truncate(10, false, '~') }} {{ s | truncate }} {{ long | wordcount }}
{{ q | escape }} {{ q | e | e }} {{ q | safe }} {{ q | urlencode }}
{{ 2.5 | round }} {{ 2.347 | round(2) }} {{ 2.1 | round(0, 'ceil') }} {{ 2.9 | round(0, 'floor') }} {{ -5 | abs }} {{ '3.7' | int }} {{ '3.7' | float }} {{ 'x' | int(9) }} {{ 'ff' | int(base=16) }} {{ 'x' | float(1.5) }}
{{ nope | default('d') }} {{ '' | default('d') }} {{ '' | default('d', true) }} {{ nil | default('d') }} {{ no | d('x', true) }}
{{ l | select('odd') }} {{ l | reject('odd') }} {{ ld | selectattr('ok') | dump }} {{ ld | rejectattr('ok') | dump }} {{ l | select }}
{{ n is odd }} {{ n is defined }} {{ nope is defined }} {{ nope is undefined }} {{ nil is null }} {{ s is string }} {{ n is number }} {{ n is divisibleby(5) }} {{ n is not even }} {{ d is mapping }} {{ l is iterable }} {{ n is eq(5) }} {{ n is gt(4) }} {{ s is lower }} {{ e is truthy }}
{{ 1 in l }} {{ 9 in l }} {{ 'a' in d }} {{ 'ell' in s }} {{ 'zz' not in s }}
{{ s.toUpperCase() }} {{ s.split(' ') }} {{ s.slice(0, 3) }} {{ l.join('+') }} {{ l.indexOf(1) }} {{ s.includes('World') }} {{ f.toFixed(2) }} {{ s.replace('l', 'L') }} {{ ' x '.trim() }}| {{ s.startsWith('He') }} {{ s.substring(1, 3) }} {{ s.charAt(1) }}
{{ range(3) }} {{ range(1, 7, 2) }} {{ range(5, 0, -2) }}
{{ { a: 1, 'b': [1, 2] } | dump }} {{ [1, 'x', null] }} {{ (1, 2) }} {{ (n + 1) * 2 }}
{{ "a\\nb\\tc" }} {{ 'it\\'s' }} {{ '\\\\' }}
{{ nope() }}
{{ s() }}
{{ s | nosuchfilter }}
{{ s is nosuchtest }}
{% for i in l %}
{{ l | join(',') | upper }} {{ (l | first) + 1 }} {{ -l[0] + 2 }} {{ 2 - -1 }}
{% set x = l %}{% set _ = x.push(9) %}{{ x }}
{{ t }}{{ True }}{{ none }}{{ n > 3 and n < 9 }} {{ n >= 5 }} {{ n <= 4 }} {{ n != 5 }} {{ 'a' < 'b' }}
`
  .trim()
  .split('\n')

const environment = new nunjucks.Environment(null, { autoescape: false })

test('templates print what nunjucks prints', () => {
  for (const template of TEMPLATES) {
    let theirs: string | undefined
    try {
      theirs = environment.renderString(template, structuredClone(CONTEXT))
    } catch {
      theirs = undefined
    }
    let ours: string | undefined
    try {
      ours = compileTemplate(template, { syntax: 'nunjucks', undefined: 'empty' })(CONTEXT)
    } catch (error) {
      assert.ok(error instanceof TemplateError, String((error as Error).stack))
      assert.ok(error.line > 0, template)
    }
    assert.equal(ours, theirs, template)
  }
})

test("a caller's data is not changed", () => {
  const data = { l: [1, 2] }
  const render = compileTemplate('{% set _ = l.push(3) %}{{ l }}', { syntax: 'nunjucks' })
  assert.equal(render(data), '1,2,3')
  assert.equal(render(data), '1,2,3')
  assert.deepEqual(data, { l: [1, 2] })
})

test('a missing field that is printed is named', () => {
  const render = compileTemplate('a\n {{ item.title }}', { syntax: 'nunjucks' })
  assert.throws(() => render({ item: {} }), { kind: 'undefined', field: 'item.title', line: 2, column: 10 })
  assert.equal(render({ item: { title: null } }), 'a\n ')
})

test('what is not supported is refused by name', () => {
  const refused: [string, RegExp][] = [
    ["{% extends 'base.njk' %}", /{% extends %} in a nunjucks template/],
    ['{% block b %}B{% endblock %}', /{% block %}/],
    ["{% include 'part.njk' %}", /{% include %}/],
    ["{% import 'lib.njk' as lib %}", /{% import %}/],
    ['{% switch n %}{% case 4 %}four{% endswitch %}', /{% switch %}/],
    ['{% macro m() %}x{% endmacro %}', /{% macro %}/],
    ['{% call m() %}hi{% endcall %}', /{% call %}/],
    ['{% filter upper %}abc{% endfilter %}', /{% filter %}/],
    ['{% for i in l if i %}{{ i }}{% endfor %}', /for … if/],
    ['{{ s[1:] }}', /Slice/],
  ]
  for (const [template, message] of refused) {
    const compile = () => compileTemplate(template, { syntax: 'nunjucks' })
    assert.throws(compile, { kind: 'not-supported', message }, template)
  }
  for (const name of ['batch', 'dictsort', 'groupby', 'slice', 'striptags', 'center', 'random', 'nosuch'])
    assert.throws(
      () => compileTemplate(`{{ l | ${name}(2) }}`, { syntax: 'nunjucks' })(CONTEXT),
      /not supported/,
    )
})
