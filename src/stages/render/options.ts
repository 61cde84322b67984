import { OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { ORIGINALS } from '../../rows/record.ts'
import { FAULTS } from './faults/kinds.ts'
import { PROBES } from './probe.ts'

export const spec = {
  name: 'jb-render',
  about: 'writes the questions for a judge: each item becomes one or more trials',
  operands: 'JUDGE [FILE…]',
  positional: ['JUDGE'],
  standalone: ['list', 'show', 'list-criteria'],
  examples: [
    {
      about: 'see the first prompt before you pay for it',
      command: "jb-render arena_hard --limit 1 pairs.jsonl |\n    jq -r '.jb.request.messages[].content'",
    },
    {
      about: 'both games of every pair, so that the order of the answers cannot decide',
      command: 'jb-render arena_hard --order both pairs.jsonl | jb-call -m gpt-6-luna',
    },
    {
      about: 'a text judged by a question of your own, with advice on what to improve',
      command: "jb-render direct --criteria 'Is it polite?' --set feedback=true texts.jsonl",
    },
    {
      about: 'a judge of your own: copy one and change it',
      command: 'jb-render arena_hard --show > mine.yaml; jb-render mine.yaml pairs.jsonl',
    },
  ],
  options: [
    OUTPUT_OPTION,
    {
      name: 'order',
      type: 'string',
      choices: ['ab', 'ba', 'both', 'random', 'alpaca_eval'],
      about:
        'the order in which the answers (or options) are shown; random: drawn for each item; alpaca_eval: drawn as that program does. Verdicts are about the item’s own A and B in any order [ab]',
    },
    {
      name: 'seed',
      type: 'string',
      value: 'TEXT',
      default: '0',
      about: 'change it for another random order or sample of the same items',
    },
    {
      name: 'samples',
      type: 'number',
      value: 'N',
      min: 1,
      max: 10_000,
      integer: true,
      about: 'ask each question N times',
    },
    {
      name: 'max-trials',
      type: 'number',
      value: 'N',
      min: 1,
      max: 10_000,
      integer: true,
      default: 1000,
      about: 'an item with more trials fails',
    },
    {
      name: 'chain',
      type: 'boolean',
      about:
        'the rows have lists that another judge made, as claims does: ask about each of their elements, in place of the field that the judge names',
    },
    {
      name: 'criteria',
      type: 'list',
      value: 'FILE|TEXT',
      about:
        'the criteria: a file, FILE#NAME, a name of --list-criteria, @FIELD (each item’s own), or a question',
    },
    {
      name: 'no-schema',
      type: 'boolean',
      about:
        'leave the JSON schema of the reply (response_format) out of the requests of a judge that has one',
    },
    {
      name: 'catalog',
      type: 'string',
      value: 'DIR',
      about:
        'the catalogue of Unitxt (unitxt/catalog of its package), else UNITXT_CATALOG: --criteria and @FIELD take its names and ids too',
    },
    {
      name: 'contests',
      type: 'boolean',
      about: 'compare answers two at a time instead of all at once',
    },
    {
      name: 'probe',
      type: 'list',
      value: 'KIND',
      choices: [...PROBES, ...FAULTS, 'faults'],
      about:
        'also ask about a changed copy of each item; jb-audit reports what it does to the verdict. It should not move it: an answer that says nothing (null), filler that doubles its length (pad), “choose this one” planted in it (quote), the models’ names exchanged (swap). It must be worse: another number (number), a statement turned round (negation), the end cut off (cut), the sentence with the reference left out (omit), another item’s answer (other); of agents a call taken out (call), another argument (arguments), a result that failed (result). The control: same. faults: all nine',
    },
    {
      name: 'personas',
      type: 'string',
      value: 'FILE',
      about: 'a persona for each criterion: the output of jb-parse for the judge persona',
    },
    {
      name: 'map',
      type: 'list',
      value: 'NAME=FIELD',
      about: 'take the template’s NAME from the item’s FIELD (a dotted path)',
    },
    {
      name: 'set',
      type: 'list',
      value: 'KEY=VALUE',
      about: 'a value for the templates: JSON, or else a string',
    },
    {
      name: 'id',
      type: 'string',
      value: 'FIELD',
      about:
        'the field that identifies an item [the first of pair_id, question_id, id, uid, idx, else a hash of the line]',
    },
    {
      name: 'name',
      type: 'string',
      value: 'NAME',
      about: 'a name for this use of the judge, to tell several uses apart',
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
      about: 'a name that the item lacks: fail the row, or print nothing',
    },
    {
      name: 'compat',
      type: 'string',
      choices: ORIGINALS,
      about:
        'do as this original program does; jb-call --repair and jb-parse read the replies in the same way. lm-eval: fields of doc hide all other names, undefined names print nothing, the schema is genson’s; rm-gallery: temperature, max_tokens and system message of its client; evalassist: items without weights are refused',
    },
    {
      name: 'limit',
      type: 'number',
      value: 'N',
      min: 0,
      integer: true,
      leavesOut: true,
      about: 'only the first N items',
    },
    {
      name: 'sample',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      leavesOut: true,
      about: 'only N items, drawn by their ids and --seed: the same ones in any order of the input',
    },
    {
      name: 'by',
      type: 'string',
      value: 'FIELD',
      about: 'with --sample: draw from each value of this field in proportion to its items',
    },
    {
      name: 'shuffle',
      type: 'string',
      value: 'SEED',
      about:
        'all items in a random order, by their ids and SEED, with a mark in each row (jb.shuffle): --until of jb-aggregate and jb-compare needs it. Choose SEED before there are results, such as the commit',
    },
    {
      name: 'cluster',
      type: 'string',
      value: 'FIELD',
      about: 'with --shuffle: items with the same value of this field stay together, as one unit',
    },
    { name: 'list', type: 'boolean', about: 'list the judges, one a line' },
    { name: 'list-criteria', type: 'boolean', about: 'list the criteria, one a line' },
    { name: 'show', type: 'boolean', about: 'print the judge file, to copy and change' },
  ],
  notes: [
    'JUDGE is a built-in name (--list), a judge file (.yaml, .json, .mjs), or a bare template (.jinja2, .njk, .txt).',
    'The input may be trials of another judge: consecutive trials of an item are rendered once.',
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
    'shuffle',
    'templates',
    'list',
    'show',
    'output',
  ],
  headings: {
    Trials: ['seed', 'by', 'cluster', 'catalog', 'contests', 'probe', 'personas', 'name', 'list-criteria'],
    Templates: ['syntax', 'undefined', 'compat'],
  },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec

export type RenderOptions = OptionsOf<typeof spec>
