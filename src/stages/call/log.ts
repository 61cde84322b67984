/** `--log FILE`: one JSON line for every request, without keys. */
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Secrets } from './http/secrets.ts'

export class CallLog {
  private stream: WriteStream | undefined
  private readonly secrets: Secrets

  /** @param failed called once if the file cannot be written; the run continues without it */
  constructor(path: string, secrets: Secrets, failed: (message: string) => void) {
    this.secrets = secrets
    this.stream = createWriteStream(path, { flags: 'a', mode: 0o600 })
    this.stream.on('error', (error) => {
      this.stream = undefined
      failed(`--log ${path}: ${error.message}: going on without it`)
    })
  }

  write(entry: object): void {
    this.stream?.write(this.secrets.hide(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`))
  }

  async close(): Promise<void> {
    const { stream } = this
    if (stream) await new Promise<void>((resolve) => stream.end(resolve))
  }
}
