import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { callEnv, kiddie, sh } from '../../trec/_cli.ts'

const WORKFLOW = 'judge_class: rubric\njudge_settings: { grade_threshold: 3 }\n'
const RUN = 'jb-workflow run w.yml --topics topics.jsonl --responses runs --out-dir out'

function prepared(): string {
  const cwd = kiddie()
  writeFileSync(join(cwd, 'w.yml'), WORKFLOW)
  return cwd
}

/** When each output was made, but for stamps. */
function times(cwd: string): Map<string, number> {
  const files = readdirSync(join(cwd, 'out')).filter((name) => !name.startsWith('.'))
  return new Map(files.map((name) => [name, statSync(join(cwd, 'out', name)).mtimeMs]))
}

/** What a command makes anew, without `default.`. */
function remade(cwd: string, command: string, env: Record<string, string> = {}): string[] {
  const before = times(cwd)
  const { code, err } = sh(command, { cwd, env })
  assert.equal(code, 0, err)
  const after = times(cwd)
  return [...after].flatMap(([name, time]) =>
    before.get(name) === time ? [] : [name.slice('default.'.length)],
  )
}

const board = (cwd: string) => readFileSync(join(cwd, 'out/default.eval.txt'), 'utf8')
const JUDGED = ['config.yml', 'eval.txt', 'judge.replies.ndjson']
const ASKED = ['config.yml', 'eval.txt', 'judge.replies.ndjson', 'qrels.replies.ndjson', 'qrels.txt']

describe('another configuration', () => {
  const cwd = prepared()
  it('the same makes nothing', () => {
    assert.equal(sh(`${RUN} -m baseline:overlap`, { cwd }).code, 0)
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:overlap`), [])
    assert.match(sh(`${RUN} -m baseline:overlap`, { cwd }).out, /Nothing to be done for 'all'/)
  })
  it('a model: all but the bank, which is used as it is, and a note says so; and back again', () => {
    const overlap = board(cwd)
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:longer`).sort(), ASKED)
    assert.notEqual(board(cwd), overlap)
    assert.match(readFileSync(join(cwd, 'out/default.config.yml'), 'utf8'), /llm_model: baseline:longer/)
    const again = sh(`${RUN} -m baseline:longer`, { cwd })
    assert.match(again.err, /default\.nuggets\.jsonl was made with another model .*--force-recreate-nuggets/)
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:overlap`).sort(), ASKED)
    assert.equal(board(cwd), overlap)
    assert.equal(sh(`${RUN} -m baseline:overlap`, { cwd }).err, '')
  })
  it('a setting of the judge: what the judge makes', () => {
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:overlap -J grade_threshold=1`).sort(), JUDGED)
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:overlap -J grade_threshold=1`), [])
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:overlap`).sort(), JUDGED)
  })
  it('columns: the leaderboard alone', () => {
    const tot = `${RUN} -m baseline:overlap --leaderboard-format tot`
    assert.deepEqual(remade(cwd, tot), ['eval.txt'])
    assert.match(board(cwd), /^a\tNUGGET_COVERAGE\tt1\t/)
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:overlap`), ['eval.txt'])
  })
  it('what is made by force is not made once more without it', () => {
    remade(cwd, `${RUN} -m baseline:overlap --force-recreate-nuggets --force-recreate-qrels`)
    const { out, err } = sh(`${RUN} -m baseline:overlap`, { cwd })
    assert.match(out, /Nothing to be done/)
    assert.equal(err, '')
  })
  it('a judge, and a run that is gone', () => {
    assert.deepEqual(remade(cwd, `${RUN} -m baseline:overlap --judge relevance`).sort(), [
      'config.yml',
      'eval.txt',
      'judge.replies.ndjson',
      'qrels.replies.ndjson',
      'qrels.txt',
    ])
    assert.match(board(cwd), /\tGRADE\t/)
    rmSync(join(cwd, 'runs/deep/c.jsonl'))
    remade(cwd, `${RUN} -m baseline:overlap --judge relevance`)
    assert.doesNotMatch(board(cwd), /^c\t/m)
  })
  it('a model that the environment names; a Makefile written anew', () => {
    const cwd = prepared()
    const plain = (model: string) => ({ LLM_JUDGE_MODEL: `baseline:${model}` })
    assert.equal(sh(RUN, { cwd, env: plain('overlap') }).code, 0)
    assert.deepEqual(remade(cwd, RUN, plain('overlap')), [])
    assert.ok(remade(cwd, RUN, plain('longer')).includes('eval.txt'))
    const made = (model: string) =>
      `${RUN.replace(' run', '')} -m baseline:${model} > Makefile && make -f Makefile`
    assert.ok(remade(cwd, made('overlap')).includes('eval.txt'))
    assert.deepEqual(remade(cwd, made('overlap')), [])
    assert.ok(remade(cwd, made('longer')).includes('eval.txt'))
  })
  it('stamps that are gone: all is made once more, then nothing', () => {
    rmSync(join(cwd, 'out/.jb'), { recursive: true })
    const command = `${RUN} -m baseline:overlap --judge relevance`
    assert.ok(remade(cwd, command).includes('eval.txt'))
    assert.deepEqual(remade(cwd, command), [])
  })
})

describe('another threshold', () => {
  it('asks nothing again: replies come from the cache', async (t) => {
    let calls = 0
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.setHeader('content-type', 'application/json')
      if (request.method !== 'POST') return response.end('{"data":[{"id":"m"}]}')
      calls++
      const content = body.includes('JSON list') ? '[{"text": "Lava cools."}]' : 'Grade: 2'
      const choices = [{ message: { content }, finish_reason: 'stop' }]
      response.end(JSON.stringify({ model: 'm', choices, usage: {} }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    const cwd = prepared()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    /** The server is in this process, which must not wait for the command. */
    const run = async (...more: string[]) => {
      const args = [...RUN.split(' ').slice(1), '-m', 'm', '--call', `--base-url ${url}`, ...more]
      const env = callEnv(cwd)
      const child = spawn('jb-workflow', args, { cwd, env, stdio: 'ignore' })
      const [code] = await once(child, 'close')
      assert.equal(code, 0)
      return times(cwd)
    }
    const first = await run()
    const [asked, before] = [calls, board(cwd)]
    assert.ok(asked > 0)
    assert.deepEqual(await run(), first)
    const other = await run('-J', 'grade_threshold=1')
    assert.equal(calls, asked)
    assert.notEqual(board(cwd), before)
    const untouched = ['default.nuggets.jsonl', 'default.qrels.txt', 'default.qrels.replies.ndjson']
    for (const name of untouched) assert.equal(other.get(name), first.get(name), name)
  })
})
