/**
 * Nugget banks: bank files → items, and items → bank files.
 *
 * A bank is written from one of three inputs: the nuggets that a `list` judge found for a topic, added to the item's bank;
 * a judge's verdict on each nugget of an item (its importance, or how a response supports it); or, to convert a bank,
 * the rows of jb-read nuggets.
 */
import { utf8Text } from '../files/text.ts'
import { EXIT, Fatal, isObject, type JsonObject, RowFailure, type TrialResult } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { readAt } from '../rows/stage.ts'
import { BadBank, type Bank, type BankFormat, type NewNugget } from '../trec/banks/bank.ts'
import {
  BANK_FORMATS,
  type BankFile,
  bankFormat,
  bankLine,
  convert,
  readBank,
  readBanks,
  verifyBanks,
} from '../trec/banks/index.ts'
import { ASSIGNMENT, IMPORTANCE } from '../trec/banks/nuggetizer.ts'
import { noteProblems } from '../trec/judged_board.ts'
import { BANK, BANK_READ, EXPECTED_TOPICS } from '../trec/options.ts'
import { topicIds } from '../trec/topics.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'nugget banks: AutoARGUE, Nuggetizer, RAGTIME26, or a form of your own (--bank)',
  unjudged: 'pass',
  readOptions: [BANK_READ],
  writeOptions: [EXPECTED_TOPICS, BANK],

  async *read(sources, options) {
    const given = options.bank === undefined ? undefined : await bankFormat(String(options.bank))
    for (const source of sources) {
      const text = source.path === undefined ? await utf8Text(source) : undefined
      for (const { bank, format, place } of (
        await readBanks(source.path ?? source.name, given, text)
      ).values()) {
        const item = {
          id: bank.topic,
          topic_id: bank.topic,
          title: bank.title,
          nuggets: bank.nuggets,
          bank: format.write(bank),
        }
        const line = Number(/:(\d+)$/.exec(place)?.[1] ?? 1)
        yield [readAt(place, () => Row.make(item, source.name, line))]
      }
    }
  },

  async *write(rows, options, context) {
    const to = options.bank === undefined ? undefined : await bankFormat(String(options.bank))
    const banks: Bank[] = []
    const places = new Map<string, string>()
    let failed = 0
    for await (const batch of rows) {
      for (const row of batch) {
        const made = filled(row, to)
        if (typeof made === 'string') {
          failed++
          const where = { file: row.file, line: row.line, kind: 'failed' }
          context.note(`no bank for ${topicOf(row)} (${made})`, where)
          continue
        }
        const { bank, format } = made
        const line = JSON.parse(bankLine(bank, format, row.place)) as JsonObject
        const run = row.field('run_id')
        if (run === undefined) {
          const before = places.get(bank.topic)
          if (before)
            throw new Fatal(
              EXIT.data,
              `${row.place}: a second bank for topic "${bank.topic}" (first: ${before})`,
            )
          places.set(bank.topic, row.place)
          banks.push(bank)
          yield `${JSON.stringify(line)}\n`
        } else yield `${JSON.stringify({ ...line, ...answerOf(row, String(run)) })}\n`
      }
    }
    const topics = await topicIds(options.topics as string | undefined)
    if (banks.length > 0 || failed === 0) noteProblems(verifyBanks(banks, topics), context)
    if (failed > 0)
      context.finish(
        EXIT.gate,
        `${failed} topic${failed === 1 ? ' has' : 's have'} no bank: the judge failed there`,
      )
  },
}

/** The row's bank with the judge's findings added; the reason as a string where the judge failed. */
function filled(row: Row, to: BankFormat | undefined): Omit<BankFile, 'place'> | string {
  const trials = row.get('trials') ?? []
  const judged = trials.some(({ trial, verdict }) => trial.nugget !== undefined && verdict)
  if (row.has('error') && !judged) return row.get('error')!.code
  const start = bankOf(row, to)
  const format = to ?? start.format
  try {
    const bank = convert(start.bank, start.format, format)
    const result = row.get('result')
    const items = result?.kind === 'list' ? ((result.items as unknown[]) ?? []) : []
    for (const item of items) format.add(bank, nuggetOf(item))
    if (judged) judge(bank, format, trials)
    return { bank, format }
  } catch (error) {
    if (error instanceof RowFailure || error instanceof BadBank) return error.message
    throw error
  }
}

const topicOf = (row: Row) => String(row.field('topic_id') ?? row.get('item'))

/** The row's own bank, or one made of its nuggets. */
function bankOf(row: Row, to: BankFormat | undefined): Omit<BankFile, 'place'> {
  const raw = row.field('bank')
  // --bank may describe a format of the user's own, which is also how such a row is read.
  if (isObject(raw)) return readBank(raw, row.place, to?.knows(raw) ? to : undefined)
  const format = to ?? BANK_FORMATS.argue!
  const bank = format.create(topicOf(row), String(row.field('title') ?? ''))
  for (const nugget of (row.field('nuggets') as JsonObject[] | undefined) ?? []) {
    const { kind, ...rest } = nugget
    format.add(bank, { ...rest, ...(kind !== 'nugget' && { kind }) } as NewNugget)
  }
  return { bank, format }
}

/** Keys under which a list judge may give a nugget's text. */
const TEXT_KEYS = ['text', 'question', 'claim', 'nugget'] as const

/**
 * A nugget that a list judge found: a text, or a mapping with the text under one of TEXT_KEYS. Values that no bank can
 * hold are dropped; further keys are kept as metadata.
 * @throws RowFailure no_verdict where there is no text
 */
function nuggetOf(item: unknown): NewNugget {
  if (typeof item === 'string') return { text: item }
  const key = isObject(item) ? TEXT_KEYS.find((name) => typeof item[name] === 'string') : undefined
  if (!isObject(item) || key === undefined)
    throw new RowFailure(
      'no_verdict',
      `no nugget's text in ${JSON.stringify(item)?.slice(0, 60)} (${TEXT_KEYS.join(', ')})`,
    )
  const { [key]: text, importance, answer, answers, references, id: _id, kind: _kind, ...rest } = item
  const word = typeof importance === 'string' ? importance.trim().toLowerCase() : importance
  return {
    ...rest,
    text: text as string,
    ...((key === 'question' || key === 'claim') && { kind: key }),
    ...((typeof word === 'number' || IMPORTANCE.includes(word as string)) && {
      importance: word as string | number,
    }),
    ...textsOf('answers', answers ?? answer),
    ...textsOf('references', references),
  }
}

/** One text or several, under this key; other values are dropped. */
function textsOf(key: string, value: unknown): Record<string, string[]> {
  const texts = [value].flat().filter((one) => typeof one === 'string')
  return texts.length > 0 ? { [key]: texts } : {}
}

/** Adds the judge's verdict on each nugget: the option itself tells whether it is an importance or an assignment. */
function judge(bank: Bank, format: BankFormat, trials: readonly TrialResult[]): void {
  const byId = new Map(bank.nuggets.map((nugget) => [nugget.id, nugget]))
  for (const { trial, verdict } of trials) {
    const nugget = byId.get(String(trial.nugget))
    const option = verdict?.option
    if (!nugget || option === undefined) continue
    const key = ASSIGNMENT.includes(option)
      ? 'assignment'
      : IMPORTANCE.includes(option)
        ? 'importance'
        : undefined
    if (key)
      format.add(bank, {
        text: nugget.text,
        ...(nugget.kind === 'claim' && { kind: 'claim' }),
        [key]: option,
      })
  }
}

/** A response's nuggets, as nuggetizer's tool writes them. */
function answerOf(row: Row, run: string): JsonObject {
  const text = String(row.field('text') ?? '')
  return { answer_text: text, response_length: text.split(/\s+/).filter(Boolean).length, run_id: run }
}
