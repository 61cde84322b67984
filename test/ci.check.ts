/** docs/ci.md: its jobs for GitHub (by the steps of action.yml), GitLab and make, each in a plain shell. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { folder } from './helpers/folder.ts'
import { fine, pipefail, type Ran, ROOT } from './helpers/run.ts'
import { chatBody, chatServer } from './stages/call/server.ts'

const block = (name: string) =>
  new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(readFileSync(`${ROOT}docs/ci.md`, 'utf8'))![1]!

const pairs = readFileSync(`${ROOT}fixtures/pairs.jsonl`, 'utf8')

/** A project with pairs, and a judge that is always right. */
async function project(t: TestContext, files: Record<string, string> = {}) {
  const items = pairs
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { url, calls } = await chatServer(t, ({ text }) => {
    const item = items.find((one) => text.includes(one.response_A) && text.includes(one.response_B))
    const swapped = text.indexOf(item.response_A) > text.indexOf(item.response_B)
    return { body: chatBody(`[[${(item.label === 'A>B') === swapped ? 'B>A' : 'A>B'}]]`, 'gpt-6-luna') }
  })
  const cwd = folder(t, { 'pairs.jsonl': pairs, ...files })
  const PATH = `${cwd}/npm/bin:${ROOT}bin:${process.env.PATH}`
  return {
    cwd,
    calls,
    env: { PATH, HOME: cwd, OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: url, JB_PRICE: '1,1' },
  }
}

const done = ({ code, stderr }: Ran) => assert.equal(code, 0, stderr)

interface Step {
  if?: string
  run?: string
  uses?: string
  env?: Record<string, string>
  with?: Record<string, string>
}
const action = parse(readFileSync(`${ROOT}action.yml`, 'utf8')) as {
  inputs: Record<string, { required?: boolean; default?: string }>
  runs: { steps: Step[] }
}

/** Runs the action's steps as a runner does: after one that failed, only those that say `always()`. */
async function act(
  given: Record<string, string>,
  { cwd, env }: { cwd: string; env: Record<string, string> },
) {
  for (const [name, { required }] of Object.entries(action.inputs)) assert.ok(given[name] ?? !required, name)
  const temp = `${cwd}/temp`
  mkdirSync(temp)
  const values: Record<string, string> = { 'runner.temp': temp }
  for (const [name, input] of Object.entries(action.inputs))
    values[`inputs.${name}`] = given[name] ?? input.default ?? ''
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ (\S+) \}\}/g, (whole, name) => values[name] ?? whole)
  const files = {
    GITHUB_STEP_SUMMARY: `${temp}/summary.md`,
    GITHUB_ACTION_PATH: ROOT,
    npm_config_prefix: `${cwd}/npm`,
    XDG_CACHE_HOME: `${cwd}/.cache`,
  }
  const ran: Ran[] = []
  for (const { run, if: when = '', env: own = {} } of action.runs.steps) {
    if (!run || (ran.some(({ code }) => code !== 0) && !when.startsWith('always()'))) continue
    const named = Object.fromEntries(Object.entries(own).map(([name, text]) => [name, filled(text)]))
    ran.push(await pipefail(`set -e\n${run}`, { cwd, env: { ...env, ...files, ...named } }))
  }
  const upload = action.runs.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact'))!
  const summary = existsSync(files.GITHUB_STEP_SUMMARY) ? readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') : ''
  return { ran, summary, page: filled(upload.with!.path!), stdout: ran.map(({ stdout }) => stdout).join('') }
}

const job = parse(block('yaml github')).jobs.judge.steps.at(-1).with as Record<string, string>

test('the action installs a packed file, runs the page’s pipe and writes summary and page', async (t) => {
  const { cwd, env, calls } = await project(t)
  fine(await pipefail(`npm pack --silent --ignore-scripts ${ROOT} 2> npm.txt`, { cwd }))
  const [file] = (await pipefail('ls jb-filters-*.tgz', { cwd })).stdout.split('\n')
  const { ran, summary, page, stdout } = await act({ ...job, package: `./${file}` }, { cwd, env })
  assert.deepEqual(
    ran.map(({ code }) => code),
    [0, 0, 0],
    ran.at(-1)!.stderr,
  )
  assert.ok(existsSync(`${cwd}/npm/bin/jb-call`))
  assert.match(summary, /^\| all \| 48 \| 0 \| 100.00 % /m)
  assert.doesNotMatch(stdout, /^::/m)
  assert.match(readFileSync(page, 'utf8'), /^<!doctype html>/i)
  assert.equal(calls.filter(({ method }) => method === 'POST').length, 96)
  assert.ok(existsSync(`${cwd}/.cache/jb/replies`), 'what the steps of the cache keep')
})

test('the action fails with a command that fails, and with a gate that is missed, and reports all the same', async (t) => {
  const { cwd, env } = await project(t)
  const run = `${job.run!.replace('gpt-6-luna', 'baseline:longer').replace('pairs.jsonl', '<(head -40 pairs.jsonl)')}\nexit 3`
  const { ran, summary, page, stdout } = await act({ ...job, run, package: ROOT }, { cwd, env })
  assert.deepEqual(
    ran.map(({ code }) => code),
    [0, 3, 1],
  )
  assert.match(summary, /^\| all \| 48 \| 8 \|/m)
  assert.match(stdout, /^::error title=arena_hard baseline%3Alonger::8 of 48 items failed/m)
  assert.match(stdout, /^::error .*below --fail-under 0.7$/m)
  assert.ok(existsSync(page))
})

test('the nightly job commits watch.json each night, also that on which the judge moved', async (t) => {
  const { steps } = parse(block('yaml nightly')).jobs.watch as { steps: (Step & { name?: string })[] }
  const items = pairs
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  let calls = 0
  let isStrict = false
  const { url } = await chatServer(t, ({ text }) => {
    const item = items.find((one) => text.includes(one.response_A) && text.includes(one.response_B))
    const swapped = text.indexOf(item.response_A) > text.indexOf(item.response_B)
    // A few verdicts are other ones each night; a judge that moved says B.
    const saysA = calls++ % 23 === 0 ? item.label !== 'A>B' : item.label === 'A>B'
    return { body: chatBody(`[[${(saysA && !isStrict) === swapped ? 'B>A' : 'A>B'}]]`, 'gpt-6-luna') }
  })
  const cwd = folder(t, {
    'anchors.jsonl': pairs,
    'questions.jsonl': pairs,
    'answer.sh': '#!/bin/sh\ncat "$1"\n',
  })
  const origin = folder(t, {})
  const env = {
    PATH: `${ROOT}bin:${process.env.PATH}`,
    HOME: cwd,
    OPENAI_API_KEY: 'sk-none',
    OPENAI_BASE_URL: url,
  }
  const author = '-c user.name=t -c user.email=t@localhost'
  fine(
    await pipefail(
      `chmod +x answer.sh; git init -q --bare ${origin}; git init -q -b main; git remote add origin ${origin}; git add answer.sh *.jsonl; git ${author} commit -q -m begin; git push -q -u origin main`,
      { cwd, env },
    ),
  )
  const night = async () => {
    const codes: (number | null)[] = []
    for (const { run, if: when = '' } of steps) {
      if (!run || run.startsWith('npm') || (codes.some((code) => code !== 0) && !when.startsWith('always()')))
        continue
      codes.push((await pipefail(`set -e\n${run}`, { cwd, env })).code)
    }
    return codes
  }
  for (let k = 0; k < 8; k++) assert.deepEqual(await night(), [0, 0, 0, 0], `night ${k + 1}`)
  isStrict = true
  const codes = [await night(), await night()]
  assert.deepEqual(codes.at(-1), [0, 0, 1, 0])
  const report = readFileSync(`${cwd}/watch.report.ndjson`, 'utf8')
  assert.match(report, /"section":"watch".*"sentence":"the judge moved, since night \d+: right /)
  const log = (await pipefail(`git -C ${origin} log --format=%s main`, { cwd, env })).stdout
  assert.equal(log.match(/A night of the judge/g)!.length, 10)
  const kept = (await pipefail(`git -C ${origin} show main:watch.json`, { cwd, env })).stdout
  assert.equal(JSON.parse(kept).nights.length, 10)
})

test('GitLab’s job', async (t) => {
  const { cwd, env } = await project(t)
  const { judge } = parse(block('yaml gitlab'))
  assert.deepEqual(judge.before_script, ['npm install --global jb-filters'])
  const XDG_CACHE_HOME = judge.variables.XDG_CACHE_HOME.replace('$CI_PROJECT_DIR', cwd)
  for (const lines of [judge.script, judge.after_script])
    done(await pipefail(['set -e', ...lines].join('\n'), { cwd, env: { ...env, XDG_CACHE_HOME } }))
  for (const path of [judge.artifacts.reports.junit, ...judge.artifacts.paths, ...judge.cache.paths])
    assert.ok(existsSync(`${cwd}/${path}`), path)
  assert.match(readFileSync(`${cwd}/judge.xml`, 'utf8'), /tests="\d+" failures="0"/)
})

test('the Makefile', async (t) => {
  const { cwd, env } = await project(t, { Makefile: block('make') })
  done(await pipefail('make check', { cwd, env }))
  assert.equal(JSON.parse(readFileSync(`${cwd}/pairs.report.json`, 'utf8')).accuracy, 1)
  assert.equal((await pipefail('make check CALLFLAGS= MODEL=baseline:longer', { cwd, env })).code, 2)
  assert.ok(existsSync(`${cwd}/pairs.report.json.missed`))
})
