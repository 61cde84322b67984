/** A real redis-server on a free port of 127.0.0.1, for tests and measurements; none where it is not installed. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

export const REDIS = ['redis-server', 'valkey-server'].find((name) => !spawnSync(name, ['--version']).error)

/** Its stdin ends with this process, however that ends: no server stays behind. */
const UNTIL_END = '"$0" "$@" & exec 2>&-; read -r _; kill -9 $!; wait'

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
  let child: ChildProcessWithoutNullStreams | undefined
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        if (!child || child.exitCode !== null || child.signalCode) return resolve()
        child.once('exit', () => resolve())
        child.stdin.end()
      }),
    start: () =>
      new Promise((resolve, reject) => {
        const where = ['--port', String(port), '--bind', '127.0.0.1']
        child = spawn('sh', ['-c', UNTIL_END, REDIS!, ...where, '--save', '', '--appendonly', 'no'])
        child.stderr.pipe(process.stderr)
        child.once('error', reject)
        let said = ''
        child.stdout.on('data', (data) => {
          said += data
          if (/[Rr]eady to accept connections/.test(said)) resolve()
        })
      }),
  }
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
