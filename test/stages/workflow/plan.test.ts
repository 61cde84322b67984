/** What jb-workflow reads and writes beside the Makefile: its plan, .config.yml, llm-config.yml, and what is wrong in files. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { spec } from '../../../src/stages/workflow/options.ts'
import { expect } from '../../helpers/run.ts'
import { lines, sh } from '../../trec/_cli.ts'
import { compiled } from './_make.ts'
import { INPUT, prepared } from './_run.ts'

describe('.config.yml', () => {
  it('says what ran, when, and from which commit, as PyYAML would', () => {
    const cwd = prepared(
      "judge_class: relevance\ncreate_nuggets: false\nsettings: { top_k: 'yes', filebase: x }\njudge_settings: { threshold: [0.5] }\n",
    )
    sh(
      'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git remote add origin git@h:x.git',
      { cwd },
    )
    sh(`jb-workflow run workflow.yml x.config.yml ${INPUT}`, { cwd })
    const text = readFileSync(join(cwd, 'x.config.yml'), 'utf8')
    const config = parse(text)
    assert.deepEqual(Object.keys(config), [
      'name',
      'create_nuggets',
      'create_qrels',
      'judge',
      'llm_model',
      'timestamp',
      'git',
      'settings',
      'nugget_settings',
      'judge_settings',
      'qrels_settings',
    ])
    assert.match(config.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
    assert.match(text, /timestamp: '2.*\n.*\n.*\n {2}dirty: 'true'\n/)
    assert.match(
      text,
      /\njudge_settings:\n {2}top_k: 'yes'\n {2}filebase: x\n {2}threshold:\n {2}- 0.5\nqrels_settings:\n/,
    )
    assert.match(config.git.commit, /^[0-9a-f]{40}$/)
    assert.equal(config.git.remote, 'git@h:x.git')
  })
  it('holds every value as PyYAML reads it, with --set, names and order, and the prefix of a part', () => {
    // What PyYAML writes for the same settings, but for the quotes of a name with braces.
    const settings = String.raw`  inf: .inf
  none: .nan
  day: 2001-01-01
  time: 2001-12-14 21:59:43.100000-05:00
  big: 123456789012345678901234567890
  whole: 1000.0
  zero: -0.0
  large: 1.0e+20
  k=v: 2
  '2': x
  '1': 'y'
  keys:
    1: a
    true: b
    deep:
    - - 1
      - k: 2.0
    - []
  text: "it's \\ \xE9\n"
`
    const cwd = prepared(`judge_class: naive\nsettings:\n${settings}`)
    const run = (more: string) => sh(`jb-workflow run workflow.yml ${more} ${INPUT}`, { cwd })
    const first = run('default.config.yml')
    assert.equal(first.code, 0, first.stderr)
    const block = (name: string) => readFileSync(join(cwd, name), 'utf8').split(/^settings:\n/m)[1]!
    assert.ok(
      block('default.config.yml').startsWith(`${settings}nugget_settings:\n${settings}judge_settings:`),
    )
    assert.equal(run("tmp-own-default.config.yml -S 'filebase=own-{_name}' --only runs=1").code, 0)
    assert.ok(block('tmp-own-default.config.yml').startsWith(`${settings}  filebase: 'tmp-own-{_name}'\n`))
  })
})

describe('the topics', () => {
  it('are those of the data set that a README names, else beside the runs', async () => {
    const cwd = prepared()
    const found = async (out: RegExp, err: RegExp) =>
      expect(await compiled(cwd, ['workflow.yml', '--rag-responses', 'runs', '-m', 'm']), { out, err })
    await found(/ --topics topics\.jsonl /, /the topics are those of topics\.jsonl/)
    mkdirSync(join(cwd, 'set'))
    writeFileSync(join(cwd, 'set/queries.jsonl'), '{"qid": "t1", "query": "rocks"}\n')
    writeFileSync(join(cwd, 'runs/README.md'), '---\nir_dataset:\n  directory: "../set"\n---\n\n# Data\n')
    await found(/ --topics set /, /the topics are those of set\n/)
  })
})

describe('help', () => {
  it('fits two screens, with all 25 options', async () => {
    const { stdout } = await compiled(prepared(), ['--help'])
    assert.ok(stdout.trimEnd().split('\n').length <= 80)
    assert.ok(spec.options.length <= 25)
  })
})

describe('the plan', () => {
  it('is one object a configuration', async () => {
    const { stdout } = await compiled(prepared(), ['workflow.yml', '--all-variants', '--plan'])
    const [only] = lines(stdout)
    assert.deepEqual(
      [only.name, only.from, only.judge_settings],
      ['strict', 'variant', { grade_threshold: 5 }],
    )
    assert.deepEqual(only.files, {
      config: 'strict.config.yml',
      nuggets: 'strict.nuggets.jsonl',
      qrels: 'strict.qrels.txt',
      leaderboard: 'strict.eval.txt',
    })
  })
})

describe('what goes wrong', () => {
  it('wrong usage and wrong files', async () => {
    const cwd = prepared()
    const ends = async (line: string, code: number, err: RegExp) =>
      expect(await compiled(cwd, line.split(' ')), { code, err })
    await ends('workflow.yml --rag-responses runs/deep', 2, /--rag-topics FILE is missing/)
    await ends('workflow.yml --rag-topics topics.jsonl', 2, /--rag-responses DIR is missing/)
    await ends(`nowhere.yml ${INPUT}`, 66, /nowhere\.yml: no such file/)
    await ends(`workflow.yml --set judge=perhaps ${INPUT}`, 2, /--set judge=perhaps/)
    await ends(`workflow.yml more ${INPUT}`, 2, /more: one FILE/)
    const nowhere = '--rag-topics topics.jsonl --rag-responses nowhere'
    await ends(`run workflow.yml -m baseline:overlap ${nowhere}`, 66, /: nowhere: no such file or folder/)
    await ends(`run workflow.yml ${INPUT} --rag-topics none.jsonl`, 66, /none\.jsonl: no such/)
    const targets =
      /judgement: no such target \(there are: all, nuggify, qrels, judge, default\.config\.yml, /
    await ends(`run workflow.yml judgement ${INPUT}`, 2, targets)
  })
  it('a step that fails ends the run with 1, and its own message says why', () => {
    const cwd = prepared()
    const none = 'jb-workflow run workflow.yml --rag-topics topics.jsonl --rag-responses runs'
    const usage = sh(`${none} -j4`, { cwd, env: { MAKEFLAGS: 'k' } })
    assert.equal(usage.code, 1, usage.stderr)
    assert.match(usage.stderr, /jb-call: no model.*jb-workflow: make stopped at a step that failed/s)
  })
  it('a file that only another target needs may be away', () => {
    const cwd = prepared('judge_class: relevance\njudge_uses_qrels: false\ncreate_qrels: false\n')
    writeFileSync(join(cwd, 'default.eval.txt'), '')
    const { code, stderr } = sh(
      'jb-workflow run workflow.yml ./default.config.yml --rag-topics t --rag-responses r',
      {
        cwd,
      },
    )
    assert.equal(code, 0, stderr)
  })
  it('a step that fails leaves no half file behind, and no bank that is empty', () => {
    const cwd = prepared()
    const { code, stderr } = sh(
      `jb-workflow run workflow.yml --rag-topics topics.jsonl --rag-responses runs -m x --call '--base-url http://127.0.0.1:9/v1 --retries 0'`,
      {
        cwd,
        env: { OPENAI_API_KEY: 'x', JB_NO_CACHE: 'true' },
      },
    )
    assert.equal(code, 1, stderr)
    assert.match(stderr, /jb-call: .*make stopped at a step that failed/s)
    assert.deepEqual(
      readdirSync(cwd).filter((name) => /nuggets\.jsonl$|eval\.txt$|qrels\.txt$/.test(name)),
      [],
    )
  })
})

describe('llm-config.yml', () => {
  it('model and endpoint, or the first preference there is', async () => {
    const cwd = prepared()
    writeFileSync(join(cwd, 'dev.yml'), 'base_url: http://localhost:8000/v1\nmodel: m\napi_key: secret\n')
    const base = 'workflow.yml --rag-topics topics.jsonl --rag-responses runs --llm-config'.split(' ')
    const dev = await compiled(cwd, [...base, 'dev.yml'])
    assert.match(dev.stdout, / --model=m --base-url http:\/\/localhost:8000\/v1 /)
    assert.doesNotMatch(dev.stdout, /secret/)
    assert.match(dev.stderr, /dev\.yml: api_key is ignored/)
    // A Makefile is no place for a password.
    writeFileSync(join(cwd, 'dev.yml'), 'base_url: http://u:pw4711@h/v1\n')
    for (const [args, code] of [
      [[...base, 'dev.yml'], 78],
      [[...base.slice(0, -1), '--call', '-j 1 --base-url http://h/v1?key=pw4711'], 2],
    ] as const) {
      const refused = await compiled(cwd, [...args])
      assert.equal(refused.code, code)
      assert.match(refused.stderr, /base.url: it has a password or a key in it/)
      assert.doesNotMatch(refused.stdout + refused.stderr, /pw4711/)
    }
    writeFileSync(join(cwd, 'prefer.yml'), 'model_preferences: [off, alias, other]\n')
    writeFileSync(
      join(cwd, 'models.yml'),
      'models:\n  off: { enabled: false }\n  real: { base_url: "http://h/v1/", model_id: id, api_key_env: KEY }\n  fallback: {}\naliases: { alias: real }\ndefault_model: fallback\n',
    )
    const chosen = (prefer: string) => {
      writeFileSync(join(cwd, 'prefer.yml'), prefer)
      return compiled(cwd, [...base, 'prefer.yml'], { AUTOJUDGE_AVAILABLE_MODELS: 'models.yml' })
    }
    assert.match(
      (await chosen('model_preferences: ["off", alias]')).stdout,
      / --model=id --base-url http:\/\/h\/v1 --api-key-env KEY /,
    )
    assert.match((await chosen('model_preferences: [nope]')).stdout, / --model=fallback /)
    const none = await chosen('model_preferences: [nope]\non_no_match: error')
    assert.equal(none.code, 78)
    assert.match(none.stderr, /none of nope is available \(models\.yml has real, fallback\)/)
    // Both forms in a file, as AutoJudge's guide shows them: the list decides, where there is one.
    const both = 'base_url: http://dev/v1\nmodel: dev\nmodel_preferences: [alias]'
    assert.match((await chosen(both)).stdout, / --model=id /)
    const direct = await compiled(cwd, [...base, 'prefer.yml'], { HOME: cwd })
    assert.match(direct.stdout, / --model=dev --base-url http:\/\/dev\/v1 /)
  })
})
