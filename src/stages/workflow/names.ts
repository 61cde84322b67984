/** Paths and values as a Makefile writes them. */
import { join } from 'node:path'
import { inputName } from './control.ts'
import type { Phase } from './load.ts'
import type { WorkflowPlan } from './plan.ts'
import type { Inputs } from './rule.ts'

const WIDTH = 110

/** Words after a name, on lines that stay short. */
export function wrapped(name: string, words: readonly string[]): string {
  const lines = [name]
  for (const word of words) {
    const last = lines.at(-1)!
    if (last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join(' \\\n')
}

/** A path as the Makefile names it, one of a plan's own files by `%` in a rule's first line and `$*` in a recipe. */
export type At = (path: string) => string

export class Names {
  /** Where files are made, without a slash at its end; empty for the folder of the run. */
  readonly out: string
  private readonly inputs: Inputs

  constructor(plans: readonly WorkflowPlan[], inputs: Inputs) {
    this.out = join(plans[0]!.outDir, 'x').replace(/\/?x$/, '')
    this.inputs = inputs
  }

  /** What stands before a file's name. */
  get before(): string {
    return this.out === '' ? '' : '$(out)/'
  }

  /** What all files of a plan's phase begin with, but for the folder; undefined where they begin otherwise. */
  stem({ bases, files }: WorkflowPlan, phase: Phase): string | undefined {
    const base = bases[phase]
    const own = {
      nugget: [files.nuggets],
      qrels: [files.qrels],
      judge: [files.config, files.leaderboard, files.responses],
    }[phase]
    const begins = join(this.out, `${base}.`)
    return !base.includes('/') && own.every((path) => path.startsWith(begins)) ? base : undefined
  }

  /** A path as it stands in the Makefile. */
  path = (path: string): string => {
    const { out, before } = this
    return out !== '' && path.startsWith(`${out}/`)
      ? before + inputName(path.slice(out.length + 1))
      : inputName(path)
  }

  /** @param mark what stands for the name that files of the plan's phase begin with */
  of({ bases }: WorkflowPlan, phase: Phase, mark: '%' | '$*'): At {
    const begins = join(this.out, `${bases[phase]}.`)
    return (path) =>
      path.startsWith(begins)
        ? `${this.before}${mark}.${inputName(path.slice(begins.length))}`
        : this.path(path)
  }

  /** Files that a rule needs, with the variables for the inputs in their place. */
  needs(paths: readonly string[], at: At): string[] {
    const { topics, responseFiles } = this.inputs
    const all = responseFiles.length > 0 && responseFiles.every((path) => paths.includes(path))
    return [
      ...new Set(
        paths.map((path) =>
          path === topics ? '$(topics)' : all && responseFiles.includes(path) ? '$(runs)' : at(path),
        ),
      ),
    ]
  }
}
