/** The server that callers are measured against: C, because one in Node would be the limit. */
import { execFileSync, spawn } from 'node:child_process'
import { DATA } from './_bench.ts'

const PROGRAM = `${DATA}/server`

export interface Server {
  url: string
  stats(): Promise<{ requests: number; busiest: number }>
  stop(): void
}

/** Compiles it once with cc and starts it; each answer comes after so many ms. */
export async function server(latency: number): Promise<Server> {
  execFileSync('cc', ['-O2', '-o', PROGRAM, 'bench/_server.c'])
  const child = spawn(PROGRAM, ['0', String(latency)], { stdio: ['ignore', 'pipe', 'inherit'] })
  // Also where a bench fails: a server that stays would keep its terminal, and the port.
  process.once('exit', () => child.kill())
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data) => resolve(String(data).trim())),
  )
  const origin = `http://127.0.0.1:${port}`
  return {
    url: `${origin}/v1`,
    stats: async () =>
      (await (await fetch(`${origin}/stats`)).json()) as { requests: number; busiest: number },
    stop: () => child.kill(),
  }
}
