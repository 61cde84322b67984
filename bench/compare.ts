/** jb-compare of two runs of a million items beside jb-aggregate of one of them: files, files in another order, pipes. */
import { race } from './_bench.ts'
import { comparedRun } from './_rows.ts'

const [a, b, shuffled] = [await comparedRun(1), await comparedRun(2), await comparedRun(2, true)]
await race(
  'jb-compare: two runs of 1,000,000 items, beside jb-aggregate of one',
  {
    'jb-aggregate': `bin/jb-aggregate ${a}`,
    'jb-compare': `bin/jb-compare ${a} ${b}`,
    'in another order': `bin/jb-compare ${a} ${shuffled}`,
  },
  { 'jb-compare': '< 3' },
)
await race('the same of pipes', {
  'jb-aggregate': `cat ${a} | bin/jb-aggregate`,
  'jb-compare': `bin/jb-compare a=<(cat ${a}) b=<(cat ${b})`,
})
