import type { FilterSpec, Option, OptionsOf } from '../../options/option.ts'
import { LEADERBOARD_FORMATS } from '../../trec/columns.ts'

/** The result of formatOfName for files that already hold rows. */
export const ROWS = 'rows'

/** The format by the ending of a file's name; undefined for a word without a known ending. */
export function formatOfName(name: string): string | undefined {
  const [, ending] = /\.(csv|tsv|json|jsonl|ndjson|parquet)(?:\.gz)?$/i.exec(name) ?? []
  if (ending === undefined) return undefined
  const formats: Record<string, string> = { csv: 'csv', tsv: 'csv', json: 'json', parquet: 'parquet' }
  return formats[ending.toLowerCase()] ?? ROWS
}

/** An option that only these formats read; help names them. */
const of = <const O extends Option>(formats: readonly string[], option: O) => ({
  ...option,
  formats,
  about: `${formats.join(', ')}: ${option.about}`,
})

export const spec = {
  name: 'jb-read',
  about: 'turns files of other formats into rows',
  operands: '[FORMAT] [FILE…]',
  /** `jb-read data.csv`: the format follows from the ending. */
  positional: (_, operands) => (formatOfName(operands[0] ?? '') === undefined ? ['FORMAT'] : []),
  standalone: ['list', 'completion'],
  noStdin: ([format]) => ['autojudge', 'example', 'ir_datasets', 'minima-llm'].includes(format ?? ''),
  input: 'files',
  examples: [
    { about: 'pairs to try things with', command: 'jb-read example > pairs.jsonl' },
    {
      about: 'a JSON array of any size, in constant memory',
      command: 'jb-read results.json | jb-render vanilla | head -1',
    },
    {
      about: 'published JudgeBench runs, scored again without a call',
      command:
        'jb-read judgebench-outputs outputs/*.jsonl |\n    jb-parse --compat judgebench | jb-aggregate',
    },
    {
      about: 'TREC AutoJudge: an item for each run and topic, with its nuggets',
      command:
        'jb-read autojudge --topics topics.jsonl --responses runs/ --nuggets bank/ |\n    jb-render rubric',
    },
    {
      about: 'what a track’s organizers would refuse in a run, with its place',
      command:
        "jb-read autojudge --check rag26 --topics topics.jsonl run.jsonl |\n    jq -r '[.level, .place, .message] | @tsv'",
    },
    { about: 'list the formats', command: 'jb-read --list' },
  ],
  options: [
    { name: 'list', type: 'boolean', about: 'list the formats, one a line' },
    {
      name: 'completion',
      type: 'string',
      choices: ['bash', 'zsh', 'fish'],
      about: 'tab completion of all filters for this shell: source <(jb-read --completion bash)',
    },
    of(['json'], {
      name: 'at',
      type: 'string',
      value: 'PATH',
      about: 'where the array is in the document, as a dotted path',
    }),
    of(['mt-bench'], {
      name: 'pairs',
      type: 'string',
      value: 'all|MODEL',
      about: 'every two models, or every other model against this one',
    }),
    {
      name: 'topics',
      type: 'string',
      value: 'FILE',
      about: 'autojudge: the topics (JSONL, or a folder with queries.jsonl)',
    },
    of(['autojudge'], {
      name: 'responses',
      type: 'string',
      value: 'DIR',
      about: 'the runs, all files of this folder, three levels deep; or name files after the format',
    }),
    of(['autojudge'], {
      name: 'nuggets',
      type: 'string',
      value: 'FILE',
      about: 'a nugget bank, a file or a folder',
    }),
    {
      name: 'bank',
      type: 'string',
      value: 'FORMAT',
      about:
        'the nugget bank is argue, nuggetizer, ragtime26, or what this small file describes [found by its keys]',
    },
    of(['autojudge'], {
      name: 'qrels',
      type: 'string',
      value: 'FILE',
      about: 'grades to add to each topic',
    }),
    of(['autojudge'], {
      name: 'per',
      type: 'string',
      choices: ['response', 'topic', 'pair'],
      about: 'an item for each of these [response, or topic where there are none]',
    }),
    of(['autojudge'], { name: 'topic', type: 'list', value: 'ID', about: 'only these topics' }),
    of(['autojudge'], { name: 'run', type: 'list', value: 'ID', about: 'only these runs' }),
    of(['autojudge'], {
      name: 'limit-topics',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'only the first N topics',
    }),
    of(['autojudge'], {
      name: 'limit-runs',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'only the first N runs of the files',
    }),
    of(['autojudge'], {
      name: 'check',
      type: 'string',
      value: 'TRACK',
      about:
        'report the problems of the responses by this track’s rules, one row each: dragun25, kiddie, rag25, rag25-autojudge, rag26, ragtime25, ragtime26, or a YAML file with rules; with --strict, smells count as problems',
    }),
    of(['ir_datasets'], {
      name: 'dataset',
      type: 'string',
      value: 'ID',
      about: 'the data set, such as neuclir/1/zh/trec-2023',
    }),
    of(['ir_datasets', 'minima-llm'], {
      name: 'python',
      type: 'string',
      value: 'PYTHON',
      default: 'python3',
      about: 'the Python interpreter that reads the data',
    }),
    of(['autojudge'], {
      name: 'unknown-topics',
      type: 'string',
      choices: ['skip', 'keep', 'stop'],
      default: 'skip',
      about: 'responses to a topic that is not in --topics are left out, kept, or end the run',
    }),
    of(['autojudge'], {
      name: 'without',
      type: 'list',
      value: 'FIELD',
      about:
        'leave this field out of the items of responses, such as documents that no prompt shows (repeatable, or with commas)',
    }),
    of(['autojudge'], {
      name: 'whole',
      type: 'boolean',
      about: 'also each response as its file has it, under `response`',
    }),
    of(['arena-hard', 'arena-battles'], {
      name: 'answers',
      type: 'string',
      value: 'DIR',
      about: 'the folder with the models’ answers, for their length and style',
    }),
    of(['arena-hard'], {
      name: 'baseline',
      type: 'string',
      value: 'MODEL',
      about: 'what v0.1’s judgments compare with [the one model with answers that is not judged]',
    }),
    of(['trec'], {
      name: 'from',
      type: 'string',
      choices: LEADERBOARD_FORMATS,
      about: 'the order of the columns [found by the place of `all`]',
    }),
    {
      name: 'header',
      type: 'string',
      choices: ['auto', 'yes', 'no'],
      default: 'auto',
      about: 'trec: whether line 1 names the columns',
    },
    of(['csv'], {
      name: 'delimiter',
      type: 'string',
      value: 'CHAR',
      about: 'the character between values [a comma, or a tab for .tsv]',
    }),
  ],
  main: ['list', 'at', 'pairs', 'delimiter', 'completion'],
  headings: {
    'TREC AutoJudge': [
      'topics',
      'responses',
      'nuggets',
      'bank',
      'qrels',
      'per',
      'check',
      'topic',
      'run',
      'limit-topics',
      'limit-runs',
      'unknown-topics',
      'without',
      'whole',
      'dataset',
      'python',
    ],
    'Arena-Hard': ['answers', 'baseline'],
    'TREC leaderboards': ['from', 'header'],
  },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec

export type ReadFormatOptions = OptionsOf<typeof spec>
