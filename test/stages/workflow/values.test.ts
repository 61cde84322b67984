/** What stands in a workflow.yml, an option or the environment arrives in the commands as it was, and none of it runs. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { quoted } from '../../../src/stages/workflow/quoting.ts'
import { expect, ROOT, sh } from '../../helpers/run.ts'
import { kiddie } from '../../trec/_cli.ts'
import { compiled, makeIn, withoutGzip } from './_make.ts'
import { ANY } from './_plan.ts'

/** What make or a shell acts on, and what it might swallow. */
const PIECES = [
  ...['#', '\\', '$', "'", '"', '`', ';', '&', '|', '(', ')', '{', '}', '<', '>', '*', '?', '[', ']', '!'],
  ...[
    '~',
    '^',
    '%',
    ',',
    ':',
    '=',
    '+',
    '-',
    '@',
    '/',
    '.',
    ' ',
    '\t',
    '\n',
    '\r',
    'a',
    '0',
    'é',
    '文',
    '\u0001',
  ],
  ...[
    '\\#',
    '$$',
    '$(shell touch PWN)',
    '`touch PWN`',
    '$(touch PWN)',
    ';touch PWN;',
    '\\\n',
    '\\x41',
    "'\\''",
  ],
]

/** Random texts of up to nine such pieces, the same in every run. */
function texts(count: number, seed: number): string[] {
  let state = seed
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit
  return Array.from({ length: count }, () =>
    Array.from({ length: below(10) }, () => PIECES[below(PIECES.length)]!).join(''),
  )
}

/** Keeps its arguments, each with a NUL after it, in a file `args.NAME`. */
const KEEPER = `#!/bin/sh
printf '%s\\0' "$@" >> "args.\${0##*/}"
[ -z "$JB_CACHE" ] || printf '%s' "$JB_CACHE" > cache
while [ $# -gt 0 ]; do case $1 in -o | config) exec > "$2" ;; esac; shift; done
`
function keepers(cwd: string): void {
  mkdirSync(join(cwd, 'stand-in'))
  for (const name of readdirSync(join(ROOT, 'bin'))) {
    writeFileSync(join(cwd, 'stand-in', name), KEEPER)
    chmodSync(join(cwd, 'stand-in', name), 0o755)
  }
}
const TOPICS = "the $(shell touch PWN) [topics] `touch PWN`;'.jsonl"
const RUNS = 'runs & 100% {a} "b" #1: x=y'
const argsOf = (cwd: string, name: string) => readFileSync(join(cwd, `args.${name}`), 'utf8').split('\0')
const INPUT = 'w.yml --rag-topics topics.jsonl --rag-responses runs'.split(' ')
const asYaml = (values: readonly string[], model: string) =>
  JSON.stringify({
    judge_class: ANY,
    create_nuggets: false,
    create_qrels: false,
    settings: Object.fromEntries([...values.map((value, i) => [`k${i}`, value]), ['llm_model', model]]),
  })

describe('values of a workflow', { skip: withoutGzip }, () => {
  it('20,000 random texts: a variable in a recipe is the word that the shell gets', () => {
    for (let round = 1; round <= 20; round++) {
      const values = texts(1000, round)
      const cwd = kiddie()
      const lines = values.map((value, i) => `v${i} := ${quoted(value)}\n`).join('')
      const words = values.map((_, i) => `$(v${i})`).join(' ')
      const { err } = makeIn(cwd, `SHELL := bash\n${lines}all:\n\t@printf '%s\\0' ${words} > words\n`, {})
      assert.equal(err, '')
      assert.deepEqual(readFileSync(join(cwd, 'words'), 'utf8').split('\0').slice(0, -1), values)
      assert.ok(!existsSync(join(cwd, 'PWN')))
    }
  })
  it('through the Makefile: settings, a model, the cache’s folder', async () => {
    for (const model of texts(3, 50)) {
      const values = texts(500, model.length)
      const folder = `x${values[0]}`
      const cwd = kiddie()
      keepers(cwd)
      writeFileSync(join(cwd, 'w.yml'), asYaml(values, model))
      const env = { CACHE_DIR: folder, JB_CACHE: '' }
      const made = expect(await compiled(cwd, INPUT, env), {})
      const { code, err } = makeIn(cwd, made.stdout, { JB_CACHE: '' })
      assert.equal(code, 0, err)
      const config = new Set(argsOf(cwd, 'jb-workflow'))
      const settings = new Map(argsOf(cwd, 'jb-render').map((word) => [word.split('=', 1)[0], word]))
      for (const [i, value] of values.entries()) {
        assert.ok(config.has(`settings.k${i}=${value}`), JSON.stringify(value))
        assert.equal(textIn(settings.get(`k${i}`)!.slice(`k${i}=`.length)), value)
      }
      assert.ok(argsOf(cwd, 'jb-call').includes(`--model=${model}`), JSON.stringify(model))
      assert.equal(readFileSync(join(cwd, 'cache'), 'utf8'), join(folder, 'replies.ndjson'))
      assert.ok(!existsSync(join(cwd, 'PWN')))
      assert.match(makeIn(cwd, made.stdout, { JB_CACHE: '' }).out, /Nothing to be done for 'all'/)
    }
  })
  it('names of files: variants, topics and runs are made and read under their own names', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: names have none
    const fit = (name: string) => !/[\0-\x1f]|(^|\/)\.*(\/|$)/.test(name) && Buffer.byteLength(name) < 150
    const every = PIECES.filter((piece) => fit(`a${piece}a`)).join('')
    const names = [...new Set([every, ...texts(50, 11)])].filter(fit)
    assert.ok(names.includes(every))
    const cwd = kiddie()
    keepers(cwd)
    renameSync(join(cwd, 'topics.jsonl'), join(cwd, TOPICS))
    renameSync(join(cwd, 'runs'), join(cwd, RUNS))
    const variants = Object.fromEntries(
      names.map((filebase, k) => [`v${k}`, { filebase: `f/${filebase}`, k }]),
    )
    const workflow = { judge_class: ANY, create_nuggets: false, create_qrels: false, variants }
    writeFileSync(join(cwd, 'w.yml'), JSON.stringify(workflow))
    const args = ['w.yml', '--rag-topics', TOPICS, '--rag-responses', RUNS, '-m', 'm', '--all-variants']
    const made = expect(await compiled(cwd, args), {})
    const { code, err } = makeIn(cwd, made.stdout, { JB_CACHE: '' })
    assert.equal(code, 0, err)
    for (const name of names) assert.ok(existsSync(join(cwd, `f/${name}.eval.txt`)), JSON.stringify(name))
    const read = argsOf(cwd, 'jb-read')
    assert.ok(read.includes(TOPICS) && read.includes(RUNS))
    assert.ok(!existsSync(join(cwd, 'PWN')))
    assert.match(makeIn(cwd, made.stdout, { JB_CACHE: '' }).out, /Nothing to be done for 'all'/)
  })
  it('no variable is the environment’s, in which make would run what is in it', async () => {
    const variants = 'variants: { one: { llm_model: m }, other: { k: 1 } }'
    for (const judge of [ANY, 'rubric', 'a.b:C', 'naive'])
      for (const args of [[], ['--all-variants']]) {
        const cwd = kiddie()
        writeFileSync(join(cwd, 'w.yml'), `judge_class: ${judge}\n${variants}\n`)
        const { stdout } = expect(await compiled(cwd, [...INPUT, ...args]), { err: undefined })
        const all = (pattern: RegExp) => [...stdout.matchAll(pattern)].map(([, name]) => name!)
        const given = new Set(all(/^(\w+) [:?]?=/gm))
        const used = new Set(all(/\$\(([a-zA-Z_]\w*)\)/g))
        // What the loops of make count with.
        used.delete('name')
        assert.deepEqual(
          [...used].filter((name) => !given.has(name)),
          [],
        )
      }
  })
  it('through jb-workflow run, to the configuration that the real commands write', async () => {
    const values = texts(500, 7)
    const cwd = kiddie()
    writeFileSync(join(cwd, 'w.yml'), asYaml(values, "it's; touch PWN # \\"))
    const run = await sh(`jb-workflow run ${INPUT.join(' ')} default.config.yml`, { cwd })
    assert.equal(run.code, 0, run.stderr)
    const written = parse(readFileSync(join(cwd, 'default.config.yml'), 'utf8'), { version: '1.1' })
    for (const [i, value] of values.entries()) assert.equal(written.settings[`k${i}`], value)
    assert.equal(written.llm_model, "it's; touch PWN # \\")
    assert.ok(!existsSync(join(cwd, 'PWN')))
  })
})

describe('jb.mk', () => {
  const makefile = `include ${ROOT.replaceAll(' ', '\\ ')}jb.mk\n`
  it('20,000 random texts of the environment are the words that the shell gets', () => {
    for (let round = 1; round <= 20; round++) {
      const values = texts(1000, round).map((text) => text.replaceAll('\n', ' '))
      const names = values.map((_, i) => `V${i}`)
      const cwd = kiddie()
      const words = names.map((name) => `$(call jb_word,$(call jb_text,${name}))`).join(' ')
      const env = Object.fromEntries(names.map((name, i) => [name, values[i]!]))
      const { err } = makeIn(cwd, `${makefile}all:\n\t@printf '%s\\0' ${words} > words\n`, env, 'all')
      assert.equal(err, '')
      assert.deepEqual(readFileSync(join(cwd, 'words'), 'utf8').split('\0').slice(0, -1), values)
      assert.ok(!existsSync(join(cwd, 'PWN')))
    }
  })
  it('judge, model and names of files: nothing in them runs, and a line end is refused', () => {
    const cwd = kiddie()
    keepers(cwd)
    const name = "-a`touch PWN`';touch PWN;'&|<>(){}!~$b"
    writeFileSync(join(cwd, `${name}.jsonl`), '')
    const env = { MODEL: "$(shell touch PWN)';touch PWN;'`touch PWN`", JUDGE: '-$(shell touch PWN)*' }
    const goal = `${name}.results.ndjson`
    const run = (more: Record<string, string>) => makeIn(cwd, makefile, { ...env, ...more }, '--', goal)
    const made = run({})
    assert.equal(made.code, 0, made.err)
    assert.ok(!existsSync(join(cwd, 'PWN')))
    assert.ok(existsSync(join(cwd, goal)))
    assert.deepEqual(argsOf(cwd, 'jb-render'), ['--', env.JUDGE, `${name}.jsonl`, ''])
    assert.ok(argsOf(cwd, 'jb-call').includes(`--model=${env.MODEL}`))
    assert.match(run({ MODEL: 'a\ntouch PWN' }).err, /a line end in a/)
    assert.ok(!existsSync(join(cwd, 'PWN')))
  })
})

/** A setting's text: one that JSON could be mistaken for stands as JSON. */
function textIn(word: string): unknown {
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}
