/** jb-parse --explain: how a reply is read, as text: what was left out, what each pattern found, what counts, why it failed. */
import { type Style, styled } from '../../formats/_table.ts'
import { textWidth } from '../../formats/_text_width.ts'
import { inMessage, withoutControls } from '../../rows/controls.ts'
import type { JsonObject } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Match } from '../../verdicts/_pattern.ts'
import type { Step } from '../../verdicts/_rule.ts'
import { withoutThinking, withoutUnseen } from '../../verdicts/_text.ts'

const BOLD = 1
const FAINT = 2
const RED = 31
/** Bold and reverse video. */
const MARKED = '1;7'

/** A text that was looked at, and what was found in it: the reply, or one of its lines. */
interface Look {
  text: string
  own: string
  patterns: { pattern: string; found: readonly Match[] }[]
  objects: readonly JsonObject[]
  chosen?: Match
}

/**
 * The explanation of one row, with a blank line at its end.
 * @param reply its text, if it has one
 * @param steps of the reading, in order
 */
export function explanation(
  row: Row,
  reply: string | undefined,
  steps: readonly Step[],
  color: boolean,
): string {
  const style = styled(color)
  const error = row.get('error')
  const verdict = row.get('verdict')
  const finish = row.part('reply', 'finish_reason')
  const [item, judge] = [row.get('item'), row.get('judge')]
  const head = [
    item === undefined ? row.place : `item ${item}`,
    judge && `judge ${judge}`,
    finish && `finish_reason ${finish}`,
  ]
  const outcome = error
    ? style(RED, `failed: ${error.code}: ${inMessage(error.message)}`)
    : `verdict: ${inMessage(JSON.stringify(verdict ?? null))}`
  const looks = looksOf(steps)
  // Nothing was looked at in a reply that was cut short.
  if (looks.length === 0 && reply !== undefined)
    looks.push({ text: reply, own: reply, patterns: [], objects: [] })
  return [
    style(BOLD, inMessage(head.filter(Boolean).join(', '))),
    ...(reply === undefined ? [] : [leftOut(reply)]),
    ...looks.flatMap((look) => [
      ...(looks.length > 1 ? [`line: ${inMessage(look.text)}`] : []),
      ...findings(look),
    ]),
    outcome,
    ...(looks.length === 1 ? listing(looks[0]!, style) : []),
    '\n',
  ].join('\n')
}

function looksOf(steps: readonly Step[]): Look[] {
  const looks: Look[] = []
  for (const step of steps)
    if ('text' in step) looks.push({ ...step, patterns: [], objects: [] })
    else if ('pattern' in step) looks.at(-1)?.patterns.push(step)
    else Object.assign(looks.at(-1) ?? {}, step)
  return looks
}

function leftOut(reply: string): string {
  const rest = withoutThinking(reply)
  const thinking = reply.length - rest.length
  const unseen = rest.length - withoutUnseen(rest).length
  const parts = [
    thinking > 0 && `${thinking} characters of thinking`,
    unseen > 0 && `${unseen} unseen character${unseen === 1 ? '' : 's'}`,
  ].filter(Boolean)
  return `left out: ${parts.length > 0 ? parts.join(', ') : 'nothing'}`
}

function findings({ text, own, patterns, objects, chosen }: Look): string[] {
  const lines =
    own === text
      ? []
      : [`other people's words: the lines with ¦ (searched only if nothing is found elsewhere)`]
  for (const { pattern, found } of patterns) {
    const places = found.map(
      (match) => `${inMessage(match.whole.trim())} in line ${placeOf(text, match).line}`,
    )
    lines.push(`pattern ${inMessage(pattern)}: ${places.join(', ') || 'nothing'}`)
  }
  for (const object of objects) lines.push(`found: ${inMessage(JSON.stringify(object))}`)
  if (chosen) {
    const { line, column } = placeOf(text, chosen)
    lines.push(`counts: ${inMessage(chosen.text)} in line ${line}, column ${column}`)
  }
  return lines
}

function placeOf(text: string, { index }: Match): { line: number; column: number } {
  const before = text.slice(0, index).split('\n')
  return { line: before.length, column: before.at(-1)!.length + 1 }
}

/** The text with numbered lines; the match is marked, by a style or else by a line below it. */
function listing({ text, own, chosen }: Look, style: Style): string[] {
  const owns = own.split('\n')
  const lines = text.split('\n')
  const width = String(lines.length).length
  let from = 0
  return lines.flatMap((line, i) => {
    const start = from
    from += line.length + 1
    const foreign = line.trim() !== '' && owns[i]!.trim() === ''
    const gutter = style(FAINT, `${String(i + 1).padStart(width)} ${foreign ? '¦' : '│'} `)
    const [at, end] = chosen ? [chosen.index - start, chosen.index + chosen.text.length - start] : [-1, -1]
    if (at < 0 || at > line.length) return [gutter + withoutControls(line)]
    const [before, match, after] = [line.slice(0, at), line.slice(at, end), line.slice(end)].map(
      withoutControls,
    )
    const marked = style(MARKED, match!)
    // Tabs stay as they are, so that the mark stands below the match.
    const indent = before!.replace(/[^\t]+/g, (part) => ' '.repeat(textWidth(part)))
    const below = ' '.repeat(width + 3) + indent + '^'.repeat(textWidth(match!))
    return [gutter + before + marked + after, ...(marked === match ? [below] : [])]
  })
}
