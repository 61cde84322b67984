/** A plan's rules: targets, prerequisites and commands. Of make's variables they have `$(CALL)` alone. */
import type { Only } from './given.ts'
import type { PhaseJudge } from './judges.ts'
import type { Phase } from './load.ts'
import { word } from './names.ts'
import type { WorkflowPlan } from './plan.ts'
import { option, PIPE, quoted, words } from './quoting.ts'
import type { Inputs, MakeRule } from './rule.ts'
import { bankOf, configWords, gradesOf, modelOf, settingsOf } from './variables.ts'

const judgeWord = ({ judges }: WorkflowPlan, phase: Phase) => quoted(judges[phase].name)

/** Stands for the rule's step in a recipe. */
export const STEP = '$(step)'

/** Redirects to a file, which appears when it is complete. */
const into = (path: string) => `> ${word(path)}.part && mv -f ${word(path)}.part ${word(path)}`

/** The jb-read command for the phase's judge. */
function readPart(plan: WorkflowPlan, inputs: Inputs, phase: Phase): string {
  const { flags, judges } = plan
  const per = phase === 'nugget' ? 'topic' : judges[phase].kind === 'pairwise' ? 'pair' : 'response'
  const without = leftOut(judges[phase], per)
  const bank = bankOf(plan, phase)
  const grades = gradesOf(plan, phase)
  const more = words(
    bank !== undefined && `--nuggets ${word(bank)}`,
    bank !== undefined && bankFormat(inputs),
    grades !== undefined && `--qrels ${word(grades)}`,
    phase === 'judge' && per === 'response' && flags.augment_report && '--whole',
    without.length > 0 && `--without ${without.join(',')}`,
    ...onlyOf(inputs),
  )
  return words(
    `jb-read autojudge --topics ${word(inputs.topics)}`,
    reads(plan, phase) && inputs.responses !== undefined && `--responses ${word(inputs.responses)}`,
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

/** The topics and runs to which the run is limited. */
const onlyOf = ({ topic, run, limitTopics, limitRuns }: Only) => [
  ...topic.map((one) => option('topic', one)),
  ...run.map((one) => option('run', one)),
  option('limit-topics', limitTopics?.toString()),
  option('limit-runs', limitRuns?.toString()),
]

const bankFormat = ({ bank }: Inputs) => option('bank', bank)

/** Large fields that the judge's prompt does not use, omitted to keep reply files small. */
const leftOut = ({ shows }: PhaseJudge, per: string): string[] =>
  shows && per === 'response'
    ? ['sentences', 'references', 'documents'].filter((field) => !shows.has(field))
    : []

/** The pipe from inputs to replies. */
function askPart(plan: WorkflowPlan, inputs: Inputs, phase: Phase, forced: boolean): string {
  return [
    readPart(plan, inputs, phase),
    words('jb-render', judgeWord(plan, phase), ...settingsOf(plan, phase)),
    words(
      inputs.cache !== undefined && `JB_CACHE=${quoted(inputs.cache)}`,
      'jb-call',
      modelPart(plan, inputs, phase, '--model='),
      forced && '--refresh',
      judgeOption(plan, phase),
      ...inputs.callOptions,
      '$(CALL)',
    ),
  ].join(PIPE)
}

/** The model's option, if the phase has a model. */
function modelPart(plan: WorkflowPlan, inputs: Inputs, phase: Phase, before: string): string | undefined {
  const model = modelOf(plan, inputs, phase)
  return model === undefined ? undefined : before + quoted(model)
}

/** The option for the user's judge file, which filters read only if the command line names it. */
const judgeOption = ({ judges }: WorkflowPlan, phase: Phase) => option('judge', judges[phase].file)

/** The topics to check the output against, unless it is a part. */
const expected = ({ topic, limitTopics, topics }: Inputs) =>
  topic.length === 0 && limitTopics === undefined && `--topics ${word(topics)}`

/** The input files of a phase. */
function inputsOf(plan: WorkflowPlan, inputs: Inputs, phase: Phase): string[] {
  const made = [bankOf(plan, phase), gradesOf(plan, phase), plan.judges[phase].file]
  return [
    inputs.topics,
    ...(reads(plan, phase) ? inputs.responseFiles : []),
    ...made.filter((path) => path !== undefined),
  ]
}

export const configRule = (plan: WorkflowPlan, inputs: Inputs): MakeRule => ({
  kind: 'configs',
  phase: 'judge',
  about: 'the settings, flags, model and git state of the run',
  target: plan.files.config,
  needs: [],
  orderOnly: [],
  command: words(...configWords(plan, inputs)),
  recipe: [`jb-workflow config ${word(plan.files.config)} ${STEP}`],
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
    command: python ? pythonCommand(plan, inputs, 'nugget') : askPart(plan, inputs, 'nugget', forced),
    recipe: python
      ? [`${STEP} to=${word(files.nuggets)}`]
      : [
          `${STEP} | gzip -n > ${word(files.replies.nugget)}`,
          `jb-parse ${word(files.replies.nugget)} | ${words('jb-write nuggets', judgeOption(plan, 'nugget'), expected(inputs), bankFormat(inputs), into(files.nuggets))}`,
        ],
    forced,
    reused: true,
  }
}

/** Replies have their own file, so that changes of later steps do not repeat calls. */
function repliesRule(plan: WorkflowPlan, inputs: Inputs, phase: 'qrels' | 'judge'): MakeRule {
  const forced = phase === 'qrels' && plan.flags.force_recreate_qrels
  const target = plan.files.replies[phase]
  return {
    kind: phase === 'qrels' ? 'grade_replies' : 'judge_replies',
    phase,
    about: 'the replies, made again only for another prompt, model or input',
    target,
    needs: inputsOf(plan, inputs, phase),
    orderOnly: [plan.files.config],
    command: askPart(plan, inputs, phase, forced),
    recipe: [`${STEP} | gzip -n ${into(target)}`],
    forced,
  }
}

/** The command from verdicts to a leaderboard or qrels. */
function reportPart(plan: WorkflowPlan, inputs: Inputs, phase: Phase, format: string): string {
  const missing = plan.configuration.phases[phase].get('on_missing_evals')
  const asks = plan.judges[phase].kind !== 'none'
  return words(
    `jb-write ${format}`,
    judgeOption(plan, phase),
    expected(inputs),
    asks && typeof missing === 'string' && option('on-missing', missing),
    ...settingsOf(plan, phase),
  )
}

export function judgeRules(plan: WorkflowPlan, inputs: Inputs): MakeRule[] {
  const { files, flags, judges } = plan
  const rule = (more: Pick<MakeRule, 'about' | 'command' | 'recipe'> & Partial<MakeRule>): MakeRule => ({
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
        command: pythonCommand(plan, inputs, 'judge'),
        recipe: [
          words(
            `${STEP} to=${word(files.leaderboard)}`,
            flags.augment_report && `reports_to=${word(files.responses)}`,
          ),
        ],
      }),
    ]
  const board = reportPart(plan, inputs, 'judge', quoted(inputs.leaderboardFormat))
  if (judges.judge.kind === 'none') {
    const measured = words(board, '--measure LENGTH --measure RANDOM')
    const command = readPart(plan, inputs, 'judge') + PIPE + measured
    return [rule({ about, needs, command, recipe: [`${STEP} -o ${word(files.leaderboard)}`] })]
  }
  const parse = words('jb-parse', judgeOption(plan, 'judge'), word(files.replies.judge))
  return [
    repliesRule(plan, inputs, 'judge'),
    rule({
      about: `${about}, from the replies`,
      command: board,
      recipe: [`${parse} | ${STEP} -o ${word(files.leaderboard)}`],
    }),
    ...(flags.augment_report
      ? [
          rule({
            kind: 'reports',
            target: files.responses,
            about: 'the responses with their verdicts, from the replies',
            command: 'jb-write responses',
            recipe: [`${parse} | ${STEP} ${into(files.responses)}`],
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
    command: python ? pythonCommand(plan, inputs, 'qrels') : reportPart(plan, inputs, 'qrels', 'qrels'),
    recipe: python
      ? [`${STEP} to=${word(files.qrels)}`]
      : [
          `${words('jb-parse', judgeOption(plan, 'qrels'), word(files.replies.qrels))} | ${STEP} -o ${word(files.qrels)}`,
        ],
    forced: python && flags.force_recreate_qrels,
  }
  return python ? [made] : [repliesRule(plan, inputs, 'qrels'), made]
}

/** Where the qrels go that a Python judge's judge() returns, unless a judge of jb makes them; and the class that may make them. */
function judgesQrels(plan: WorkflowPlan): string[] {
  const to = `qrels_to=${word(plan.files.qrels)}`
  if (!plan.flags.create_qrels) return [to]
  return plan.judges.qrels.kind === 'python' ? [to, `qrels_class=${judgeWord(plan, 'qrels')}`] : []
}

/** The command of a phase whose judge is a Python class. */
function pythonCommand(plan: WorkflowPlan, inputs: Inputs, phase: Phase): string {
  const bank = bankOf(plan, phase)
  const grades = gradesOf(plan, phase)
  const format = inputs.leaderboardFormat === 'trec' ? 'ir_measures' : inputs.leaderboardFormat
  const filters = [
    inputs.topic.length > 0 && `topic:=${JSON.stringify(inputs.topic)}`,
    inputs.run.length > 0 && `run:=${JSON.stringify(inputs.run)}`,
    inputs.limitTopics !== undefined && `limit_topics:=${inputs.limitTopics}`,
    inputs.limitRuns !== undefined && `limit_runs:=${inputs.limitRuns}`,
  ]
  const options = words('--progress never', ...inputs.callOptions, '$(CALL)')
  return [
    words(
      inputs.cache !== undefined && `JB_CACHE=${quoted(inputs.cache)}`,
      `jb-workflow python --python ${quoted(inputs.python)}`,
      ...inputs.passEnv.map((name) => `--pass-env=${quoted(name)}`),
      `-- ${options} ask`,
    ),
    words(
      `phase=${phase} class=${judgeWord(plan, phase)}`,
      plan.judges.nugget.kind === 'python' && `nugget_class=${judgeWord(plan, 'nugget')}`,
      modelPart(plan, inputs, phase, 'model='),
    ),
    words(
      `topics=${word(inputs.topics)}`,
      reads(plan, phase) && inputs.responses !== undefined && `responses=${word(inputs.responses)}`,
      bank !== undefined && `nuggets=${word(bank)}`,
      grades !== undefined && `qrels=${word(grades)}`,
    ),
    words(
      ...(phase === 'judge' ? judgesQrels(plan) : []),
      plan.optional.includes(phase) && 'optional:=true',
      ...filters.map((one) => one && quoted(one)),
      `outdir=${quoted(plan.outDir)}`,
      phase === 'judge' && `format=${quoted(format)}`,
      ...settingsOf(plan, phase),
    ),
  ].join(' \\\n  ')
}
