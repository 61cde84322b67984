/** A run's results for an item: its trials with their replies. */
import { writtenJson } from '../../../rows/exact_json.ts'
import {
  askedElements,
  conversationIn,
  type Fact,
  trialFacts,
  trialsOf,
  verdictFacts,
  whyOf,
} from '../item_values.ts'
import { wordAt } from '../model.ts'
import { asText, outcomeKind, SIGN } from '../verdict_word.ts'
import type { App } from './app.ts'
import { conversation } from './conversation.ts'
import type { Any, ItemRows } from './data.ts'
import { appendChildren, block, type Child, fold, h, marked, name } from './dom.ts'
import { rendered, textBlock } from './render_markdown.ts'
import { runName } from './run_names.ts'
import { afterThinking, verdictPlace } from './words.ts'
import { counted, duration, fixed, money, thousands } from './words_for.ts'

type Row = ItemRows['rows'][number]

export function runCard(app: App, run: number, rows: Row[], place: number): HTMLElement {
  const columns = app.data!.index.runs[run]!
  const error = wordAt(columns.error, place)
  const said = wordAt(columns.verdict, place)
  const score = columns.score[place]
  const kind = outcomeKind(columns, place)
  const words =
    error ??
    [said, typeof score === 'number' ? `score ${fixed(score, 3)}` : undefined].filter(Boolean).join(', ')
  const why = wordAt(columns.why, place)
  const trials = trialsOf(rows)
  return h(
    'section.run',
    { 'aria-label': app.overview.runs[run]!.name },
    h(
      'h4',
      h('span', runName(app, run)),
      words && h('span', { class: `mark ${kind}` }, h('bdi', words), SIGN[kind]),
      columns.consistent[place] === 0 && h('span.mark.wrong', 'inconsistent'),
    ),
    why !== undefined && !trials.some(({ error }) => error) && h('p.error', { role: 'note' }, marked(why)),
    trials.map((jb) => game(app, jb)),
    rows.map(({ jb }) => jb.result && fold('result', () => json(jb.result))),
  )
}

const json = (value: Any) => block(writtenJson(value, 2), 'code')

/** A trial: how it was shown, its verdict, reply, and costs. */
function game(app: App, jb: Any): HTMLElement {
  const { trial, reply, verdict, error, request } = jb
  const why = whyOf(verdict ?? {})
  return h(
    'div.game',
    line('facts', [...trialFacts(trial ?? {}).map(shownFact), ...verdictFacts(verdict ?? {}).map(shownFact)]),
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
    // What is read of a reply stands in it.
    why !== undefined &&
      (why === verdict.reason || !reply) &&
      h('p.note', 'reason: ', marked(why.slice(0, 2000))),
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

const shownFact = ([words, called]: Fact): Child =>
  called === undefined ? words : words === '' ? h('strong', name(called)) : [words, name(called)]

/** The elements that one question is about. */
const elements = (trial: Any): Child =>
  askedElements(trial).map(([key, list]) =>
    fold(
      counted(list.length, key.replace(/s$/, '')),
      () =>
        h(
          'ol.elements',
          list.map((one) => h('li', marked(asText(one)))),
        ),
      { open: true },
    ),
  )

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
