import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { BIN, callEnv, DATA, folder, kiddie, lines, sh, withoutData } from '../../trec/_cli.ts'

const WORKFLOW = `create_nuggets: true
create_qrels: true
judge: true
judge_class: rubric
qrels_class: relevance
settings:
  filebase: "{_name}"
judge_settings:
  grade_threshold: 3
variants:
  strict:
    grade_threshold: 5
`
const INPUT = '--topics topics.jsonl --responses runs -m baseline:overlap'

/** A folder with two topics, three runs and a workflow. */
function prepared(workflow = WORKFLOW): string {
  const cwd = kiddie()
  writeFileSync(join(cwd, 'workflow.yml'), workflow)
  return cwd
}

const times = (cwd: string, names: string[]) => names.map((name) => statSync(join(cwd, name)).mtimeMs)
const MADE = [
  'default.config.yml',
  'default.nuggets.jsonl',
  'default.judge.replies.ndjson',
  'default.eval.txt',
  'default.qrels.txt',
]

describe('the compiled Makefile', () => {
  const cwd = prepared()
  it('makes everything, two at a time, from topics to leaderboard and qrels', () => {
    const { code, err } = sh(`jb-workflow workflow.yml ${INPUT} > Makefile && make -j2 -f Makefile`, { cwd })
    assert.equal(code, 0, err)
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
    assert.match(sh('make -j2 -f Makefile', { cwd }).out, /Nothing to be done for 'all'/)
    assert.deepEqual(times(cwd, MADE), before)
  })
  it('an edit elsewhere in the workflow makes nothing again; one that matters does', () => {
    const before = times(cwd, MADE)
    writeFileSync(join(cwd, 'workflow.yml'), `${WORKFLOW}  loose: { grade_threshold: 1 }\n`)
    assert.equal(sh(`jb-workflow run workflow.yml ${INPUT}`, { cwd }).code, 0)
    assert.deepEqual(times(cwd, MADE), before)
    writeFileSync(join(cwd, 'workflow.yml'), WORKFLOW.replace('grade_threshold: 3', 'grade_threshold: 4'))
    assert.equal(sh(`jb-workflow run workflow.yml ${INPUT}`, { cwd }).code, 0)
    const after = times(cwd, MADE)
    assert.deepEqual(
      after.map((time, i) => time !== before[i]),
      [true, false, true, true, false],
      'not the bank, which is used as it is, nor the grades for qrels, which are another phase’s',
    )
  })
  it('a bank that is there is used, however old, unless it is forced', () => {
    const bank = join(cwd, 'default.nuggets.jsonl')
    utimesSync(bank, 1, 1)
    assert.match(sh(`jb-workflow run workflow.yml ${INPUT} -n`, { cwd }).out, /Nothing to be done/)
    const before = times(cwd, MADE)
    assert.equal(sh(`jb-workflow run workflow.yml ${INPUT} --force-recreate-nuggets -j2`, { cwd }).code, 0)
    assert.deepEqual(
      times(cwd, MADE).map((time, i) => time !== before[i]),
      [false, true, true, true, true],
    )
  })
  it('a new response file makes what depends on it again', () => {
    const response = {
      metadata: { team_id: 'o', run_id: 'd', topic_id: 't1' },
      responses: [{ text: 'Lava.' }],
    }
    writeFileSync(join(cwd, 'runs/d.jsonl'), JSON.stringify(response))
    const { code, err } = sh(`jb-workflow run workflow.yml ${INPUT}`, { cwd })
    assert.equal(code, 0)
    assert.match(readFileSync(join(cwd, 'default.eval.txt'), 'utf8'), /\nd\tt1\t/)
    assert.match(err, /run d has no response for t2/)
  })
  it('targets: nuggify alone', () => {
    const cwd = prepared()
    assert.equal(sh(`jb-workflow run workflow.yml nuggify ${INPUT}`, { cwd }).code, 0)
    assert.ok(existsSync(join(cwd, 'default.nuggets.jsonl')))
    assert.ok(!existsSync(join(cwd, 'default.eval.txt')))
  })
  it('variants and sweeps in a folder of their own, names that make and the shell would trip over', () => {
    const cwd = prepared(`${WORKFLOW}sweeps:\n  s p:\n    note: ["it's $x = 1"]\n`)
    assert.equal(
      sh(`jb-workflow run workflow.yml ${INPUT} --all-variants --out-dir 'out #1'`, { cwd }).code,
      0,
    )
    assert.ok(existsSync(join(cwd, 'out #1', 'strict.eval.txt')))
    const ran = sh(
      `jb-workflow run workflow.yml ${INPUT} --sweep 's p' --ignore-settings note --filebase '{_name}-{note}'`,
      { cwd },
    )
    assert.equal(ran.code, 0, ran.err)
    assert.ok(existsSync(join(cwd, "s p-it's $x = 1.eval.txt")), readdirSync(cwd).join('\n'))
    assert.match(
      sh(
        `jb-workflow run workflow.yml ${INPUT} --sweep 's p' --ignore-settings note --filebase '{_name}-{note}'`,
        { cwd },
      ).out,
      /Nothing to be done/,
    )
  })
  it('what no rule of make can hold is refused', () => {
    const { code, err } = sh(`jb-workflow workflow.yml ${INPUT} --filebase 'a;b'`, { cwd })
    assert.equal(code, 78)
    assert.match(err, /make cannot have %, \| or ; in a file's name/)
  })
  it('chosen topics and runs: files of their own', () => {
    const cwd = prepared()
    assert.equal(sh(`jb-workflow run workflow.yml ${INPUT} --topic t1 --run a --run b`, { cwd }).code, 0)
    assert.equal(readFileSync(join(cwd, 'tmp-default.qrels.txt'), 'utf8').split('\n').length, 3)
  })
  it('run --output names the leaderboard; what stands there is never cut off', () => {
    const cwd = prepared('create_nuggets: false\njudge_class: relevance\ncreate_qrels: false\n')
    const board = join(cwd, 'out/leaderboard.trec')
    const run = (more: string) =>
      sh(`jb-workflow run --workflow workflow.yml ${INPUT} ${more} --output out/leaderboard.trec`, { cwd })
    assert.equal(run('').code, 0)
    assert.match(readFileSync(board, 'utf8'), /^a\tt1\tGRADE\t/)
    assert.ok(!existsSync(join(cwd, 'default.eval.txt')))
    const before = readFileSync(board, 'utf8')
    assert.match(run('').out, /Nothing to be done/)
    assert.match(run('-n --force-recreate-qrels').out, /Nothing to be done/)
    assert.match(run('--plan').out, /"leaderboard":"out\/leaderboard.trec"/)
    assert.equal(sh(`jb-workflow config c.yml '{}'`, { cwd, env: { JB_OUTPUT: board } }).code, 0)
    assert.match(run('--leaderboard-file other').err, /--output and --leaderboard-file name the same file/)
    assert.equal(readFileSync(board, 'utf8'), before)
  })
  it('reports with what was said of them', () => {
    const cwd = prepared(
      'create_nuggets: false\njudge_class: relevance\ncreate_qrels: false\naugment_report: true\n',
    )
    assert.equal(sh(`jb-workflow run workflow.yml ${INPUT}`, { cwd }).code, 0)
    const [first] = lines(readFileSync(join(cwd, 'default.responses.jsonl'), 'utf8'))
    assert.deepEqual(first.metadata, { team_id: 'owls', run_id: 'a', topic_id: 't1' })
    assert.equal(typeof first.evaldata.relevance.score, 'number')
  })
  it('nuggets without responses; pairs of runs', () => {
    const cwd = prepared(
      'create_nuggets: true\njudge: true\njudge_class: preference\nnugget_class: nuggetize\nnugget_depends_on_responses: false\n',
    )
    const { out } = sh(`jb-workflow run workflow.yml ${INPUT} -n`, { cwd })
    assert.match(out, /jb-read autojudge --topics topics\.jsonl --per topic \| jb-render nuggetize/)
    assert.equal(sh(`jb-workflow run workflow.yml ${INPUT}`, { cwd }).code, 0)
    assert.match(readFileSync(join(cwd, 'default.eval.txt'), 'utf8'), /a\tall\tBORDA/)
  })
})

describe('the first generation', () => {
  it('--compat seed: its names, its columns, its defaults', () => {
    const cwd = kiddie()
    const { code, err } = sh(
      'jb-workflow run --compat seed --rag-topics topics.jsonl --rag-responses runs --judge relevance -m baseline:longer --filebase rubric',
      { cwd },
    )
    assert.equal(code, 0, err)
    assert.match(readFileSync(join(cwd, 'rubric.judgment.json'), 'utf8'), /^a\tGRADE\tt1\t/)
    assert.ok(existsSync(join(cwd, 'rubric.judgment.qrels')))
    assert.ok(!existsSync(join(cwd, 'rubric.nuggets.jsonl')))
    assert.doesNotMatch(readFileSync(join(cwd, 'rubric.config.yml'), 'utf8'), /create_qrels/)
  })
})

describe('.config.yml', () => {
  it('says what ran, when, and from which commit', () => {
    const cwd = prepared(
      'judge_class: relevance\ncreate_nuggets: false\nsettings: { top_k: 20, filebase: x }\njudge_settings: { threshold: 0.5 }\n',
    )
    sh(
      'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git remote add origin git@h:x.git',
      { cwd },
    )
    sh(`jb-workflow run workflow.yml x.config.yml --ignore-settings top_k,threshold ${INPUT}`, { cwd })
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
      'judge_settings',
    ])
    assert.match(config.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
    assert.match(text, /dirty: "true"/)
    assert.match(config.git.commit, /^[0-9a-f]{40}$/)
    assert.equal(config.git.remote, 'git@h:x.git')
    assert.deepEqual(
      [config.settings, config.judge_settings],
      [{ top_k: 20, filebase: 'x' }, { threshold: 0.5 }],
    )
  })
})

describe('the plan', () => {
  it('is one object a configuration', () => {
    const cwd = prepared()
    const { out } = sh('jb-workflow workflow.yml --all-variants --plan', { cwd })
    const [only] = lines(out)
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
  it('wrong usage and wrong files', () => {
    const cwd = prepared()
    const ends = (command: string) => {
      const { code, err } = sh(command, { cwd })
      return `${code} ${err}`
    }
    assert.match(ends('jb-workflow workflow.yml'), /^2 .*--topics FILE is missing/)
    assert.match(ends('jb-workflow workflow.yml --topics topics.jsonl'), /^2 .*--responses DIR is missing/)
    assert.match(ends(`jb-workflow nowhere.yml ${INPUT}`), /^66 .*nowhere\.yml: no such file/)
    assert.match(ends(`jb-workflow workflow.yml --flag judge=perhaps ${INPUT}`), /^2 .*--flag judge=perhaps/)
    assert.match(ends(`jb-workflow workflow.yml more ${INPUT}`), /^2 .*more: one FILE/)
    assert.match(
      ends(`jb-workflow run workflow.yml -m baseline:overlap --topics topics.jsonl --responses nowhere`),
      /^66 jb-workflow: nowhere: no such file or folder/,
    )
    assert.match(
      ends(`jb-workflow run workflow.yml ${INPUT} --topics none.jsonl`),
      /^66 .*none\.jsonl: no such/,
    )
    assert.match(
      ends(`jb-workflow run workflow.yml judgement ${INPUT}`),
      /^2 .*judgement: no such target \(there are: all, nuggify, qrels, judge, default\.config\.yml, /,
    )
    const none = 'jb-workflow run workflow.yml --topics topics.jsonl --responses runs'
    assert.match(ends(none), /^2 .*jb-call: no model.*a step that failed \(wrong usage\)/s)
    assert.match(ends(`${none} -m baseline:none -k -j4`), /^2 .*no model "baseline:none"/s)
    assert.match(ends(`${none} -m baseline:longer --out-dir /dev/null/x`), /^74 /)
  })
  it('a file that only another target needs may be away', () => {
    const cwd = prepared('judge_class: relevance\njudge_uses_qrels: false\ncreate_qrels: false\n')
    writeFileSync(join(cwd, 'default.eval.txt'), '')
    const { code, err } = sh('jb-workflow run workflow.yml ./default.config.yml --topics t --responses r', {
      cwd,
    })
    assert.equal(code, 0, err)
  })
  it('a step that may go on another time ends with 75, and BASH_ENV is still the user’s', () => {
    const cwd = prepared('judge_class: relevance\ncreate_qrels: false\n')
    writeFileSync(join(cwd, 'my own.sh'), 'echo mine >> seen\n')
    const { code, err } = sh(
      "jb-workflow run workflow.yml --topics topics.jsonl --responses runs -m x --call '--base-url http://127.0.0.1:9/v1 --max-requests 0'",
      { cwd, env: { OPENAI_API_KEY: 'x', BASH_ENV: '$PWD/my own.sh' } },
    )
    assert.equal(code, 75, err)
    assert.match(err, /run the same command again to go on/)
    assert.match(readFileSync(join(cwd, 'seen'), 'utf8'), /mine/)
  })
  it('a step’s ending is known where no shell is around it, as in ssh, env -i or a service', () => {
    for (const SHLVL of [undefined, '0']) {
      const cwd = prepared('judge_class: relevance\ncreate_qrels: false\n')
      const { status, stderr } = spawnSync(
        'jb-workflow',
        ['run', 'workflow.yml', '--topics', 'topics.jsonl', '--responses', 'runs', '-m', 'baseline:none'],
        {
          cwd,
          encoding: 'utf8',
          env: { PATH: `${BIN}:${process.env.PATH}`, HOME: cwd, SHLVL, SSH_CLIENT: 'x' },
        },
      )
      assert.equal(status, 2, stderr)
    }
  })
  it('a step that fails leaves no half file behind, and no bank that is empty', () => {
    const cwd = prepared()
    const { code, err } = sh(
      `jb-workflow run workflow.yml --topics topics.jsonl --responses runs -m x --call '--base-url http://127.0.0.1:9/v1 --retries 0'`,
      {
        cwd,
        env: { OPENAI_API_KEY: 'x', JB_NO_CACHE: 'true' },
      },
    )
    assert.equal(code, 69, err)
    assert.match(err, /a step that failed \(the endpoint cannot be reached\)/)
    assert.deepEqual(
      readdirSync(cwd).filter((name) => /nuggets\.jsonl$|eval\.txt$|qrels\.txt$/.test(name)),
      [],
    )
  })
})

describe('llm-config.yml', () => {
  it('model and endpoint, or the first preference there is', () => {
    const cwd = prepared()
    writeFileSync(join(cwd, 'dev.yml'), 'base_url: http://localhost:8000/v1\nmodel: m\napi_key: secret\n')
    const dev = sh(`jb-workflow workflow.yml --topics topics.jsonl --responses runs --llm-config dev.yml`, {
      cwd,
    })
    assert.match(dev.out, /jb-call --model m --base-url http:\/\/localhost:8000\/v1/)
    assert.doesNotMatch(dev.out, /secret/)
    assert.match(dev.err, /dev\.yml: api_key is left alone/)
    writeFileSync(join(cwd, 'prefer.yml'), 'model_preferences: [off, alias, other]\n')
    writeFileSync(
      join(cwd, 'models.yml'),
      'models:\n  off: { enabled: false }\n  real: { base_url: "http://h/v1/", model_id: id, api_key_env: KEY }\n  fallback: {}\naliases: { alias: real }\ndefault_model: fallback\n',
    )
    const chosen = (prefer: string) => {
      writeFileSync(join(cwd, 'prefer.yml'), prefer)
      return sh('jb-workflow workflow.yml --topics topics.jsonl --responses runs --llm-config prefer.yml', {
        cwd,
        env: { AUTOJUDGE_AVAILABLE_MODELS: 'models.yml' },
      })
    }
    assert.match(
      chosen('model_preferences: ["off", alias]').out,
      /jb-call --model id --base-url http:\/\/h\/v1 --api-key-env KEY/,
    )
    assert.match(chosen('model_preferences: [nope]').out, /jb-call --model fallback \$/)
    const none = chosen('model_preferences: [nope]\non_no_match: error')
    assert.equal(none.code, 78)
    assert.match(none.err, /none of nope is available \(models\.yml has real, fallback\)/)
  })
})

describe('stopped in the middle', () => {
  it('goes on where it was, and asks nothing twice', async (t) => {
    let calls = 0
    const seen = new Map<string, number>()
    let reached: () => void = () => {}
    const enough = new Promise<void>((done) => {
      reached = done
    })
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.setHeader('content-type', 'application/json')
      if (request.method !== 'POST') return response.end('{"data":[{"id":"m"}]}')
      if (++calls === 4) reached()
      await new Promise((done) => setTimeout(done, 20))
      const content = body.includes('JSON list')
        ? '[{"text": "Lava cools.", "importance": "vital"}, {"text": "Tides turn."}]'
        : 'Grade: 2'
      seen.set(body, (seen.get(body) ?? 0) + 1)
      response.end(
        JSON.stringify({ model: 'm', choices: [{ message: { content }, finish_reason: 'stop' }], usage: {} }),
      )
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as AddressInfo
    const cwd = prepared()
    const env = callEnv(cwd)
    const args = ['run', 'workflow.yml', '--topics', 'topics.jsonl', '--responses', 'runs', '-m', 'm']
    const call = [`--call=--base-url http://127.0.0.1:${port}/v1 -j 1`]
    const run = async (stopAt?: Promise<void>) => {
      const child = spawn('jb-workflow', [...args, ...call], {
        cwd,
        env,
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
    assert.deepEqual(
      [...seen.values()].filter((times) => times > 1),
      [],
    )
    // 2 topics for nuggets, 6 grades for qrels, 6 responses with 2 nuggets each.
    assert.equal(seen.size, 2 + 6 + 12)
  })
})

describe('the original’s kiddie', { skip: withoutData }, () => {
  it('naive: the leaderboard byte for byte, by make', () => {
    const cwd = folder({ 'workflow.yml': readFileSync(`${DATA}/workflows/naive/workflow.yml`, 'utf8') })
    const data = resolve(DATA)
    const { code, err } = sh(
      `jb-workflow run workflow.yml --topics ${data}/kiddie/topics/kiddie-topics.jsonl --responses ${data}/kiddie/runs`,
      { cwd },
    )
    assert.equal(code, 0, err)
    assert.equal(
      readFileSync(join(cwd, 'naive.eval.txt'), 'utf8'),
      readFileSync(`${data}/reference-generated/naive.eval.txt`, 'utf8'),
    )
  })
})
