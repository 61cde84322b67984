/** Annotations of GitHub's actions ("Workflow commands"): gates that were missed and items that failed, on a pull request. */
import { CHECK_OPTIONS, type CheckOptions, Checks, checkFields } from './_checks.ts'
import type { Format } from './_format.ts'

/** GitHub shows ten annotations of a kind in a step: the tenth says how many more there are. */
const SHOWN = 9

export const format: Format = {
  about: 'GitHub Actions: an error for each gate that was missed, warnings for items that failed',
  fields: checkFields,
  writeOptions: CHECK_OPTIONS,
  async *write(rows, options, context) {
    const checks = new Checks(options as CheckOptions, context)
    let failed = 0
    for await (const { suite, item, outcome } of checks.of(rows)) {
      if (outcome.is !== 'failed' && outcome.is !== 'error') continue
      if (++failed > SHOWN) continue
      const { message, reason } = outcome
      yield command('warning', suite.name, [`${item}: ${message}`, reason].filter(Boolean).join('\n'))
    }
    if (context.cut()) return
    if (failed > SHOWN) yield command('warning', 'jb', `… and ${failed - SHOWN} more`)
    const missed = checks.gates().filter((gate) => gate.missed !== undefined)
    for (const gate of missed.slice(0, SHOWN)) yield command('error', gate.run, gate.missed!)
    if (missed.length > SHOWN) yield command('error', 'jb', `… and ${missed.length - SHOWN} more`)
  },
}

/** Characters of a text. */
const LENGTH = 1000

function command(name: string, title: string, text: string): string {
  return `::${name} title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(text.slice(0, LENGTH))}\n`
}

const escaped = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
