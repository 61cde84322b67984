/** Servers that others wrote, installed by `make realservers`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { after } from 'node:test'
import { ROOT } from './run.ts'

/** Where their programs are. */
export const VENV = `${ROOT}.realservers/bin`
export const SCRIPTS = `${ROOT}scripts/realservers`
/** Seconds that a server may take to start. */
const START_S = 300

const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return port
}

/** Starts a program and waits until it answers at a path. It ends with the tests. @returns its URL */
export async function start(
  program: string,
  args: (port: number) => string[],
  path: string,
  env: object,
): Promise<string> {
  const port = await freePort()
  const child = spawn(`${VENV}/${program}`, args(port), {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data) => {
    said = `${said}${data}`.slice(-2000)
  })
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  for (let second = 0; second < START_S; second++) {
    if (child.exitCode !== null) break
    const answer = await fetch(url + path).catch(() => undefined)
    if (answer) return url
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  throw new Error(`${program} does not answer: ${said}`)
}
