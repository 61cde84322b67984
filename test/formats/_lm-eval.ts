/** Task files of lm-eval with one llm_judge. */

export const task = (entry: string, more = '') =>
  `${more}task: t\nmetric_list:\n  - metric: llm_judge\n${entry.replace(/^/gm, '    ')}\n`

export const simple = task('prompt_template: "Rate {{ prediction }}"')
