/** Commands in the docs. */
import { readFileSync } from 'node:fs'

interface Block {
  line: number
  command: string
  /** Needs an endpoint. */
  network: boolean
}

/** Shell blocks of a file; those marked `norun` want what a test has not got. */
export function blocks(file: string): Block[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^```sh( network)?\n([\s\S]*?)^```/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    command: match[2]!,
    network: match[1] !== undefined,
  }))
}
