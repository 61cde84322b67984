/** The value of `jb`, or the end of a row from there on. */
import { linesOf, randomRows } from '../../rows/_random_jb.ts'
import { filter, type Target } from '../_target.ts'

const HEAD = '{"question":"q","response_A":"a","response_B":"bb","response":"r","label":"A>B","jb":'

export const target: Target = {
  words: [
    ...[
      '"judge":',
      '"verdict":',
      '"result":',
      '"trials":',
      '"reply":',
      '"trial":',
      '"error":',
      '"item":',
      '"usage":',
    ],
    ...[
      '"criterion":',
      '"request":{"messages":[]}',
      '"arena_hard"',
      '"direct"',
      '"pairwise"',
      '"score":',
      '1e308',
    ],
    ...[
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      'null',
      '-1',
      '"__proto__":',
      '"decision":"A>B"',
      '"options":',
      '"of":0',
    ],
  ],
  seeds: () =>
    linesOf(randomRows(60, 5))
      .split('\n')
      .filter((line) => line.length < 4000)
      .map((line) => line.slice(line.indexOf('"jb":') + 5, -1)),
  async run(input) {
    const stdin = Buffer.concat([Buffer.from(HEAD), input, Buffer.from('}\n{"question":"z","jb":{}}\n')])
    const all = ['--bad-rows', 'skip']
    return [
      await filter('call', ['-m', 'baseline:longer', '--no-cache', '--repair', '1', ...all], { stdin }),
      await filter('parse', all, { stdin }),
      await filter('score', all, { stdin }),
      await filter('aggregate', ['--format', 'table', ...all], { stdin }),
      await filter('view', ['--text', ...all], { stdin }),
    ]
  },
}
