/** Templates that would run or grow without end are stopped, and long texts are metered. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { spend } from '../../src/python/limits.ts'
import { compileTemplate, TemplateError } from '../../src/templates/index.ts'

test('a hostile template is stopped', () => {
  const hostile = [
    '{% for i in range(10**12) %}x{% endfor %}',
    '{{ range(10**9)|list }}',
    "{{ 'a' * 10**9 }}",
    "{{ 'a'.ljust(10**9) }}",
    "{{ 'a'|center(10**10) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ '%.1000000000f' % 1.5 }}",
    '{{ 10 ** (10 ** 10) }}',
    '{{ 2 ** (10 ** 9) }}',
    '{{ [0] * 10**9 }}',
    '{% set l = [0] %}{% for i in range(64) %}{% set _ = l.extend(l) %}{% endfor %}{{ l|length }}',
    "{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}{% for i in range(64) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s|length }}",
    "{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}{% for i in range(64) %}{% set ns.s = ns.s.replace('x', 'xx') %}{% endfor %}",
    '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    '{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}',
    '{% for i in l recursive %}{{ loop(l) }}{% endfor %}',
    `{{ ${'('.repeat(5_000)}1${')'.repeat(5_000)} }}`,
    `{{ ${'['.repeat(5_000)}${']'.repeat(5_000)} }}`,
    `{{ ${'-'.repeat(20_000)}1 }}`,
    `{{ ${'not '.repeat(20_000)}1 }}`,
    `{{ 1${' + 1'.repeat(5_000)} }}`,
    `${'{% if 1 %}'.repeat(8_000)}`,
    '{% set a = [] %}{% set _ = a.append(a) %}{% set b = [] %}{% set _ = b.append(b) %}{{ a == b }}',
    "{{ ('a ' * 1000000)|wordwrap(1)|length }}",
    "{{ ('%(' * 500000) % l }}",
  ]
  for (const template of hostile)
    assert.throws(() => compileTemplate(template)({ l: [1] }), TemplateError, template.slice(0, 80))
})

/** Steps that a template takes on texts of some size. */
const stepsOf = (template: string, size: number): number => {
  const render = compileTemplate(template)
  const words = 'ab-cd (ef) '.repeat(size)
  render({
    s: words,
    t: '<'.repeat(size),
    d: '-'.repeat(size),
    q: `x${' '.repeat(size)}y`,
    l: words.split(' '),
  })
  return spend(0)
}

test('filters and methods on long texts are metered, and take steps in proportion', () => {
  const names =
    'e replace("a", "b") trim wordcount title indent wordwrap(10,break_on_hyphens=false) upper truncate(9) urlencode center(9) reverse list tojson'
  const templates = [...names.matchAll(/\w+(?:\([^)]*\))?/g)].flatMap(([filter]) =>
    ['s', 't', 'd', 'q'].map((name) => `{{ (${name}|${filter})|string|length }}`),
  )
  templates.push(
    '{{ s.split()|length }}{{ s.rsplit("-", 5)|length }}{{ s.splitlines()|length }}{{ s.count("a") }}{{ s.find("zz") }}',
    '{{ d|wordwrap(7, break_long_words=false, break_on_hyphens=false)|length }}{{ "%s" % s }}{{ "{}".format(s) }}',
    '{{ l|join("-")|length }}{{ l|map("upper")|unique|list|length }}{{ l|sort|first }}',
    '{% for c in s %}{% endfor %}{{ s[::-1]|length }}{{ "b" in s }}{{ s is upper }}{{ s.title()|length }}',
  )
  for (const template of templates) {
    const [small, large] = [stepsOf(template, 500), stepsOf(template, 2_000)]
    assert.ok(large > small || large < 20, `${template}: not metered (${small}, ${large})`)
    assert.ok(large <= 5.5 * small + 40, `${template}: ${small} steps, then ${large}`)
  }
  // A word of many lines, which is a step a line: as long again for each of them it would take minutes.
  assert.equal(
    compileTemplate('{{ t|wordwrap(1, break_on_hyphens=false)|length }}')({ t: '<'.repeat(500_000) }),
    '999999',
  )
  // Loops over operations on strings: each is paid for by its length.
  for (const operation of [
    "s.replace('a', 'bb')",
    "s.split('-')",
    's|upper',
    's.strip("x")',
    "s.find('zz')",
    's ~ s',
    's|e',
    "'zz' in s",
  ])
    assert.throws(
      () =>
        compileTemplate(`{% for i in range(100000) %}{% set x = ${operation} %}{% endfor %}`)({
          s: 'a'.repeat(100_000),
        }),
      { kind: 'limit', message: /^line 1, column \d+: the template takes more than \d+ steps$/ },
      operation,
    )
})
