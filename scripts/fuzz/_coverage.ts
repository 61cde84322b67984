/** Which blocks of the source have run: V8's own count, so that inputs that reach new code are kept. */
import { Session } from 'node:inspector'

export class Coverage {
  private readonly session = new Session()
  private readonly seen = new Set<string>()

  constructor() {
    this.session.connect()
    this.session.post('Profiler.enable')
    this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  get size(): number {
    return this.seen.size
  }

  /** Whether a block has run since the last time that never ran before. */
  grew(): boolean {
    const before = this.seen.size
    this.session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { url, scriptId, functions } of result) {
        if (!/\/src\/|hyparquet|csv-parse|\/yaml\//.test(url)) continue
        for (const { ranges } of functions)
          for (const { startOffset, count } of ranges)
            if (count > 0) this.seen.add(`${scriptId}:${startOffset}`)
      }
    })
    return this.seen.size > before
  }
}
