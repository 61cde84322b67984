/**
 * Trials that ask about several elements of a list at once: the reply has a numbered line for each element, and each line
 * is read like a reply. `{ window: { claim: 'claims' }, claims: [ids] }`: the element's name in the judge file, and the
 * trial's key with the ids.
 */
import type { Judge } from '../judges/_judge.ts'
import { isObject, RowFailure, type Trial, type Verdict } from '../rows/record.ts'
import type { Read } from './_rule.ts'

/** Several elements in one question: each one's trial by itself, in the order shown. */
interface Window {
  /** What an element is called: `claim`. */
  name: string
  ids: (string | number)[]
  trials: Partial<Trial>[]
}

const NUGGETS = ['nugget', 'nuggets'] as const

/** The elements of such a trial; undefined for any other trial. A window that is not named is one of nuggets. */
export function windowOf(trial: Partial<Trial> | undefined): Window | undefined {
  const [name, field] = isObject(trial?.window)
    ? (Object.entries(trial.window)[0] as [string, string])
    : NUGGETS
  const listed = trial?.[field]
  if (!Array.isArray(listed)) return undefined
  const { window: _window, [field]: _ids, ...rest } = trial!
  const ids = listed.map((id) => (typeof id === 'number' ? id : String(id)))
  return { name, ids, trials: ids.map((id) => ({ ...rest, [name]: id })) }
}

/** `3. …`, `3: …`, `**3)** …` */
const LINE = /^[^\w\n]*(\d{1,4})[^\w\n]*[.:)][ \t*]*(.*)$/

/**
 * Reads line by line if the trial has several elements. The verdict's `each` has a verdict for each element, or null if
 * its line is missing or unreadable; of several lines with one number the last counts.
 * @throws RowFailure no_verdict if no line can be read
 */
export function lineByLine(read: Read, judge: Judge): Read {
  return (text, context) => {
    const ids = windowOf(context.trial)?.ids
    if (!ids) return read(text, context)
    const lines = numbered(text)
    const each = ids.map((_, place): Verdict | null => {
      const line = lines.get(place + 1)
      if (line === undefined) return null
      const reply = filled(line, judge.verdict?.example)
      context.explain?.({ text: reply, own: reply })
      try {
        return read(reply, context)
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        return null
      }
    })
    const found = each.filter((one) => one !== null)
    if (found.length === 0)
      throw new RowFailure(
        'no_verdict',
        `no line of the reply has a verdict on any of the ${ids.length} elements`,
      )
    return { label: each.map((one) => one?.label ?? '?').join(' '), each }
  }
}

function numbered(text: string): Map<number, string> {
  const lines = new Map<number, string>()
  for (const line of text.split('\n')) {
    const [, number, rest] = LINE.exec(line.trim()) ?? []
    if (number !== undefined) lines.set(Number(number), rest!)
  }
  return lines
}

/** Puts a line of one word into the judge's form: `support` becomes `Verdict: support`. */
function filled(line: string, form: unknown): string {
  const holder = /\{(?:label|score|option)\}/
  return typeof form === 'string' && holder.test(form) && /^[^\w\n]*[\w.]+[^\w\n]*$/.test(line)
    ? form.replace(holder, () => line)
    : line
}
