/*
 * Random templates, rendered here and by Python's Jinja2. Prints each difference and exits with 1 if there
 * are any; what is refused by name here is only counted.
 * Usage: node --import tsx scripts/fuzz/jinja.ts PYTHON [SEED [COUNT]]
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileTemplate, TemplateError } from '../../src/templates/index.ts'

const [python = 'python3', seed = String(Date.now() % 1_000_000), count = '5000'] = process.argv.slice(2)

let state = Number(seed) >>> 0
/** A number from 0 to below 1 (mulberry32). */
const draw = (): number => {
  state = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
const between = (low: number, high: number): number => low + Math.floor(draw() * (high - low + 1))
const pick = <T>(items: readonly T[]): T => items[between(0, items.length - 1)]!
const word = (words: string): string => pick(words.split(' '))
const many = (low: number, high: number, make: () => string): string[] =>
  Array.from({ length: between(low, high) }, make)

// Contexts, as JSON text: numbers in forms that JavaScript's own JSON loses.

const TEXTS = [
  ...['', 'a', 'Hello World', ' the quick-brown fox. ', `it's "quoted"`, 'a\nb\n\nc\n', '<b>&amp; x</b>'],
  ...[
    'straße Σας',
    '日本語',
    '👍🏽 ok',
    'x\u200by\u00a0z',
    '{{ 7*7 }} {% if %}',
    '$& \\n %s {}',
    '42',
    '-3.5',
  ],
  ...['a,b,,c', 'UPPER lower Title', 'word '.repeat(60), '\u2028line\x85'],
]
const text = (): string => JSON.stringify(pick(TEXTS))
const number = (): string =>
  draw() < 0.5
    ? String(between(-9, 20))
    : word('0.0 1.0 -0.0 2.5 3.14159 1e16 1e-7 0.1 100.0 12345678901234567890')
const scalar = (): string => pick([text, text, number, number, () => word('true false null')])()
const list = (make: () => string): string => `[${many(0, 4, make).join(', ')}]`
const dict = (make: () => string): string =>
  `{${['b', 'a', '10', 'items', 'x y']
    .filter(() => draw() < 0.6)
    .map((key) => `"${key}": ${make()}`)
    .join(', ')}}`
const item = (): string =>
  `{"name": ${text()}, "age": ${number()}, "ok": ${word('true false null')}, "tags": ${list(text)}}`
const FIELDS: Record<string, () => string> = {
  s: text,
  t: text,
  n: () => String(between(-3, 9)),
  f: number,
  b: () => word('true false'),
  z: () => 'null',
  ln: () => list(number),
  ls: () => list(text),
  lm: () => list(scalar),
  ld: () => list(item),
  d: () => dict(() => pick([scalar, scalar, () => list(scalar)])()),
}
const context = (): string => {
  const present = Object.entries(FIELDS).filter(() => draw() < 0.95)
  return `{${present.map(([name, make]) => `"${name}": ${make()}`).join(', ')}}`
}

// Expressions of each kind; of another kind than asked for now and then.

const literal = (): string => word(`'a' 'B-c' "it's" '' ' ' ',' 'x\\ny' 'é👍'`)
const whole = (): string =>
  pick([() => String(between(-2, 6)), () => 'n', () => word('ls|length n%3 s|length')])()

const TEXT_FILTERS = () => [
  ...['upper', 'lower', 'title', 'capitalize', 'trim', 'e', 'string', 'reverse', 'urlencode'],
  ...[`replace(${literal()}, ${literal()})`, `truncate(${between(3, 40)})`, `indent(${between(0, 4)})`],
  ...[`wordwrap(${between(1, 20)})`, `center(${between(0, 20)})`, `default(${literal()}, true)`, 'safe'],
]
const textMethod = (): string =>
  pick([
    () => `${word('upper lower title strip capitalize lstrip rstrip casefold')}()`,
    () => `replace(${literal()}, ${literal()})`,
    () => `${word('strip lstrip rstrip removeprefix removesuffix')}(${literal()})`,
    () => `${word('center ljust rjust zfill')}(${between(0, 12)})`,
    () => `join(${word('ls lm')})`,
  ])()

const asText = (depth: number): string => {
  if (depth <= 0) return pick([literal, () => word('s t s t z f')])()
  return pick([
    () => `${asText(depth - 1)}|${pick(TEXT_FILTERS())}`,
    () => `(${asText(depth - 1)}).${textMethod()}`,
    () => `(${any(depth - 1)} ~ ${any(depth - 1)})`,
    () => `${asList(depth - 1)}|join(${literal()})`,
    () => `(${asText(depth - 1)})[${whole()}${word(': :: :2 ::-1 :-1')}]`,
    () => `('${word('%s|%r %5.1f|%s %-8s|%d %05d|%x %.3g|%e')}' % (${asNumber(0)}, ${any(0)}))`,
    () => `'{}${word('{:>8} {!r} {0} {:^9} {:.2f} {:,}')}'.format(${any(0)}, ${any(0)})`,
    () => `${any(depth - 1)}|${word('tojson string tojson(2)')}`,
    () => `(${asText(depth - 1)} if ${asTruth(depth - 1)} else ${asText(depth - 1)})`,
  ])()
}
const asNumber = (depth: number): string => {
  if (depth <= 0) return pick([whole, () => word('f n 1.5 10 0 2.0 -7')])()
  return pick([
    () => `(${asNumber(depth - 1)} ${word('+ - * / // %')} ${asNumber(depth - 1)})`,
    () => `${any(depth - 1)}|${word('length int float wordcount int(7) count abs round')}`,
    () => `${asNumber(depth - 1)}|round(${between(0, 3)}${word(", 'ceil' |, 'floor'").split('|')[0]})`,
    () => `${word('ln lm')}|${word('sum first last max min')}`,
    () => `(${asText(depth - 1)}).${word('find count index')}(${literal()})`,
  ])()
}
const asList = (depth: number): string => {
  if (depth <= 0) return word('ln ls lm ld d [1,2,3] range(4) d.items() d.values()')
  return pick([
    () => `${asList(depth - 1)}|${word('list sort unique|list reverse|list')}`,
    () => `${asList(depth - 1)}|map('${word('string upper length int trim title')}')|list`,
    () => `${asList(depth - 1)}|${word('select reject')}('${word('string number none odd defined')}')|list`,
    () => `ld|${word('selectattr rejectattr')}('${word('ok age name nope')}')|list`,
    () => `ld|map(attribute='${word('name age tags.0 nope')}'${word(', ,default=1').slice(1)})|list`,
    () => `ld|sort(attribute='${word('name age')}'${word(', ,reverse=true').replace(/^,$/, '')})`,
    () => `ld|groupby('${word('ok age name')}')`,
    () =>
      `${asList(depth - 1)}|${word('batch slice')}(${between(1, 3)}${word(", ,'x'").replace(/^,$/, '')})|list`,
    () => `(${asText(depth - 1)}).${word("split() split(',') splitlines() rsplit('a',1) partition('b')")}`,
    () => `(${asList(depth - 1)}|list)[${whole()}:]`,
    () => `d|dictsort${word(' (true) (false,"value")')}`,
    () => `[${many(0, 3, () => any(depth - 1)).join(', ')}]`,
  ])()
}
const asTruth = (depth: number): string => {
  if (depth <= 0) return word('b z ls d s nope b')
  return pick([
    () => `${any(depth - 1)} ${word('== != < >= == !=')} ${any(depth - 1)}`,
    () => `${asText(depth - 1)} ${pick(['in', 'not in'])} ${pick([asText, asList])(depth - 1)}`,
    () =>
      `${any(depth - 1)} is ${word('defined none string number mapping odd iterable sequence lower true')}`,
    () => `(${asTruth(depth - 1)} ${word('and or')} ${asTruth(depth - 1)})`,
    () => `not ${asTruth(depth - 1)}`,
    () => `(${asText(depth - 1)}).${word('startswith endswith')}(${literal()})`,
  ])()
}
const any = (depth: number): string =>
  pick([
    asText,
    asNumber,
    asList,
    asTruth,
    () => word('d.a d.b d["x y"] d.items ld[0].name ln[-1] nope d.get("a")'),
  ])(depth)

// Statements.

const tag = (inner: string): string =>
  `{%${word('-% % % %').replaceAll('%', '')} ${inner} ${pick(['', '', '', '-'])}%}`
const words = (): string => pick(['x', ' ', '\n', '  ', 'a b\n  ', ''])
const piece = (depth: number): string => {
  if (depth <= 0) return `{{ ${any(2)} }}`
  const inner = (): string => body(depth - 1)
  return pick([
    () => `{{ ${any(3)} }}`,
    () => `${tag(`if ${asTruth(2)}`)}${inner()}${tag('else')}${inner()}${tag('endif')}`,
    () =>
      `${tag(`for i in ${asList(1)}`)}${word('{{i}} {{loop.index}} {{loop.last}} {{loop.previtem}}')}${inner()}${tag('endfor')}`,
    () =>
      `${tag(`for k, v in ${word('d.items() d|dictsort ld|groupby("ok")')}`)}{{ k }}={{ v }};${tag('else')}-${tag('endfor')}`,
    () => `${tag(`for i in ld if ${asTruth(1)}`)}{{ i.name }}{{ loop.cycle('a', 'b') }}${tag('endfor')}`,
    () => `${tag(`set v${between(0, 2)} = ${any(2)}`)}${inner()}{{ v${between(0, 2)} }}`,
    () =>
      `${tag('set ns = namespace(a=0)')}${tag('for i in ln')}${tag('set ns.a = ns.a + i')}${tag('endfor')}{{ ns.a }}`,
    () => `${tag('set w')}${inner()}${tag('endset')}{{ w|${pick(TEXT_FILTERS())} }}`,
    () => `${tag(`macro m(a, b=${any(1)})`)}${inner()}{{ a }}{{ b }}${tag('endmacro')}{{ m(${any(1)}) }}`,
    () => `${tag(`filter ${pick(TEXT_FILTERS())}`)}${inner()}${tag('endfilter')}`,
    () => `${tag(`with q = ${any(1)}`)}{{ q }}${inner()}${tag('endwith')}`,
    () => `{# ${pick(TEXTS).replaceAll('#}', '')} #}{% raw %}{{ x }}{% endraw %}`,
  ])()
}
const body = (depth: number): string => many(1, 2, () => words() + piece(depth) + words()).join('')

// Both sides.

const cases = Array.from({ length: Number(count) }, () => ({
  template: draw() < 0.5 ? `{{ ${any(3)} }}` : body(2),
  context: context(),
  trim: draw() < 0.3,
  lstrip: draw() < 0.3,
  strict: draw() < 0.3,
}))
const oracle = spawnSync(python, [fileURLToPath(new URL('jinja.py', import.meta.url))], {
  input: cases.map((each) => `${JSON.stringify(each)}\n`).join(''),
  encoding: 'utf8',
  maxBuffer: 1 << 30,
})
const answers = oracle.stdout.trim().split('\n')
if (oracle.status !== 0 || answers.length !== cases.length) throw new Error(`Jinja2 failed: ${oracle.stderr}`)

let differences = 0
let refused = 0
cases.forEach(({ template, context, trim, lstrip, strict }, i) => {
  const theirs = JSON.parse(answers[i]!) as { ok?: string; error?: string }
  let ours: { ok?: string; error?: string }
  try {
    const options = {
      trim_blocks: trim,
      lstrip_blocks: lstrip,
      undefined: strict ? 'error' : 'empty',
    } as const
    ours = { ok: compileTemplate(template, options)(context) }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    if (error.kind === 'not-supported') {
      refused++
      return
    }
    ours = { error: `${error.exception}: ${error.message}` }
  }
  if (ours.ok === theirs.ok) return
  differences++
  console.log(JSON.stringify({ template, context, trim, lstrip, strict, ours, theirs }, null, 1))
})
console.log(`seed ${seed}: ${cases.length} templates, ${refused} refused here, ${differences} differences`)
process.exitCode = differences > 0 ? 1 : 0
