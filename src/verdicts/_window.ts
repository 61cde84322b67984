/**
 * A trial that asks about several elements at once (`jb.trial.nuggets`): the reply has a numbered line for each, and
 * every line is read as a reply of its own.
 */
import type { Judge } from '../judges/_judge.ts'
import { RowFailure, type Trial, type Verdict } from '../rows/record.ts'
import type { Read } from './_rule.ts'

/** The ids of a window's elements, in the order shown; undefined for a trial about one thing. */
export const windowOf = (trial: Trial | undefined): string[] | undefined =>
  Array.isArray(trial?.nuggets) ? trial.nuggets.map(String) : undefined

/** `3. …`, `3: …`, `**3)** …` */
const LINE = /^[^\w\n]*(\d{1,4})[^\w\n]*[.:)][ \t*]*(.*)$/

/**
 * The same reading, line by line where the trial is a window. The verdict's `each` has a verdict for every element, null
 * for one that no line can be read for; the last line of a number counts.
 * @throws RowFailure no_verdict where no line can be read
 */
export function lineByLine(read: Read, { verdict }: Judge): Read {
  const windowed: Read = (text, context) => {
    const ids = windowOf(context.trial)
    if (!ids) return read(text, context)
    const lines = new Map<number, string>()
    for (const line of text.split('\n')) {
      const [, number, rest] = LINE.exec(line.trim()) ?? []
      if (number !== undefined) lines.set(Number(number), rest!)
    }
    const each = ids.map((_, place): Verdict | null => {
      const line = lines.get(place + 1)
      if (line === undefined) return null
      try {
        return read(filled(line, verdict?.example), context)
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        return null
      }
    })
    const found = each.filter((one) => one !== null)
    if (found.length === 0)
      throw new RowFailure(
        'no_verdict',
        `no line of the reply says something of one of the ${ids.length} asked about`,
      )
    return { label: each.map((one) => one?.label ?? '?').join(' '), each }
  }
  Object.assign(windowed, read)
  const { raw } = read
  if (raw) windowed.raw = (json, context) => (windowOf(context.trial) ? undefined : raw(json, context))
  return windowed
}

/** A line that is one word, put into the form the judge asked for: `support` for `Verdict: support`. */
function filled(line: string, form: unknown): string {
  const holder = /\{(?:label|score|option)\}/
  return typeof form === 'string' && holder.test(form) && /^[^\w\n]*[\w.]+[^\w\n]*$/.test(line)
    ? form.replace(holder, () => line)
    : line
}
