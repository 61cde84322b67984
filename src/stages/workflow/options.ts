import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { LIFECYCLE } from './lifecycle.ts'
import type { Flag, Phase } from './load.ts'

export const spec = {
  name: 'jb-workflow',
  about: 'turns a workflow.yml (TREC AutoJudge) into a Makefile, and runs it',
  operands: '[run] FILE [TARGET…]',
  examples: [
    {
      about: 'topics and runs to nuggets, leaderboard and qrels, four steps at a time',
      command: 'jb-workflow run workflow.yml --topics topics.jsonl --responses runs/ -m gpt-4o',
    },
    {
      about: 'the Makefile itself, for make or any engine that reads one',
      command: 'jb-workflow workflow.yml --topics topics.jsonl --responses runs/ > Makefile\nmake -j4',
    },
    {
      about: 'what a sweep would run, without running it',
      command:
        "jb-workflow workflow.yml --sweep threshold-grid --plan |\n    jq -c '[.name, .files.leaderboard]'",
    },
    {
      about: 'nuggets alone (targets: nuggify, qrels, judge, or a file)',
      command: 'jb-workflow run workflow.yml nuggify --topics topics.jsonl -m gpt-4o',
    },
  ],
  options: [
    {
      name: 'workflow',
      short: 'w',
      type: 'string',
      value: 'FILE',
      about: 'the same as FILE [the default workflow]',
    },
    { name: 'topics', type: 'string', value: 'FILE', about: 'the topics' },
    { name: 'rag-topics', type: 'string', value: 'FILE', about: 'the same as --topics' },
    { name: 'responses', type: 'string', value: 'DIR', about: 'the runs: all files of this folder' },
    { name: 'rag-responses', type: 'string', value: 'DIR', about: 'the same as --responses' },
    {
      name: 'nuggets',
      type: 'string',
      value: 'FILE',
      about: 'your own nugget bank: the judge uses it, or new nuggets are added to it',
    },
    { name: 'nugget-banks', type: 'string', value: 'FILE', about: 'the same as --nuggets' },
    {
      name: 'bank',
      type: 'string',
      value: 'FORMAT',
      about: 'the format of nugget banks: argue, nuggetizer, ragtime26, or a small file that describes yours',
    },
    {
      name: 'model',
      short: 'm',
      type: 'string',
      value: 'NAME',
      about: 'the model, unless the workflow’s llm_model names another',
    },
    {
      name: 'llm-config',
      type: 'string',
      value: 'FILE',
      about: 'llm-config.yml: model and endpoint, or model_preferences',
    },
    {
      name: 'available-models',
      type: 'string',
      value: 'FILE',
      about:
        'the models that model_preferences can name [AUTOJUDGE_AVAILABLE_MODELS, ~/.autojudge/available_models.yml]',
    },
    {
      name: 'call',
      type: 'string',
      value: 'OPTIONS',
      dash: true,
      about: "further options of every jb-call, as one text, split into words: --call '-j 64 --base-url URL'",
    },
    {
      name: 'judge',
      type: 'string',
      value: 'JUDGE',
      about: 'the judge [the file’s judge_class]',
    },
    {
      name: 'nugget-judge',
      type: 'string',
      value: 'JUDGE',
      about:
        'the judge that makes nuggets [nugget_class; rubric_questions for rubric, nuggetize for nugget_assign]',
    },
    {
      name: 'qrels-judge',
      type: 'string',
      value: 'JUDGE',
      about: 'the judge that grades for qrels [qrels_class; else the judge, if it grades whole responses]',
    },
    ...LIFECYCLE,
    {
      name: 'python',
      type: 'string',
      value: 'PYTHON',
      default: 'python3',
      about: 'the Python that runs judges given as Python classes (module:Class)',
    },
    { name: 'pass-env', type: 'list', value: 'NAME', about: 'a further variable for Python judges' },
    {
      name: 'corpus',
      type: 'string',
      value: 'WHERE',
      about: 'passed unchanged to Python judges: a folder, an ir_datasets id or an address of documents',
    },
    { name: 'variant', type: 'list', value: 'NAME', about: 'run this variant' },
    { name: 'all-variants', type: 'boolean', about: 'run every variant' },
    { name: 'sweep', type: 'list', value: 'NAME', about: 'run every point of this sweep' },
    {
      name: 'set',
      short: 'S',
      type: 'list',
      value: 'KEY=VALUE',
      about: 'a setting of all phases; a variant’s own value overrides it',
    },
    {
      name: 'set-nugget',
      short: 'N',
      type: 'list',
      value: 'KEY=VALUE',
      about: 'a setting for making nuggets',
    },
    { name: 'set-qrels', short: 'Q', type: 'list', value: 'KEY=VALUE', about: 'a setting for making qrels' },
    { name: 'set-judge', short: 'J', type: 'list', value: 'KEY=VALUE', about: 'a setting for judging' },
    { name: 'nset', type: 'list', value: 'KEY=VALUE', about: 'the same as --set-nugget' },
    { name: 'qset', type: 'list', value: 'KEY=VALUE', about: 'the same as --set-qrels' },
    { name: 'jset', type: 'list', value: 'KEY=VALUE', about: 'the same as --set-judge' },
    {
      name: 'ignore-settings',
      type: 'list',
      value: 'NAME',
      about: 'ignore this setting if it has no effect, instead of an error (repeatable, or with commas)',
    },
    {
      name: 'flag',
      type: 'list',
      value: 'NAME=yes|no',
      about: 'override a lifecycle flag of the file: create_nuggets, judge_uses_nuggets, …',
    },
    {
      name: 'filebase',
      type: 'string',
      value: 'TEMPLATE',
      about: 'the beginning of file names, overriding the file’s [{_name}]',
    },
    { name: 'out-dir', type: 'string', value: 'DIR', default: '.', about: 'the output directory' },
    { name: 'store-nuggets', type: 'string', value: 'FILE', about: 'write the nugget bank to FILE' },
    { name: 'leaderboard-file', type: 'string', value: 'FILE', about: 'write the leaderboard to FILE' },
    {
      name: 'leaderboard-format',
      type: 'string',
      choices: ['trec', 'ir_measures', 'tot', 'rag4reports', 'trec_eval', 'ranking', 'jsonl'],
      value: 'NAME',
      about:
        'the leaderboard’s columns: trec, ir_measures, tot, rag4reports, trec_eval, ranking, jsonl [ir_measures; under --compat seed, tot]',
    },
    { name: 'qrels-output', type: 'string', value: 'FILE', about: 'write the qrels to FILE' },
    {
      name: 'qrels-input',
      type: 'string',
      value: 'FILE',
      about: 'your own qrels for the judge, if the run makes none',
    },
    {
      name: 'limit-topics',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'only the first N topics; file names begin with tmp-',
    },
    {
      name: 'limit-runs',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'only the first N runs of the files; file names begin with tmp-',
    },
    { name: 'topic', type: 'list', value: 'ID', about: 'only these topics; file names begin with tmp-' },
    { name: 'run', type: 'list', value: 'ID', about: 'only these runs; file names begin with tmp-' },
    {
      name: 'compat',
      type: 'string',
      choices: ['seed'],
      about:
        'use the file names and defaults of AutoJudge’s first generation: .judgment.json, .judgment.qrels, judge only',
    },
    { name: 'plan', type: 'boolean', about: 'print the configurations, one JSON object per line' },
    {
      name: 'jobs',
      short: 'j',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'with run: the number of concurrent steps',
    },
    {
      name: 'dry-run',
      short: 'n',
      type: 'boolean',
      about: 'with run: print the commands without running them',
    },
    {
      name: 'keep-going',
      short: 'k',
      type: 'boolean',
      about: 'with run: after a step fails, go on with the steps that do not depend on it',
    },
    {
      name: 'output',
      short: 'o',
      type: 'string',
      value: 'FILE',
      about: 'write the Makefile to FILE; with run, the leaderboard',
    },
  ],
  notes: [
    'An existing nugget bank is used, whatever its age, unless --force-recreate-nuggets is given. Every other file is made again when its inputs are newer, or when its model, settings or options have changed. Replies are kept beside the outputs and in jb-call’s cache, so that an interrupted run can be continued.',
    'Settings reach the judge’s templates and measures as --set KEY=VALUE, all but filebase, llm_model and on_missing_evals, which jb-workflow reads itself.',
    'When a step of run fails, the exit code is 1, and the message above says why. Recipes need make, bash and gzip.',
  ],
  main: ['topics', 'responses', 'nuggets', 'model', 'call', 'judge', 'variant', 'out-dir', 'jobs', 'dry-run'],
  headings: {
    'Judges and settings': [
      'nugget-judge',
      'qrels-judge',
      'python',
      'pass-env',
      'set',
      'set-nugget',
      'set-qrels',
      'set-judge',
      'nset',
      'qset',
      'jset',
      'ignore-settings',
      'flag',
      'all-variants',
      'sweep',
    ],
    Input: [
      'workflow',
      'rag-topics',
      'rag-responses',
      'nugget-banks',
      'bank',
      'corpus',
      'topic',
      'run',
      'limit-topics',
      'limit-runs',
    ],
    'Lifecycle flags': LIFECYCLE.map(({ name }) => name),
    Models: ['llm-config', 'available-models'],
    Files: [
      'filebase',
      'store-nuggets',
      'leaderboard-file',
      'leaderboard-format',
      'qrels-output',
      'qrels-input',
      'output',
      'compat',
    ],
    Running: ['plan', 'keep-going'],
  },
  exitCodes: [0, 1, 2, 65, 66, 69, 70, 74, 75, 77, 78],
  input: 'none',
  // `config` is what Makefiles call: the environment's JB_OUTPUT is not for it.
  ownOutput: ([word]) => word === 'run' || word === 'config' || word === 'python',
} as const satisfies FilterSpec

export type WorkflowOptions = OptionsOf<typeof spec>

type Always = 'variant' | 'allVariants' | 'sweep' | 'set' | 'outDir' | 'ignoreSettings'

/** What configurations run, and how their files are called. */
export type PlanOptions = Partial<WorkflowOptions> &
  Pick<WorkflowOptions, Always> & {
    /** KEY=VALUE of -N, -Q, -J. */
    setPhase: Record<Phase, readonly string[]>
    /** Flags that override the file's. */
    flags: Partial<Record<Flag, boolean>>
    /** Names and defaults of AutoJudge's first generation. */
    seed: boolean
    /** Prefix of file names, for a part of the topics or runs. */
    prefix: string
  }
