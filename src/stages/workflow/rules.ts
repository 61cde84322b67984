/** A plan's rules: targets, prerequisites and commands. makefile_variables.ts sets the variables in `$(…)`. */
import type { Only } from './given.ts'
import type { PhaseJudge } from './judges.ts'
import type { Phase } from './load.ts'
import type { WorkflowPlan } from './plan.ts'
import { isPlainName, option, PIPE, quoted, words } from './quoting.ts'
import type { Inputs, MakeRule } from './rule.ts'
import { bankOf, gradesOf } from './variables.ts'

/** The variable that names a phase's judge. */
export const judgeName = (phase: Phase) => (phase === 'judge' ? 'judge' : `${phase}_judge`)

/** Stands for the rule's step in a recipe. */
export const STEP = '$(step)'

/** Redirects to the target, which appears when it is complete. */
const INTO = '> $@.part && mv -f $@.part $@'

/** The jb-read command for the phase's judge. */
function readPart(plan: WorkflowPlan, inputs: Inputs, phase: Phase): string {
  const { flags, judges } = plan
  const per = phase === 'nugget' ? 'topic' : judges[phase].kind === 'pairwise' ? 'pair' : 'response'
  const without = leftOut(judges[phase], per)
  const bank = bankOf(plan, phase) !== undefined
  const more = words(
    bank && `--nuggets $(${phase}_bank)`,
    bank && inputs.bank !== undefined && '--bank $(bank_format)',
    gradesOf(plan, phase) !== undefined && `--qrels $(${phase}_grades)`,
    phase === 'judge' && per === 'response' && flags.augment_report && '--whole',
    without.length > 0 && `--without ${without.join(',')}`,
    isPart(inputs) && '$(only)',
  )
  return words(
    'jb-read autojudge --topics $(topics)',
    reads(plan, phase) && '--responses $(responses)',
    per !== 'response' && `--per ${per}`,
    more !== '' && `\\\n    ${more}`,
  )
}

/** Whether a phase reads the responses. */
const reads = ({ flags }: WorkflowPlan, phase: Phase) =>
  phase !== 'nugget' || flags.nugget_depends_on_responses

/** Whether the run is limited to some topics or runs. */
export const isPart = ({ topic, run, limitTopics, limitRuns }: Only) =>
  topic.length + run.length > 0 || (limitTopics ?? limitRuns) !== undefined

/** Large fields that the judge's prompt does not use, omitted to keep reply files small. */
const leftOut = ({ shows }: PhaseJudge, per: string): string[] =>
  shows && per === 'response'
    ? ['sentences', 'references', 'documents'].filter((field) => !shows.has(field))
    : []

/** The pipe from inputs to replies. */
function askPart(plan: WorkflowPlan, inputs: Inputs, phase: Phase, forced: boolean): string {
  return [
    readPart(plan, inputs, phase),
    `jb-render $(${judgeName(phase)}) $(${phase}_settings)`,
    words(
      inputs.cache !== undefined && '$(cache)',
      'jb-call',
      modelPart(inputs, phase, '--model='),
      forced && '--refresh',
      judgeOption(plan, phase),
      inputs.callOptions.length > 0 && '$(call_options)',
      '$(CALL)',
    ),
  ].join(PIPE)
}

/** The model's option. Without --model, the variable may be empty: addprefix then yields nothing. */
const modelPart = ({ model }: Inputs, phase: Phase, before: string) =>
  model === undefined ? `$(addprefix ${before},$(${phase}_model))` : `${before}$(${phase}_model)`

/** The option for the user's judge file, which filters read only if the command line names it. */
const judgeOption = ({ judges }: WorkflowPlan, phase: Phase) =>
  judges[phase].file === judges[phase].name
    ? `--judge $(${judgeName(phase)})`
    : option('judge', judges[phase].file)

/** The topics to check the output against, unless it is a part. */
const expected = ({ topic, limitTopics }: Inputs) =>
  topic.length === 0 && limitTopics === undefined && '--topics $(topics)'

/** The input files of a phase. */
function inputsOf(plan: WorkflowPlan, inputs: Inputs, phase: Phase): string[] {
  const made = [bankOf(plan, phase), gradesOf(plan, phase), plan.judges[phase].file]
  return [
    inputs.topics,
    ...(reads(plan, phase) ? inputs.responseFiles : []),
    ...made.filter((path) => path !== undefined),
  ]
}

export const configRule = ({ files }: WorkflowPlan): MakeRule => ({
  kind: 'configs',
  phase: 'judge',
  about: 'the settings, flags, model and git state of the run',
  target: files.config,
  needs: [],
  orderOnly: [],
  step: { name: 'config' },
  recipe: ['jb-workflow config $@ $(config)'],
  forced: false,
})

/** An existing bank is used, whatever its age: its prerequisites are order-only. */
export function nuggetRule(plan: WorkflowPlan, inputs: Inputs): MakeRule {
  const { files, flags } = plan
  const forced = flags.force_recreate_nuggets
  const python = plan.judges.nugget.kind === 'python'
  return {
    kind: 'banks',
    phase: 'nugget',
    about: 'the bank; once it exists it is used unchanged: delete the file to make it again',
    target: files.nuggets,
    needs: [],
    orderOnly: [...inputsOf(plan, inputs, 'nugget'), files.config],
    step: python
      ? pythonStep(plan, inputs, 'nugget')
      : { name: 'nugget_ask', command: askPart(plan, inputs, 'nugget', forced) },
    recipe: python
      ? [`${STEP} to=$@`]
      : [
          `${STEP} | gzip -n > $(nugget_replies)`,
          `jb-parse $(nugget_replies) | ${words('jb-write nuggets', judgeOption(plan, 'nugget'), expected(inputs), inputs.bank !== undefined && '--bank $(bank_format)', INTO)}`,
        ],
    forced,
    reused: true,
  }
}

/** Replies have their own file, so that changes of later steps do not repeat calls. */
function repliesRule(plan: WorkflowPlan, inputs: Inputs, phase: 'qrels' | 'judge'): MakeRule {
  const forced = phase === 'qrels' && plan.flags.force_recreate_qrels
  return {
    kind: phase === 'qrels' ? 'grade_replies' : 'judge_replies',
    phase,
    about: 'the replies, made again only for another prompt, model or input',
    target: plan.files.replies[phase],
    needs: inputsOf(plan, inputs, phase),
    orderOnly: [plan.files.config],
    step: { name: `${phase}_ask`, command: askPart(plan, inputs, phase, forced) },
    recipe: [`${STEP} | gzip -n ${INTO}`],
    forced,
  }
}

/** The command from verdicts to a leaderboard or qrels. */
const reportPart = (plan: WorkflowPlan, inputs: Inputs, phase: Phase, format: string) =>
  words(
    `jb-write ${format}`,
    judgeOption(plan, phase),
    expected(inputs),
    typeof plan.configuration.phases[phase].get('on_missing_evals') === 'string' && `$(${phase}_missing)`,
    `$(${phase}_settings)`,
  )

export function judgeRules(plan: WorkflowPlan, inputs: Inputs): MakeRule[] {
  const { files, flags, judges } = plan
  const rule = (more: Pick<MakeRule, 'about' | 'step' | 'recipe'> & Partial<MakeRule>): MakeRule => ({
    kind: 'leaderboards',
    phase: 'judge',
    target: files.leaderboard,
    needs: [files.replies.judge, inputs.topics],
    orderOnly: [files.config],
    forced: false,
    ...more,
  })
  const about = 'the leaderboard'
  const needs = inputsOf(plan, inputs, 'judge')
  if (judges.judge.kind === 'python')
    return [
      rule({
        about: `${about}, by the Python class`,
        needs,
        step: pythonStep(plan, inputs, 'judge'),
        recipe: [words(`${STEP} to=$@`, flags.augment_report && 'reports_to=$(judge_reports)')],
      }),
    ]
  const board = reportPart(plan, inputs, 'judge', '$(format)')
  if (judges.judge.kind === 'none') {
    const measured = words(board, '--measure LENGTH --measure RANDOM')
    const command = readPart(plan, inputs, 'judge') + PIPE + measured
    return [rule({ about, needs, step: { name: 'judge_board', command }, recipe: [`${STEP} -o $@`] })]
  }
  const parse = words('jb-parse', judgeOption(plan, 'judge'), '$<')
  return [
    repliesRule(plan, inputs, 'judge'),
    rule({
      about: `${about}, from the replies`,
      step: { name: 'judge_board', command: board },
      recipe: [`${parse} | ${STEP} -o $@`],
    }),
    ...(flags.augment_report
      ? [
          rule({
            kind: 'reports',
            target: files.responses,
            about: 'the responses with their verdicts, from the replies',
            step: { name: 'judge_reports', command: 'jb-write responses' },
            recipe: [`${parse} | ${STEP} ${INTO}`],
          }),
        ]
      : []),
  ]
}

export function qrelsRules(plan: WorkflowPlan, inputs: Inputs): MakeRule[] {
  const { files, judges, flags } = plan
  const python = judges.qrels.kind === 'python'
  const made: MakeRule = {
    kind: 'grades',
    phase: 'qrels',
    about: python ? 'the grades, by the Python class' : 'the grades, from the replies',
    target: files.qrels,
    needs: python ? inputsOf(plan, inputs, 'qrels') : [files.replies.qrels, inputs.topics],
    orderOnly: [files.config],
    step: python
      ? pythonStep(plan, inputs, 'qrels')
      : { name: 'qrels_report', command: reportPart(plan, inputs, 'qrels', 'qrels') },
    recipe: python
      ? [`${STEP} to=$@`]
      : [`${words('jb-parse', judgeOption(plan, 'qrels'), '$<')} | ${STEP} -o $@`],
    forced: python && flags.force_recreate_qrels,
  }
  return python ? [made] : [repliesRule(plan, inputs, 'qrels'), made]
}

/** Where the qrels go that a Python judge's judge() returns, unless a judge of jb makes them; and the class that may make them. */
const judgesQrels = ({ flags, judges }: WorkflowPlan): string[] => {
  if (!flags.create_qrels) return ['qrels_to=$(judge_qrels)']
  return judges.qrels.kind === 'python' ? ['qrels_to=$(judge_qrels)', 'qrels_class=$(qrels_judge)'] : []
}

/** The step of a phase whose judge is a Python class. */
function pythonStep(plan: WorkflowPlan, inputs: Inputs, phase: Phase): MakeRule['step'] {
  const { judges } = plan
  const filters = [
    inputs.topic.length > 0 && `topic:=${JSON.stringify(inputs.topic)}`,
    inputs.run.length > 0 && `run:=${JSON.stringify(inputs.run)}`,
    inputs.limitTopics !== undefined && `limit_topics:=${inputs.limitTopics}`,
    inputs.limitRuns !== undefined && `limit_runs:=${inputs.limitRuns}`,
  ]
  const options = words('--progress never', inputs.callOptions.length > 0 && '$(call_options)', '$(CALL)')
  const command = [
    words(
      inputs.cache !== undefined && '$(cache)',
      'jb-workflow python --python $(python)',
      inputs.passEnv.length > 0 && '$(pass_env)',
      `-- ${options} ask`,
    ),
    words(
      `phase=${phase} class=$(${judgeName(phase)})`,
      judges.nugget.kind === 'python' && 'nugget_class=$(nugget_judge)',
      modelPart(inputs, phase, 'model='),
    ),
    words(
      'topics=$(topics)',
      reads(plan, phase) && inputs.responses !== undefined && 'responses=$(responses)',
      bankOf(plan, phase) !== undefined && `nuggets=$(${phase}_bank)`,
      gradesOf(plan, phase) !== undefined && `qrels=$(${phase}_grades)`,
    ),
    words(
      ...(phase === 'judge' ? judgesQrels(plan) : []),
      plan.optional.includes(phase) && 'optional:=true',
      ...filters.map((one) => one && quoted(one)),
      `outdir=${isPlainName(plan.outDir) && plan.outDir !== '.' ? '$(out)' : quoted(plan.outDir)}`,
      phase === 'judge' && 'format=$(format)',
      `$(${phase}_settings)`,
    ),
  ].join(' \\\n  ')
  return { name: `${phase}_python`, command }
}
