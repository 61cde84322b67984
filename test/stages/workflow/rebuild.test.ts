import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { expect } from '../../helpers/run.ts'
import { BIN, callEnv, kiddie, sh } from '../../trec/_cli.ts'
import { chatBody, chatServer } from '../call/server.ts'
import { compiled, make, makeIn, standIns, textOf, times, withoutGzip } from './_make.ts'

const WORKFLOW = 'judge_class: rubric\nqrels_class: relevance\njudge_settings: { grade_threshold: 3 }\n'
const INPUT = 'w.yml --rag-topics topics.jsonl --rag-responses runs --out-dir out'.split(' ')
const OVERLAP = ['-m', 'baseline:overlap']

function prepared(): string {
  const cwd = kiddie()
  writeFileSync(join(cwd, 'w.yml'), WORKFLOW)
  standIns(cwd)
  return cwd
}

/** What a workflow's Makefile makes anew, without `default.`. */
async function remade(cwd: string, args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const before = times(join(cwd, 'out'))
  const makefile = expect(await compiled(cwd, [...INPUT, ...args], env), {}).stdout
  const { code, err } = makeIn(cwd, makefile, env, '-j2')
  assert.equal(code, 0, err)
  return [...times(join(cwd, 'out'))]
    .flatMap(([name, time]) => (before.get(name) === time ? [] : [name.slice('default.'.length)]))
    .sort()
}

/** How a file was made. */
const made = (cwd: string, name: string) => textOf(join(cwd, `out/default.${name}`))
const JUDGED = ['config.yml', 'eval.txt', 'judge.replies.ndjson.gz']
const ASKED = [...JUDGED, 'qrels.replies.ndjson.gz', 'qrels.txt']
const BANK = ['nugget.replies.ndjson.gz', 'nuggets.jsonl']

it('options of every filter reach the steps: the Makefile exports them, and none that was not given', async () => {
  const exported = async (...args: string[]) =>
    expect(await compiled(prepared(), [...INPUT, ...args]), {}).stdout.match(/^export .*/gm)
  assert.deepEqual(await exported('--bad-rows', 'pass', '--strict'), [
    'export JB_BAD_ROWS := pass',
    'export JB_STRICT := true',
  ])
  assert.equal(await exported(), null)
})

describe('another configuration', { skip: withoutGzip }, () => {
  const cwd = prepared()
  it('the same makes nothing', async () => {
    assert.deepEqual(await remade(cwd, OVERLAP), [...ASKED, ...BANK].sort())
    assert.deepEqual(await remade(cwd, OVERLAP), [])
    assert.match(make(cwd, readFileSync(join(cwd, 'Makefile'), 'utf8')).out, /Nothing to be done for 'all'/)
  })
  it('a model: all but the bank, which is used as it is, and a note says so; and back again', async () => {
    const longer = ['-m', 'baseline:longer']
    assert.deepEqual(await remade(cwd, longer), ASKED)
    assert.match(made(cwd, 'judge.replies.ndjson.gz'), /^jb-call --model=baseline:longer$/m)
    assert.match(made(cwd, 'config.yml'), / llm_model=baseline:longer /)
    const dry = (args: string[]) =>
      sh(`jb-workflow run ${[...INPUT, ...args].join(' ')}`, { cwd, env: { MAKEFLAGS: 'n' } })
    const again = dry(longer)
    assert.match(
      again.stderr,
      /default\.nuggets\.jsonl was made with another model .*--force-recreate-nuggets/,
    )
    assert.deepEqual(await remade(cwd, OVERLAP), ASKED)
    assert.equal(dry(OVERLAP).stderr, '')
  })
  it('a setting of the judge: what the judge makes', async () => {
    const other = [...OVERLAP, '-S', 'judge.grade_threshold=1']
    assert.deepEqual(await remade(cwd, other), JUDGED)
    assert.match(made(cwd, 'eval.txt'), /--set grade_threshold=1/)
    assert.deepEqual(await remade(cwd, other), [])
    assert.deepEqual(await remade(cwd, OVERLAP), JUDGED)
  })
  it('columns: the leaderboard alone', async () => {
    assert.deepEqual(await remade(cwd, [...OVERLAP, '--leaderboard-format', 'tot']), ['eval.txt'])
    assert.match(made(cwd, 'eval.txt'), /^jb-write tot /m)
    assert.deepEqual(await remade(cwd, OVERLAP), ['eval.txt'])
  })
  it('what is made by force is not made once more without it', async () => {
    const forced = await remade(cwd, [
      ...OVERLAP,
      '--force-recreate-nuggets',
      '-S',
      'force_recreate_qrels=yes',
    ])
    assert.deepEqual(
      forced,
      [...BANK, 'eval.txt', 'judge.replies.ndjson.gz', 'qrels.replies.ndjson.gz', 'qrels.txt'].sort(),
    )
    assert.deepEqual(await remade(cwd, OVERLAP), [])
  })
  it('a bank that is there is used, however old', async () => {
    utimesSync(join(cwd, 'out/default.nuggets.jsonl'), 1, 1)
    assert.deepEqual(await remade(cwd, OVERLAP), [])
  })
  it('a run that is new, and one that is gone', async () => {
    const asked = ASKED.filter((name) => name !== 'config.yml')
    const response = {
      metadata: { team_id: 'o', run_id: 'd', topic_id: 't1' },
      responses: [{ text: 'Lava.' }],
    }
    writeFileSync(join(cwd, 'runs/d.jsonl'), JSON.stringify(response))
    assert.deepEqual(await remade(cwd, OVERLAP), asked)
    rmSync(join(cwd, 'runs/d.jsonl'))
    assert.deepEqual(await remade(cwd, OVERLAP), asked)
  })
  it('an edit elsewhere in the workflow makes nothing; another judge does, with no bank for the qrels either', async () => {
    writeFileSync(join(cwd, 'w.yml'), `${WORKFLOW}variants: { loose: { grade_threshold: 1 } }\n`)
    assert.deepEqual(await remade(cwd, OVERLAP), [])
    const relevance = [...OVERLAP, '--judge', 'relevance']
    assert.deepEqual(await remade(cwd, relevance), ASKED)
    assert.match(made(cwd, 'judge.replies.ndjson.gz'), /^jb-render relevance$/m)
    assert.deepEqual(await remade(cwd, OVERLAP), ASKED)
  })
  it('a model that the environment names', async () => {
    const cwd = prepared()
    const plain = (model: string) => ({ LLM_JUDGE_MODEL: `baseline:${model}` })
    assert.deepEqual(await remade(cwd, [], plain('overlap')), [...ASKED, ...BANK].sort())
    assert.deepEqual(await remade(cwd, [], plain('overlap')), [])
    assert.deepEqual(await remade(cwd, [], plain('longer')), ASKED)
  })
  it('stamps that are gone: all is made once more, then nothing', async () => {
    rmSync(join(cwd, 'out/.jb'), { recursive: true })
    assert.deepEqual(await remade(cwd, OVERLAP), ASKED)
    assert.deepEqual(await remade(cwd, OVERLAP), [])
  })
})

describe('another threshold', { skip: withoutGzip }, () => {
  it('keeps the replies of every step in CACHE_DIR, nuggify’s too', async () => {
    const cwd = prepared()
    const jbCall = join(cwd, 'stand-in/jb-call')
    writeFileSync(jbCall, readFileSync(jbCall, 'utf8').replace('$*"', '$* in $JB_CACHE"'))
    await remade(cwd, OVERLAP, { CACHE_DIR: '/kept' })
    for (const name of ['nugget', 'judge', 'qrels'])
      assert.match(made(cwd, `${name}.replies.ndjson.gz`), /^jb-call .* in \/kept\/replies\.ndjson$/m)
  })
  it('asks nothing again: replies come from CACHE_DIR, and no network is needed', async (t) => {
    const server = await chatServer(t, () => ({ body: chatBody('Grade: 2') }))
    const cwd = prepared()
    const bank = (qid: string) => JSON.stringify({ query: 'q', qid, nuggets: [{ text: 'Lava cools.' }] })
    writeFileSync(join(cwd, 'bank.jsonl'), `${bank('t1')}\n${bank('t2')}\n`)
    const kept = { JB_CACHE: '', CACHE_DIR: join(cwd, 'kept') }
    /** The server is in this process, which must not wait for the command. */
    const run = async (threshold: number, OPENAI_BASE_URL: string) => {
      const call = ['-m', 'm', '--nugget-banks', 'bank.jsonl', '--set', 'create_qrels=no']
      const args = ['run', ...INPUT, ...call, '-S', `judge.grade_threshold=${threshold}`]
      const child = spawn(`${BIN}/jb-workflow`, args, {
        ...{ cwd, stdio: 'ignore', env: { ...callEnv(cwd), ...kept, OPENAI_BASE_URL } },
      })
      assert.deepEqual(await once(child, 'close'), [0, null])
      return made(cwd, 'eval.txt')
    }
    const covered = (board: string) => board.match(/^a\tt1\tCOVERED_COUNT\t(.*)/m)?.[1]
    assert.equal(covered(await run(3, server.url)), '0.0')
    assert.ok(server.calls.filter(({ method }) => method === 'POST').length > 2)
    assert.ok(existsSync(join(kept.CACHE_DIR, 'replies.ndjson')))
    rmSync(join(cwd, 'out'), { recursive: true })
    assert.equal(covered(await run(1, 'EMPTY')), '1.0')
  })
})
