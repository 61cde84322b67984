/** `--set KEY=VALUE` where no template sees it: values by name. */
import { usageError } from '../rows/record.ts'

/** VALUE is JSON, or else a string; the last of a key counts. @throws Fatal (usage) */
export function bindSet(set: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    set.map((text) => {
      const at = text.indexOf('=')
      if (at <= 0) throw usageError(`--set ${text}: expected KEY=VALUE`)
      const value = text.slice(at + 1)
      try {
        return [text.slice(0, at), JSON.parse(value)]
      } catch {
        return [text.slice(0, at), value]
      }
    }),
  )
}
