import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import type { Given } from './given.ts'

export const spec = {
  name: 'jb-workflow',
  about: 'runs a workflow.yml (TREC AutoJudge), or turns it into a Makefile',
  operands: '[run|nuggify|judge] [FILE] [TARGET…]',
  examples: [
    {
      about: 'nuggets, leaderboard and qrels, four steps at a time',
      command:
        'jb-workflow run workflow.yml --rag-topics topics.jsonl --rag-responses runs/ \\\n    -m gpt-6-luna -j4',
    },
    {
      about: 'FILE alone: the Makefile, for make or any engine that reads one',
      command: 'jb-workflow workflow.yml --rag-responses runs/ > Makefile; make -j4',
    },
    {
      about: 'what a sweep would run',
      command: 'jb-workflow run workflow.yml --sweep grid --plan | jq .files.leaderboard',
    },
  ],
  options: [
    { name: 'workflow', short: 'w', type: 'string', value: 'FILE', about: 'the same as FILE' },
    {
      name: 'rag-topics',
      type: 'string',
      value: 'FILE',
      about: 'the topics [beside the runs: README.md, topics.jsonl]',
    },
    { name: 'rag-responses', type: 'string', value: 'DIR', about: 'the runs: all files of this folder' },
    {
      name: 'nugget-banks',
      type: 'string',
      value: 'FILE',
      about: 'your nugget bank, to judge with or to add to',
    },
    { name: 'judge', type: 'string', value: 'JUDGE', about: 'module:Class, or a judge of jb [judge_class]' },
    {
      name: 'nugget-judge',
      type: 'string',
      value: 'JUDGE',
      about: 'the judge that makes nuggets [nugget_class]',
    },
    {
      name: 'qrels-judge',
      type: 'string',
      value: 'JUDGE',
      about: 'the judge that grades for qrels [qrels_class]',
    },
    {
      name: 'python',
      type: 'string',
      value: 'PYTHON',
      default: 'python3',
      about: 'the Python of such classes',
    },
    { name: 'pass-env', type: 'list', value: 'NAME', about: 'a further variable for these' },
    { name: 'variant', type: 'list', value: 'NAME', about: 'run this variant' },
    { name: 'all-variants', type: 'boolean', about: 'run every variant' },
    { name: 'sweep', type: 'list', value: 'NAME', about: 'run every point of this sweep' },
    {
      name: 'set',
      short: 'S',
      type: 'list',
      value: 'KEY=VALUE',
      about:
        'a setting, judge.KEY for one phase (nugget, qrels), or a key at the file’s top (create_nuggets=no)',
    },
    {
      name: 'only',
      type: 'list',
      value: 'KIND=VALUE',
      about: 'topic=ID, run=ID, the first topics=N, runs=N: names begin with tmp-',
    },
    { name: 'force-recreate-nuggets', type: 'boolean', about: 'make nugget banks that exist again' },
    {
      name: 'model',
      short: 'm',
      type: 'string',
      value: 'NAME',
      noEnv: true,
      about: 'the model [settings’ llm_model]',
    },
    { name: 'llm-config', type: 'string', value: 'FILE', about: 'model and endpoint, or model_preferences' },
    {
      name: 'call',
      type: 'string',
      value: 'OPTIONS',
      dash: true,
      about: "of every jb-call, in one text: --call '-j 64'",
    },
    { name: 'out-dir', type: 'string', value: 'DIR', default: '.', about: 'the folder of all outputs' },
    { name: 'store-nuggets', type: 'string', value: 'FILE', about: 'the name of the nugget bank' },
    {
      name: 'output',
      short: 'o',
      type: 'string',
      value: 'FILE',
      about: 'the name of the leaderboard; of a Makefile that is printed',
    },
    {
      name: 'leaderboard-format',
      type: 'string',
      choices: ['trec', 'ir_measures', 'tot', 'rag4reports', 'trec_eval', 'ranking', 'jsonl'],
      about: 'how the leaderboard is written [ir_measures; of the first generation: tot]',
    },
    {
      name: 'compat',
      type: 'string',
      choices: ['seed', 'none'],
      about: 'seed: names and defaults of AutoJudge’s first generation [by the judge’s imports]',
    },
    { name: 'plan', short: 'n', type: 'boolean', about: 'print the configurations as JSON, run nothing' },
    { name: 'jobs', short: 'j', type: 'number', value: 'N', min: 1, integer: true, about: 'steps at once' },
  ],
  main: [
    'rag-topics',
    'rag-responses',
    'judge',
    'variant',
    'all-variants',
    'sweep',
    'set',
    'force-recreate-nuggets',
    'model',
    'out-dir',
    'output',
    'plan',
    'jobs',
  ],
  headings: {
    'Judges and nuggets': ['nugget-banks', 'nugget-judge', 'qrels-judge', 'store-nuggets', 'compat'],
    'Python judges': ['python', 'pass-env'],
    Calls: ['llm-config', 'call'],
  },
  exitCodes: [0, 1, 2, 65, 66, 69, 70, 74, 75, 77, 78],
  input: 'none',
  // `config` is what Makefiles call: the environment's JB_OUTPUT is not for it.
  ownOutput: ([word]) => word === undefined || ['run', 'nuggify', 'judge', 'config', 'python'].includes(word),
} as const satisfies FilterSpec

export type WorkflowOptions = OptionsOf<typeof spec>

type Always = 'variant' | 'allVariants' | 'sweep' | 'outDir'

/** What configurations run, and how their files are called. */
export type PlanOptions = Partial<WorkflowOptions> &
  Pick<WorkflowOptions, Always> & {
    /** What the command line replaces in the file. */
    given: Given
    /** Names and defaults of AutoJudge's first generation. */
    seed: boolean
    /** Prefix of file names, for a part of the topics or runs. */
    prefix: string
    /** The leaderboard's name. */
    output?: string
  }
