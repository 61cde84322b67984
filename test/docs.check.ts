/** The README's and the docs' examples run as they stand: some hundred processes, so `make check` runs it, not `make test`. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { blocks } from './helpers/doc_blocks.ts'

const files = [
  'README.md',
  'SKILL.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]

let folder: string
let server: ReturnType<typeof createServer>
let base: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'jb-docs-'))
  cpSync('fixtures', folder, { recursive: true })
  server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const models = { data: [{ id: 'gpt-6-luna' }] }
      const reply = {
        model: 'gpt-6-luna',
        choices: [{ message: { content: 'So: [[A>B]]' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 3 },
      }
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(request.url?.endsWith('/models') ? models : reply))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})

after(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a block in bash, as a reader would; any command of a pipe that fails is a failure. */
function run(command: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = {
    PATH: `${resolve('bin')}:${process.env.PATH}`,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
    OPENAI_API_KEY: 'sk-none',
    OPENAI_BASE_URL: base,
  }
  return new Promise((done) => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', command], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
}

for (const file of files) {
  // What `curl` fetches is not here; test/shared-data.test.ts has README's figures.
  const found = blocks(file).filter(({ command }) => !command.startsWith('curl '))
  if (found.length === 0) continue
  describe(file, () => {
    for (const { line, command } of found) {
      test(`line ${line}: ${command.split('\n')[0]!.slice(0, 60)}`, async () => {
        const { code, stdout, stderr } = await run(command)
        // `head` closing its pipe early ends the pipe with 141 in some shells; jb's own filters end with 0.
        assert.ok(code === 0 || code === 141, `exit ${code}\n${command}\n${stdout}\n${stderr}`)
        assert.doesNotMatch(stderr, /bug:|Error:|unknown option/)
        assert.ok(stdout + stderr !== '' || /> | -o /.test(command), 'prints something, or makes a file')
      })
    }
  })
}
