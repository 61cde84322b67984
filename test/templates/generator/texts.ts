/* Random source text: what stands between tags, how literals and operators are written, sound or not. */
import type { Choices } from './random.ts'

/** Tags with every mark, lines with every indent: what white space is left. */
export const whitespaceTemplate = (choices: Choices): string => {
  const space = () =>
    choices.many(0, 3, () => choices.pick([' ', '\t', '\n', '\n', '\r\n', '\r', '\x0b', '\xa0'])).join('')
  const open = (sign: string) => sign + choices.pick(['', '', '', '-', '+'])
  const close = (sign: string) => choices.pick(['', '', '', '-', '+']) + sign
  const tag = (content: string) =>
    `${open('{%')}${choices.pick([' ', '', '\n', '  '])}${content}${choices.pick([' ', '\n', '  '])}${close('%}')}`
  const piece = (depth: number): string =>
    space() +
    choices.one(
      () => choices.pick(['x', 'y z', '-', '}', '{', '%', '#', "'", '{ {', '% }', '']),
      () => `${open('{{')} 1 ${close('}}')}`,
      () => `${open('{{')}'%}'${close('}}')}`,
      () => `${open('{#')} c ${choices.pick(['', '{{ x }}', '{% if %}', '\n', '-', '+'])} ${close('#}')}`,
      () => tag('set v = 1'),
      () =>
        `${tag('raw')}${space()}${choices.pick(['{{ x }}', '{% y %}', '{# z #}', 'r'])}${space()}${tag('endraw')}`,
      () =>
        depth > 0
          ? `${tag(choices.pick(['if true', 'for i in [1, 2]', 'with', 'filter upper', 'set w', 'block b', 'macro m()']))}${piece(depth - 1)}${space()}${tag(choices.pick(['endif', 'endfor', 'endwith', 'endfilter', 'endset', 'endblock', 'endmacro']))}`
          : '.',
      () =>
        depth > 0
          ? `${tag('if true')}${piece(depth - 1)}${space()}${choices.chance(0.3) ? tag('else') + piece(0) : ''}${tag('endif')}`
          : '.',
      () => (depth > 0 ? `${tag('for i in [1, 2]')}${piece(depth - 1)}${space()}${tag('endfor')}` : '.'),
    ) +
    space()
  return choices.many(1, 5, () => piece(2)).join('')
}

const DIGITS = [
  '0',
  '1',
  '7',
  '9',
  '00',
  '_',
  '.',
  'e',
  'E',
  'x',
  'X',
  'b',
  'o',
  'f',
  'A',
  '-',
  '+',
  '1_0',
  'e5',
  '.5',
]

const number = (choices: Choices): string =>
  choices.pick(['0', '1', '12', '0x', '0b', '0o', '0X', '0B', '5.', '.5', '1e', '10']) +
  choices.many(0, 4, () => choices.pick(DIGITS)).join('')

const text = (choices: Choices): string => {
  const mark = choices.pick(["'", '"'])
  const pieces = choices.many(0, 6, () =>
    choices.pick([
      'a',
      ' ',
      '\\',
      '\\n',
      '\\t',
      '\\x41',
      '\\xe9',
      '\\x4',
      '\\u0041',
      '\\u00e9',
      '\\ud83d',
      '\\U0001f600',
      '\\U00110000',
      '\\101',
      '\\8',
      '\\0',
      '\\400',
      '\\777',
      "\\'",
      '\\"',
      '\n',
      '\\\n',
      '\\\r\n',
      'é',
      '👍',
      '{{',
      '%}',
      '}}',
      '#}',
      mark === "'" ? '"' : "'",
      '\\q',
      '\\é',
    ]),
  )
  return `${mark}${pieces.join('')}${mark}`
}

/** Literals, printed as values and as text. */
export const literalTemplate = (choices: Choices): string => {
  const literal = () => (choices.chance(0.5) ? number(choices) : text(choices))
  return choices.one(
    () => `{{ ${literal()} }}`,
    () => `{{ [${literal()}] }}`,
    () => `{{ ${literal()} ~ ${literal()} }}`,
    () => `{{ ${literal()} ${literal()} }}`,
    () => `{{ ${literal()}.real }}`,
    () => `{{ ${literal()}|length }}`,
    () => `{{ {${literal()}: 1} }}`,
    () => `{{ ${literal()}|tojson }}`,
    () => `{{ ${literal()}|pprint }}`,
  )
}

const TOKENS =
  "1 2 'a' 'b' x s n li d true none nope ( ) [ ] { } , : . | + - * / // % ** ~ == != < > <= >= = in not is and or if else " +
  'not.in is.not odd defined upper length first .a .items() [0] [1:] (1) |upper |length |first |list |join(1) is.odd ' +
  'is.defined is.divisibleby.2 (1, [1, 1] loop range(3) |default(1) |sort if.x if.true.else.2 -1 and.x or.x 1.5 ; ! @'

/** Tokens in any order: what binds how, and what is no expression. */
export const tokenTemplate = (choices: Choices): string => {
  const tokens = TOKENS.split(' ').map((token) =>
    /^[a-z]+(\.[a-z0-9]+)+$/.test(token) ? token.replaceAll('.', ' ') : token,
  )
  const operand = () =>
    choices.pick([
      '1',
      '2',
      "'a'",
      'x',
      's',
      'n',
      'li',
      'd',
      'none',
      'true',
      '[1]',
      '(2)',
      '-1',
      'nope',
      'not x',
      '(1, 2)',
      'li[0]',
      "d['a']",
      'd.a',
      's|upper',
      'li|length',
      'n is odd',
    ])
  const operator = () =>
    choices.pick([
      '+',
      '-',
      '*',
      '/',
      '//',
      '%',
      '**',
      '~',
      '==',
      '!=',
      '<',
      '>',
      '<=',
      '>=',
      'in',
      'not in',
      'and',
      'or',
      'is',
      'is not',
      'if',
      'else',
      '|',
      '.',
      ',',
      '|default(1) +',
      'is defined ==',
      'is not none and',
    ])
  if (choices.chance(0.6)) {
    let expression = operand()
    for (let k = choices.between(1, 5); k > 0; k--)
      expression += ` ${operator()} ${choices.chance(0.15) ? choices.pick(['odd', 'defined', 'none', 'upper', 'first', 'eq 1', 'in [1]', 'sameas x']) : operand()}`
    return `{{ ${expression} }}`
  }
  const soup = choices.many(1, 8, () => choices.pick(tokens)).join(choices.pick([' ', ' ', '']))
  return choices
    .pick([
      '{{ S }}',
      '{{ S }}',
      '{% if S %}y{% endif %}',
      '{% set v = S %}{{ v }}',
      '{% for i in S %}{{ i }}{% endfor %}',
    ])
    .replace('S', () => soup)
}

/** Letters of scripts with and without case, joined marks, digits and signs. */
const CHARACTERS = [
  'a',
  'Z',
  'ß',
  'ẞ',
  'É',
  'ï',
  'İ',
  'ı',
  'ŉ',
  'ǅ',
  'ǆ',
  'ﬁ',
  'Σ',
  'σ',
  'ς',
  'ΐ',
  'ᾳ',
  'ᾼ',
  'Ж',
  'щ',
  'և',
  'ա',
  'ა',
  'Ა',
  'Ꭰ',
  'ꭰ',
  '日',
  'か',
  '한',
  'ﾊ',
  'ก',
  '\u0301',
  '\u0345',
  '١',
  '५',
  '²',
  '½',
  'Ⅷ',
  'ⅷ',
  'ⓐ',
  'Ａ',
  '𐐀',
  '𐐨',
  '𝐀',
  '𝟗',
  '👍',
  '🏽',
  '\u200d',
  '\u200b',
  '\u00ad',
  '\ufeff',
  '\u00a0',
  '\u2003',
  '\u2028',
  '\u0085',
  '\x1c',
  '\x1f',
  '\x00',
  '\x7f',
  '\ue000',
  '\u{e0001}',
  '_',
  '-',
  "'",
  '"',
  '\\',
  ' ',
  '\t',
  '\n',
  '1',
  '.',
]

const METHODS =
  'upper() lower() title() capitalize() swapcase() casefold() isalpha() isdigit() isdecimal() isnumeric() isalnum() isupper() islower() istitle() ' +
  "isspace() isidentifier() isprintable() isascii() split() rsplit(none,1) strip() lstrip() rstrip() splitlines() splitlines(true) center(9) ljust(7) rjust(7,'é') zfill(6) encode() partition('a') " +
  "expandtabs(3) find('a') count('') replace('','.') replace('a','b') startswith('a') endswith('a') encode('utf-8')"
const TEXT_FILTERS =
  'upper lower title capitalize length trim reverse wordcount tojson pprint urlencode e string list first last center(9) indent(1) striptags wordwrap(4) truncate(5,true) truncate(6) ' +
  "replace('a','b') int float sort|join unique|join list|sort forceescape xmlattr urlize batch(2)|list slice(2)|list join('-') random|length>0 default('q',true) format safe filesizeformat"

/** Any text with a method, a filter, an index or a slice. */
export const unicodeTemplate = (choices: Choices): { template: string; context: string } => {
  const some = () => choices.many(0, 7, () => choices.pick(CHARACTERS)).join('')
  const at = () => choices.pick(['', '0', '1', '-1', '2', '-2', '5'])
  const expressions = choices.many(1, 3, () =>
    choices.one(
      () => `u.${choices.pick(METHODS.split(' '))}`,
      () => `u|${choices.pick(TEXT_FILTERS.split(' '))}`,
      () => `u[${at()}:${at()}:${choices.pick(['', '', '2', '-1', '-2'])}]`,
      () => `u[${choices.pick(['0', '1', '-1', '3'])}]`,
      () => '[u]',
      () => `'%5s|%-4r|%a' % (u, u, u)`,
      () => `'{:>6}|{!r}|{!a:<9}'.format(u, u, u)`,
      () => 'u == w',
      () => '[u, w]|sort',
      () => '[u, w]|max',
      () => 'u < w',
      () => 'w in u',
      () => 'u.find(w)',
      () => 'u.replace(w, "_")',
      () => 'u.split(w) if w',
      () => 'u is lower',
      () => 'u is upper',
    ),
  )
  return {
    template: expressions.map((each) => `{{ ${each} }}`).join('|'),
    context: JSON.stringify({ u: some(), w: choices.chance(0.5) ? some() : choices.pick(CHARACTERS) }),
  }
}

/** Numbers of every size and form, printed, rounded, formatted and computed with. */
export const numberTemplate = (choices: Choices): { template: string; context: string } => {
  const float = (): string => {
    const mantissa = choices.chance(0.5)
      ? choices.between(-999, 999) / choices.pick([1, 2, 4, 8, 10, 16, 100])
      : choices.next() * 2 - 1
    return String(mantissa * 10 ** choices.between(-8, 18))
      .replace(/^(-?\d+)$/, '$1.0')
      .replace(/^(-?\d+)(e)/, '$1.0$2')
  }
  const int = (): string =>
    choices.one(
      () => String(choices.between(-20, 20)),
      () =>
        String(
          BigInt(choices.between(1, 1 << 30)) ** BigInt(choices.between(1, 4)) *
            BigInt(choices.pick([1, -1])),
        ),
      () => String(2n ** BigInt(choices.between(50, 66)) + BigInt(choices.between(-2, 2))),
    )
  const literal = () => (choices.chance(0.5) ? float() : int())
  const operand = () => choices.pick(['p', 'q', '(-p)', '(-q)', 'p', 'q', '2', '0.5', '10', '3', 'true'])
  const spec = () =>
    `${choices.pick(['', '', '<', '>', '^', '=', '*^', '0='])}${choices.pick(['', '', '+', ' ', '-'])}${choices.pick(['', '', '#'])}${choices.pick(['', '', '0'])}${choices.pick(['', '8', '20'])}${choices.pick(['', '', ',', '_'])}${choices.pick(['', '', '.0', '.1', '.3', '.12'])}${choices.pick(['', '', 'f', 'e', 'g', '%', 'd', 'x', 'b', 'G', 'n', 's'])}`
  const expression = () =>
    choices.one(
      () => operand(),
      // Whole powers: C rounds one other power in a few thousand to the wrong side.
      () => `${operand()} ** ${choices.pick(['2', '3', '-1', '5', 'true', '-2'])}`,
      () => `${operand()} ${choices.pick(['+', '-', '*', '/', '//', '%', '<', '==', '>='])} ${operand()}`,
      () =>
        `(${operand()} ${choices.pick(['+', '-', '*', '/', '//', '%'])} ${operand()}) ${choices.pick(['+', '-', '*', '/', '//', '%'])} ${operand()}`,
      () =>
        `${operand()}|round${choices.pick(['', '(1)', '(2)', '(-1)', '(-3)', "(1, 'floor')", "(0, 'ceil')", '(5)', "(-2, 'ceil')"])}`,
      () =>
        `${operand()}|${choices.pick(['int', 'float', 'abs', 'string', 'tojson', 'pprint', 'filesizeformat', 'filesizeformat(true)', 'string|length'])}`,
      () =>
        `'%${choices.pick(['', '0', '-', '+', ' ', '#'])}${choices.pick(['', '9', '20'])}${choices.pick(['', '.0', '.1', '.4', '.17'])}${choices.pick(['d', 'f', 'e', 'g', 's', 'r', 'x', 'o', 'i', 'G', 'E'])}' % ${operand()}`,
      () => `'{:${spec()}}'.format(${operand()})`,
      () =>
        `[p, q, 1, 2.5, true]|${choices.pick(['sort', 'sum', 'max', 'min', 'unique|list', 'sort(reverse=true)'])}`,
      () =>
        `${operand()} is ${choices.pick(['odd', 'even', 'integer', 'float', 'number', 'divisibleby 3', 'gt 2', 'eq q', 'in [p]', 'sameas p'])}`,
      () =>
        `range(p${choices.pick(['', ', q', ', q, 3'])})|list|length if p is integer and -99 < p < 99 and -99 < q < 99`,
      () => `{p: 1, q: 2}`,
      () => `(p, q) < (q, p)`,
      () => `'ab' * p if p is integer and p < 9`,
    )
  return {
    template: choices.many(1, 3, () => `{{ ${expression()} }}`).join(' '),
    context: `{"p": ${literal()}, "q": ${literal()}}`,
  }
}

/** Lists of mixed values, sorted, compared, grouped, printed. */
export const orderTemplate = (choices: Choices): { template: string; context: string } => {
  const scalar = () =>
    choices.pick([
      '1',
      '2',
      '1.0',
      '2.5',
      '-1',
      'true',
      'false',
      'null',
      '"a"',
      '"B"',
      '"b"',
      '"A"',
      '""',
      '[1]',
      '[2]',
      '[]',
      '{}',
      '{"a": 1}',
      '10000000000000000000000',
    ])
  const same = choices.chance(0.6)
    ? choices.pick([
        ['1', '2', '1.0', '2.5', '-1', 'true', 'false', '3'],
        ['"a"', '"B"', '"b"', '"A"', '""', '"aa"', '"é"'],
        ['[1]', '[2]', '[]', '[1, 2]', '[1.0]', '[true]'],
      ])
    : undefined
  const value = () => (same && choices.chance(0.9) ? choices.pick(same) : scalar())
  const list = () => `[${choices.many(0, 6, value).join(', ')}]`
  const records = `[${choices
    .many(
      0,
      5,
      () =>
        `{${['"k": ', '"v": ', '"w": ']
          .filter(() => choices.chance(0.85))
          .map((key) => key + value())
          .join(', ')}}`,
    )
    .join(', ')}]`
  const expression = () =>
    choices.one(
      () =>
        `l|${choices.pick(['sort', 'sort(true)', 'sort(reverse=true)', 'sort(case_sensitive=true)', 'unique|list', 'unique(true)|list', 'max', 'min', 'max(true)', 'min(case_sensitive=true)', 'sum', 'first', 'last', 'reverse|list', 'groupby(0)', 'list', "join('|')", 'tojson', 'length', 'sort|unique|list', 'select|list', 'reject|list', 'map("string")|sort', 'batch(2)|list', 'slice(2)|list', 'slice(3, 0)|list'])}`,
      () =>
        `r|${choices.pick(["sort(attribute='k')", "sort(attribute='k,v')", "sort(attribute='v', reverse=true)", "groupby('k')", "groupby('k', default=1)", "groupby('v', case_sensitive=true)", "unique(attribute='k')", "max(attribute='v')", "min(attribute='k')", "sum(attribute='v')", "map(attribute='k')|sort", "map(attribute='v', default=0)|list", "selectattr('k')", "rejectattr('k', 'none')", "selectattr('v', 'gt', 1)", "selectattr('k', 'in', l)", "selectattr('w', 'eq', 1)", "map(attribute='k')|unique", "selectattr('k', 'defined')|map(attribute='w')"])}|list`,
      () => `l ${choices.pick(['<', '==', '>', '!=', '+', '<='])} o`,
      () => `l[0] ${choices.pick(['<', '==', 'in', 'not in'])} ${choices.pick(['o', 'l[1]', 'l'])}`,
      () => `l.${choices.pick(['index(l[1])', 'count(l[0])', 'index(1)', 'copy()', 'count(true)'])}`,
      () => `{l[0]: 1, l[1]: 2}`,
      () =>
        `dict(r[0]${choices.pick(['', ', k=1'])})|${choices.pick(['dictsort', "dictsort(by='value')", 'items|list', 'tojson', 'xmlattr', 'length', 'list'])}`,
      () => `(l[0], o) ${choices.pick(['<', '=='])} (l[1], o)`,
      () =>
        `l|${choices.pick(['select', 'reject'])}('${choices.pick(['gt', 'lt', 'eq', 'in', 'divisibleby', 'ge'])}', ${choices.pick(['l[0]', '1', 'o'])})|list`,
    )
  return {
    template: choices.many(1, 2, () => `{{ ${expression()} }}`).join('\n'),
    context: `{"l": ${list()}, "o": ${list()}, "r": ${records}}`,
  }
}
