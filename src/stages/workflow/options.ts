import type { FilterSpec, OptionsOf } from '../../options/option.ts'

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
      about: 'the same as FILE; without either, the default workflow',
    },
    { name: 'topics', type: 'string', value: 'FILE', about: 'the topics' },
    { name: 'rag-topics', type: 'string', value: 'FILE', about: 'the same as --topics' },
    { name: 'responses', type: 'string', value: 'DIR', about: 'the runs: all files of this folder' },
    { name: 'rag-responses', type: 'string', value: 'DIR', about: 'the same as --responses' },
    { name: 'nuggets', type: 'string', value: 'FILE', about: 'a bank of yours: judged with, or built on' },
    { name: 'nugget-banks', type: 'string', value: 'FILE', about: 'the same as --nuggets' },
    {
      name: 'bank',
      type: 'string',
      value: 'FORMAT',
      about: 'banks are argue, nuggetizer, ragtime26, or what this small file describes',
    },
    {
      name: 'model',
      short: 'm',
      type: 'string',
      value: 'NAME',
      about: 'the model to ask, where no llm_model names another',
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
        'what model_preferences are looked up in [AUTOJUDGE_AVAILABLE_MODELS, ~/.autojudge/available_models.yml]',
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
      about: 'who judges [judge_class; else rubric with nuggets, relevance without]',
    },
    {
      name: 'nugget-judge',
      type: 'string',
      value: 'JUDGE',
      about: 'who makes nuggets [nugget_class; else rubric_questions for rubric, nuggetize]',
    },
    {
      name: 'qrels-judge',
      type: 'string',
      value: 'JUDGE',
      about: 'who grades for qrels [qrels_class; else the judge where it grades whole responses, relevance]',
    },
    { name: 'variant', type: 'list', value: 'NAME', about: 'run this variant' },
    { name: 'all-variants', type: 'boolean', about: 'run every variant' },
    { name: 'sweep', type: 'list', value: 'NAME', about: 'run every point of this sweep' },
    {
      name: 'set',
      short: 'S',
      type: 'list',
      value: 'KEY=VALUE',
      about: 'a shared setting; a variant’s own comes before it',
    },
    { name: 'set-nugget', short: 'N', type: 'list', value: 'KEY=VALUE', about: 'a setting of nuggets' },
    { name: 'set-qrels', short: 'Q', type: 'list', value: 'KEY=VALUE', about: 'a setting of qrels' },
    { name: 'set-judge', short: 'J', type: 'list', value: 'KEY=VALUE', about: 'a setting of judging' },
    {
      name: 'flag',
      type: 'list',
      value: 'NAME=yes|no',
      about: 'a lifecycle flag, over the file’s: create_nuggets, judge_uses_nuggets, …',
    },
    { name: 'force-recreate-nuggets', type: 'boolean', about: 'make banks anew that are there' },
    { name: 'force-recreate-qrels', type: 'boolean', about: 'make qrels anew that are there' },
    {
      name: 'filebase',
      type: 'string',
      value: 'TEMPLATE',
      about: 'what file names begin with, over the file’s [{_name}]',
    },
    { name: 'out-dir', type: 'string', value: 'DIR', default: '.', about: 'where files are made' },
    { name: 'store-nuggets', type: 'string', value: 'FILE', about: 'the bank’s file' },
    { name: 'leaderboard-file', type: 'string', value: 'FILE', about: 'the leaderboard’s file' },
    {
      name: 'leaderboard-format',
      type: 'string',
      choices: ['trec', 'ir_measures', 'tot', 'rag4reports', 'trec_eval', 'ranking', 'jsonl'],
      value: 'NAME',
      about:
        'the leaderboard’s columns: trec, ir_measures, tot, rag4reports, trec_eval, ranking, jsonl [ir_measures; under --compat seed, tot]',
    },
    { name: 'qrels-output', type: 'string', value: 'FILE', about: 'the qrels’ file' },
    { name: 'topic', type: 'list', value: 'ID', about: 'only these topics; file names begin with tmp-' },
    { name: 'run', type: 'list', value: 'ID', about: 'only these runs; file names begin with tmp-' },
    {
      name: 'compat',
      type: 'string',
      choices: ['seed'],
      about:
        'file names and defaults of AutoJudge’s first generation: .judgment.json, .judgment.qrels, judge only',
    },
    { name: 'plan', type: 'boolean', about: 'print the configurations, one object a line' },
    {
      name: 'jobs',
      short: 'j',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'with run: steps at once',
    },
    { name: 'dry-run', short: 'n', type: 'boolean', about: 'with run: print what would be done' },
    {
      name: 'keep-going',
      short: 'k',
      type: 'boolean',
      about: 'with run: go on with what does not depend on a step that failed',
    },
    {
      name: 'output',
      short: 'o',
      type: 'string',
      value: 'FILE',
      about: 'write the Makefile here; with run: the leaderboard’s file',
    },
  ],
  notes: [
    'A bank that is there is used, however old, unless --force-recreate-nuggets says otherwise; everything else is made again when what it is made from is newer, or its model, settings or options are others. Replies are kept beside the outputs, and calls in jb-call’s cache: a run that was stopped goes on where it was.',
    'Settings go to the judge’s templates and measures as --set KEY=VALUE; filebase, llm_model and on_missing_evals are the toolkit’s.',
    'Where a step of run fails, the exit code is that of the filter that failed.',
  ],
  exitCodes: [0, 1, 2, 65, 66, 69, 70, 74, 75, 77, 78],
  input: 'none',
  // `config` is what Makefiles call: the environment's JB_OUTPUT is not for it.
  ownOutput: ([word]) => word === 'run' || word === 'config',
} as const satisfies FilterSpec

export type WorkflowOptions = OptionsOf<typeof spec>
