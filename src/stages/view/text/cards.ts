/** `jb-view --text`: a card per item, with its question, answers, and each run's results. */
import { gunzipSync } from 'node:zlib'
import { isConversation, messagesOf } from '../../../chat/message.ts'
import { transcript } from '../../../chat/transcript.ts'
import { Spool } from '../../../files/spool.ts'
import { type Style, styled } from '../../../formats/_table.ts'
import { textWidth } from '../../../formats/_text_width.ts'
import type { Rows } from '../../../rows/reader.ts'
import type { Jb, Json, JsonObject } from '../../../rows/record.ts'
import type { Context } from '../../../rows/stage.ts'
import { valueAt } from '../../../rows/value_at.ts'
import { collectItems, noteFindings, type ViewData } from '../collect.ts'
import { wordAt } from '../model.ts'
import type { ViewOptions } from '../options.ts'
import { Data, type ItemRows } from '../page/data.ts'
import { verdictPlace } from '../page/words.ts'
import { asText, verdictWord } from '../verdict_word.ts'
import { folded, oneLine, visible } from './plain.ts'

interface CardSettings {
  width: number
  style: Style
}

const BOLD = 1
const FAINT = 2
const GREEN = 32
const YELLOW = 33
const RED = 31
/** Bold and reverse video. */
const MARKED = '1;7'

/** The most characters of a call's arguments, or of a tool's result. */
const LIMIT = 500

/** The width of a card if the terminal's is unknown, and the most. */
const WIDTH = 80
const WIDEST = 120

export async function* cards(rows: Rows, options: ViewOptions, context: Context): AsyncGenerator<string> {
  const columns = Number(context.env.COLUMNS) || context.terminal.columns || WIDTH
  const width = Math.max(20, Math.min(WIDEST, columns))
  const style = styled(context.terminal.color)
  const spool = new Spool()
  try {
    const collected = await collectItems(rows, spool, options, context)
    noteFindings(collected, context.note)
    const data = new Data(collected.index, async (chunk) => gunzipSync(spool.read(chunk)).toString())
    for (let item = 0; item < collected.index.ids.length; item++) {
      if (context.stop.aborted) return
      yield card(await data.rowsOf(item), collected, item, { width, style })
    }
  } finally {
    spool.close()
  }
}

/** The card's text, with a blank line at its end. */
function card({ item, rows }: ItemRows, collected: ViewData, place: number, settings: CardSettings): string {
  const { roles, index, runs } = collected
  const { width, style } = settings
  const label = wordAt(index.label, place)
  const name = oneLine(index.ids[place]!, width - 8)
  const lines = [style(BOLD, `── ${name} ${'─'.repeat(Math.max(0, width - textWidth(name) - 4))}`)]
  if (label !== undefined) lines.push(`label: ${style(BOLD, oneLine(label, width - 8))}`)
  const shown = [roles.question, ...roles.shown].filter((field) => field !== undefined)
  for (const field of shown) lines.push(...section(field, valueAt(item, field), settings))
  for (const [i, field] of roles.answers.entries()) {
    const value = valueAt(item, field)
    const list =
      roles.answers.length === 1 && Array.isArray(value) && value.length > 1 && !isConversation(value)
    if (list)
      for (const [at, one] of value.entries()) lines.push(...section(`${field} ${at + 1}`, one, settings))
    else lines.push(...section(roles.answers.length === 2 ? `${'AB'[i]}: ${field}` : field, value, settings))
  }
  for (const [i, run] of runs.entries()) {
    const own = rows.filter((row) => row.run === i)
    if (own.length === 0) continue
    lines.push('', heading(run.name, i, collected, place, settings))
    for (const { jb } of own) lines.push(...trialLines(jb, settings))
  }
  return `${lines.join('\n')}\n\n`
}

/** A field's name and its text, indented. */
function section(name: string, value: Json | undefined, { width, style }: CardSettings): string[] {
  if (value === undefined || value === null) return []
  const lines = isConversation(value)
    ? conversationLines(value, { width, style })
    : folded(asText(value), width - 2).map((line) => `  ${line}`.trimEnd())
  return ['', style(FAINT, oneLine(name, width)), ...lines]
}

/** A transcript: only its own headers begin in the third column, whatever the messages say. */
function conversationLines(value: Json, { width, style }: CardSettings): string[] {
  const lines = transcript(messagesOf(value), { limit: LIMIT }).split('\n')
  return lines.flatMap((line) =>
    line === '' || line.startsWith('  ')
      ? folded(line.slice(2), width - 4).map((part) => `    ${part}`.trimEnd())
      : style(FAINT, `  ${oneLine(line, width - 2)}`),
  )
}

function heading(
  name: string,
  run: number,
  { index }: ViewData,
  place: number,
  { width, style }: CardSettings,
): string {
  const columns = index.runs[run]!
  const error = wordAt(columns.error, place)
  const verdict = wordAt(columns.verdict, place)
  const score = columns.score[place]
  const correct = columns.correct[place]
  const said =
    (error && `failed: ${error}`) ??
    verdict ??
    (typeof score === 'number' ? String(Number(score.toFixed(3))) : '')
  const sign = error !== undefined ? '' : correct === 1 ? ' ✓ right' : correct === 0 ? ' ✗ wrong' : ''
  const colour = error !== undefined ? RED : correct === 1 ? GREEN : correct === 0 ? YELLOW : BOLD
  const doubt = columns.consistent[place] === 0 ? ' inconsistent' : ''
  const verdictText = oneLine(said, 40) + sign
  const room = Math.max(10, width - 2 - textWidth(verdictText + doubt))
  return `${style(BOLD, oneLine(name, room))}  ${style(colour, verdictText)}${doubt && style(YELLOW, doubt)}`
}

/** A trial: its verdict, error, and the reply with the words of the verdict marked. */
function trialLines(jb: Jb, { width, style }: CardSettings): string[] {
  const { trial, reply, verdict, error } = jb as Record<string, JsonObject | undefined>
  const lines: string[] = []
  const facts = [
    typeof trial?.of === 'number' && trial.of > 1 ? `trial ${Number(trial.n) + 1} of ${trial.of}` : '',
    trial?.order === undefined ? '' : `shown ${trial.order}`,
    trial?.criterion === undefined ? '' : `criterion ${trial.criterion}`,
    reading(verdict),
  ].filter(Boolean)
  if (facts.length > 0) lines.push(style(FAINT, `  ${oneLine(facts.join(', '), width - 2)}`))
  if (error) {
    const words = `${error.code}: ${error.message}`
    lines.push(...folded(words, width - 4).map((line) => style(RED, `  ! ${line}`)))
  }
  if (typeof reply?.text === 'string') lines.push(...replyLines(reply.text, verdict?.label, width, style))
  return lines
}

function reading(verdict: JsonObject | undefined): string {
  const said = verdict && verdictWord(verdict)
  if (said === undefined || said === null) return ''
  const label = verdict!.label
  return `${said}${label === undefined || label === null || label === said ? '' : `, read from “${label}”`}`
}

function replyLines(text: string, label: Json | undefined, width: number, style: Style): string[] {
  const place = verdictPlace(text, label)
  const fold = (part: string) => folded(part, width - 4)
  const bar = (lines: string[]) => lines.map((line) => `  ${style(FAINT, '│')} ${line}`.trimEnd())
  if (!place) return bar(fold(text))
  // No-break spaces keep the words on one line, where they are then coloured.
  const [from, to] = place
  const lines = fold(text.slice(0, from) + text.slice(from, to).replaceAll(' ', '\u00a0') + text.slice(to))
  const words = visible(text.slice(from, to)).replaceAll(' ', '\u00a0')
  const at = lines.findLastIndex((line) => line.includes(words))
  if (at >= 0) {
    const line = lines[at]!
    const begin = line.lastIndexOf(words)
    lines[at] =
      line.slice(0, begin) + style(MARKED, words.replaceAll('\u00a0', ' ')) + line.slice(begin + words.length)
  }
  return bar(lines)
}
