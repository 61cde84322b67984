/** Judges of fixtures/autojudge/python by TREC AutoJudge's own runner and by jb-workflow: `make peers` runs this. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { folder } from '../../helpers/folder.ts'
import { BIN, callEnv } from '../../trec/_cli.ts'
import { chatBody, chatServer } from '../call/server.ts'

const python = process.env.PEERS_PYTHON === undefined ? undefined : resolve(process.env.PEERS_PYTHON)
const skip = python === undefined && 'PEERS_PYTHON names no Python with autojudge-base: make peers makes one'

const WORKFLOW = `nugget_class: "owls:OwlNuggets"
qrels_class: "owls:OwlQrels"
judge_class: "owls:OwlJudge"
settings: { filebase: "{_name}" }
nugget_settings: { each: 1 }
qrels_settings: { words: [2, 4] }
judge_settings: { weight: 0.25 }
variants:
  heavy: { weight: 2.0, nugget_settings: { each: 2 } }
`
const GUIDE = `from trec_auto_judge import Leaderboard, NuggetBanks, auto_judge_to_click_command
from trec_auto_judge.nugget_data import NuggetBank, NuggetQuestion, NuggetizerNugget, NuggetizerNuggetBank, NuggetizerNuggetBanks
from trec_auto_judge.nugget_data.protocols import NuggetBankProtocol, NuggetBanksProtocol


class NuggetizerJudge:
    nugget_banks_type = NuggetizerNuggetBanks

    def create_nuggets(self, rag_responses, rag_topics, llm_config, **kwargs):
        facts = [NuggetizerNugget(text="Key fact 1")]
        banks = [NuggetizerNuggetBank(qid=topic.request_id, query=topic.title, nuggets=facts) for topic in rag_topics]
        return NuggetizerNuggetBanks.from_banks_list(banks)
`
const FILES = ['nuggets.jsonl', 'qrels.txt', 'eval.txt', 'eval.measures.yml']

describe('a judge of Python', { skip }, () => {
  it('makes the same files as the original runner, byte for byte, and asks the model once', async (t) => {
    const server = await chatServer(t, ({ text }) => ({
      body: chatBody(String(createHash('md5').update(text).digest()[0]! % 4)),
    }))
    const cwd = folder(t)
    for (const [from, to] of [
      ['python/owls.py', 'owls.py'],
      ['topics.jsonl', 'topics.jsonl'],
      ['runs', 'runs'],
    ] as const)
      cpSync(`fixtures/autojudge/${from}`, join(cwd, to), { recursive: true })
    writeFileSync(join(cwd, 'w.yml'), WORKFLOW)
    // The package looks for a list of stop words at import.
    const words = join(cwd, 'nltk/corpora/stopwords/english')
    mkdirSync(dirname(words), { recursive: true })
    writeFileSync(words, 'the\na\n')
    const env = { ...callEnv(cwd), PATH: process.env.PATH, NLTK_DATA: join(cwd, 'nltk'), PYTHONPATH: cwd }
    const asked = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'run-secret', OPENAI_MODEL: 'm' }
    const run = (command: string, ...args: string[]) =>
      promisify(execFile)(command, args, { cwd, env: { ...env, ...asked } })
    for (const more of [[], ['--variant', 'heavy']]) {
      const name = more[1] ?? 'default'
      await run(
        join(dirname(python!), 'auto-judge'),
        'run',
        '-w',
        'w.yml',
        '--rag-responses',
        'runs',
        '--rag-topics',
        'topics.jsonl',
        '--out-dir',
        'original',
        ...more,
      )
      const before = server.calls.length
      for (const out of ['ours', 'again'])
        await run(
          join(BIN, 'jb-workflow'),
          'run',
          'w.yml',
          '--rag-responses',
          'runs',
          '--rag-topics',
          'topics.jsonl',
          '--out-dir',
          out,
          '--python',
          python!,
          '-j2',
          ...more,
        )
      assert.equal(
        server.calls.length,
        name === 'default' ? before + before : before,
        'asked once, or not again',
      )
      for (const file of FILES)
        assert.equal(
          readFileSync(join(cwd, `ours/${name}.${file}`), 'utf8'),
          readFileSync(join(cwd, `original/${name}.${file}`), 'utf8'),
          file,
        )
      assert.match(readFileSync(join(cwd, `ours/${name}.config.yml`), 'utf8'), /llm_model: m\n/)
    }
    writeFileSync(
      join(cwd, 'bad.yml'),
      'judge_class: owls:OwlError\ncreate_nuggets: false\ncreate_qrels: false\n',
    )
    const failed = async (yaml: string, message: RegExp, code: number) => {
      writeFileSync(
        join(cwd, 'bad.yml'),
        `judge_class: ${yaml}\ncreate_nuggets: false\ncreate_qrels: false\n`,
      )
      const args = [
        'run',
        'bad.yml',
        '--rag-responses',
        'runs',
        '--rag-topics',
        'topics.jsonl',
        '--python',
        python!,
      ]
      await assert.rejects(
        run(join(BIN, 'jb-workflow'), ...args),
        (error: { code: number; stderr: string }) => {
          assert.match(error.stderr, message)
          return error.code === code
        },
      )
    }
    await failed('owls:OwlError', /ValueError: no owl in sight/, 70)
    await failed('owls:Barn', /owls:Barn cannot be imported by .*Barn/, 78)
    await failed('owls:OwlNuggets', /owls:OwlNuggets has no judge\(\)/, 78)
  })
  it('imports what the guide’s judges import, though its package is installed under its later name', async (t) => {
    const cwd = folder(t)
    for (const [from, to] of [
      ['fixtures/autojudge/topics.jsonl', 'topics.jsonl'],
      ['fixtures/autojudge/runs', 'runs'],
    ] as const)
      cpSync(from, join(cwd, to), { recursive: true })
    writeFileSync(join(cwd, 'my_judge.py'), GUIDE)
    const args = [
      'nuggify',
      '--judge',
      'my_judge:NuggetizerJudge',
      '--rag-responses',
      'runs',
      '--python',
      python!,
    ]
    await promisify(execFile)(join(BIN, 'jb-workflow'), [...args, '--store-nuggets', 'n.jsonl'], {
      cwd,
      env: { ...callEnv(cwd), PATH: process.env.PATH },
    })
    assert.match(readFileSync(join(cwd, 'n.jsonl'), 'utf8'), /"nuggets":\[\{"text":"Key fact 1"\}/)
  })
})
