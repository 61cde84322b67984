import { isCode } from '../../options/judge.ts'
import { limitOption } from '../../options/limit.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { THREADS_OPTION } from '../../options/threads.ts'
import { ORIGINALS } from '../../rows/record.ts'

/** Changes that a sound judge shrugs off. */
export const PROBES = ['null', 'pad', 'quote', 'swap'] as const

export const spec = {
  name: 'jb-render',
  about: 'makes the questions to a judge: each item becomes one or more trials',
  operands: 'JUDGE [FILE…]',
  positional: ['JUDGE'],
  standalone: ['list', 'show', 'list-criteria'],
  examples: [
    {
      about: 'both games of every pair, so that the order of the answers cannot decide',
      command: 'jb-render arena_hard --order both pairs.jsonl | jb-call -m gpt-4o > out.ndjson',
    },
    {
      about: 'see the first prompts before anything is paid',
      command: 'jb-render arena_hard --limit 3 --preview pairs.jsonl | less',
    },
    {
      about: 'a text against a question of your own, with advice on what to mend',
      command: "jb-render direct --criteria 'Is it polite?' --set feedback=true texts.jsonl",
    },
    {
      about: 'a judge of your own: copy one and change it',
      command: 'jb-render arena_hard --show > mine.yaml; jb-render mine.yaml pairs.jsonl',
    },
  ],
  options: [
    {
      name: 'order',
      type: 'string',
      choices: ['ab', 'ba', 'both', 'random', 'alpaca_eval'],
      about:
        'the order in which the answers (or options) are shown; random is drawn by item, alpaca_eval by its instruction as there, and verdicts are in the item’s own terms in any order [ab]',
    },
    {
      name: 'seed',
      type: 'string',
      value: 'TEXT',
      default: '0',
      about: 'another random order, or sample, of the same items',
    },
    {
      name: 'samples',
      type: 'number',
      value: 'N',
      default: 1,
      min: 1,
      max: 10_000,
      integer: true,
      about: 'ask each question N times',
    },
    {
      name: 'criteria',
      type: 'list',
      value: 'FILE|TEXT',
      about:
        'what is judged: a file, FILE#NAME, a name of --list-criteria, @FIELD (each item’s own), or a question',
    },
    {
      name: 'contests',
      type: 'boolean',
      about: 'of several answers each two against each other, not all at once',
    },
    {
      name: 'probe',
      type: 'list',
      value: 'KIND',
      choices: PROBES,
      about:
        'also ask about a changed copy of each item: an answer that says nothing (null), filler that doubles its length (pad), “choose this one” planted in it (quote), the models’ names exchanged (swap); jb-audit reports which changed the verdict',
    },
    {
      name: 'personas',
      type: 'string',
      value: 'FILE',
      about: 'who the judge is, for each criterion: what jb-parse made of the persona judge',
    },
    {
      name: 'map',
      type: 'list',
      value: 'NAME=FIELD',
      about: 'the template’s NAME is the item’s FIELD (dotted path)',
    },
    {
      name: 'set',
      type: 'list',
      value: 'KEY=VALUE',
      about: 'a value the templates see; VALUE is JSON, or else a string',
    },
    {
      name: 'id',
      type: 'string',
      value: 'FIELD',
      about:
        'the field that tells items apart; else the first of pair_id, question_id, id, uid, idx, else a hash of the line',
    },
    {
      name: 'name',
      type: 'string',
      value: 'NAME',
      about: 'a name for this use of the judge, for runs with several',
    },
    {
      name: 'templates',
      type: 'string',
      value: 'DIR',
      about: 'take the prompt from the judge’s original template files in this folder',
    },
    {
      name: 'syntax',
      type: 'string',
      choices: ['jinja', 'format', 'alpaca', 'nunjucks'],
      about: 'the language of the template [the judge file’s, else jinja]',
    },
    {
      name: 'undefined',
      type: 'string',
      choices: ['error', 'empty'],
      default: 'error',
      about: 'a name the item does not have: a failed row, or nothing',
    },
    {
      name: 'compat',
      type: 'string',
      choices: ORIGINALS,
      about:
        'as that original does: the rows carry it, and jb-call --repair and jb-parse read replies by it; lm-eval: fields of doc hide all other names, unknown ones print nothing; evalassist: several criteria without weights have no score',
    },
    limitOption('items'),
    {
      name: 'sample',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'only N items, drawn by their ids and --seed: the same ones in whatever order they come',
    },
    {
      name: 'by',
      type: 'string',
      value: 'FIELD',
      about: 'with --sample: as many of each value of this field as its share of the items',
    },
    { name: 'preview', type: 'boolean', about: 'print the prompts as a person reads them, in place of rows' },
    { name: 'list', type: 'boolean', about: 'the judges there are, with a line each' },
    { name: 'list-criteria', type: 'boolean', about: 'the criteria there are, with a line each' },
    { name: 'show', type: 'boolean', about: 'the judge file, to copy and change' },
    THREADS_OPTION,
  ],
  notes: [
    'JUDGE is a built-in name (--list), a judge file (.yaml, .json, .mjs), or a bare template (.jinja2, .njk, .txt).',
    'A row that is a trial of a judge is an item still: of an item’s trials, which stand together, the first is rendered.',
  ],
  main: [
    'order',
    'samples',
    'criteria',
    'map',
    'set',
    'id',
    'limit',
    'sample',
    'preview',
    'templates',
    'list',
    'show',
  ],
  headings: {
    Trials: ['seed', 'by', 'contests', 'probe', 'personas', 'name', 'list-criteria'],
    Templates: ['syntax', 'undefined', 'compat'],
  },
  threads: ({ limit, sample, preview }, [judge = '']) =>
    (limit ?? sample) === undefined && !preview && !isCode(judge) ? 'rows' : undefined,
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec

export type RenderOptions = OptionsOf<typeof spec>
