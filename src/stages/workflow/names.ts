/** Names of paths in a Makefile. */
import { createHash } from 'node:crypto'
import { basename, isAbsolute, join } from 'node:path'
import { isPlainName, quoted } from './quoting.ts'
import type { Inputs } from './rule.ts'

const WIDTH = 110

/** A name and words, in short lines. */
export function wrapped(name: string, words: readonly string[]): string {
  const lines = [name]
  for (const word of words) {
    const last = lines.at(-1)!
    if (last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join(' \\\n')
}

/** A text in a comment. */
export const inComment = (text: string) => text.replace(/[^\x20-\x7e]|[\\$]/g, '?').slice(0, 60)

/** A path in a recipe. */
export const word = (path: string): string => quoted(path.startsWith('-') ? `./${path}` : path)

/** Where links stand whose names make can hold. */
const LINKS = '.jb/names'

export class Names {
  private readonly inputs: Inputs
  /** Files whose names are not plain, by the links that stand for them. */
  readonly links = new Map<string, string>()

  constructor(inputs: Inputs) {
    this.inputs = inputs
  }

  /** A path in a rule: a link's where its name is not plain. */
  path = (path: string): string => {
    if (isPlainName(path)) return path
    const hash = createHash('sha256').update(path).digest('hex').slice(0, 12)
    const link = `${LINKS}/${hash}-${basename(path)
      .replace(/[^A-Za-z0-9.]/g, '_')
      .slice(-60)}`
    this.links.set(link, path)
    return link
  }

  /** The commands that make a link. */
  linking(link: string): string {
    const path = this.links.get(link)!
    return `@mkdir -p ${LINKS} && ln -sfn ${quoted(isAbsolute(path) ? path : join('../..', path))} ${link}`
  }

  /** Prerequisites of a rule, with a variable for the files of the responses. */
  needs(paths: readonly string[]): string[] {
    const { responseFiles } = this.inputs
    const all = responseFiles.length > 0 && responseFiles.every((path) => paths.includes(path))
    const named = (path: string) => (all && responseFiles.includes(path) ? '$(runs)' : this.path(path))
    return [...new Set(paths.map(named))]
  }
}
