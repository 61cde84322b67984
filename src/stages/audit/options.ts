import { labelFileOptions } from '../../formats/_label_file.ts'
import { CI_OPTION, ID_OPTION, OUTPUT_OPTION, rescaleOption, SEED_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { COMPAT_OPTION } from '../../scoring/options.ts'

export const spec = {
  name: 'jb-audit',
  about: 'one judge’s card: agreement with people, biases, calibration, corrected estimates',
  operands: '[FILE…]',
  examples: [
    {
      about: 'all sections that the rows allow, as a page',
      command: 'jb-audit --format table verdicts.ndjson',
    },
    {
      about: 'against people, whose labels are in a field',
      command: 'jb-audit --truth human verdicts.ndjson | jq \'select(.section == "agreement")\'',
    },
    {
      about: 'does the judge favour its own model’s answers?',
      command: 'jb-audit --own gpt-6-luna --truth human verdicts.ndjson',
    },
    {
      about: 'the share that people would accept, by the judge’s errors on labelled items',
      command: 'jb-audit --calibration labelled.ndjson verdicts.ndjson',
    },
    {
      about: 'which 50 items to label next; then with their labels',
      command:
        'jb-audit --next 50 verdicts.ndjson > next.ndjson\njb-audit --truth labels.ndjson --weight next.ndjson verdicts.ndjson',
    },
    {
      about: 'does it see planted faults? Exit 1 if it misses more than a fifth of a kind',
      command: 'jb-audit --fail-caught 0.8 verdicts.ndjson',
    },
    {
      about: 'in CI: exit 1 if the judge is not what it was on the same items',
      command: 'jb-audit --since anchors.ndjson today.ndjson --fail-drift 0.02',
    },
    {
      about: 'every night: did the judge move, or the system? Commit or cache watch.json',
      command: 'jb-audit --watch watch.json --system tonight.ndjson --fail-drift 0.02 \\\n    anchors.ndjson',
    },
    {
      about: 'a judge retires: what the new one says of the same anchors',
      command: 'jb-audit --bridge old.ndjson --fail-drift 0.05 new.ndjson',
    },
  ],
  options: [
    {
      name: 'truth',
      type: 'list',
      value: 'FIELD|FILE',
      about:
        'people’s labels: a field (a list, or several options: several annotators; an object: by criterion), or a file of rows with an item and label or labels (jb-view’s page, NDJSON, CSV; MLflow, Langfuse) [label]',
    },
    ...labelFileOptions('--truth'),
    rescaleOption(
      "the scale of people's grades, where it is not the judge's: they are taken to the judge's, end to end",
    ),
    { name: 'value', type: 'string', value: 'FIELD', about: 'the judge’s answer, in rows without results' },
    ID_OPTION,
    {
      name: 'length-a',
      type: 'string',
      value: 'FIELD',
      about:
        'the first answer, or its length as a number: of a text, such as one of jb-read csv, the characters are counted [response_A, output_1, answer_a]',
    },
    {
      name: 'length-b',
      type: 'string',
      value: 'FIELD',
      about: 'the second answer, or its length [response_B, output_2, answer_b]',
    },
    {
      name: 'own',
      type: 'string',
      value: 'MODEL',
      about: 'the judge’s own model, among those whose answers are compared',
    },
    {
      name: 'p',
      type: 'string',
      value: 'FIELD',
      about:
        'a probability: that the judge is right, or, where the truth is 0 or 1, that it is 1 [the verdict’s confidence that it is right]',
    },
    {
      name: 'calibration',
      type: 'string',
      value: 'FILE',
      about:
        'rows of the same judge on other items, with labels: the judge’s errors there correct its share of yes here (Rogan–Gladen)',
    },
    {
      name: 'next',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about:
        'N items to label next, in place of a card, drawn by chance: the less sure the judge, the likelier; rows of item and p',
    },
    {
      name: 'weight',
      type: 'string',
      value: 'FIELD|FILE',
      about:
        'the rows of --next, or the field with p in rows of labels or items: each label counts 1/p (Hájek), one without p 1',
    },
    {
      name: 'since',
      type: 'string',
      value: 'FILE',
      about:
        'earlier rows of the same judge: has it drifted on the items of both? Another judge, model or design is refused (exit 65). One look; for every night --watch',
    },
    {
      name: 'watch',
      type: 'string',
      value: 'FILE',
      about:
        'did the judge move since its base, the first seven nights? Each run on the same anchors is a night, which FILE is told of; it is right however often one looks',
    },
    {
      name: 'system',
      type: 'string',
      value: 'FILE',
      about:
        'with --watch: rows of the same judge on the system’s new answers of that night: did the system move, by a judge that may have?',
    },
    {
      name: 'bridge',
      type: 'string',
      value: 'FILE',
      about:
        'another judge’s rows on the same anchors: how the two differ, whether they are interchangeable within --fail-drift, and other items on its scale',
    },
    {
      name: 'fail-drift',
      type: 'number',
      value: 'D',
      min: 0,
      about:
        'with --since: exit 1 if the share that is right (without labels the mean verdict) changed beyond chance, and by more than D; with --watch if the judge moved by more, the system moved down by more, or the night is not counted; with --bridge unless means are equal within D',
    },
    {
      name: 'fail-caught',
      type: 'number',
      value: 'X',
      min: 0,
      max: 1,
      about:
        'exit 1 if a kind of planted fault (jb-render --probe faults) with 20 items or more is caught in less than X of them, or if more than 1 − X of the unchanged copies are called worse',
    },
    {
      name: 'cluster',
      type: 'string',
      value: 'FIELD|item|none',
      default: 'item',
      about:
        'items with the same value of this field belong together: intervals and p by cluster; item: rows with the same id; none: every row is independent',
    },
    { name: 'by', type: 'list', value: 'FIELD', about: 'also a card for each value of FIELD' },
    {
      name: 'cascade',
      type: 'boolean',
      about:
        'of two files, a small judge’s rows and a big one’s on the same random items: the confidence from which the small one may be trusted (jb-call --where), and what each choice costs',
    },
    {
      name: 'agree',
      type: 'number',
      value: 'SHARE',
      default: 0.95,
      min: 0,
      max: 1,
      about: 'with --cascade: the share of all items whose decision should be the big judge’s',
    },
    SEED_OPTION,
    CI_OPTION,
    {
      name: 'format',
      type: 'string',
      choices: ['json', 'table', 'csv', 'tsv', 'markdown'],
      about:
        'table on a terminal, else json: one object a section, one a line; csv, tsv and markdown: a figure a line',
    },
    OUTPUT_OPTION,
    COMPAT_OPTION,
  ],
  notes: [
    'Sections appear where the rows allow them. Against people: agreement (accuracy, kappa, alpha, AC1, confusion; of numbers also ±1 and the mean error), annotators (with several: how these agree, and the alternative annotator test), calibration, corrected (PPI++ where only part of the items has a label, Rogan–Gladen with --calibration), self-preference (without labels against most of the other judges). With --since: drift; with --watch: watch; with --bridge: bridge. Without: position, length, consistency, majority (of the other judges in the stream), jury (how its members agree), transitivity; of jb-render --probe: probes (changes that should not matter) and faults (those that must make the verdict worse).',
    'With --cluster FIELD (or where ids repeat) shares have Wilson’s interval on the effective number of items (Korn and Graubard 1998), means, kappa, PPI++ and the length effect clustered errors (Liang and Zeger 1986); t in place of the normal distribution below 50 clusters. Rogan–Gladen’s interval is of independent items: --calibration is refused with --cluster FIELD.',
    'A length effect is a correlation: longer answers may be better ones. Labels for PPI++ have to be a random sample of the items, or of --next with --weight. Labels that were there before a draw of --next have p 1 then: give the rows of the last draw alone. The same verdict twice counts once; verdicts on the same item and models that differ fail (`conflict`). Without anything to measure the exit code is 1.',
  ],
  main: ['truth', 'next', 'since', 'by', 'format', 'output'],
  headings: {
    'The same judge later, another one': ['watch', 'system', 'bridge', 'fail-drift'],
    Fields: ['value', 'id', 'item', 'label', 'label-map', 'rescale', 'length-a', 'length-b'],
    Judge: ['own', 'p', 'calibration', 'fail-caught', 'compat'],
    Statistics: ['weight', 'cluster', 'seed', 'ci'],
  },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
  measures: true,
} as const satisfies FilterSpec

export type AuditOptions = OptionsOf<typeof spec>
