/** A workflow.yml: its plan, and the Makefile made of it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from '../../helpers/run.ts'
import { filter, type Target } from '../_target.ts'

export const target: Target = {
  words: [
    ...[
      'variants:\n',
      'sweeps:\n',
      'settings: ',
      'nugget_settings: ',
      'judge_settings: ',
      'create_nuggets: true',
      '$(shell x)',
    ],
    ...[
      '{',
      '}',
      '"',
      "'",
      '\\',
      '#',
      '\n',
      '  ',
      '- ',
      '&a ',
      '*a',
      '<<: ',
      '../',
      '/',
      '\\u0001',
      '%',
      ':',
      '=',
      '`x`',
    ],
  ],
  seeds: () => [
    readFileSync(`${ROOT}fixtures/autojudge/workflow.yml`),
    'create_nuggets: true\nsettings: {filebase: "out", a: [1, 2]}\nvariants: {x: {filebase: "{a}-x"}}\nsweeps: {s: {a: [1, 2], b: [x, y]}}\n',
  ],
  async run(input, folder) {
    const runs = `${folder}/runs`
    mkdirSync(runs, { recursive: true })
    writeFileSync(`${folder}/workflow.yml`, input)
    const given = ['--topics', `${ROOT}fixtures/autojudge/topics.jsonl`, '--responses', runs, '-m', 'm']
    return [
      await filter('workflow', ['workflow.yml', '--all-variants', ...given], { cwd: folder }),
      await filter('workflow', ['workflow.yml', '--all-variants', '--plan'], { cwd: folder }),
    ]
  },
}
