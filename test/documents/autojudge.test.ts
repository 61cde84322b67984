/**
 * TREC AutoJudge's guide for judges: its commands in its order, with what comes out. Its package is a stub (autojudge/_stub.py);
 * `./judge.py`, which the guide's step 4 makes, is jb-workflow with the judge's class.
 */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { has } from '../helpers/ran.ts'
import { kiddie, lines, sh } from '../trec/_cli.ts'
import { AUTOJUDGE as COMMANDS } from './_commands.ts'

const skip = has('python3') ? false : 'NOT RUN: python3 is not there, the judges of the guide are not run'

const WORKFLOW = `create_nuggets: true
judge: true
settings:
  filebase: "{_name}"
  top_k: 20
judge_settings:
  threshold: 0.5
variants:
  strict:
    threshold: 0.8
  ans-r:
    prompt: "AnswerR"
    threshold: 0.7
    judge_settings:
      use_citations: true
sweeps:
  threshold-grid:
    top_k: [1, 2]
    threshold: [0.3, 0.5, 0.8]
  model-comparison:
    llm_model: ["gpt-4o", "llama"]
`

describe('the guide’s commands', { skip }, () => {
  const cwd = kiddie()
  for (const name of readdirSync('test/documents/autojudge').filter((file) => file.endsWith('.py')))
    writeFileSync(join(cwd, name), readFileSync(`test/documents/autojudge/${name}`))
  writeFileSync(join(cwd, 'workflow.yml'), WORKFLOW)
  writeFileSync(join(cwd, 'judge.py'), '#!/bin/sh\nexec jb-workflow --judge "$CLASS" -m m "$@"\n')
  chmodSync(join(cwd, 'judge.py'), 0o755)
  const run = (line: string, more = '', env: Record<string, string> = {}) => {
    const whole = line.replace(' ...', ' --rag-responses runs/ --rag-topics topics.jsonl --out-dir out')
    const ran = sh(`${whole} ${more}`, { cwd, env: { PYTHONPATH: cwd, CLASS: 'my_judge:MyJudge', ...env } })
    assert.equal(ran.code, 0, ran.stderr)
    return ran.stderr
  }
  const text = (name: string) => readFileSync(join(cwd, name), 'utf8')
  const made = (of: RegExp) =>
    readdirSync(join(cwd, 'out'))
      .filter((name) => of.test(name))
      .sort()
  // The class imports trec_auto_judge: the generation need not be named.
  const seed = ''

  it('a variant, in the files that the guide lists, with the config that it shows', () => {
    const told = run(COMMANDS.variant, seed)
    assert.deepEqual(
      made(/^strict/),
      ['config.yml', 'judgment.json', 'judgment.qrels', 'nuggets.jsonl'].map((ending) => `strict.${ending}`),
    )
    // "volcanic rocks": two nuggets.
    assert.match(text('out/strict.judgment.json'), /^a\tSCORE\tt1\t1\.6\n/)
    assert.match(text('out/strict.judgment.qrels'), /^t1 0 a 1\n/)
    assert.match(told, /^JUDGE m \['filebase', 'top_k'\]$/m)
    assert.match(
      text('out/strict.config.yml'),
      /^name: strict\ncreate_nuggets: true\njudge: true\nllm_model: m\ntimestamp: .*\ngit:\n(?: {2}.*\n){3}settings:\n/,
    )
  })
  it('every variant', () => {
    const told = run(COMMANDS.variants, seed)
    assert.deepEqual(made(/judgment\.json$/), ['ans-r.judgment.json', 'strict.judgment.json'])
    assert.match(told, /^JUDGE m \['filebase', 'prompt', 'top_k', 'use_citations'\]$/m)
  })
  it('a workflow without create_nuggets judges only, and the generation is said once', () => {
    writeFileSync(join(cwd, 'bare.yml'), 'settings:\n  filebase: bare\n')
    const told = run(COMMANDS.variant.replace('workflow.yml --variant strict', 'bare.yml'))
    assert.deepEqual(made(/^bare/), ['bare.config.yml', 'bare.judgment.json', 'bare.judgment.qrels'])
    // With nuggets it is 2.0.
    assert.match(text('out/bare.judgment.json'), /^a\tSCORE\tt1\t1\.0\n/)
    assert.equal(told.match(/imports trec_auto_judge: defaults, file names and settings/g)!.length, 1)
  })
  it('a class of a package, whose own modules import trec_auto_judge, is of the first generation, too', () => {
    mkdirSync(join(cwd, 'package'))
    writeFileSync(join(cwd, 'package/__init__.py'), 'from .judge import Mine\n')
    writeFileSync(
      join(cwd, 'package/judge.py'),
      'from . import base\n\nclass Mine(base.MyJudge):\n    pass\n',
    )
    writeFileSync(join(cwd, 'package/base.py'), 'from my_judge import MyJudge\n')
    writeFileSync(
      join(cwd, 'words.yml'),
      'settings:\n  filebase: "of-{_name}"\n  top_k: 20\njudge_settings:\n  said: [{about: "{_nugget_filebase} {top_k} {other}"}]\n',
    )
    const told = run(COMMANDS.variant.replace('workflow.yml --variant strict', 'words.yml'), '', {
      CLASS: 'package:Mine',
    })
    assert.match(told, /package:Mine imports trec_auto_judge/)
    assert.deepEqual(
      made(/^of-default/),
      ['config.yml', 'judgment.json', 'judgment.qrels'].map((ending) => `of-default.${ending}`),
    )
    assert.match(text('out/of-default.judgment.json'), /^a\tSCORE\tt1\t1\.0\n/)
    assert.match(told, /^SAID of-default 20 \{other\}$/m)
  })
  it('a sweep: two by three configurations, each with files of its own; one over models', () => {
    run(COMMANDS.sweep, seed)
    assert.equal(made(/^threshold-grid.*judgment\.json$/).length, 6)
    assert.match(text('out/threshold-grid-top_k1-threshold0.3.judgment.json'), /^a\tSCORE\tt1\t0\.3\n/)
    const told = run(COMMANDS.sweep.replace('threshold-grid', 'model-comparison'), seed)
    assert.deepEqual(told.match(/^JUDGE .*/gm)!.sort(), [
      "JUDGE gpt-4o ['filebase', 'top_k']",
      "JUDGE llama ['filebase', 'top_k']",
    ])
  })
  it('a bank that is there is used, and made again by force', () => {
    run(COMMANDS.again, seed)
    writeFileSync(join(cwd, 'out/default.nuggets.jsonl'), text(`out/${made(/top_k1-.*nuggets\.jsonl$/)[0]}`))
    rmSync(join(cwd, 'out/default.judgment.json'))
    run(COMMANDS.again.replace(' --force-recreate-nuggets', ''), seed)
    assert.match(text('out/default.judgment.json'), /^a\tSCORE\tt1\t0\.5\n/)
    run(COMMANDS.again, seed)
    assert.match(text('out/default.judgment.json'), /^a\tSCORE\tt1\t1\.0\n/)
  })
  it('nuggify, judge, run, and none of them', () => {
    run(COMMANDS.nuggify)
    assert.deepEqual(
      lines(text('nuggets.jsonl')).map(({ query_id }) => query_id),
      ['t1', 't2'],
    )
    const board = (line: string) => {
      rmSync(join(cwd, 'leaderboard.trec.judgment.json'), { force: true })
      assert.match(run(line), /the topics are those of topics\.jsonl/)
      return text('leaderboard.trec.judgment.json').split('\n', 1)[0]
    }
    assert.equal(board(COMMANDS.judge), 'a\tSCORE\tt1\t2.0')
    assert.equal(board(COMMANDS.run), 'a\tSCORE\tt1\t1.0')
    // Judge only: without nuggets.
    assert.equal(board(COMMANDS.plain), 'a\tSCORE\tt1\t1.0')
    assert.equal(board(COMMANDS.default), 'a\tSCORE\tt1\t1.0')
  })
  it('the other classes: no nuggets, Nuggetizer’s, a format of one’s own', () => {
    const of = (name: string) =>
      run(`./judge.py run -w workflow.yml --out-dir ${name.split(':')[1]}`, '--rag-responses runs/', {
        CLASS: name,
      })
    of('my_judge:SimpleJudge')
    assert.ok(!existsSync(join(cwd, 'SimpleJudge/default.nuggets.jsonl')))
    of('my_judge:NuggetizerJudge')
    assert.equal(lines(text('NuggetizerJudge/default.nuggets.jsonl'))[0].nuggets[1].text, 'Key fact 2')
    if (sh('python3 -c "import pydantic"').code !== 0) return
    of('custom_judge:FactJudge')
    assert.deepEqual(lines(text('FactJudge/default.nuggets.jsonl'))[0], {
      topic_id: 't1',
      facts: ['volcanic', 'rocks'],
    })
    // And read from the file, by another process.
    rmSync(join(cwd, 'FactJudge/default.judgment.json'))
    of('custom_judge:FactJudge')
    assert.match(text('FactJudge/default.judgment.json'), /^a\tSCORE\tt1\t2\.0\n/)
  })
})
