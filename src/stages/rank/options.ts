import {
  bootstrapOption,
  CI_OPTION,
  formatOption,
  ID_OPTION,
  OUTPUT_OPTION,
  SEED_OPTION,
  shardOptions,
} from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'

export const spec = {
  name: 'jb-rank',
  about: 'ranks models by their battles: a leaderboard with intervals',
  operands: '[FILE…]',
  examples: [
    {
      about: 'battles of any kind: mean score against one baseline, else Bradley–Terry',
      command: 'jb-rank battles.jsonl --format table',
    },
    {
      about: 'arena-hard’s table from its own files, oddities included',
      command: 'jb-read arena-hard data/arena-hard-v0.1 |\n    jb-rank --compat arena-hard --as arena-hard',
    },
    {
      about: 'at equal length and style',
      command:
        'jb-read arena-hard data/arena-hard-v0.1 \\\n    --answers data/arena-hard-v0.1/model_answer |\n    jb-rank --control style',
    },
    {
      about: 'judge the battles that tell most until the best three are known (one round)',
      command: 'jb-rank --top 3 --next 64 --answers answers.jsonl battles.ndjson > next.jsonl',
    },
    {
      about: 'shards on many machines',
      command: 'jb-rank --partial a.jsonl > a.state\njb-rank --merge a.state b.state',
    },
  ],
  options: [
    {
      name: 'method',
      type: 'string',
      choices: ['mean', 'bt'],
      about:
        'mean score, or Bradley–Terry [mean if one model (the baseline, if given) is in every battle, else bt]',
    },
    {
      name: 'models',
      type: 'string',
      value: 'FIELD,FIELD',
      about:
        'fields with the names of the two models [model_a,model_b; model_1,model_2; generator_1,generator_2]',
    },
    ID_OPTION,
    {
      name: 'baseline',
      type: 'string',
      value: 'MODEL',
      about: 'scores are against this model [mean: the one in every battle; bt: the average model]',
    },
    {
      name: 'strong',
      type: 'number',
      value: '1|3',
      min: 1,
      max: 100,
      integer: true,
      about: 'how many votes a strong verdict is [1]',
    },
    {
      name: 'ridge',
      type: 'number',
      value: 'L',
      default: 0,
      min: 0,
      about: 'bt: subtract L/2 · Σ r² from the log-likelihood, so that unbeaten models have a rating, too',
    },
    {
      name: 'control',
      type: 'list',
      value: 'WHAT',
      about:
        'at equal length, markdown, style (both), or FIELD (FIELD_a and FIELD_b, or a difference); or alpaca_eval’s length_controlled_v1=df_gamed.csv',
    },
    {
      name: 'compat',
      type: 'string',
      choices: ['arena-hard', 'arena-hard-v2', 'chatbot-arena', 'alpaca_eval', 'none'],
      about: 'rank as that original does; none: not as jb.compat',
    },
    {
      name: 'cluster',
      type: 'string',
      value: 'FIELD|item|none',
      about:
        'what is resampled, and errors are clustered by: items, values of a field, or each battle for itself [item]',
    },
    { name: 'by', type: 'list', value: 'FIELD', about: 'a leaderboard for each value of FIELD' },
    {
      name: 'top',
      type: 'string',
      value: 'K[,D]',
      about:
        'are the best K known, up to a margin of D in win rate [0.05]? Exit 0 if so, exit 1 if not; wrong in at most 5 %, however often one looks',
    },
    {
      name: 'next',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about:
        'the N battles that tell most, as rows for jb-render, in place of a leaderboard; exit 1 if there are none',
    },
    {
      name: 'answers',
      type: 'list',
      value: 'FILE',
      about: 'the models’ answers, one a line, from which --next chooses',
    },
    {
      ...bootstrapOption('intervals from N resamples; 0: closed forms (clustered errors, sandwich) [0]'),
      default: undefined,
    },
    SEED_OPTION,
    { ...CI_OPTION, default: undefined, about: `${CI_OPTION.about} [${CI_OPTION.default}]` },
    {
      name: 'show',
      type: 'string',
      choices: ['pairs', 'controls'],
      about: 'instead of a leaderboard: wins, ties and losses of every two models; coefficients of --control',
    },
    {
      name: 'as',
      type: 'string',
      choices: ['arena-hard', 'arena-hard-csv', 'alpaca_eval', 'chatbot-arena'],
      about: 'the original’s own table or CSV',
    },
    ...shardOptions('leaderboard'),
    formatOption('model'),
    OUTPUT_OPTION,
  ],
  notes: [
    'Battles are rows with two models’ names and jb’s verdicts, a `winner` (model_a, model_b, tie, both_bad) or alpaca_eval’s `preference`. Battles that failed or have no winner, and those of a model against itself, are counted but not used. Of two answers each game is a battle; if one of them failed, the others are not used either, so that no order has more games (--compat arena-hard and chatbot-arena use them). A verdict of jb’s that is there twice counts once, other battles count each time; verdicts on the same item and models that differ fail (`conflict`). Items that jb-render --probe changed are left out.',
    'A score is the mean of wins and half the ties, in percent, or by bt the chance to beat the baseline. `ranks` are the best and the worst rank that the intervals allow. Bradley–Terry has no finite rating for a model that never lost or never won against the others (`never_lost`, `never_won`, `one_way`): --ridge gives one. If there is no battle to rank, the exit code is 1. A leaderboard has at most 2,000 models.',
  ],
  main: ['top', 'next', 'method', 'baseline', 'control', 'by', 'show', 'as', 'compat', 'format', 'output'],
  headings: {
    Input: ['answers', 'models', 'id', 'strong', 'cluster'],
    'Model of the ratings': ['ridge'],
    Intervals: ['bootstrap', 'ci', 'seed'],
    Shards: ['partial', 'merge'],
  },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75],
  measures: true,
} as const satisfies FilterSpec

export type RankOptions = OptionsOf<typeof spec>
