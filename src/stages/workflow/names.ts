/** Names of paths in a Makefile. */
import { createHash } from 'node:crypto'
import { basename, isAbsolute, join } from 'node:path'
import type { Phase } from './load.ts'
import type { WorkflowPlan } from './plan.ts'
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

/** Names a path in the Makefile; the plan's own files have `%` in a rule's first line, `$*` in a recipe. */
export type At = (path: string) => string

/** Where links stand whose names make can hold. */
const LINKS = '.jb/names'

export class Names {
  /** The output directory without a trailing slash; empty for the current directory, and if it is not plain. */
  readonly out: string
  private readonly inputs: Inputs
  /** Files whose names are not plain, by the links that stand for them. */
  readonly links = new Map<string, string>()

  constructor(plans: readonly WorkflowPlan[], inputs: Inputs) {
    const out = join(plans[0]!.outDir, 'x').replace(/\/?x$/, '')
    this.out = isPlainName(out) ? out : ''
    this.inputs = inputs
  }

  /** The prefix of files in the output directory. */
  get before(): string {
    return this.out === '' ? '' : '$(out)/'
  }

  /** The common beginning of a phase's file names, without directory; undefined if there is none. */
  stem({ bases, files, outDir }: WorkflowPlan, phase: Phase): string | undefined {
    const base = bases[phase]
    const own = {
      nugget: [files.nuggets],
      qrels: [files.qrels],
      judge: [files.config, files.leaderboard, files.responses],
    }[phase]
    const begins = join(outDir, `${base}.`)
    const common = !base.includes('/') && own.every((path) => path.startsWith(begins) && isPlainName(path))
    return common ? base : undefined
  }

  /** A path in a rule: a link's where its name is not plain. */
  path = (path: string): string => {
    if (isPlainName(path)) return this.short(path)
    const hash = createHash('sha256').update(path).digest('hex').slice(0, 12)
    const link = `${LINKS}/${hash}-${basename(path)
      .replace(/[^A-Za-z0-9.]/g, '_')
      .slice(-60)}`
    this.links.set(link, path)
    return link
  }

  /** A path in a recipe. */
  word = (path: string): string => {
    if (isPlainName(path)) return this.short(path)
    return quoted(path.startsWith('-') ? `./${path}` : path)
  }

  private short(path: string): string {
    const { out, before } = this
    return out !== '' && path.startsWith(`${out}/`) ? before + path.slice(out.length + 1) : path
  }

  /** What make calls a target: the path itself, without variables. */
  goal = (path: string): string => (isPlainName(path) ? path : this.path(path))

  /** The commands that make a link. */
  linking(link: string): string {
    const path = this.links.get(link)!
    return `@mkdir -p ${LINKS} && ln -sfn ${quoted(isAbsolute(path) ? path : join('../..', path))} ${link}`
  }

  /**
   * @param mark replaces the common beginning of the phase's file names
   * @param other names all other paths
   */
  of({ bases, outDir }: WorkflowPlan, phase: Phase, mark: '%' | '$*', other: At = this.path): At {
    const begins = join(outDir, `${bases[phase]}.`)
    return (path) =>
      path.startsWith(begins) && isPlainName(path)
        ? `${this.before}${mark}.${path.slice(begins.length)}`
        : other(path)
  }

  /** Prerequisites of a rule, with variables for the input files. */
  needs(paths: readonly string[], at: At): string[] {
    const { topics, responseFiles } = this.inputs
    const all = responseFiles.length > 0 && responseFiles.every((path) => paths.includes(path))
    const named = (path: string) => (path === topics && isPlainName(path) ? '$(topics)' : at(path))
    return [...new Set(paths.map((path) => (all && responseFiles.includes(path) ? '$(runs)' : named(path))))]
  }
}
