/** A run's results for an item: its trials with their replies. */
import { wordAt } from '../model.ts'
import { asText, verdictWord } from '../verdict_word.ts'
import type { App } from './app.ts'
import { conversation } from './conversation.ts'
import type { Any, ItemRows } from './data.ts'
import { appendChildren, block, type Child, fold, h, marked, name } from './dom.ts'
import { rendered } from './render_markdown.ts'
import { runName } from './run_names.ts'
import { outcomeKind, SIGN, textBlock } from './text.ts'
import { conversationIn } from './trajectories.ts'
import { afterThinking, verdictPlace } from './words.ts'
import { counted, duration, fixed, money, thousands } from './words_for.ts'

type Row = ItemRows['rows'][number]

export function runCard(app: App, run: number, rows: Row[], place: number): HTMLElement {
  const columns = app.data!.index.runs[run]!
  const error = wordAt(columns.error, place)
  const said = wordAt(columns.verdict, place)
  const score = columns.score[place]
  const kind = outcomeKind(columns.correct[place], error)
  const words =
    error ??
    [said, typeof score === 'number' ? `score ${fixed(score, 3)}` : undefined].filter(Boolean).join(', ')
  // A result repeats its trials: they are shown only if the trials themselves are not in the rows.
  const trials = rows.filter(({ jb }) => jb.trials === undefined)
  return h(
    'section.run',
    { 'aria-label': app.overview.runs[run]!.name },
    h(
      'h4',
      h('span', runName(app, run)),
      words && h('span', { class: `mark ${kind}` }, h('bdi', words), SIGN[kind]),
      columns.consistent[place] === 0 && h('span.mark.wrong', 'inconsistent'),
    ),
    trials.length > 0
      ? trials.map((row) => game(app, row))
      : rows.flatMap(({ jb }) =>
          (Array.isArray(jb.trials) ? jb.trials : []).map((trial: Any) =>
            game(app, { run, jb: { ...trial, error: trial?.error } }),
          ),
        ),
    rows.map(({ jb }) => jb.result && fold('result', () => json(jb.result))),
  )
}

const json = (value: Any) => block(JSON.stringify(value, null, 2), 'code')

/** A trial: how it was shown, its verdict, reply, and costs. */
function game(app: App, { jb }: Row): HTMLElement {
  const { trial, reply, verdict, error, request } = jb
  return h(
    'div.game',
    line('facts', [...trialFacts(trial ?? {}), ...verdictFacts(verdict ?? {})]),
    elements(trial ?? {}),
    error &&
      h(
        'p.error',
        { role: 'note' },
        h('strong', name(String(error.code ?? 'failed'))),
        ' ',
        marked(asText(error.message).slice(0, 2000)),
      ),
    typeof reply?.text === 'string' && replyBlock(app, reply.text, verdict?.label),
    reply && reply.text !== undefined && typeof reply.text !== 'string' && json(reply.text),
    typeof reply?.reasoning === 'string' &&
      reply.reasoning !== '' &&
      fold('reasoning', () => textBlock(app, reply.reasoning)),
    typeof verdict?.reason === 'string' && h('p.note', 'reason: ', marked(verdict.reason.slice(0, 2000))),
    typeof (verdict?.feedback ?? verdict?.explanation) === 'string' &&
      !reply &&
      textBlock(app, verdict.feedback ?? verdict.explanation),
    request && fold('prompt', () => promptOf(app, request)),
    reply && line('facts small', costs(reply)),
    jb.raw !== undefined && block(asText(jb.raw), 'code'),
  )
}

const line = (className: string, facts: Child[]) =>
  h(
    'p',
    { class: className },
    facts.map((one) => h('span.fact', one)),
  )

function trialFacts(trial: Any): Child[] {
  const out: Child[] = []
  if (trial.of > 1) out.push(`trial ${Number(trial.n) + 1} of ${trial.of}`)
  if (trial.order !== undefined) out.push(['shown ', name(asText(trial.order))])
  if (typeof trial.sample === 'number') out.push(`sample ${trial.sample + 1}`)
  for (const [key, value] of Object.entries(trial))
    if (!OWN.has(key) && !Array.isArray(value)) out.push([`${key} `, name(asText(value).slice(0, 80))])
  return out
}

/** What a trial has besides what it asks about. */
const OWN = new Set(['n', 'of', 'order', 'sample', 'seed', 'options', 'answers', 'shown', 'pair', 'window'])

/** The elements that one question is about, such as claims: its reply has a line for each. */
function elements(trial: Any): Child {
  const lists = Object.entries(trial).filter(([key, value]) => !OWN.has(key) && Array.isArray(value))
  return lists.map(([key, list]) =>
    fold(
      counted((list as Any[]).length, key.replace(/s$/, '')),
      () =>
        h(
          'ol.elements',
          (list as Any[]).map((one) => h('li', marked(asText(one)))),
        ),
      { open: true },
    ),
  )
}

function verdictFacts(verdict: Any): Child[] {
  const out: Child[] = []
  const said = verdictWord(verdict) ?? null
  if (said !== null) out.push([h('strong', name(String(said))), verdict.strength === 2 && ' strongly'])
  if (typeof verdict.confidence === 'number') out.push(`confidence ${fixed(verdict.confidence, 3)}`)
  const label = asText(verdict.label)
  if ((verdict.label ?? null) !== null && label !== String(said))
    out.push(['read from “', name(label.slice(0, 80)), '”'])
  return out
}

function costs(reply: Any): Child[] {
  const out: Child[] = []
  const { usage, ms, cost, tries, finish_reason: reason, served_model: served } = reply
  if (usage && typeof usage === 'object') {
    const { prompt_tokens: into, completion_tokens: made } = usage
    if (typeof into === 'number' || typeof made === 'number')
      out.push(`${thousands(Number(into ?? 0))} + ${thousands(Number(made ?? 0))} tokens`)
  }
  if (typeof ms === 'number') out.push(duration(ms))
  if (typeof cost === 'number') out.push(money(cost))
  if (typeof tries === 'number' && tries > 1) out.push(`${tries} tries`)
  if (reason !== undefined && reason !== null && reason !== 'stop')
    out.push(['ended by ', name(asText(reason))])
  if (served !== undefined) out.push(['served by ', name(asText(served))])
  return out
}

/** A reply with its thinking folded, and the words of the verdict marked. */
function replyBlock(app: App, text: string, label: unknown): Child[] {
  const thought = afterThinking(text)
  const from = thought + (/^\s*/.exec(text.slice(thought))?.[0].length ?? 0)
  const place = verdictPlace(text, label)
  const { markdown } = app.state
  const content = (shown: string): Child[] => {
    if (!place || place[0] < from || place[1] > from + shown.length)
      return (markdown ? rendered : marked)(shown)
    const [begin, end] = [place[0] - from, place[1] - from]
    const parts = [shown.slice(0, begin), shown.slice(begin, end), shown.slice(end)] as const
    if (markdown) return renderedWithMark(...parts)
    return [marked(parts[0]), appendChildren(verdictMark(), [marked(parts[1])]), marked(parts[2])]
  }
  const box = block(text.slice(from), `reply${markdown ? ' markdown' : ''}`, content)
  return [thought > 0 && fold('thinking', () => textBlock(app, text.slice(0, thought))), box]
}

const verdictMark = () => h('mark.verdict', { title: 'the verdict was read from this' })

/** Noncharacters that mark the beginning and end of the words while Markdown is rendered. */
const [BEGIN, END] = ['\ufdd0', '\ufdd1']

/** Rendered Markdown with the words in the middle marked. */
function renderedWithMark(before: string, words: string, after: string): Child[] {
  if ((before + words + after).match(/[\ufdd0\ufdd1]/)) return rendered(before + words + after)
  const box = document.createDocumentFragment()
  appendChildren(box, rendered(before + BEGIN + words + END + after))
  const range = document.createRange()
  let found = 0
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null)
    for (const sign of [BEGIN, END]) {
      const at = node.data.indexOf(sign)
      if (at < 0) continue
      node.deleteData(at, 1)
      found++
      if (sign === BEGIN) range.setStart(node, at)
      else range.setEnd(node, at)
    }
  if (found < 2) return rendered(before + words + after)
  const mark = verdictMark()
  mark.append(range.extractContents())
  range.insertNode(mark)
  return [box]
}

function promptOf(app: App, request: Any): Child {
  const { messages, prompt, ...parameters } = request
  const talk = conversationIn(messages)
  return [
    talk && conversation(app, talk),
    !talk && messages !== undefined && json(messages),
    prompt !== undefined && textBlock(app, asText(prompt)),
    Object.keys(parameters).length > 0 && h('section.message', h('h5', 'parameters'), json(parameters)),
  ]
}
