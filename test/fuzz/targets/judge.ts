/** A judge file: YAML as users write it, among it lm-eval tasks. */
import { writeFileSync } from 'node:fs'
import { BUILTIN_JUDGES } from '../../../src/judges/_load.ts'
import { filter, type Target } from '../_target.ts'

const ITEM =
  '{"question":"q","response_A":"a [[A]]","response_B":"b","response":"r","context":"c","reference":"x"}\n'
const TASK = `task: t
dataset_path: x
doc_to_text: "{{question}}"
metric_list:
  - metric: llm_judge
    judge_prompt_template: "Rate {prediction} from 1 to 10"
    model: m
    api_base: http://127.0.0.1:1/v1
    score_pattern: '(\\d+)'
`
let count = 0

export const target: Target = {
  words: [
    ...[
      'kind: ',
      'fields: ',
      'messages:\n',
      'verdict:\n',
      '  rule: ',
      'label',
      'number',
      'pair',
      'json',
      'option',
    ],
    ...[
      'pattern: ',
      'labels: ',
      'again: ',
      'request: ',
      'templates: ',
      'range: ',
      'schema: ',
      '&a ',
      '*a',
      '!!js',
      '<<: ',
    ],
    ...[
      '{{ question }}',
      '{% for x in y %}',
      '{% include "x" %}',
      "'((a+)+)$'",
      '!function a.b',
      '\n',
      '  ',
      '- ',
      '|\n',
      '? ',
    ],
  ],
  seeds: () => [
    ...['arena_hard', 'mt_bench_rating', 'direct', 'nuggetize', 'pairwise', 'auto_j'].map((name) =>
      BUILTIN_JUDGES.text(name),
    ),
    TASK,
  ],
  async run(input, folder) {
    // A process reads a file once.
    const path = `${folder}/judge${count++}.yaml`
    writeFileSync(path, input)
    const env = { JB_JUDGE: path }
    const rendered = await filter('render', [path, '--order', 'both'], { stdin: ITEM, env })
    const parsed = await filter('parse', ['--judge', path, '--text', 'response_A'], { stdin: ITEM, env })
    return [rendered, parsed]
  },
}
