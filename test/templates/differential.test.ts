/*
 * Generated templates and contexts, rendered here and by Jinja2 itself (python3-jinja2), must come out the
 * same: the same text, or an error in both. JB_FUZZ_COUNT and JB_FUZZ_SEED change how many and which.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compileTemplate, TemplateError } from '../../src/templates/index.ts'
import { folder } from '../helpers/folder.ts'
import { COMBINATIONS } from './generator/combinations.ts'
import { ContextMaker } from './generator/context.ts'
import { CORNERS } from './generator/corners.ts'
import { Choices } from './generator/random.ts'
import { STRUCTURE_FILES, StructureMaker, structureChild } from './generator/structures.ts'
import { childTemplate, damage, FILES, TemplateMaker } from './generator/templates.ts'
import {
  literalTemplate,
  numberTemplate,
  orderTemplate,
  tokenTemplate,
  unicodeTemplate,
  whitespaceTemplate,
} from './generator/texts.ts'

const COUNT = Number(process.env.JB_FUZZ_COUNT ?? 10_000)
const SEED = Number(process.env.JB_FUZZ_SEED ?? 1)

interface Case {
  template: string
  context: string
  options: { trim: boolean; lstrip: boolean; keep: boolean; strict: boolean }
}

interface Outcome {
  ok?: string
  error?: string
  why?: string
}

const makeTemplate = (choices: Choices): string => {
  if (choices.chance(0.03)) return childTemplate(choices)
  const template = new TemplateMaker(choices).template()
  return choices.chance(0.08) ? damage(template, choices) : template
}

const makeOptions = (choices: Choices): Case['options'] => ({
  trim: choices.chance(0.3),
  lstrip: choices.chance(0.3),
  keep: choices.chance(0.3),
  strict: choices.chance(0.3),
})

const makeCase = (seed: number): Case => {
  const choices = new Choices(seed)
  return {
    template: makeTemplate(choices),
    context: new ContextMaker(choices).context(),
    options: makeOptions(choices),
  }
}

/** Templates that look for one sort of difference each. */
const MAKERS: Record<string, (choices: Choices) => Pick<Case, 'template' | 'context'>> = {
  structures: (choices) => ({
    template: choices.chance(0.2) ? structureChild(choices) : new StructureMaker(choices).template(),
    context: choices.pick(['{}', '{"a": "A", "i": 5}', '{"a": 1, "b": [1, 2], "c": "C", "m": {"n": 1}}']),
  }),
  'white space': (choices) => ({ template: whitespaceTemplate(choices), context: '{}' }),
  literals: (choices) => ({ template: literalTemplate(choices), context: '{}' }),
  tokens: (choices) => ({
    template: tokenTemplate(choices),
    context: '{"x": 1, "s": "text", "n": 3, "li": [1, 2], "d": {"a": 1}}',
  }),
  characters: unicodeTemplate,
  numbers: numberTemplate,
  order: orderTemplate,
}

const renderHere = ({ template, context, options }: Case, dir: string): Outcome => {
  try {
    const render = compileTemplate(template, {
      undefined: options.strict ? 'error' : 'empty',
      trim_blocks: options.trim,
      lstrip_blocks: options.lstrip,
      keep_trailing_newline: options.keep,
      folder: dir,
    })
    return { ok: render(context) }
  } catch (error) {
    if (!(error instanceof TemplateError)) return { error: 'CRASH', why: String((error as Error).stack) }
    return { error: error.exception, why: error.message }
  }
}

/** Addresses differ from run to run, and filters may turn them round or take them apart. */
const sameText = (ours: string | undefined, theirs: string): boolean => {
  if (ours === theirs) return true
  const bare = (text: string) => text.replace(/[0-9a-f\s',]/gi, '')
  const letters = theirs.replace(/[^g-z]/gi, '')
  return ours !== undefined && /ojt|tjo/i.test(letters) && bare(ours) === bare(theirs)
}

const pythonWithJinja = (): string | undefined =>
  [process.env.JB_PYTHON, '/usr/bin/python3', 'python3'].find(
    (python) => python && spawnSync(python, ['-c', 'import jinja2']).status === 0,
  )

/** Jinja2 itself, answering case by case. */
const startOracle = async (t: TestContext): Promise<Oracle | undefined> => {
  const python = pythonWithJinja()
  if (!python) {
    t.skip('NOT RUN: no Python with jinja2 (apt-get install python3-jinja2)')
    return undefined
  }
  const dir = folder(t, { ...FILES, ...STRUCTURE_FILES })
  const oracle = spawn(python, [fileURLToPath(new URL('oracle.py', import.meta.url)), dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  })
  t.after(() => oracle.kill())
  const answers = createInterface({ input: oracle.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await answers.next()).value as string) as Outcome
  const version = (await next()).ok!
  assert.match(version, /^3\.1\./)
  const send = async (cases: readonly Case[]) => {
    for (const each of cases) {
      if (!oracle.stdin.write(`${JSON.stringify(each)}\n`)) {
        await new Promise((done) => oracle.stdin.once('drain', done))
      }
    }
    oracle.stdin.end()
  }
  return { dir, version, next, send }
}

interface Oracle {
  dir: string
  version: string
  next(): Promise<Outcome>
  send(cases: readonly Case[]): Promise<void>
}

/** Renders cases here and there; throws with those that differ. */
const compare = async (t: TestContext, cases: readonly Case[]): Promise<void> => {
  const oracle = await startOracle(t)
  if (!oracle) return
  void oracle.send(cases)
  const differences: string[] = []
  let rendered = 0
  for (const each of cases) {
    const theirs = await oracle.next()
    if (theirs.error === 'TooLong') continue
    const ours = renderHere(each, oracle.dir)
    if (theirs.ok !== undefined) rendered++
    const failed = ours.error !== undefined && ours.error !== 'CRASH'
    const same = theirs.ok === undefined ? failed : sameText(ours.ok, theirs.ok)
    if (!same) differences.push(JSON.stringify({ ...each, theirs, ours }, null, 1))
  }
  const counts = `${cases.length} templates, ${rendered} of them rendered by Jinja2 ${oracle.version}`
  t.diagnostic(`${counts}, ${differences.length} differences`)
  assert.equal(differences.length, 0, differences.slice(0, Number(process.env.JB_FUZZ_SHOW ?? 20)).join('\n'))
}

test('generated templates print what Jinja2 prints', (t) =>
  compare(
    t,
    Array.from({ length: COUNT }, (_, i) => makeCase(SEED * 1_000_003 + i)),
  ))

/** A twentieth of JB_FUZZ_COUNT of each; JB_FUZZ_ONLY names one of them. */
for (const [what, make] of Object.entries(MAKERS)) {
  test(`generated ${what}`, { skip: (process.env.JB_FUZZ_ONLY ?? what) !== what }, (t) =>
    compare(
      t,
      Array.from({ length: Math.ceil(COUNT / 20) }, (_, i): Case => {
        const choices = new Choices(SEED * 1_000_003 + i)
        return { ...make(choices), options: makeOptions(choices) }
      }),
    ),
  )
}

test('corners print what Jinja2 prints', (t) => {
  const plain = { trim: false, lstrip: false, keep: false, strict: false }
  const prints = (line: string) => line.match(/\{\{.*?\}\}(?= \{\{|$)/gs) ?? []
  const parts = CORNERS.map(prints).filter((each) => each.length > 1)
  const cases = [...CORNERS, ...parts.flat()].flatMap((template, i) =>
    [0, 1, 2, 3].map((k): Case => {
      const context = new ContextMaker(new Choices(SEED + i * 7 + k)).context()
      const options = [
        plain,
        { ...plain, strict: true },
        { ...plain, trim: true, lstrip: true },
        { ...plain, keep: true },
      ]
      return { template, context, options: options[k]! }
    }),
  )
  return compare(t, cases)
})

/** Half of JB_FUZZ_COUNT, spread over all of them; which, JB_FUZZ_SEED says. */
test('filters, tests and methods with arguments of every type', (t) => {
  const step = Math.max(1, Math.floor((2 * COMBINATIONS.length) / COUNT))
  const chosen = COMBINATIONS.filter((_, i) => i % step === SEED % step)
  return compare(
    t,
    chosen.flatMap((expression) =>
      [false, true].map(
        (strict): Case => ({
          template: `{{ ${expression} }}`,
          context: '{}',
          options: { trim: false, lstrip: false, keep: false, strict },
        }),
      ),
    ),
  )
})
