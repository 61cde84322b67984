/** The package has no types of its own. */
declare module 'ndjson' {
  import type { Transform } from 'node:stream'

  /** Parses lines. A line that is not JSON is an error, which does not name it. */
  export function parse(): Transform
}
