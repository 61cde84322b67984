/** jb-filters doctor: what it finds, what it says to do, and its exit codes. */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { test } from 'node:test'
import { cache, node } from '../../src/run/doctor.ts'
import { folder } from '../helpers/folder.ts'
import { BIN, expect, sh } from '../helpers/run.ts'
import { chatBody, chatServer } from '../stages/call/server.ts'

const KEY = 'a-key-that-nobody-may-see'
const doctor = (args: string, env: Record<string, string | undefined> = {}) =>
  sh(`'${BIN}/jb-filters' doctor ${args}`, { env })

test('all is well: Node, PATH, cache folder, no key', async (t) => {
  const home = folder(t)
  const ran = await doctor('', { XDG_CACHE_HOME: home })
  expect(ran, { code: 0, err: '' })
  const { version } = process
  assert.match(
    ran.stdout,
    new RegExp(
      `^ok    Node   ${version}\nok    PATH   13 commands of version .*\nok    cache  ${home}/jb\nok    keys   none set .*\n$`,
    ),
  )
})

test('-m makes one call; keys are named and never printed', async (t) => {
  const server = await chatServer(t, () => ({ body: chatBody(`OK ${KEY}`) }))
  const ran = await doctor(`-m m --base-url ${server.url}`, {
    OPENAI_API_KEY: KEY,
    LLM_JUDGE_TONE_API_KEY: KEY,
    GROQ_API_KEY: ' ',
  })
  expect(ran, { code: 0 })
  assert.match(ran.stdout, /^ok {4}keys {3}LLM_JUDGE_TONE_API_KEY, OPENAI_API_KEY$/m)
  assert.match(ran.stdout, /^ok {4}call {3}m answers/m)
  assert.equal(server.calls.length, 1)
  assert.equal(server.calls[0]!.headers.authorization, `Bearer ${KEY}`)
  assert.equal((ran.stdout + ran.stderr).includes(KEY), false)
})

test('a refused key is 77, a missing one too, no server 69, a failing one 69 after one call, a wrong URL 78', async (t) => {
  const refusing = await chatServer(t, () => ({
    status: 401,
    body: { error: { message: `no such key: ${KEY}` } },
  }))
  const refused = await doctor(`-m m --base-url ${refusing.url}`, { OPENAI_API_KEY: KEY })
  expect(refused, { code: 77, out: /wrong call {3}.*refuses the key in OPENAI_API_KEY/ })
  assert.equal(refused.stdout.includes(KEY), false)
  expect(await doctor('-m gpt-6-luna'), { code: 77, out: /wrong call {3}.*set .*OPENAI_API_KEY/ })
  const closed = await chatServer(t)
  await closed.close()
  expect(await doctor(`-m m --base-url ${closed.url}`), { code: 69, out: /cannot reach.*--base-url/ })
  const failing = await chatServer(t, () => ({ status: 500, body: { error: { message: 'out of order' } } }))
  expect(await doctor(`-m m --base-url ${failing.url}`), { code: 69, out: /wrong call {3}.*out of order/ })
  assert.equal(failing.calls.length, 1)
  expect(await doctor('-m m --base-url ftp://x'), { code: 78, out: /wrong call {3}.*must begin with http/ })
})

test('commands that are not on the PATH, or of another version, and a cache folder that cannot be made are 78', async (t) => {
  const cwd = folder(t, { 'jb-read': '#!/bin/sh\necho "jb-read (jb-filters) 0.0.9"\n', file: '' })
  chmodSync(`${cwd}/jb-read`, 0o755)
  const bare = `${dirname(process.execPath)}${delimiter}/usr/bin${delimiter}/bin`
  expect(await doctor('', { PATH: bare }), {
    code: 78,
    out: /wrong PATH {3}jb-read, jb-render, .*jb-workflow not found.*make install/,
  })
  expect(await doctor('', { PATH: `${cwd}:${BIN}:${bare}` }), {
    code: 78,
    out: /wrong PATH {3}jb-read is "jb-read \(jb-filters\) 0\.0\.9", this is /,
  })
  expect(await doctor('', { XDG_CACHE_HOME: `${cwd}/file` }), {
    code: 78,
    out: /wrong cache .*\/file\/jb: not writable \(.*XDG_CACHE_HOME/,
  })
})

test('Node: 20.19 and newer', () => {
  const codes = ['v18.20.0', 'v20.18.9', 'v20.19.0', 'v22.0.0'].map((version) => node(version).code)
  assert.deepEqual(codes, [78, 78, 0, 0])
})

test('a cache folder of another user', { skip: process.getuid?.() !== 0 }, (t) => {
  const home = folder(t)
  mkdirSync(`${home}/jb`)
  chownSync(`${home}/jb`, 12_345, 12_345)
  const { code, words } = cache({ XDG_CACHE_HOME: home })
  assert.equal(code, 78)
  assert.match(words, /another user owns it: set XDG_CACHE_HOME/)
})

test('doctor --help and help doctor are the same', async () => {
  const help = await doctor('--help')
  expect(help, { code: 0, out: /^Usage: jb-filters doctor/m })
  assert.equal((await sh(`'${BIN}/jb-filters' help doctor`)).stdout, help.stdout)
})
