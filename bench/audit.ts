/** jb-audit of a million trials beside jb-aggregate of the same: CPU time and peak memory. */
import { peakOf, race } from './_bench.ts'
import { comparedRun, judged } from './_rows.ts'

const inputs: [string, string][] = [
  ['1,000,000 items, a trial each', await comparedRun(1)],
  ['500,000 items in both orders', await judged(500_000, 0)],
]
for (const [name, path] of inputs) {
  const commands = { 'jb-aggregate': `bin/jb-aggregate -q ${path}`, 'jb-audit': `bin/jb-audit -q ${path}` }
  await race(name, commands, { 'jb-audit': '< 4' })
  const [least, most] = [
    await peakOf('bin/jb-aggregate', ['-q', path]),
    await peakOf('bin/jb-audit', ['-q', path]),
  ]
  console.log(
    `  peak memory: jb-aggregate ${least.toFixed(0)} MB, jb-audit ${most.toFixed(0)} MB, ${(most / least).toFixed(2)} x  goal < 250 MB`,
  )
}
