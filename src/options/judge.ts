/** `--judge` of the filters that need the judge files that rows name. */
import type { Option } from './option.ts'

export const JUDGE_OPTION = {
  name: 'judge',
  type: 'list',
  value: 'JUDGE',
  separator: ':',
  about:
    'a judge file that rows may name (repeatable; JB_JUDGE=a.yaml:b.mjs): built-in judges need none, and no other file is opened for a row',
} as const satisfies Option

/** Whether a judge is the user's code, which may keep state from one row to the next. */
export const isCode = (judge: string) => /\.mjs(#|$)/.test(judge)
