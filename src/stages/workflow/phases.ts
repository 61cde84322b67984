/** Which phases run, and with which judges. */
import { configError, usageError } from '../../rows/record.ts'
import { CHOICES, judgeFlag, judgeOf, NO_JUDGE, NUGGETS_OF, type PhaseJudge, phaseJudge } from './judges.ts'
import { type Flag, PHASE_FLAGS, PHASES, type Phase, type Workflow } from './load.ts'
import type { PlanOptions } from './options.ts'

/** The judge of each phase, or NO_JUDGE. @throws Fatal (configuration) for an unsuitable judge */
export async function judgesOf(
  workflow: Workflow,
  options: Pick<PlanOptions, 'judge' | 'nuggetJudge' | 'qrelsJudge'>,
): Promise<Record<Phase, PhaseJudge>> {
  const judge = await judgeOf('judge', workflow, options.judge)
  // The judge is the default for the other phases, if it is suitable.
  const plain = judge.kind === 'python' || (judge.kind === 'grade' && !judge.eachNugget)
  const maker = judge.kind === 'list' ? judge.name : NUGGETS_OF[judge.name]
  const python = judge.kind === 'python' ? judge : NO_JUDGE
  const nugget = await judgeOf('nugget', workflow, options.nuggetJudge)
  const qrels = await judgeOf('qrels', workflow, options.qrelsJudge)
  if (nugget !== NO_JUDGE && nugget.kind !== 'list' && nugget.kind !== 'python')
    throw configError(
      `${nugget.name} cannot make nuggets: that needs a judge of kind list, such as nuggetize`,
    )
  return {
    judge,
    nugget: nugget !== NO_JUDGE ? nugget : maker === undefined ? python : await phaseJudge(maker),
    qrels: qrels === NO_JUDGE && plain ? judge : qrels,
  }
}

/** The phases that run, in order. */
export const runningPhases = (flags: Record<Flag, boolean>): Phase[] =>
  PHASES.filter(
    (phase) => ({ nugget: flags.create_nuggets, qrels: flags.create_qrels, judge: flags.judge })[phase],
  )

/** Phases that run by default: a Python class without the method is left out of them. */
export const optionalPhases = (workflow: Workflow, options: PlanOptions): Phase[] => {
  const given = { ...workflow.flags, ...options.given.flags }
  return PHASES.filter(
    (phase) =>
      ({ nugget: given.create_nuggets, qrels: given.create_qrels, judge: true })[phase] === undefined,
  )
}

/**
 * The flags. The defaults are AutoJudge's, under `seed` those of its first generation.
 * @throws Fatal (configuration) if a running phase has no judge
 */
export function flagsOf(
  workflow: Workflow,
  options: PlanOptions,
  judges: Record<Phase, PhaseJudge>,
): Record<Flag, boolean> {
  const given = { ...workflow.flags, ...options.given.flags }
  const { judge, qrels } = judges
  // Without a file a Python class judges only, as the guide says.
  const judgeOnly = options.seed || (workflow.empty && judge.kind === 'python')
  const judgeUses = given.judge_uses_nuggets ?? true
  const qrelsUses = given.qrels_uses_nuggets ?? true
  const judging = given.judge ?? true
  // The first generation's judge() also returns grades.
  const alongside = judging && judge.kind === 'grade' && !judge.eachNugget
  const used = (judgeUses && judge.usesNuggets) || (qrelsUses && qrels.usesNuggets)
  const flags: Record<Flag, boolean> = {
    create_nuggets: !judgeOnly && used && options.nuggetBanks === undefined,
    create_qrels: judgeOnly ? alongside : (given.judge_uses_qrels ?? true) && qrels.kind !== 'none',
    judge: true,
    nugget_depends_on_responses: true,
    judge_uses_nuggets: true,
    judge_uses_qrels: !options.seed,
    qrels_uses_nuggets: true,
    force_recreate_nuggets: false,
    force_recreate_qrels: false,
    augment_report: false,
  }
  for (const flag of PHASE_FLAGS) flags[flag] = given[flag] ?? flags[flag]
  const nameless = runningPhases(flags).find((phase) => judges[phase] === NO_JUDGE)
  if (nameless !== undefined) throw missing(workflow, nameless)
  return flags
}

function missing({ file, empty }: Workflow, phase: Phase): Error {
  const choices = phase === 'nugget' ? 'nuggetize, rubric_questions, or a judge file of kind list' : CHOICES
  const option = `${judgeFlag(phase)} (${choices}, or module:Class)`
  return empty
    ? usageError(`no judge is named: give a workflow file or ${option}`)
    : configError(`${file}: ${phase}_class is missing: name the judge there or with ${option}`)
}
