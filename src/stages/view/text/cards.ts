/** `jb-view --text`: a card per item, with its question, answers, and each run's results. */
import { gunzipSync } from 'node:zlib'
import type { ChatMessage } from '../../../chat/message.ts'
import { transcript } from '../../../chat/transcript.ts'
import { Spool } from '../../../files/spool.ts'
import { type Style, styled } from '../../../formats/_table.ts'
import { textWidth } from '../../../formats/_text_width.ts'
import type { Rows } from '../../../rows/reader.ts'
import type { Json } from '../../../rows/record.ts'
import type { Context } from '../../../rows/stage.ts'
import { collectItems, noteFindings, type ViewData } from '../collect.ts'
import {
  AS_WRITTEN,
  answersOf,
  beforeAnswer,
  changesIn,
  conversationIn,
  differingFields,
  itemsOfRuns,
  type Named,
  ofRuns,
  trialFacts,
  trialsOf,
  verdictFacts,
  whyOf,
} from '../item_values.ts'
import { wordAt } from '../model.ts'
import { nameParts } from '../name_parts.ts'
import type { ViewOptions } from '../options.ts'
import { type Any, Data, fieldAt, type ItemRows } from '../page/data.ts'
import { type Piece, verdictPlace } from '../page/words.ts'
import { asText, outcomeKind, SIGN } from '../verdict_word.ts'
import { folded, oneLine, visible } from './plain.ts'

interface Look {
  width: number
  style: Style
}

interface CardSettings extends Look {
  /** Of each run's name the part that differs. */
  own: readonly string[]
}

const BOLD = 1
const FAINT = 2
const YELLOW = 33
const RED = 31
const COLOUR = { right: 32, wrong: YELLOW, failed: RED, pass: 32, fail: RED, open: BOLD }
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
    const { own } = nameParts(collected.runs.map(({ name }) => name))
    for (let item = 0; item < collected.index.ids.length; item++) {
      if (context.stop.aborted) return
      const found = await data.rowsOf(item)
      yield card(found, await data.originalOf(found), collected, item, { width, style, own })
    }
  } finally {
    spool.close()
  }
}

/** The card's text, with a blank line at its end. */
function card(
  found: ItemRows,
  original: ItemRows['item'] | undefined,
  collected: ViewData,
  place: number,
  settings: CardSettings,
): string {
  const { rows } = found
  const { roles, index, runs } = collected
  const { width, style } = settings
  const label = wordAt(index.label, place)
  const name = oneLine(index.ids[place]!, width - 8)
  const lines = [style(BOLD, `── ${name} ${'─'.repeat(Math.max(0, width - textWidth(name) - 4))}`)]
  if (label !== undefined) lines.push(`label: ${style(BOLD, oneLine(label, width - 8))}`)
  lines.push(...changeLines(found, original, settings))
  const places = [...runs.keys()].filter((run) => rows.some((row) => row.run === run))
  const items = itemsOfRuns(found, places)
  const apart = differingFields(roles, items)
  const [item] = items.values()
  const isApart = roles.answers.some((field) => apart.includes(field))
  const answers = isApart ? [] : answersOf(roles, item)
  for (const field of [roles.question, ...roles.shown])
    if (field !== undefined && !apart.includes(field))
      lines.push(...section(field, fieldAt(item, field), settings, answers))
  for (const field of apart)
    for (const { runs: of, value } of ofRuns(items, field))
      lines.push(...section(`${field} · ${of.map((run) => settings.own[run]).join(', ')}`, value, settings))
  for (const { name, value } of answers) lines.push(...section(name, value, settings))
  for (const run of places) {
    lines.push('', heading(run, collected, place, settings))
    const trials = trialsOf(rows.filter((row) => row.run === run))
    const why = wordAt(index.runs[run]!.why, place)
    if (why !== undefined && !trials.some(({ error }) => error)) lines.push(...failureLines(why, settings))
    for (const jb of trials) lines.push(...trialLines(jb, settings))
  }
  return `${lines.join('\n')}\n\n`
}

/** Of a copy with a change its original, and each changed field as it was and as it is. */
function changeLines(found: ItemRows, original: ItemRows['item'] | undefined, look: Look): string[] {
  const { probe } = found.rows[0]?.jb ?? {}
  if (!probe) return []
  const between = (pieces: Piece[], open: string, close: string) =>
    pieces.map(({ text, own }) => (own ? open + text + close : text)).join('')
  return [
    oneLine(`changed copy (${probe.kind}) of ${probe.of}`, look.width),
    ...changesIn(found, original).flatMap(({ name, was, now }) => [
      ...section(`${name} · was`, between(was, '[-', '-]'), look),
      ...section(`${name} · is`, between(now, '{+', '+}'), look),
    ]),
  ]
}

/** A field's name and its text, indented. @param answers follow: a conversation does not end with one of them */
function section(name: string, value: Any, { width, style }: Look, answers: readonly Named[] = []): string[] {
  if (value === undefined || value === null) return []
  const messages = conversationIn(value)
  const lines = messages
    ? conversationLines(beforeAnswer(messages, answers), { width, style })
    : folded(asText(value), width - 2).map((line) => `  ${line}`.trimEnd())
  return ['', style(FAINT, oneLine(name, width)), ...lines]
}

/** A transcript: only its own headers begin in the third column, whatever the messages say. */
function conversationLines(messages: ChatMessage[], { width, style }: Look): string[] {
  const lines = transcript(messages, { limit: LIMIT }, AS_WRITTEN).split('\n')
  return lines.flatMap((line) =>
    line === '' || line.startsWith('  ')
      ? folded(line.slice(2), width - 4).map((part) => `    ${part}`.trimEnd())
      : style(FAINT, `  ${oneLine(line, width - 2)}`),
  )
}

function heading(
  run: number,
  { index, runs }: ViewData,
  place: number,
  { width, style, own }: CardSettings,
): string {
  const { name } = runs[run]!
  const columns = index.runs[run]!
  const error = wordAt(columns.error, place)
  const verdict = wordAt(columns.verdict, place)
  const score = columns.score[place]
  const said =
    (error && `failed: ${error}`) ??
    verdict ??
    (typeof score === 'number' ? String(Number(score.toFixed(3))) : '')
  const kind = outcomeKind(columns, place)
  const sign =
    kind === 'failed' ? '' : `${SIGN[kind]}${kind === 'right' || kind === 'wrong' ? ` ${kind}` : ''}`
  const doubt = columns.consistent[place] === 0 ? ' inconsistent' : ''
  const verdictText = oneLine(said, 40) + sign
  const room = Math.max(10, width - 2 - textWidth(verdictText + doubt))
  // A name that is cut may be that of another run.
  const shown = textWidth(name) <= room ? name : own[run]!
  const verdictShown = verdictText && `  ${style(COLOUR[kind], verdictText)}`
  return `${style(BOLD, oneLine(shown, room))}${verdictShown}${doubt && style(YELLOW, doubt)}`
}

const failureLines = (words: string, { width, style }: Look): string[] =>
  folded(words, width - 4).map((line) => style(RED, `  ! ${line}`))

/** A trial: its verdict, error, and the reply with the words of the verdict marked; without a reply the reason. */
function trialLines(jb: Any, { width, style }: Look): string[] {
  const { trial, reply, verdict, error } = jb
  const lines: string[] = []
  const facts = [...trialFacts(trial ?? {}), ...verdictFacts(verdict ?? {})].map((fact) => fact.join(''))
  if (facts.length > 0) lines.push(style(FAINT, `  ${oneLine(facts.join(', '), width - 2)}`))
  if (error) lines.push(...failureLines(`${error.code}: ${error.message}`, { width, style }))
  const why = whyOf(verdict ?? {})
  if (typeof reply?.text === 'string') lines.push(...replyLines(reply.text, verdict?.label, width, style))
  else if (why !== undefined) lines.push(...folded(why, width - 4).map((line) => `    ${line}`.trimEnd()))
  return lines
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
