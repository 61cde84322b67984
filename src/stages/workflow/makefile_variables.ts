/** The lines of a Makefile that set variables, which the user may edit. */
import { PHASES, type Phase } from './load.ts'
import { inComment, type Names, wrapped } from './names.ts'
import { runningPhases } from './phases.ts'
import type { WorkflowPlan } from './plan.ts'
import { option, quoted } from './quoting.ts'
import type { Inputs, PlannedRule, Variable } from './rule.ts'
import { isPart, judgeName } from './rules.ts'
import { settingText } from './settings.ts'
import { variablesOf } from './variables.ts'

/** A configuration's name for comments, on one line. */
export const titleOf = ({ configuration: { name, from, point } }: WorkflowPlan): string =>
  inComment(
    [
      from === 'default' ? 'default' : `${from} ${name}`,
      ...[...point].map(([key, value]) => `${key} ${settingText(value)}`),
    ].join(', '),
  )

/** The target of each phase. */
const TARGETS = { nugget: 'nuggify', qrels: 'qrels', judge: 'judge' } as const

/** A comment on each phase's variables. */
const ABOUT = {
  nugget: 'the judge that makes nuggets, and its settings',
  qrels: 'the judge that grades for qrels, its settings and nuggets',
  judge: 'the judge, its settings, nuggets and grades; the columns of the leaderboard',
} as const

/** A variable to set: name, comment, words. */
type Given = [name: string, about: string, words: string[]]

export class Variables {
  /** The common beginnings of each configuration's files; empty if one has none. */
  readonly names: readonly string[]
  /** There is only one configuration. */
  readonly single: boolean
  private readonly plans: readonly WorkflowPlan[]
  private readonly placed: readonly PlannedRule[]
  private readonly inputs: Inputs
  private readonly of: Names
  /** Variables by name, for each plan. */
  private readonly values: readonly ReadonlyMap<string, Variable>[]
  /** All phases of all plans ask the same model. */
  private readonly oneModel: boolean
  /** Names of variables of any plan. */
  private readonly all: readonly string[]
  /** Variables that are the same in all plans. */
  private readonly shared: readonly Variable[]

  /** @param pattern whether all files of a phase have pattern rules */
  constructor(
    plans: readonly WorkflowPlan[],
    placed: readonly PlannedRule[],
    inputs: Inputs,
    of: Names,
    pattern: (phase: Phase) => boolean,
  ) {
    this.plans = plans
    this.placed = placed
    this.inputs = inputs
    this.of = of
    this.single = plans.length === 1
    const stems = plans.flatMap((plan) => of.stem(plan, 'judge') ?? [])
    this.names = stems.length === plans.length ? stems : []
    const values = plans.map((plan) =>
      variablesOf(plan, inputs, (path, phase) =>
        pattern(phase) ? of.of(plan, phase, '$*', of.word)(path) : of.word(path),
      ),
    )
    const models = values.flat().filter(({ name }) => name.endsWith('_model'))
    const asking = plans.flatMap(({ flags, judges }) =>
      runningPhases(flags).filter((phase) => judges[phase].kind !== 'none'),
    )
    this.oneModel = models.length === asking.length && new Set(models.map(({ words }) => words[0])).size <= 1
    this.values = values.map(
      (list) =>
        new Map(
          list.map((one): [string, Variable] => {
            const name = this.oneModel && one.name.endsWith('_model') ? 'model' : one.name
            return [name, { ...one, name, words: one.words.map((word) => this.text(word)) }]
          }),
        ),
    )
    this.all = [...new Set(this.values.flatMap((one) => [...one.keys()]))]
    this.shared = this.all.flatMap((name) => {
      const texts = this.values.map((one) => one.get(name)?.words.join(' '))
      return texts.every((text) => text === texts[0]) ? [this.values[0]!.get(name)!] : []
    })
  }

  /** A command with the final names of variables. */
  text(command: string): string {
    return this.oneModel ? command.replace(/\$\((nugget|qrels|judge)_model\)/g, '$(model)') : command
  }

  /** Variables of inputs and options. */
  private given(): Given[] {
    const { inputs, plans } = this
    const { flags, judges } = plans[0]!
    const { limitTopics, limitRuns, responses } = inputs
    const only = [
      ...inputs.topic.map((topic) => option('topic', topic)),
      ...inputs.run.map((run) => option('run', run)),
      option('limit-topics', limitTopics?.toString()),
      option('limit-runs', limitRuns?.toString()),
    ].filter((one) => one !== false)
    const phases = runningPhases(flags)
    const python = phases.some((phase) => judges[phase].kind === 'python')
    const all: [name: string, about: string, words: string[] | undefined | false][] = [
      ['topics', 'inputs: topics, and the runs with their folder', [this.of.word(inputs.topics)]],
      ['responses', '', responses === undefined ? [] : [this.of.word(responses)]],
      ['runs', '', inputs.responseFiles.map(this.of.path)],
      ['only', 'only these topics and runs', isPart(inputs) && only],
      ['out', 'the output directory', this.of.out !== '' && [this.of.out]],
      ['phases', 'the phases to run, of nuggify, qrels and judge', phases.map((phase) => TARGETS[phase])],
      [
        'cache',
        'the cache of replies, in CACHE_DIR',
        inputs.cache !== undefined && [`JB_CACHE=${quoted(inputs.cache)}`],
      ],
      ['python', 'the Python for judges that are Python classes', python && [quoted(inputs.python)]],
      [
        'pass_env',
        'environment variables that these get',
        python && inputs.passEnv.length > 0 && inputs.passEnv.map((name) => `--pass-env=${quoted(name)}`),
      ],
      ['bank_format', 'the format of banks', inputs.bank !== undefined && [quoted(inputs.bank)]],
      ['call_options', 'options of every jb-call', inputs.callOptions.length > 0 && [...inputs.callOptions]],
    ]
    return all.flatMap(([name, about, words]) => (words ? [[name, about, words]] : []))
  }

  private format(): string {
    const { leaderboardFormat: format } = this.inputs
    return this.plans[0]!.judges.judge.kind === 'python' && format === 'trec' ? 'ir_measures' : format
  }

  lines(): string[] {
    const { flags } = this.plans[0]!
    const own = this.all.filter((name) => !this.shared.some((one) => one.name === name))
    const everywhere = new Map(own.map((name) => [name, this.everywhere(name)]))
    const common = [...everywhere].filter(([, words]) => words.length > 0)
    return [
      ...this.given().flatMap(([name, about, words]) => [...heading(about), ...this.set(name, words)]),
      ...heading("Further options of every jb-call: make CALL='-j 64 --base-url http://localhost:8000/v1'"),
      'CALL ?=',
      ...titled('The model', this.common('model')),
      ...runningPhases(flags).flatMap((phase) => this.phaseLines(phase)),
      ...titled('The content of .config.yml: KEY=TEXT and KEY:=JSON', this.common('config')),
      ...titled(
        'What all configurations have in common',
        common.flatMap(([name, words]) => this.set(`every_${name}`, words)),
      ),
      ...(this.names.length > 0
        ? ['', '# Configurations: the beginnings of their file names', wrapped('names :=', this.names)]
        : []),
      ...(own.length > 0 ? this.plans : []).flatMap((plan, i) => [
        ...heading(`${titleOf(plan)}: own values`),
        ...own.flatMap((name) => this.ownLines(plan, name, this.values[i]!.get(name), everywhere.get(name)!)),
      ]),
      '',
    ]
  }

  /** Sets a variable that is the same in all configurations. */
  private common(name: string): string[] {
    const one = this.shared.find((other) => other.name === name)
    return one ? this.set(name, one.words) : []
  }

  private phaseLines(phase: Phase): string[] {
    const model = `${phase}_model`
    const asks = this.plans.some(({ judges }) => judges[phase].kind !== 'none')
    const noModel = asks && !this.oneModel && !this.shared.some(({ name }) => name === model)
    return [
      ...heading(`Phase ${phase}: ${ABOUT[phase]}`),
      ...this.set(judgeName(phase), [quoted(this.plans[0]!.judges[phase].name)]),
      ...(phase === 'judge' ? this.set('format', [this.format()]) : []),
      // Otherwise make would take a variable of the environment, and run what is in it.
      ...(noModel ? this.set(model, []) : []),
      ...this.all.filter((name) => name.startsWith(`${phase}_`)).flatMap((name) => this.common(name)),
    ]
  }

  /** Sets a variable of one configuration. @param common its words that all configurations have */
  private ownLines(
    plan: WorkflowPlan,
    name: string,
    value: Variable | undefined,
    common: readonly string[],
  ): string[] {
    const words = [
      ...(common.length > 0 ? [`$(every_${name})`] : []),
      ...(value?.words ?? []).filter((word) => !common.includes(word)),
    ]
    const scopes = this.scope(plan, value?.phase ?? phaseOf(name))
    return scopes.flatMap((scope) => this.set(`${scope}: ${name}`, words))
  }

  /** The words of a variable in all configurations, if more than one. */
  private everywhere(name: string): string[] {
    const [first, ...others] = this.values.map((one) => one.get(name)?.words ?? [])
    const words = first!.filter((word) => others.every((other) => other.includes(word)))
    return words.length > 1 ? words : []
  }

  /** The targets of a plan's variable. */
  private scope(plan: WorkflowPlan, phase: Phase): string[] {
    const stem = this.of.stem(plan, phase)
    if (stem !== undefined) return [`${this.of.before}${stem}.%`]
    return this.placed
      .filter((one) => one.plan === plan && one.rule.phase === phase)
      .map(({ rule }) => this.of.path(rule.target))
  }

  /** Lines that set a variable. */
  private set(name: string, words: readonly string[]): string[] {
    const deferred = words.some((word) => /\$\*|model\)|\(every_/.test(word))
    return [wrapped(`${name} ${deferred ? '=' : ':='}`, words)]
  }
}

const phaseOf = (name: string) => PHASES.find((phase) => name.startsWith(`${phase}_`)) ?? 'judge'

/** A comment above a group of lines. */
const heading = (text: string): string[] =>
  text === '' ? [] : ['', `# ${text[0]!.toUpperCase()}${text.slice(1)}`]

const titled = (text: string, lines: string[]) => (lines.length > 0 ? [...heading(text), ...lines] : [])
