/**
 * What seeing that no item counts twice costs jb-aggregate: CPU time as it is, of files and of pipes, beside the same program without.
 * Without, items are neither noted, looked up nor compared, and no rows of a pipe are kept to be read again; hashes of them are
 * made all the same, for games of one pair are put together by them, and judges' valid items compared.
 */
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { inTurn, median, megabytes } from './_bench.ts'
import { gamesVerdicts, judged, smallVerdicts } from './_rows.ts'

const FOLDER = mkdtempSync(`${tmpdir()}/jb-bench-`)
const WITHOUT = `${FOLDER}/without`
for (const folder of ['bin', 'dist', 'package.json'])
  cpSync(folder, `${WITHOUT}/${folder}`, { recursive: true, dereference: true })
const path = `${WITHOUT}/dist/jb-aggregate.cjs`
let code = readFileSync(path, 'utf8')
for (const [there, instead] of [
  ['trust(first, second) {', 'trust() { return true;'],
  ['take(digest) {', 'take() { return 0;'],
  ['get repeats() {', 'get repeats() { return false;'],
  ['if (!this.inFiles && ', 'if (false && '],
] as const) {
  if (!code.includes(there)) throw new Error(`jb-aggregate.cjs has no "${there}"`)
  code = code.replaceAll(there, instead)
}
writeFileSync(path, code)

const command = (folder: string, input: string) =>
  `export XDG_CACHE_HOME=${FOLDER}/cache-${folder === '.' ? 'with' : 'without'}; ${input.replace('FILTER', `${folder}/bin/jb-aggregate`)}`
for (const file of [await smallVerdicts(), await gamesVerdicts(), await judged()]) {
  console.log(`\n${file}, ${megabytes(file).toFixed(0)} MB`)
  for (const [how, input] of Object.entries({ file: `FILTER ${file}`, pipe: `cat ${file} | FILTER` })) {
    const runs = await inTurn({ with: command('.', input), without: command(WITHOUT, input) })
    const cpu = (name: string) => runs[name]!.map((run) => run.cpu)
    const ratios = cpu('with').map((one, i) => one / cpu('without')[i]!)
    const [all, none] = [median(cpu('with')), median(cpu('without'))]
    console.log(
      `  ${how}  cpu ${all.toFixed(2)} s, without ${none.toFixed(2)} s: medians ${(all / none).toFixed(3)}, rounds ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}), least ${(Math.min(...cpu('with')) / Math.min(...cpu('without'))).toFixed(3)}`,
    )
  }
}
