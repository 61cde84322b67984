/** CONTRIBUTING.md's recipes, each followed once in a copy of the sources: the files that it shows, and no others. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bundled } from '../scripts/bundle.js'
import { ruleText } from '../scripts/rules.ts'
import { folder } from './helpers/folder.ts'
import { game, pair } from './helpers/rows.ts'
import { ROOT } from './helpers/run.ts'
import { chatServer } from './stages/call/server.ts'
import { dataOf } from './stages/view/_page.ts'

type Library = typeof import('../src/index.ts')

const PAGE = readFileSync(`${ROOT}CONTRIBUTING.md`, 'utf8')

/** What the page shows of files, by their paths: whole files, and changes of those that are there. */
const SHOWN = [...PAGE.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```/gm)].map(([, kind, path, text]) => ({
  kind: kind!,
  path: path!,
  text: text!,
}))

/** One side of a change: the lines with that mark, and those without one. */
const side = (change: string, mark: string) =>
  change.replace(/^([ +-])(.*\n)/gm, (_, one, line) => (one === mark || one === ' ' ? line : ''))

const MODULES = [
  'index.ts',
  'formats/_format.ts',
  'stages/middle/middle.ts',
  'stages/middle/options.ts',
  'stages/read/options.ts',
  'run/arguments.ts',
  'run/help.ts',
]

/** A copy of the sources with what the page shows, as a library. */
async function libraryWith(t: TestContext) {
  const copy = folder(t)
  cpSync(`${ROOT}src`, `${copy}/src`, { recursive: true })
  writeFileSync(`${copy}/package.json`, '{"type":"module"}')
  symlinkSync(`${ROOT}node_modules`, `${copy}/node_modules`)
  // The page as it is built: its columns are those of the data.
  symlinkSync(`${ROOT}dist`, `${copy}/dist`)
  for (const { kind, path, text } of SHOWN) {
    const file = `${copy}/${path}`
    assert.equal(existsSync(file), kind === 'diff', path)
    mkdirSync(dirname(file), { recursive: true })
    const before = kind === 'diff' ? readFileSync(file, 'utf8') : ''
    const [old, made] = [side(text, '-'), side(text, '+')]
    if (kind === 'diff') assert.equal(before.split(old).length, 2, `${path} has once: ${old}`)
    writeFileSync(file, kind === 'diff' ? before.replace(old, () => made) : text)
  }
  const loads = await bundled(
    copy,
    MODULES.map((path) => `${copy}/src/${path}`),
  )
  // biome-ignore lint/suspicious/noExplicitAny: it is what the page shows
  const load = (path: string) => loads[MODULES.indexOf(path)]!() as Promise<any>
  return { load, library: (await load('index.ts')) as Library }
}

test('the files that CONTRIBUTING.md shows add a judge, a rule, a provider, a format, a baseline, a statistic, a figure and a stage', async (t) => {
  const { load, library } = await libraryWith(t)
  const { aggregate, call, parse, render, rowsOf, score, write } = library
  const rowsIn = async (batches: ReturnType<typeof parse>) => {
    const rows = []
    for await (const batch of batches) rows.push(...batch)
    return rows
  }
  const items = () => rowsOf([pair({ question: 'why?', response_A: 'long and short', response_B: 'short' })])

  const { port, calls } = await chatServer(t, () => ({ body: { said: 'the second one' } }))
  const baseUrl = `http://127.0.0.1:${port}`
  const options = { api: 'oracle' as never, model: 'm', baseUrl, noCache: true }
  const verdicts = () => parse(call(render('calm', items()), options))
  assert.deepEqual(
    (await rowsIn(verdicts())).map((row) => row.get('verdict')?.decision),
    ['B>A'],
  )
  assert.deepEqual(
    calls.map(({ path }) => path),
    ['/ask/m'],
  )
  const shorter = parse(call(render('calm', items()), { model: 'baseline:shorter', noCache: true }))
  assert.equal((await rowsIn(score(shorter)))[0]!.get('result')?.decision, 'B>A')

  const cheering = `${folder(t)}/cheer.yaml`
  writeFileSync(
    cheering,
    'kind: pairwise\nprompt: Cheer <text>{{ text }}</text>.\nverdict: { rule: cheer }\n',
  )
  const cheered = rowsOf([
    { said: 'A! B!!' },
    { said: 'A! B!' },
    { said: '<think>A!!!! B!</think>A! B!!' },
    { said: 'A! B!!\n\n> I say A!!!! B!\n\n```\nA!!! B!\n```\n' },
    { said: '> A!!!! B!\nThat is what it says. A! B\u200b!!' },
    { said: '<text>A!!!! B!</text> A! B!!' },
  ])
  assert.deepEqual(
    (await rowsIn(parse(cheered, { judge: cheering, text: 'said' }))).map(
      (row) => row.get('verdict')?.decision ?? row.get('error')?.code,
    ),
    ['B>A', 'no_verdict', 'B>A', 'B>A', 'B>A', 'B>A'],
  )

  const loud = `${folder(t)}/loud.yaml`
  writeFileSync(loud, 'kind: pairwise\nprompt: Cheer.\nverdict: { rule: cheer, loud: true }\n')
  await assert.rejects(rowsIn(parse(rowsOf([{ said: 'A!' }]), { judge: loud, text: 'said' })), /loud/)
  assert.equal(
    ruleText('cheer', SHOWN.find(({ path }) => path === 'src/verdicts/cheer.ts')!.text),
    '### cheer\n\nThe answer that gets more exclamation marks after its letter wins.\n',
  )

  const { parseArguments } = await load('run/arguments.ts')
  const { spec: readSpec } = await load('stages/read/options.ts')
  const parsed = await parseArguments(readSpec, ['questions', '--skip', '1'], {})
  const { formatOf } = await load('formats/_format.ts')
  const read = await formatOf('questions', 'read')
  const source = { name: 'q.txt', open: () => [Buffer.from('why?\nhow?\n')] }
  const questions = await rowsIn(read.read([source], parsed.options, {}))
  assert.deepEqual(
    questions.map((row) => row.field('question')),
    ['how?'],
  )
  let text = ''
  for await (const piece of write('questions', verdicts())) text += piece
  assert.equal(text, 'why? B>A\n')

  const timed = [100, 200, 300, 400].map((ms, id) =>
    game(`${id}`, 0, 1, 'A>B', { jb: { reply: { text: 'A', model: 'm', ms } } }),
  )
  const printed = async (rows: ReturnType<typeof rowsOf>, more: object = {}) => {
    let json = ''
    for await (const piece of aggregate(rows, { by: 'none', ...more })) json += piece
    return json
  }
  const scored = async (rows: readonly object[]) => rowsIn(score(rowsOf(rows)))
  const batch = async function* (rows: Awaited<ReturnType<typeof scored>>) {
    yield rows
  }
  // The same reply from another call, a cascade's earlier model, and the turn before in a chain took time as well.
  const timedReply = (ms: number) => ({ text: 'A', model: 'm', ms })
  const again = game('0', 0, 1, 'A>B', { jb: { reply: timedReply(50) } })
  const earlier = game('5', 0, 1, 'A>B', {
    jb: {
      reply: timedReply(1),
      cascade: { name: 'm > n', stage: 2 },
      earlier: [{ reply: { ...timedReply(20), model: 'm' } }],
      chain: [{ reply: timedReply(300) }],
    },
  })
  const all = [
    [1000, timed],
    [1000, [...timed, timed[0]!]],
    [1050, [...timed, again]],
    [1050, [again, ...timed]],
    [321, [earlier]],
  ] as const
  for (const [sum, given] of all)
    for (const rows of [given, given.toReversed()]) {
      assert.equal(JSON.parse(await printed(rowsOf(rows))).ms, sum)
      assert.equal(JSON.parse(await printed(batch(await scored(rows)))).ms, sum, 'through jb-score')
    }
  const [plain] = [await rowsIn(rowsOf(timed.slice(0, 3)))]
  const mixed = [...plain, ...(await scored(timed.slice(1)))]
  assert.equal(JSON.parse(await printed(batch(mixed))).ms, 1000, 'a mix')
  const states = [
    await printed(rowsOf(timed.slice(0, 2)), { partial: true }),
    await printed(batch(await scored(timed.slice(2))), { partial: true }),
  ].map((text) => JSON.parse(text))
  assert.equal(JSON.parse(await printed(rowsOf(states), { merge: true })).ms, 1000, 'merged')
  assert.match(await printed(rowsOf(timed), { format: 'table' }), /^ms: 1,000$/m)
  for (const rows of [rowsOf(timed), batch(await scored(timed)), batch(mixed)]) {
    let sections = ''
    for await (const piece of library.audit(rows)) sections += piece
    const totals = sections.split('\n').find((line) => line.startsWith('{"section":"totals"'))
    assert.equal(JSON.parse(totals!).ms, 1000, 'on a card')
  }
  let page = ''
  for await (const piece of library.view(rowsOf(timed))) page += piece
  assert.deepEqual((await dataOf(page)).overview.runs[0]!.totals, { ms: 1000 }, 'in the page')

  const { middle } = await load('stages/middle/middle.ts')
  const { spec } = await load('stages/middle/options.ts')
  const { helpText } = await load('run/help.ts')
  assert.match(helpText({ ...spec, all: [] }), /jb-middle --field scores/)
  const rows = await rowsIn(middle(rowsOf([{ scores: [1, 2, 6] }]), { field: 'scores' }, { stage: 'middle' }))
  assert.equal(rows[0]?.get('middle' as never), 3.5)
})

test('the files and targets of make that CONTRIBUTING.md and the architecture name are there, and each command is the same two lines', () => {
  const makefile = readFileSync(`${ROOT}Makefile`, 'utf8')
  for (const [, target] of PAGE.matchAll(/`make ([a-z-]+)/g))
    assert.match(makefile, new RegExp(`^${target}:`, 'm'), `make ${target}`)
  const shown = new Set(SHOWN.map(({ path }) => path))
  const pages = PAGE + readFileSync(`${ROOT}docs/architecture.md`, 'utf8')
  for (const [, path] of pages.matchAll(/`((?:src|test|docs|scripts|fixtures)\/[\w./-]+)`/g))
    if (!/NAME|STAGE|TARGET/.test(path!) && !shown.has(path!)) assert.ok(existsSync(ROOT + path!), path)
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(rows|scoring|stages\/parse)\/.*\.ts$/.test(path))
    .map((path) => readFileSync(`${ROOT}src/${path}`, 'utf8'))
    .join('\n')
  for (const [way] of pages.matchAll(/^(In jb-parse that way|A row takes this way)[\s\S]*?\n\n/gm))
    for (const [, name] of way.matchAll(/`(?:\w+\.)?(\w+)`/g))
      assert.match(sources, new RegExp(`^(class|[ \\w*]*\\b(const)?) *${name}( =|[(<: ])`, 'm'), name)
  const commands = readdirSync(`${ROOT}bin`).filter((name) => /^jb-(?!filters$)/.test(name))
  for (const name of commands)
    assert.equal(
      readFileSync(`${ROOT}bin/${name}`, 'utf8').replace(name, 'jb-NAME'),
      readFileSync(`${ROOT}bin/jb-read`, 'utf8').replace('jb-read', 'jb-NAME'),
    )
})
