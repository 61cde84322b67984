/** The judges of phases. */
import { existsSync } from 'node:fs'
import type { Judge } from '../../judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge } from '../../judges/_load.ts'
import { configError, type JsonObject, type Kind } from '../../rows/record.ts'
import { compileTemplate, loadNunjucks } from '../../templates/index.ts'
import type { Phase, Workflow } from './load.ts'

/** A judge without model: it measures the length of a response and a random number. */
const NAIVE = 'naive'

export interface PhaseJudge {
  name: string
  /** `none`: without model; `python`: a Python class. */
  kind: Kind | 'none' | 'python'
  /** Whether it uses nuggets, and whether it is asked once for each. */
  usesNuggets: boolean
  eachNugget: boolean
  /** Settings that affect its requests or how its replies are read; undefined if any may. */
  takes?: ReadonlySet<string>
  /** Fields of the item that its prompt may show; undefined if it may show any. */
  shows?: ReadonlySet<string>
  /** The user's judge file, on which the outputs depend. */
  file?: string
}

export const NO_JUDGE: PhaseJudge = { name: '', kind: 'none', usesNuggets: false, eachNugget: false }

/** Judges, and the judges that make their nuggets. */
export const NUGGETS_OF: Readonly<Record<string, string>> = {
  rubric: 'rubric_questions',
  nugget_assign: 'nuggetize',
}

/** The option that names a phase's judge. */
export const judgeFlag = (phase: Phase) => (phase === 'judge' ? '--judge' : `--${phase}-judge`)

/** The possible values, for messages. */
export const CHOICES = 'rubric, relevance or another of jb-render --list, naive, or a judge file'

/** module:Class, or module.Class; in a module's name a dash may stand. */
const PYTHON_CLASS = /^[\p{L}_][\p{L}\p{N}_.-]*[.:][\p{L}_][\p{L}\p{N}_]*$/u

/**
 * The judge of a phase; NO_JUDGE if none is named.
 * @param given the value of the option, which overrides the workflow's class
 * @throws Fatal (configuration) for an unknown class
 */
export async function judgeOf(
  phase: Phase,
  workflow: Workflow,
  given: string | undefined,
): Promise<PhaseJudge> {
  const name = given ?? workflow.classes[phase]
  if (name === undefined) return NO_JUDGE
  const file = name.replace(/#[^#]*$/, '')
  if (name === NAIVE || BUILTIN_JUDGES.has(name) || /\.(ya?ml|json|mjs)$/.test(file) || existsSync(file))
    return phaseJudge(name)
  if (PYTHON_CLASS.test(name)) return { name, kind: 'python', usesNuggets: true, eachNugget: false }
  if (given !== undefined) return phaseJudge(given)
  throw configError(
    `${workflow.placeOf(`${phase}_class`)}: ${phase}_class "${name}" is neither a judge of jb nor a Python class (module:Class): choose one with ${judgeFlag(phase)} (${CHOICES})`,
  )
}

export async function phaseJudge(name: string): Promise<PhaseJudge> {
  if (name === NAIVE) return { ...NO_JUDGE, name, takes: new Set() }
  const judge = await loadJudge(name)
  if (judge.syntax === 'nunjucks') await loadNunjucks()
  const each = Object.values((judge.each ?? {}) as Record<string, string>)
  const fields = Object.values(judge.fields)
  return {
    name,
    kind: judge.kind,
    usesNuggets: each.includes('nuggets') || fields.includes('nuggets'),
    eachNugget: each.includes('nuggets'),
    takes: takenBy(judge),
    ...shownBy(judge),
    ...(!judge.builtin && { file: existsSync(name) ? name : name.replace(/#[^#]*$/, '') }),
  }
}

function shownBy(judge: Judge): { shows?: ReadonlySet<string> } {
  const names = judge.parse ? undefined : takenBy(judge)
  if (!names) return {}
  const fields = [...names, ...Object.values(judge.fields), ...Object.values((judge.each ?? {}) as object)]
  return { shows: new Set(fields.map((field) => String(field).split('.')[0]!)) }
}

/** The settings that affect a judge: variables of its templates, keys of `set`, names in measures; undefined if unknown. */
function takenBy(judge: Judge): ReadonlySet<string> | undefined {
  if (judge.render || judge.variants || judge.criteria !== undefined) return undefined
  const texts = judge.messages?.map(({ content }) => content) ?? [judge.prompt ?? '']
  // The variables of included templates are unknown, and a template may use the whole item.
  if (texts.some((text) => /\{%-?\s*(?:include|import|from|extends)\b/.test(text))) return undefined
  const { folder, syntax = 'jinja' } = judge
  const names = texts.flatMap((text) => compileTemplate(text, { folder, syntax }).variables)
  if (names.includes('item') || names.includes('doc')) return undefined
  const least = Object.values((judge.measures ?? {}) as JsonObject).map(
    (measure) => (measure as JsonObject | null)?.at_least,
  )
  return new Set([
    ...names,
    ...Object.keys(judge.set ?? {}),
    ...least.filter((one) => typeof one === 'string'),
  ])
}
