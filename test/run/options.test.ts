/** Command lines: help, and words for what is wrong. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { nearest } from '../../src/options/nearest.ts'
import { allOptions, parseArguments } from '../../src/run/arguments.ts'
import { exitMeaning, helpText, memberHelp } from '../../src/run/help.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowsOf } from '../helpers/rows.ts'
import { expect, type Filter, fine, jb, jbProcess, ROOT, sh } from '../helpers/run.ts'
import { refused, spec } from './_options.ts'

const FILTERS = readdirSync(`${ROOT}src/stages`)
  .filter((file) => !file.startsWith('_'))
  .map((file) => file.replace('.ts', '')) as Filter[]

describe('every filter', { concurrency: 2 }, () => {
  for (const filter of FILTERS) {
    test(`jb-${filter}: its help and its table`, async () => {
      const table = await spec(filter)
      const { name, examples, exitCodes } = table
      assert.equal(name, `jb-${filter}`)
      const help = fine(await jb(filter, ['--help-all', '--nonsense'])).stdout
      assert.equal(help, helpText(table, 80, true))
      const before = (a: string, b: string) =>
        assert.ok(help.indexOf(a) < help.indexOf(b), `${a} before ${b}`)
      before('Examples:', 'Usage:')
      before('Usage:', 'Options:')
      const commands = examples.flatMap(({ command }) => command.split('\n'))
      for (const command of commands) assert.ok(help.includes(command), command)
      const all = allOptions(table)
      for (const option of all) assert.ok(help.includes(`--${option.name}`), option.name)
      for (const code of [0, 2, ...exitCodes]) assert.match(help, new RegExp(`^  ${code} +\\S`, 'm'))
      for (const line of help.split('\n')) assert.ok(line.length <= 80, line)
      // Headings name each option once, and no other; --help says how many more there are.
      const { main = [], headings = {}, options } = table
      const headed = [...main, ...Object.values(headings).flat()]
      assert.equal(new Set(headed).size, headed.length)
      const unheaded = options.map((option) => option.name).filter((one) => !headed.includes(one))
      assert.deepEqual(
        [headed.length + unheaded.length, help.includes('Further options:')],
        [options.length, headed.length > 0 && unheaded.length > 0],
      )
      const brief = fine(await jb(filter, ['--help', '--nonsense'])).stdout
      const lines = (text: string) => text.trimEnd().split('\n').length
      assert.ok(lines(brief) <= 80, `two screens of 40 lines: ${lines(brief)}`)
      for (const member of table.all) assert.ok(lines(memberHelp(table, member)) <= 80, member.name)
      const left = options.length - main.length
      assert.equal(brief.includes(`\n${left} further options are in --help-all`), headed.length > 0)
      // Names keep their capitals.
      assert.doesNotMatch(brief.replaceAll('\n', ' '), /arena-Hard/)
      // No two options share a letter, and words begin small and end without a full stop.
      const letters = all.flatMap(({ short }) => short ?? [])
      assert.equal(new Set(letters).size, letters.length, `${letters}`)
      for (const { name, about } of all) assert.match(about, /^(?![A-Z][a-z]).*[^.]$/s, `--${name}: ${about}`)
      // Choices stand once, before what is said of them.
      for (const { name, about, choices } of all)
        assert.ok((choices ?? []).length < 2 || !about.includes(choices!.join(', ')), `--${name}: ${about}`)
    })

    test(`jb-${filter}: an option it does not know, with the nearest name`, async () => {
      const near = `unknown option --bad-row: did you mean --bad-rows? (try: jb-${filter} --help)`
      expect(await jb(filter, ['--bad-row', 'skip', 'x']), {
        code: 2,
        out: '',
        err: `jb-${filter}: ${near}\n`,
      })
      assert.match(await refused(filter, ['--zzzzzzzzzzzz', 'x']), /^unknown option --zzzzzzzzzzzz \(try/)
      assert.match(await refused(filter, ['-Z', 'x']), /^unknown option -Z/)
    })
  }
})

test('the meaning of exit code 1 names every option that can end a run with it', async () => {
  const of = async (filter: Filter) => exitMeaning(1, await spec(filter))
  const gates = (names: string, more = '') => `done, but a gate was missed (${names})${more}`
  const measured = ', or nothing was measured'
  assert.equal(await of('parse'), gates('--strict'))
  assert.equal(await of('call'), gates('--max-error-rate, --strict'))
  assert.equal(await of('aggregate'), gates('--expect, --max-error-rate, --fail-under, --strict', measured))
  assert.equal(
    await of('compare'),
    gates('--fail-worse, --fail-unless-level, --min-common, --strict', measured),
  )
  assert.equal(await of('audit'), gates('--fail-drift, --fail-caught, --strict', measured))
})

test('the list of the filters has lines of at most 80 columns', async () => {
  const { stdout } = await sh('jb-filters --help')
  assert.match(stdout, /^Usage: jb-filters NAME /m)
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
})

test('the version is on one line that a program can read', async () => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  assert.equal(fine(await jbProcess('parse', ['--version'])).stdout, `jb-parse (jb-filters) ${version}\n`)
})

test('wrong values: the option, what was expected and what came', async () => {
  const cases: [Filter, string[], RegExp][] = [
    [
      'parse',
      ['--bad-rows', 'stopp'],
      /^--bad-rows: one of stop, skip, pass, not "stopp": did you mean stop\?$/,
    ],
    ['parse', ['--pick', 'all'], /^--pick: one of last, first, only, not "all"$/],
    ['aggregate', ['--ci', '2'], /^--ci: at most 0\.9999, not 2$/],
    ['aggregate', ['--ci', 'high'], /^--ci: expected a number, not "high"$/],
    ['aggregate', ['--max-error-rate', '-1'], /^--max-error-rate: at least 0, not -1$/],
    ['aggregate', ['--format'], /^--format needs a value/],
    ['aggregate', ['--by'], /^--by needs a value \(FIELD\)$/],
    ['aggregate', ['--by='], /^--by needs a value \(FIELD\)$/],
    ['score', ['--tie', ''], /^--tie needs a value/],
    ['score', ['--combine', 'votes'], /^--combine: one of .*: did you mean vote\?$/],
    ['render', ['vanilla', '--samples', '0'], /^--samples: at least 1, not 0$/],
    ['render', ['vanilla', '--samples', '1.5'], /^--samples: expected a whole number, not 1\.5$/],
    ['render', ['vanilla', '--order', 'AB'], /^--order: one of ab, ba, both, random, alpaca_eval, not "AB"/],
    ['parse', ['--strict=typo'], /^--strict: expected true or false, not "typo"$/],
    ['parse', ['--strict='], /^--strict: expected true or false, not ""$/],
    ['parse', ['-vq=2'], /^--quiet: expected true or false, not "2"$/],
    ['score', ['-1'], /^unknown option -1 \(try/],
    ['score', ['--tie', '1', '-12', 'x'], /^unknown option -1 \(try/],
    ['call', ['-j', '0'], /^--concurrency: at least 1, not 0$/],
  ]
  for (const [filter, args, message] of cases) assert.match(await refused(filter, args), message)
})

test('wrong usage: exit 2, one line, nothing written', async () => {
  const cases: [Filter, string[], RegExp][] = [
    ['score', ['--tie', '2'], /^jb-score: --tie: at most 1, not 2\n$/],
    ['aggregate', ['--ci', '95'], /--ci: at most 0\.9999, not 95 \(0\.95\?\)\n$/],
    ['call', ['--max-error-rate', '10%'], /--max-error-rate: expected a number, not "10%" \(0\.1\?\)\n$/],
    ['call', ['--max-error-rate', '101'], /--max-error-rate: at most 1, not 101\n$/],
    ['aggregate', ['--fail-under', '39%'], /expected a number, not "39%" \(0\.39\?\)\n$/],
    ['compare', ['--fail-worse', '0,02'], /expected a number, not "0,02" \(0\.02\?\)\n$/],
    ['call', ['-j', '5%'], /--concurrency: expected a number, not "5%"\n$/],
    ['render', ['vanilla', '-order', 'both'], /unknown option -order: did you mean --order\?/],
    ['call', ['-model=m'], /unknown option -model: did you mean --model\?/],
    ['render', ['vanilla', '--criteria', 'Is it short?'], /takes no criteria: direct, pairwise, .* do/],
    [
      'write',
      [`${ROOT}package.json`],
      /package\.json is a file: the format comes first, as in jb-write csv /,
    ],
    [
      'write',
      ['judgebench', '--fail-under', '1'],
      /--fail-under: it is for github and junit, not judgebench\n/,
    ],
    ['write', ['judge-bench'], /no format "judge-bench" to write: did you mean judgebench\?/],
    ['render', ['vanilla', '--map', 'question'], /--map: expected NAME=FIELD, not "question"/],
    ['render', ['vanilla', '--map', 'question='], /--map: expected NAME=FIELD, not "question="/],
    ['render', ['vanilla', '--set', '=1'], /--set: expected KEY=VALUE, not "=1"/],
    ['render', [], /JUDGE is missing \(usage: jb-render JUDGE \[FILE…\]/],
    ['read', [], /FORMAT is missing/],
    ['read', ['jsn'], /no format "jsn" to read: did you mean json\?/],
  ]
  for (const [filter, args, err] of cases) {
    const ran = await jb(filter, args, { stdin: '' })
    expect(ran, { code: 2, out: '', err })
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1, ran.stderr)
  }
})

test('a format’s help has its own options, which jb-read and jb-write take for it alone', async () => {
  for (const filter of ['read', 'write'] as const) {
    const table = await spec(filter)
    const whole = fine(await jb(filter, ['--help'])).stdout.replaceAll(/\s+/g, ' ')
    const listed = fine(await jb(filter, ['--list'])).stdout.match(/^\S+/gm)
    assert.deepEqual(
      table.all.map(({ name }) => name),
      listed,
    )
    for (const { name, options } of table.all) {
      assert.ok(whole.includes(` ${name}`), name)
      const help = fine(await jb(filter, [name, '--help'])).stdout
      for (const { name: option } of options) assert.ok(help.includes(` --${option}`), `${name} --${option}`)
      // Whether a word is an option's value does not depend on the format.
      for (const one of options)
        for (const other of table.all)
          for (const { name, type } of other.options)
            if (name === one.name) assert.equal(type === 'boolean', one.type === 'boolean', name)
    }
  }
  assert.match(
    await refused('write', ['judgebench', '--bank', 'argue']),
    /^--bank: it is for nuggets, not judgebench$/,
  )
  assert.match(
    await refused('write', ['--bank', 'argue']),
    /^--bank: it is for nuggets, and FORMAT names none$/,
  )
  assert.match(
    await refused('write', ['lm-eval', '--svae', 'x']),
    /^unknown option --svae: did you mean --save\? \(try: jb-write --help\)$/,
  )
})

test('options may stand before the format, too', async () => {
  for (const args of [
    ['csv', '--bom'],
    ['--bom', 'csv'],
    ['-q', '--label', 'csv', '--bom', 'csv'],
    ['--label=tsv', '--bom', '--', 'csv'],
  ]) {
    const { options, operands, member } = await parseArguments(await spec('write'), args, {})
    assert.deepEqual([options.bom, operands, member?.name], [true, ['csv'], 'csv'], args.join(' '))
  }
  const { options } = await parseArguments(await spec('read'), ['--delimiter', 'json', 'csv'], { JB_AT: 'x' })
  assert.deepEqual([options.delimiter, options.at], ['json', undefined])
})

test('an unknown judge: the nearest name, exit 78, nothing written', async () => {
  const cases: [Filter, string[], string, RegExp][] = [
    [
      'render',
      ['arena_hrad'],
      ndjson([pair()]),
      /^jb-render: no judge "arena_hrad": did you mean arena_hard\?/,
    ],
    ['render', ['arena-hard'], ndjson([pair()]), /did you mean arena_hard\?/],
    ['render', ['xyzzyxyzzy'], ndjson([pair()]), /^jb-render: no judge "xyzzyxyzzy" \(jb-render --list/],
    ['render', ['./mine.yaml'], ndjson([pair()]), /\.\/mine\.yaml: no such judge file/],
    [
      'parse',
      ['--judge', 'vanila'],
      ndjson([replied('x', 'y')]),
      /no judge "vanila": did you mean vanilla\?/,
    ],
  ]
  for (const [filter, args, stdin, err] of cases)
    expect(await jb(filter, args, { stdin }), { code: 78, out: '', err })
})

test('an unknown judge in a row fails that row alone', async () => {
  const good = replied('vanilla', 'Output (a)')
  for (const judge of ['vanila', './none.yaml']) {
    const stdin = ndjson([good, good, replied(judge, 'y'), good])
    const err =
      /^jb-parse: \(stdin\):3: unknown_judge: (no judge "vanila": did you mean|.*\.\/none\.yaml, with which you did not render, which)/
    const ran = expect(await jb('parse', [], { stdin }), { err })
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => jb.error?.code ?? jb.verdict?.decision),
      ['A>B', 'A>B', 'unknown_judge', 'A>B'],
    )
  }
})

test('the nearest name is one that could have been meant', () => {
  const names = ['bad-rows', 'base-url', 'by', 'model', 'max-tokens', 'temperature']
  const cases: [string, string | undefined][] = [
    ['bad_rows', 'bad-rows'],
    ['Model', 'model'],
    ['modle', 'model'],
    ['temp', 'temperature'],
    ['max-token', 'max-tokens'],
    ['xx', undefined],
    ['elephant', undefined],
  ]
  for (const [word, near] of cases) assert.equal(nearest(word, names), near, word)
})

test('a summary of a run in which nothing failed is given where it is asked for', async () => {
  const stdin = ndjson(
    Array.from({ length: 50 }, (_, i) => replied('vanilla', 'Output (a)', { item: `${i}` })),
  )
  const silent = fine(await jb('parse', [], { stdin }))
  for (const ran of [
    await jb('parse', ['-v'], { stdin }),
    await jb('parse', [], { stdin, env: { JB_VERBOSE: '1' } }),
  ])
    expect(ran, { out: silent.stdout, err: 'jb-parse: 50 rows\n' })
  // Progress that is asked for goes to stderr and changes nothing of the rows.
  expect(await jb('parse', ['--progress', 'always'], { stdin }), { out: silent.stdout })
})

test('a command writes rows to -o FILE, whole or not at all, and none to JB_OUTPUT, which each of a pipe would have', async (t) => {
  const cwd = folder(t)
  const stdin = ndjson([{ question: 'q', response_A: 'a', response_B: 'b' }])
  const rows = expect(await jb('render', ['vanilla'], { cwd, stdin, env: { JB_OUTPUT: 'env' } }), {}).stdout
  expect(await jb('render', ['vanilla', '-o', 'made/rows'], { cwd, stdin }), { out: '' })
  assert.equal(readFileSync(`${cwd}/made/rows`, 'utf8'), rows)
  expect(await jb('render', ['vanilla', '-o', 'made/rows'], { cwd, stdin: `${stdin}{` }), {
    code: 65,
    err: /made\/rows is not written/,
  })
  assert.equal(readFileSync(`${cwd}/made/rows`, 'utf8'), rows)
  assert.deepEqual(readdirSync(cwd), ['made'])
})
