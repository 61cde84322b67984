/* Every filter, test and method with arguments of every type, also wrong ones. */

const FILTERS =
  'abs attr batch capitalize center count default dictsort escape e filesizeformat first float forceescape format ' +
  'groupby indent int items join last length list lower map max min pprint reject rejectattr replace reverse round ' +
  'safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode urlize ' +
  'wordcount wordwrap xmlattr'
const TESTS =
  'boolean callable defined divisibleby eq equalto escaped even false filter float ge gt in integer iterable le ' +
  'lower lt mapping ne none number odd sameas sequence string test true undefined upper'
const TEXT_METHODS =
  'capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii ' +
  'isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip ' +
  'partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines ' +
  'startswith strip swapcase title translate upper zfill'
const LIST_METHODS = 'append copy count extend index insert pop remove reverse sort'
const DICT_METHODS = 'copy get items keys pop popitem setdefault update values fromkeys'
const NUMBER_METHODS = 'as_integer_ratio bit_count bit_length conjugate hex is_integer'

const TEXTS = ["'Ab c'", "''", "('<b>'|e)"]
const SUBJECTS = [
  ...TEXTS,
  '3',
  '-2.5',
  'none',
  'true',
  "['b', 'A']",
  '[3, 1, 2]',
  '[]',
  '(1, 2)',
  "{'b': 1, 'a': 2}",
  "[{'a': 1}, {'a': 'x'}]",
  'nope',
  'range(3)',
]
const ARGUMENTS = [
  '',
  'nope',
  'none',
  'true',
  '2',
  '0',
  '-1',
  '1.5',
  "'a'",
  "''",
  "('b'|e)",
  '[]',
  "['a']",
  "{'a': 1}",
  "2, 'x'",
  "'a', 'b'",
  "'x', none",
  '0, nope',
  "'a', 2, 1",
  "none, true, 'x'",
]

const words = (text: string): string[] => text.split(' ')

const calls = (subjects: readonly string[], methods: string): string[] =>
  subjects.flatMap((subject) =>
    words(methods).flatMap((method) => ARGUMENTS.map((args) => `(${subject}).${method}(${args})`)),
  )

/** JSON indented with escaped text is escaped in part by Jinja2, by accident of its order of joining. */
const isAccident = (expression: string) => expression.endsWith("|tojson(('b'|e))")

/** Expressions to print. */
export const COMBINATIONS: readonly string[] = [
  ...SUBJECTS.flatMap((subject) => [
    ...words(FILTERS).flatMap((name) =>
      ARGUMENTS.flatMap((args) =>
        ['map', 'batch', 'slice', 'select', 'reject', 'unique'].includes(name)
          ? [`${subject}|${name}(${args})|list`]
          : [`${subject}|${name}(${args})`],
      ),
    ),
    ...words(TESTS).flatMap((name) => ARGUMENTS.map((args) => `${subject} is ${name}${args && `(${args})`}`)),
  ]),
  ...calls(TEXTS, TEXT_METHODS),
  ...calls(["['b', 'A']", '[3, 1, 2]', '(1, 2)'], LIST_METHODS),
  ...calls(["{'b': 1, 'a': 2}"], DICT_METHODS),
  ...calls(['3', '-2.5'], NUMBER_METHODS),
].filter((expression) => !isAccident(expression))
