/** Bytes as NDJSON: every way to take bad rows, and the stages that read the user's own keys. */
import { readFileSync } from 'node:fs'
import { ROOT } from '../../helpers/run.ts'
import { filter, type Target } from '../_target.ts'

export const target: Target = {
  words: [
    '"jb":',
    '{',
    '}',
    '[',
    '\\u0000',
    '\u2028',
    '\ufeff',
    '\r\n',
    '1e400',
    '"__proto__":',
    '\\ud800',
    'null',
  ],
  seeds: () => [
    ...readFileSync(`${ROOT}fixtures/pairs.jsonl`, 'utf8').split('\n').slice(0, 3),
    '{"id":12345678901234567890,"question":"q","response_A":"a","response_B":"b","n":1.0,"n":1e400,"jb":{}}',
    '\ufeff{"question":"é\\u00e9\\ud83d\\ude00","response_A":"","response_B":null,"a":{"b":[1,{"c":[]}]}}\r\n\r\n{"x":1}',
  ],
  run: async (stdin) => [
    await filter('render', ['arena_hard', '--order', 'both', '--bad-rows', 'pass'], { stdin }),
    await filter('render', ['direct', '--criteria', 'conciseness', '--bad-rows', 'skip'], { stdin }),
    await filter('parse', ['--judge', 'vanilla', '--text', 'response_A'], { stdin }),
    await filter('aggregate', ['--by', 'question', '--format', 'table'], { stdin }),
  ],
}
