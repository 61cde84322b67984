/** A workflow's Makefile, run by make. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { expect, fine } from '../../helpers/run.ts'
import { BIN, callEnv, kiddie, lines, sh } from '../../trec/_cli.ts'
import { chatBody, chatServer } from '../call/server.ts'
import { compiled, make, standIns, textOf, withoutGzip } from './_make.ts'
import { ANY } from './_plan.ts'
import { INPUT, prepared, WORKFLOW } from './_run.ts'

const times = (cwd: string, names: string[]) => names.map((name) => statSync(join(cwd, name)).mtimeMs)

const MADE = [
  'default.config.yml',
  'default.nuggets.jsonl',
  'default.judge.replies.ndjson.gz',
  'default.eval.txt',
  'default.qrels.txt',
]

describe('the compiled Makefile', { skip: withoutGzip }, () => {
  const cwd = prepared()
  it('makes everything, two at a time, from topics to leaderboard and qrels', () => {
    const { code, stderr } = sh(`jb-workflow workflow.yml ${INPUT} > Makefile && make -j2 -f Makefile`, {
      cwd,
    })
    assert.equal(code, 0, stderr)
    for (const name of MADE) assert.ok(existsSync(join(cwd, name)), name)
    const board = readFileSync(join(cwd, 'default.eval.txt'), 'utf8')
    assert.match(board, /^a\tt1\tNUGGET_COVERAGE\t/)
    assert.match(board, /\nc\tall\tCOVERED_COUNT\t[\d.]+\n$/)
    assert.equal(readFileSync(join(cwd, 'default.qrels.txt'), 'utf8').split('\n').length, 7)
    assert.deepEqual(
      lines(readFileSync(join(cwd, 'default.nuggets.jsonl'), 'utf8')).map(({ query_id }) => query_id),
      ['t1', 't2'],
    )
  })
  it('a second run makes nothing', () => {
    const before = times(cwd, MADE)
    assert.match(sh('make -j2 -f Makefile', { cwd }).stdout, /Nothing to be done for 'all'/)
    assert.deepEqual(times(cwd, MADE), before)
  })
  it('targets: nuggify alone', async () => {
    const cwd = prepared()
    standIns(cwd)
    const { stdout } = fine(await compiled(cwd, ['workflow.yml', ...INPUT.split(' ')]))
    assert.equal(make(cwd, stdout, 'nuggify').code, 0)
    assert.ok(existsSync(join(cwd, 'default.nuggets.jsonl')))
    assert.ok(!existsSync(join(cwd, 'default.eval.txt')))
  })
  it('variants and sweeps in a folder of their own; inputs whose names have spaces, settings that make and the shell would trip over', async () => {
    const note = "it's $x = 1 # \\"
    const cwd = prepared(`${WORKFLOW}sweeps:\n  grid:\n    note: ["it's $x = 1 # \\\\", b]\n`)
    standIns(cwd)
    renameSync(join(cwd, 'runs'), join(cwd, 'the runs #1'))
    renameSync(join(cwd, 'topics.jsonl'), join(cwd, 'all: topics.jsonl'))
    const input = ['--rag-topics', 'all: topics.jsonl', '--rag-responses', 'the runs #1', '-m', 'm']
    const made = async (...args: string[]) => {
      const { stdout } = expect(await compiled(cwd, ['workflow.yml', ...input, ...args]), {})
      return make(cwd, stdout, '-j2')
    }
    const variants = await made('--all-variants', '--out-dir', 'out/1=a')
    assert.equal(variants.code, 0, variants.err)
    assert.ok(existsSync(join(cwd, 'out/1=a', 'strict.eval.txt')))
    const sweep = ['--sweep', 'grid', '--judge', ANY, '-S', 'create_nuggets=no', '-S', 'filebase=grid']
    const ran = await made(...sweep)
    assert.equal(ran.code, 0, ran.err)
    const first = readdirSync(cwd).find((name) => /^grid-grid-note.*[^b]\.judge\.replies/.test(name))
    const how = textOf(join(cwd, first!))
    assert.ok(how.includes(`--set note=${note}\n`), how)
    assert.match(how, /--topics all: topics\.jsonl --responses the runs #1 /)
    assert.match((await made(...sweep)).out, /Nothing to be done/)
  })
  it('names of files may have any character but a control character', async () => {
    const refused = ['workflow.yml', ...INPUT.split(' '), '--set', 'filebase=a\tb']
    expect(await compiled(prepared(), refused), { code: 78, err: /a file's name cannot have U\+0009/ })
    const cwd = prepared('judge_class: relevance\ncreate_nuggets: false\n')
    standIns(cwd)
    renameSync(join(cwd, 'runs'), join(cwd, `R&D [1] 100% "it's"`))
    renameSync(join(cwd, 'topics.jsonl'), join(cwd, '-$(topics); #.jsonl'))
    const args = ['--rag-topics=-$(topics); #.jsonl', '--rag-responses', `R&D [1] 100% "it's"`, '-m', 'm']
    const named = (more: string[]) => compiled(cwd, ['workflow.yml', ...args, ...more])
    const { stdout } = expect(await named(['-S', "filebase=a [b] & 'c' 50%", '--out-dir', '{out} <x>']), {})
    const ran = make(cwd, stdout)
    assert.equal(ran.code, 0, ran.err)
    const board = join(cwd, "{out} <x>/a [b] & 'c' 50%.eval.txt")
    assert.match(readFileSync(board, 'utf8'), /--topics \.\/-\$\(topics\); #\.jsonl /)
    assert.match(make(cwd, stdout).out, /Nothing to be done/)
    rmSync(board)
    assert.equal(make(cwd, stdout).code, 0)
    assert.ok(existsSync(board))
    const later = new Date(Date.now() + 60_000)
    utimesSync(join(cwd, `R&D [1] 100% "it's"/a.jsonl`), later, later)
    assert.match(make(cwd, stdout).out, /jb-render relevance/)
  })
  it('chosen topics and runs: files of their own', async () => {
    const chosen = ['--only', 'topic=t1', '--only', 'run=a', '--only', 'run=b']
    const { stdout } = fine(await compiled(prepared(), ['workflow.yml', ...INPUT.split(' '), ...chosen]))
    assert.match(stdout, / --topic t1 --run a --run b /)
    assert.match(stdout, /^tmp-default\.eval\.txt: /m)
  })
  it('run --output names the leaderboard; reports with what was said of them', async () => {
    const cwd = prepared(
      'create_nuggets: false\njudge_class: relevance\ncreate_qrels: false\naugment_report: true\n',
    )
    const board = join(cwd, 'out/leaderboard.trec')
    const run = (more: string) =>
      sh(`jb-workflow run --workflow workflow.yml ${INPUT} ${more} --output out/leaderboard.trec`, { cwd })
    assert.equal(run('').code, 0)
    assert.match(readFileSync(board, 'utf8'), /^a\tt1\tGRADE\t/)
    assert.ok(!existsSync(join(cwd, 'default.eval.txt')))
    const [first] = lines(readFileSync(join(cwd, 'default.responses.jsonl'), 'utf8'))
    assert.deepEqual(first.metadata, { team_id: 'owls', run_id: 'a', topic_id: 't1' })
    assert.equal(typeof first.evaldata.relevance.score, 'number')
    // What stands there is never cut off.
    const before = readFileSync(board, 'utf8')
    assert.match(run('').stdout, /Nothing to be done/)
    const inside = (more: string) =>
      compiled(cwd, `run --workflow workflow.yml ${INPUT} ${more} --output out/leaderboard.trec`.split(' '))
    assert.match((await inside('--plan')).stdout, /"leaderboard":"out\/leaderboard.trec"/)
    fine(await compiled(cwd, ['config', 'c.yml', 'name=x'], { JB_OUTPUT: board }))
    assert.equal(readFileSync(board, 'utf8'), before)
  })
  it('nuggets without responses', async () => {
    const yaml =
      'create_nuggets: true\njudge_class: preference\nnugget_class: nuggetize\nnugget_depends_on_responses: false\n'
    const { stdout } = fine(await compiled(prepared(yaml), ['workflow.yml', ...INPUT.split(' ')]))
    assert.match(stdout, /^step\d+ = jb-read autojudge --topics topics\.jsonl --per topic \\$/m)
  })
  it('pairs of runs', () => {
    const cwd = prepared('judge_class: preference\ncreate_nuggets: false\n')
    assert.equal(sh(`jb-workflow run workflow.yml ${INPUT}`, { cwd }).code, 0)
    assert.match(readFileSync(join(cwd, 'default.eval.txt'), 'utf8'), /a\tall\tBORDA/)
  })
})

describe('what is kept', { skip: withoutGzip }, () => {
  it('replies to ten nuggets of a response take no more than three times the room of the input', () => {
    const cwd = prepared('judge_class: rubric\ncreate_nuggets: false\ncreate_qrels: false\n')
    let seed = 1
    const words = (count: number) =>
      Array.from({ length: count }, () => (seed = (seed * 48271) % 2147483647).toString(36)).join(' ')
    const response = (run: string, topic: string) => ({
      metadata: { team_id: 'o', run_id: run, topic_id: topic },
      responses: [{ text: words(150) }, { text: words(150) }],
      references: [],
    })
    const topics = ['t1', 't2']
    for (const run of ['a', 'deep/b', 'deep/c'])
      writeFileSync(
        join(cwd, `runs/${run}.jsonl`),
        topics.map((topic) => `${JSON.stringify(response(run.slice(-1), topic))}\n`).join(''),
      )
    const nuggets = (topic: string) =>
      Array.from({ length: 10 }, (_, i) => ({ text: `${topic} ${i} ${words(8)}` }))
    writeFileSync(
      join(cwd, 'bank.jsonl'),
      topics.map((qid) => `${JSON.stringify({ query: 'q', qid, nuggets: nuggets(qid) })}\n`).join(''),
    )
    const { code, stderr } = sh(`jb-workflow run workflow.yml ${INPUT} --nugget-banks bank.jsonl`, { cwd })
    assert.equal(code, 0, stderr)
    const replies = join(cwd, 'default.judge.replies.ndjson.gz')
    assert.equal(textOf(replies).trim().split('\n').length, 60)
    const size = (...names: string[]) => names.reduce((sum, name) => sum + statSync(join(cwd, name)).size, 0)
    const input = size('bank.jsonl', 'topics.jsonl', 'runs/a.jsonl', 'runs/deep/b.jsonl', 'runs/deep/c.jsonl')
    assert.ok(statSync(replies).size <= 3 * input, `${statSync(replies).size} bytes for ${input}`)
  })
})

describe('the first generation', { skip: withoutGzip }, () => {
  it('--compat seed: its names, its columns, its defaults', async () => {
    const cwd = kiddie()
    standIns(cwd)
    const data = '--rag-topics topics.jsonl --rag-responses runs --judge relevance -m baseline:longer'
    writeFileSync(join(cwd, 'workflow.yml'), '')
    const args = ['workflow.yml', '--compat', 'seed', ...data.split(' '), '-S', 'filebase=rubric']
    const { stdout } = fine(await compiled(cwd, args))
    const { code, err } = make(cwd, stdout)
    assert.equal(code, 0, err)
    assert.match(readFileSync(join(cwd, 'rubric.judgment.json'), 'utf8'), /^jb-write tot /m)
    assert.ok(existsSync(join(cwd, 'rubric.judgment.qrels')))
    assert.ok(!existsSync(join(cwd, 'rubric.nuggets.jsonl')))
    assert.doesNotMatch(readFileSync(join(cwd, 'rubric.config.yml'), 'utf8'), /create_qrels/)
  })
})

describe('stopped in the middle', { skip: withoutGzip }, () => {
  it('goes on where it was, and asks nothing twice', async (t) => {
    let reached: () => void = () => {}
    const enough = new Promise<void>((done) => {
      reached = done
    })
    const server = await chatServer(t, ({ method, n }) => {
      if (n === 3) reached()
      return { delay: 20, ...(method === 'POST' && { body: chatBody('Grade: 2') }) }
    })
    const cwd = prepared('judge_class: relevance\ncreate_nuggets: false\ncreate_qrels: false\n')
    const args = ['run', 'workflow.yml', '--rag-topics', 'topics.jsonl', '--rag-responses', 'runs', '-m', 'm']
    const call = [`--call=--base-url ${server.url} -j 1`]
    const run = async (stopAt?: Promise<void>) => {
      const child = spawn(`${BIN}/jb-workflow`, [...args, ...call], {
        cwd,
        env: callEnv(cwd),
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let err = ''
      child.stderr.on('data', (text) => {
        err += text
      })
      const ended = once(child, 'close')
      if (stopAt) {
        await Promise.race([stopAt, ended])
        // To jb-workflow alone: it is its affair that make and every pipe under it hear of it.
        child.kill('SIGTERM')
      }
      const [code] = await ended
      return { code, err }
    }
    const stopped = await run(enough)
    assert.equal(stopped.code, 75, stopped.err)
    assert.ok(!existsSync(join(cwd, 'default.eval.txt')))
    const finished = await run()
    assert.equal(finished.code, 0, finished.err)
    assert.ok(existsSync(join(cwd, 'default.eval.txt')))
    // Six responses, and each once.
    const texts = server.calls.filter(({ method }) => method === 'POST').map(({ text }) => text)
    assert.deepEqual([texts.length, new Set(texts).size], [6, 6])
  })
})
