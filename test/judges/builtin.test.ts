/** Every judge that comes with the toolkit: what its file must hold, and that its replies are read back. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { members } from '../../src/files/members.ts'
import { asksNothing, type Judge } from '../../src/judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge } from '../../src/judges/_load.ts'
import { KINDS, ORIGINALS } from '../../src/rows/record.ts'
import { compileTemplate } from '../../src/templates/index.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { folder, judgeFolder } from '../helpers/folder.ts'
import { ndjson, pair, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe, ROOT } from '../helpers/run.ts'

const FILES = readdirSync(`${ROOT}src/judges`).filter((file) => /^[^_].*\.(yaml|json)$/.test(file))
const JUDGES = await Promise.all(BUILTIN_JUDGES.names().map(loadJudge))
/** Judges of two answers that stand in an item's fields. */
const PAIRWISE = JUDGES.filter(
  ({ kind, answers, fields }) => kind === 'pairwise' && answers?.every((name) => name in fields),
)

const promptOf = ({ messages, prompt }: Judge) =>
  messages ? messages.map(({ content }) => content) : [prompt!]
const uses = (texts: string[], name: string) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text))

test('a judge is a file: its name is the file’s, jb-render --list shows them all', async () => {
  assert.deepEqual(
    JUDGES.map(({ name }) => name),
    FILES.map((file) => file.replace(/\.\w+$/, '')).sort(),
  )
  for (const name of ['vanilla', 'arena_hard', 'auto_j', 'prometheus_2', 'skywork_critic'])
    assert.ok(BUILTIN_JUDGES.names().includes(name), name)
  const lines = fine(await jb('render', ['--list']))
    .stdout.trimEnd()
    .split('\n')
  assert.deepEqual(
    lines.map((line) => line.split(/\s+/).slice(0, 2)),
    JUDGES.map(({ name, kind }) => [name, kind]),
  )
  for (const [i, line] of lines.entries()) assert.ok(line.endsWith(JUDGES[i]!.about), line)
})

for (const judge of JUDGES) {
  test(`${judge.name}: its file`, async () => {
    assert.match(judge.about, /^[A-Z][^\n]{10,140}$/)
    assert.ok(KINDS.includes(judge.kind))
    assert.ok(members('verdicts').includes(judge.verdict!.rule), judge.verdict!.rule)
    // A judge that asks no model names fields for its rule.
    const texts = asksNothing(judge)
      ? Object.keys(judge.fields).map((name) => `{{ ${name} }}`)
      : promptOf(judge)
    for (const text of texts) compileTemplate(text, { syntax: judge.syntax ?? 'jinja' })
    // A field or value that no template names would be asked for and never shown.
    for (const name of Object.keys(judge.fields)) assert.ok(uses(texts, name), `fields.${name} is not used`)
    if (judge.messages) assert.equal(judge.messages.at(-1)?.role, 'user')
    for (const name of judge.answers ?? []) assert.ok(uses(texts, name), `answers: ${name} is not used`)
    await readerOf(judge)
    for (const name of Object.keys(judge.compat ?? {})) {
      assert.ok((ORIGINALS as readonly string[]).includes(name), `compat.${name}`)
      await readerOf(judge, { compat: name })
    }
  })
}

const words = (judge: Judge, label: string) => {
  const example = judge.verdict!.example as string
  return judge.verdict!.rule === 'pair'
    ? example.replace(/\{(\w)\}/g, (_, side: string) => label.split(' ')[side === 'a' ? 0 : 1]!)
    : example.replace('{label}', () => label)
}

for (const judge of PAIRWISE.filter(({ questions }) => !questions)) {
  test(`${judge.name}: each label, in the form of its example, is read as what it stands for`, async () => {
    const read = await readerOf(judge)
    const labels = (judge.verdict!.labels as Record<string, string>) ?? {
      '8 3': 'A>B',
      '2 7': 'B>A',
      '5 5': 'A=B',
    }
    const found = new Set<unknown>()
    for (const [label, decision] of Object.entries(labels)) {
      const said = words(judge, label)
      for (const text of [
        said,
        `I compared both.\n\n${said}`,
        `<think>${words(judge, '?')}</think>${said}`,
      ]) {
        const verdict = read(text, { item: () => ({}) })
        assert.equal(verdict.decision, decision, text)
      }
      found.add(decision)
    }
    for (const decision of ['A>B', 'B>A']) assert.ok(found.has(decision), `no label for ${decision}`)
  })
}

const judged = (model: string) => `jb-call -q -m baseline:${model} --no-cache | jb-parse -q`

test('a judge whose answer is known, asked by each judge in both orders', async (t) => {
  const items = [
    pair({ response_A: 'short', response_B: 'much longer than that' }),
    pair({ response_A: 'much longer than that', response_B: 'short' }),
  ]
  const cwd = folder(t, { 'pairs.jsonl': ndjson(items) })
  const renders = PAIRWISE.map(({ name }) => `jb-render ${name} --order both pairs.jsonl`).join('; ')
  const trials = fine(await pipe(renders, { cwd })).stdout
  for (const [model, wanted] of [
    ['longer', ['B>A', 'B>A', 'A>B', 'A>B']],
    ['first', ['A>B', 'B>A', 'A>B', 'B>A']],
  ] as const) {
    const rows = rowsOf(fine(await pipe(judged(model), { cwd, stdin: trials })))
    for (const [i, { name }] of PAIRWISE.entries())
      assert.deepEqual(
        rows.slice(4 * i, 4 * i + 4).map(({ jb }) => [jb.judge, jb.verdict?.decision]),
        wanted.map((decision) => [name, decision]),
        model,
      )
  }
})

test('--show gives the file, after the line that names its schema, and a copy of it under another name asks and reads the same', async (t) => {
  const stdin = ndjson([pair({ question: 'é "quoted" {{ x }} \\ \u2028?' })])
  const names = PAIRWISE.filter(({ templates }) => templates).map(({ name }) => name)
  const cwd = judgeFolder(
    t,
    { 'pairs.jsonl': stdin },
    names.map((name) => `${name}.yaml`),
  )
  fine(await pipe(names.map((name) => `jb-render ${name} --show > ${name}.yaml`).join('; '), { cwd }))
  for (const name of names)
    assert.equal(
      readFileSync(`${cwd}/${name}.yaml`, 'utf8'),
      `# yaml-language-server: $schema=${ROOT}schema/judge.json\n${readFileSync(`${ROOT}src/judges/${name}.yaml`, 'utf8')}`,
    )
  const asked = async (ending: string) => {
    const renders = names.map((name) => `jb-render ${name}${ending} --order both pairs.jsonl`).join('; ')
    const trials = fine(await pipe(renders, { cwd })).stdout
    const ran = fine(await pipe(judged('longer'), { cwd, stdin: trials }))
    return rowsOf(ran).map((row) => ({
      ...row,
      jb: { ...row.jb, judge: row.jb.judge!.replace('.yaml', '') },
    }))
  }
  assert.deepEqual(await asked('.yaml'), await asked(''))
})

test('the originals’ parameters: what each sends', async () => {
  const wanted: Record<string, object> = {
    vanilla: { roles: ['user'], temperature: 0, top_p: 1, max_tokens: 1024 },
    arena_hard: { roles: ['system', 'user'], temperature: 0, max_tokens: 4096 },
    compass_judger: { roles: ['system', 'user'], temperature: 0, max_tokens: 2048 },
    auto_j: { roles: ['user'], temperature: 0, top_p: 1, max_tokens: 1024 },
    prometheus_2: { roles: ['system', 'user'], temperature: 0, max_tokens: 1024 },
    skywork_critic: { roles: ['user'], temperature: 0, max_tokens: 2048 },
    panda_lm: {
      roles: 'prompt',
      temperature: 0,
      top_p: 1,
      max_tokens: 150,
      use_beam_search: true,
      early_stopping: true,
      best_of: 4,
      repetition_penalty: 1.2,
    },
    judge_lm: { roles: 'prompt', temperature: 0, max_tokens: 16 },
  }
  for (const [name, expected] of Object.entries(wanted)) {
    const [row] = rowsOf(fine(await jb('render', [name], { stdin: ndjson([pair()]) })))
    const { messages, prompt, ...parameters } = row!.jb.request!
    const roles = messages?.map(({ role }) => role) ?? (typeof prompt === 'string' ? 'prompt' : 'none')
    assert.deepEqual({ roles, ...parameters }, expected, name)
  }
})
