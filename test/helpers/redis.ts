/** A real redis-server on a free port of 127.0.0.1, for tests and measurements; none where it is not installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

export const REDIS = ['redis-server', 'valkey-server'].find((name) => !spawnSync(name, ['--version']).error)

export interface RedisServer {
  port: number
  /** `redis://127.0.0.1:PORT` */
  url: string
  stop(): Promise<void>
  /** At the same port again; what it held is lost. */
  start(): Promise<void>
}

export async function redisServer(): Promise<RedisServer> {
  const port = await freePort()
  let child: ChildProcess | undefined
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        if (!child || child.exitCode !== null || child.signalCode) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
    start: () =>
      new Promise((resolve, reject) => {
        const where = ['--port', String(port), '--bind', '127.0.0.1']
        child = spawn(REDIS!, [...where, '--save', '', '--appendonly', 'no'], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        child.once('error', reject)
        let said = ''
        child.stdout!.on('data', (data) => {
          said += data
          if (/[Rr]eady to accept connections/.test(said)) resolve()
        })
      }),
  }
  process.once('exit', () => child?.kill('SIGKILL'))
  await server.start()
  return server
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
