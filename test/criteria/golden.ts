/**
 * What EvalAssist (eval-assist 5a1bd42 and Unitxt 20b951e, a stub for the model) gave for inputs of ours, its faults included:
 * fixtures/evalassist.
 */
import { readFileSync } from 'node:fs'
import { ROOT } from '../helpers/run.ts'

export const golden = <T>(name: string): T[] =>
  readFileSync(`${ROOT}fixtures/evalassist/golden-${name}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

export interface Option {
  name: string
  score: number | null
}

export const criterion = (name: string, options: Option[], more: object = {}) => ({
  name,
  description: `Is it ${name}?`,
  to_evaluate_field: 'response',
  context_fields: [],
  options,
  ...more,
})

/** A structured reply. */
export const chose = (option: unknown, more: object = {}) =>
  JSON.stringify({ explanation: 'because', selected_option: option, ...more })
