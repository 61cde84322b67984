/** Which judge answers in a phase: a name or file of the user's, or the one here that an original's class is. */
import { existsSync } from 'node:fs'
import { BUILTIN_JUDGES, loadJudge } from '../../judges/_load.ts'
import { configError, type Kind } from '../../rows/record.ts'
import type { Phase, Workflow } from './load.ts'

/** A judge that asks no model: the length of a response and a random number. */
export const NAIVE = 'naive'

export interface PhaseJudge {
  name: string
  kind: Kind | 'none'
  /** Whether it looks at nuggets at all, and whether it is asked once for each. */
  usesNuggets: boolean
  eachNugget: boolean
  /** A judge file of the user's: what it makes depends on it. */
  file?: string
}

/** Classes of the originals, by a part of their name. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/naive/i, NAIVE],
  [/tiny_?judge/i, 'first_sentence'],
  [/umbrela/i, 'relevance'],
  [/rubric/i, 'rubric'],
  [/nuggetizer/i, 'nugget_assign'],
  [/pref/i, 'preference'],
]

/** @throws Fatal (configuration) for a class that only Python can run */
export async function judgeOf(
  phase: Phase,
  workflow: Workflow,
  given: string | undefined,
  otherwise: string,
): Promise<PhaseJudge> {
  return describe(given ?? named(phase, workflow) ?? otherwise)
}

function named(phase: Phase, { classes, file }: Workflow): string | undefined {
  const name = classes[`${phase}_class`]
  if (name === undefined || name === NAIVE) return name
  if (BUILTIN_JUDGES.has(name) || /\.(ya?ml|json|mjs)$/.test(name)) return name
  const known = CLASSES.find(([pattern]) => pattern.test(name))?.[1]
  // The classes that make nuggets go by the same names as those that judge with them.
  if (known !== undefined && phase === 'nugget') return known === 'rubric' ? 'rubric_questions' : 'nuggetize'
  if (known !== undefined) return known
  const option = phase === 'judge' ? '--judge' : `--${phase}-judge`
  throw configError(
    `${file}: ${phase}_class "${name}" is a Python class, which does not run here: say which judge stands for it (${option} NAME or FILE; jb-render --list shows all)`,
  )
}

async function describe(name: string): Promise<PhaseJudge> {
  if (name === NAIVE) return { name, kind: 'none', usesNuggets: false, eachNugget: false }
  const judge = await loadJudge(name)
  const each = Object.values((judge.each ?? {}) as Record<string, string>)
  const fields = Object.values(judge.fields)
  return {
    name,
    kind: judge.kind,
    usesNuggets: each.includes('nuggets') || fields.includes('nuggets'),
    eachNugget: each.includes('nuggets'),
    ...(!judge.builtin && { file: existsSync(name) ? name : name.replace(/#[^#]*$/, '') }),
  }
}
