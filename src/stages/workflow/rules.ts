/** A plan's rules: which file is made from which, by which pipe. */
import { pythonStr } from '../../python/json.ts'
import { configContent } from './config_file.ts'
import type { PhaseJudge } from './judges.ts'
import type { Phase } from './load.ts'
import { runningPhases } from './phases.ts'
import type { Plan } from './plan.ts'
import { BREAK, folders, into, oneLine, option, PIPE, quoted, sets, words } from './quoting.ts'
import type { Inputs, Rule } from './rule.ts'
import { pythonRule } from './rules_python.ts'
import { setStamp, stampOf } from './stamps.ts'

const REFRESH = '--refresh'

/** A rule's stamp. What asks again is left out of it: that changes replies, not what they are replies to. */
export function stampFor({ target: path, needs, recipe }: Rule, { environment }: Inputs): string {
  const lines = recipe.map((line) => oneLine(line).replace(` ${REFRESH}`, ''))
  const asks = lines.some((line) => line.includes('jb-call'))
  return stampOf(path, [...needs, ...lines, ...(asks ? environment : [])])
}

const ABOUT_BANK = 'the bank, which is used as it is once it is there: delete the file to make it again'

/** A configuration as comments name it, on one line. */
const titleOf = ({ configuration: { name, from, point } }: Plan): string =>
  [
    from === 'default' ? 'default' : `${from} ${name}`,
    ...Object.entries(point).map(([key, value]) => `${key} ${pythonStr(value)}`),
  ]
    .join(', ')
    .replace(/[^\x20-\x7e]|[\\$]/g, '?')
    .slice(0, 60)

const aboutOf = (plan: Plan, phase: Phase, what: string) => `# ${titleOf(plan)}, ${phase}: ${what}`

/** What jb-read makes items of, for a judge of this kind. */
function readPart(plan: Plan, inputs: Inputs, phase: Phase): string {
  const { flags, judges } = plan
  const per = phase === 'nugget' ? 'topic' : judges[phase].kind === 'pairwise' ? 'pair' : 'response'
  const responses = phase !== 'nugget' || flags.nugget_depends_on_responses
  const bank = phase === 'nugget' ? plan.startBank : usesBank(plan, phase) ? plan.bank : undefined
  const without = leftOut(judges[phase], per)
  return words(
    'jb-read autojudge',
    option('topics', inputs.topics),
    responses && option('responses', inputs.responses),
    per !== 'response' && `--per ${per}`,
    bank !== undefined && BREAK + option('nuggets', bank),
    bank !== undefined && option('bank', inputs.bankFormat),
    phase === 'judge' &&
      flags.judge_uses_qrels &&
      plan.qrels !== undefined &&
      BREAK + option('qrels', plan.qrels),
    phase === 'judge' && flags.augment_report && '--whole',
    without.length > 0 && BREAK + option('without', without.join(',')),
    ...inputs.topicFilter.map((topic) => option('topic', topic)),
    ...inputs.runFilter.map((run) => option('run', run)),
    option('limit-topics', inputs.limitTopics?.toString()),
    option('limit-runs', inputs.limitRuns?.toString()),
  )
}

/** Large fields of a response that the judge's prompt does not show: replies would carry them to the disk again. */
const leftOut = ({ shows }: PhaseJudge, per: string): string[] =>
  shows && per === 'response'
    ? ['sentences', 'references', 'documents'].filter((field) => !shows.has(field))
    : []

function usesBank(plan: Plan, phase: Phase): boolean {
  if (plan.bank === undefined) return false
  return phase === 'judge' ? plan.flags.judge_uses_nuggets : plan.flags.qrels_uses_nuggets
}

/** From items to replies. */
function askPart(plan: Plan, inputs: Inputs, phase: Phase, forced = false): string {
  const model = modelOf(plan, inputs, phase)
  return [
    words('jb-render', quoted(plan.judges[phase].name), ...sets(plan.given[phase])),
    words(
      'jb-call',
      option('model', model),
      ...inputs.callOptions,
      forced && REFRESH,
      judgeOption(plan, phase),
      '$(CALL)',
    ),
  ].join(PIPE)
}

/** A configuration's `llm_model` counts before the command's. */
function modelOf(plan: Plan, inputs: Inputs, phase: Phase): string | undefined {
  const { llm_model: own } = plan.configuration.phases[phase]
  return typeof own === 'string' ? own : inputs.model
}

/** The model of `.config.yml`; null where no phase asks one. */
function askedModel(plan: Plan, inputs: Inputs): string | undefined {
  const phase = runningPhases(plan.flags).findLast((one) => plan.judges[one].kind !== 'none')
  return phase && (modelOf(plan, inputs, phase) ?? inputs.usualModel)
}

/** Rows name the judge; a file of the user's is opened where the command line names it as well. */
const judgeOption = (plan: Plan, phase: Phase) => option('judge', plan.judges[phase].file)

const judgeFiles = (plan: Plan, phase: Phase) => plan.judges[phase].file ?? []

/** Topics that the outputs are checked against: not those left out on purpose. */
const expected = ({ topicFilter, limitTopics, topics }: Inputs) =>
  topicFilter.length === 0 && limitTopics === undefined && option('topics', topics)

export function configRule(plan: Plan, inputs: Inputs): Rule {
  return {
    about: `# ${titleOf(plan)}: what is run, with which settings`,
    target: plan.files.config,
    needs: [],
    orderOnly: [],
    recipe: [
      ...folders(plan.files.config),
      `jb-workflow config ${quoted(plan.files.config)} ${quoted(JSON.stringify(configContent(plan, askedModel(plan, inputs))))}`,
    ],
  }
}

/** A bank has its stamp set with it and does not depend on it: it is used, however it was made. */
export function nuggetRule(plan: Plan, inputs: Inputs): { rule: Rule; stamp: string } {
  if (plan.judges.nugget.kind === 'python') {
    const { needs, ...made } = pythonRule(
      plan,
      inputs,
      'nugget',
      modelOf(plan, inputs, 'nugget') ?? inputs.usualModel,
    )
    const rule: Rule = { ...made, needs: [], orderOnly: [...needs, ...made.orderOnly] }
    const stamp = stampFor(rule, inputs)
    return { rule: { ...rule, about: aboutOf(plan, 'nugget', ABOUT_BANK), made: setStamp(stamp) }, stamp }
  }
  const { files, flags } = plan
  const responses = flags.nugget_depends_on_responses ? inputs.responseFiles : []
  const start = plan.startBank === undefined ? [] : [plan.startBank]
  const forced = flags.force_recreate_nuggets
  const rule: Rule = {
    about: aboutOf(plan, 'nugget', ABOUT_BANK),
    target: files.nuggets,
    needs: [],
    orderOnly: [inputs.topics, ...responses, ...start, ...[judgeFiles(plan, 'nugget')].flat(), files.config],
    recipe: [
      ...folders(files.nuggets),
      words(
        `${readPart(plan, inputs, 'nugget')}${PIPE}${askPart(plan, inputs, 'nugget', forced)}${PIPE}tee ${quoted(files.replies.nugget)}${PIPE}${words('jb-parse', judgeOption(plan, 'nugget'))}${PIPE}jb-score --as nuggets`,
        expected(inputs),
        option('bank', inputs.bankFormat),
        into(files.nuggets),
      ),
    ],
    forced,
  }
  const stamp = stampFor(rule, inputs)
  return { rule: { ...rule, made: setStamp(stamp) }, stamp }
}

/** The replies to a phase's questions: a file of their own, so that nothing after them is paid for again. */
function repliesRule(plan: Plan, inputs: Inputs, phase: Phase): Rule {
  const { files, flags } = plan
  const forced = phase === 'qrels' && flags.force_recreate_qrels
  return {
    about: aboutOf(plan, phase, 'replies, which are paid for: made again for another prompt, model or input'),
    target: files.replies[phase],
    needs: [
      inputs.topics,
      ...inputs.responseFiles,
      ...(usesBank(plan, phase) ? [plan.bank!] : []),
      ...(phase === 'judge' && flags.judge_uses_qrels && plan.qrels !== undefined ? [plan.qrels] : []),
      ...[judgeFiles(plan, phase)].flat(),
    ],
    orderOnly: [files.config],
    recipe: [
      ...folders(files.replies[phase]),
      `${readPart(plan, inputs, phase)}${PIPE}${askPart(plan, inputs, phase, forced)} ${into(files.replies[phase])}`,
    ],
    forced,
  }
}

function reportPart(plan: Plan, inputs: Inputs, phase: Phase, format: string, path: string): string {
  const missing = plan.configuration.phases[phase].on_missing_evals
  return words(
    'jb-aggregate --as',
    format,
    judgeOption(plan, phase),
    expected(inputs),
    typeof missing === 'string' && option('on-missing', missing),
    ...sets(plan.given[phase]),
    '-o',
    quoted(path),
  )
}

export function judgeRules(plan: Plan, inputs: Inputs): Rule[] {
  if (plan.judges.judge.kind === 'python')
    return [
      {
        ...pythonRule(plan, inputs, 'judge', modelOf(plan, inputs, 'judge') ?? inputs.usualModel),
        about: aboutOf(plan, 'judge', 'the leaderboard, by the Python class'),
      },
    ]
  const { files, flags, judges } = plan
  const board = reportPart(plan, inputs, 'judge', inputs.leaderboardFormat, files.leaderboard)
  if (judges.judge.kind === 'none')
    return [
      {
        about: aboutOf(plan, 'judge', 'the leaderboard'),
        target: files.leaderboard,
        needs: [inputs.topics, ...inputs.responseFiles],
        orderOnly: [files.config],
        recipe: [
          ...folders(files.leaderboard),
          `${readPart(plan, inputs, 'judge')}${PIPE}${board} --measure LENGTH --measure RANDOM`,
        ],
      },
    ]
  const from = (path: string, what: string, recipe: string): Rule => ({
    about: aboutOf(plan, 'judge', `${what}, from the replies`),
    target: path,
    needs: [files.replies.judge, inputs.topics],
    orderOnly: [files.config],
    recipe: [...folders(path), recipe],
  })
  const parse = words('jb-parse', judgeOption(plan, 'judge'), quoted(files.replies.judge))
  return [
    repliesRule(plan, inputs, 'judge'),
    from(files.leaderboard, 'the leaderboard', `${parse}${PIPE}${board}`),
    ...(flags.augment_report
      ? [
          from(
            files.responses,
            'the responses with what was said of them',
            `${parse}${PIPE}jb-score --as responses ${into(files.responses)}`,
          ),
        ]
      : []),
  ]
}

export function qrelsRules(plan: Plan, inputs: Inputs): Rule[] {
  if (plan.judges.qrels.kind === 'python')
    return [
      {
        ...pythonRule(plan, inputs, 'qrels', modelOf(plan, inputs, 'qrels') ?? inputs.usualModel),
        about: aboutOf(plan, 'qrels', 'the grades, by the Python class'),
      },
    ]
  const { files } = plan
  return [
    repliesRule(plan, inputs, 'qrels'),
    {
      about: aboutOf(plan, 'qrels', 'the grades, from the replies'),
      target: files.qrels,
      needs: [files.replies.qrels, inputs.topics],
      orderOnly: [files.config],
      recipe: [
        ...folders(files.qrels),
        `${words('jb-parse', judgeOption(plan, 'qrels'), quoted(files.replies.qrels))}${PIPE}${reportPart(plan, inputs, 'qrels', 'qrels', files.qrels)}`,
      ],
    },
  ]
}
