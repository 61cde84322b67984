/** The Dockerfile: its steps in a folder, as root would run them, and in docker where that is there. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from './helpers/folder.ts'
import { fine, pipefail, ROOT, sh } from './helpers/run.ts'

const PIPE =
  'jb-render arena_hard --order both | jb-call -q -m baseline:longer | jb-parse | jb-aggregate --format table'

/** What the Dockerfile says, an instruction each. */
const steps = readFileSync(`${ROOT}Dockerfile`, 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .trim()
  .split('\n')
  .map((line) => ({ verb: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1) }))
const the = (verb: string) => steps.filter((step) => step.verb === verb).map(({ rest }) => rest)

/** A folder with the packed file and the Dockerfile. */
async function context(t: TestContext): Promise<string> {
  const cwd = folder(t)
  fine(
    await sh(
      `cp ${ROOT}Dockerfile ${ROOT}.dockerignore . && npm pack --silent --ignore-scripts ${ROOT} 2> npm.txt`,
      { cwd },
    ),
  )
  return cwd
}

test('the Dockerfile’s steps install the commands, run by a user that is not root', async (t) => {
  const cwd = await context(t)
  const top = folder(t, { 'bin/apk': '#!/bin/sh\n' })
  /** Paths of the image as paths below the folder. */
  const inside = (text: string) => text.replaceAll(/(^|[ =])(\/\w)/g, `$1${top}$2`)
  const env: Record<string, string> = {
    HOME: top,
    npm_config_prefix: top,
    PATH: `${top}/bin:${process.env.PATH}`,
  }
  mkdirSync(`${top}/tmp`)
  fine(await sh(`chmod +x ${top}/bin/apk`))
  for (const { verb, rest } of steps) {
    if (verb === 'RUN') fine(await sh(inside(rest), { cwd, env }))
    if (verb === 'COPY') fine(await sh(inside(`mkdir -p ${rest.split(' ').at(-1)} && cp ${rest}`), { cwd }))
    if (verb === 'ENV') Object.assign(env, Object.fromEntries([inside(rest).split('=')]))
    if (verb === 'WORKDIR') mkdirSync(inside(rest))
  }
  assert.deepEqual([the('USER'), the('FROM').length], [['node'], 1])
  assert.equal(statSync(`${top}/cache`).mode & 0o7777, 0o1777)
  const [entry] = JSON.parse(the('ENTRYPOINT')[0]!)
  const user = {
    cwd: `${top}/data`,
    env: { ...env, PATH: `${top}/bin:${process.env.PATH}`, HOME: '/nonexistent' },
  }
  const { code, stdout, stderr } = await pipefail(
    `${entry} read example > pairs.jsonl && { ${PIPE}; } < pairs.jsonl`,
    user,
  )
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^all +48 /m)
})

test('docker builds and runs it', async (t) => {
  const there = await sh('docker info > /dev/null && docker pull --quiet node:22-alpine')
  if (there.code !== 0) return t.skip(`NOT RUN: no docker, or no network: ${there.stderr.split('\n')[0]}`)
  const cwd = await context(t)
  const name = `jb-test-${process.pid}`
  t.after(() => sh(`docker rmi --force ${name}`))
  fine(await sh(`docker build --quiet --tag ${name} . > id 2> build.txt`, { cwd }))
  const run = `docker run --rm --interactive`
  const { code, stdout, stderr } = await pipefail(
    `${run} ${name} read example | ${run} --volume /cache --entrypoint bash ${name} -c 'id -un; ${PIPE}'`,
  )
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^node\n[\s\S]*^all +48 /m)
})
