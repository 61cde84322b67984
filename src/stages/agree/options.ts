import { formatOption, OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { BOARD_FORMATS, BOARD_OPTIONS, HEADER } from '../../trec/options.ts'

export const spec = {
  name: 'jb-agree',
  about: 'says how leaderboards or qrels agree with the true ones (TREC’s meta-evaluation)',
  operands: 'TRUTH [FILE…]',
  positional: ['TRUTH'],
  input: 'files',
  examples: [
    { about: 'a judge’s leaderboard and the assessors’', command: 'jb-agree official.eval.txt my.eval.txt' },
    {
      about: 'from judged rows',
      command: 'jb-write trec verdicts.ndjson | jb-agree official.eval.txt',
    },
    {
      about: 'one figure for each of several judges',
      command: 'jb-agree official.eval.txt --correlation kendall --measure GRADE *.eval.txt',
    },
    { about: 'grades of documents, topic by topic', command: 'jb-agree --max-grade 3 truth.qrels my.qrels' },
  ],
  options: [
    {
      name: 'correlation',
      type: 'list',
      value: 'NAME',
      about:
        'kendall, pearson, spearman, tauap_b, tau_gap, each also NAME@K (the top K by truth) or NAME_per_topic; coverage; bland_altman [kendall, pearson, spearman, tauap_b, tau_gap, kendall@10]',
    },
    ...BOARD_OPTIONS.map((option) =>
      option.name === 'default'
        ? { ...option, about: `${option.about}; of qrels the grade of a document that only one side has` }
        : option,
    ),
    {
      name: 'truth-measure',
      type: 'list',
      value: 'NAME',
      about: 'only this measure of the truth',
    },
    { name: 'run', type: 'list', value: 'ID', about: 'only these runs' },
    {
      name: 'topic',
      type: 'list',
      value: 'ID',
      about: 'only these topics; "all" is computed from them',
    },
    {
      name: 'only-shared',
      type: 'list',
      choices: ['runs', 'topics'],
      about: 'only runs, or topics, that both sides have; "all" is computed from these topics',
    },
    {
      name: 'aggregate',
      type: 'boolean',
      about: 'one row, the mean of every figure over all pairs of measures and all files',
    },
    {
      name: 'diagnostics-dir',
      type: 'string',
      value: 'DIR',
      about: 'also write here what each method compared, run by run',
    },
    {
      name: 'range',
      type: 'list',
      value: 'NAME=LOW:HIGH',
      about: 'with bland_altman: the range of a measure of the truth or the judge; *=LOW:HIGH: of all others',
    },
    {
      name: 'relevant',
      type: 'string',
      value: 'N[,M]',
      default: '1',
      about: 'qrels: the lowest relevant grade, in the truth and (M) in the input',
    },
    {
      name: 'max-grade',
      type: 'string',
      value: 'N[,M]',
      default: '1',
      about: 'qrels: the highest grade, in the truth and (M) in the input; others are clipped to 0 and it',
    },
    {
      name: 'from',
      type: 'string',
      value: 'FORMAT[,FORMAT]',
      about: `the format of the truth and (the second) of the input: ${BOARD_FORMATS.join(', ')} [detected by the column of \`all\`]`,
    },
    HEADER,
    {
      name: 'compat',
      type: 'string',
      choices: ['autojudge'],
      about: 'count NaN and NAME@K as autojudge-evaluate does',
    },
    formatOption('pair of measures, or a topic of qrels'),
    OUTPUT_OPTION,
  ],
  main: [
    'correlation',
    'measure',
    'truth-measure',
    'run',
    'topic',
    'on-missing',
    'aggregate',
    'compat',
    'format',
    'output',
  ],
  headings: {
    'What is compared': ['only-shared', 'default', 'drop-aggregate', 'range'],
    Qrels: ['relevant', 'max-grade'],
    'Files and reports': ['from', 'header', 'diagnostics-dir'],
  },
  notes: [
    'A row is one measure of the truth beside one of the input, or one topic of qrels and MEAN, the mean over topics. Leaderboards are read in each order of columns that jb-write writes; a folder of them counts as one, and nuggets_TOPIC.json files of a folder count as qrels.',
  ],
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec

export type AgreeOptions = OptionsOf<typeof spec>
