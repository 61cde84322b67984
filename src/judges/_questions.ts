/** `questions` of a judge file: what is asked about the material, with the values that an answer can have. */
import { configError, isObject, type Json } from '../rows/record.ts'
import type { JudgeFile, JudgeQuestion } from './_judge.ts'

/** Elements or criteria in a request, unless the file says otherwise; and the most that it may say. */
export const TYPED_WINDOW = 64
export const LARGEST_WINDOW = 400

/** The fewest and the most values of an answer. */
export const VALUE_COUNTS = { choice: [2, 255], score: [2, 10] } as const

export const QUESTION_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
/** Names of other things: a reply's reason, and what jb adds to a row. */
const TAKEN = ['reason', 'jb']

/** Whether an item's questions are as many as its elements or criteria, rather than those of the file. */
export const asksOfEach = ({ each, criteria }: { each?: unknown; criteria?: unknown }): boolean =>
  each !== undefined || criteria !== undefined

/** The values of a question in their order, each with the template of its meaning; undefined where the criterion has them. */
export function statedValues(question: JudgeQuestion): [value: string, meaning: string][] | undefined {
  if ('predicate' in question)
    return [
      ['true', ''],
      ['false', ''],
    ]
  const given = 'choice' in question ? question.choice : question.score
  if (given === 'options') return undefined
  return Array.isArray(given)
    ? given.map((value) => [String(value), ''])
    : Object.entries(given).map(([value, meaning]) => [value, meaning === null ? '' : String(meaning)])
}

/** @throws Fatal (configuration) with file, key and what was expected */
export function checkQuestions(judge: JudgeFile, where: string): void {
  const { questions, verdict } = judge
  const isRead = verdict?.rule === 'answers'
  if (questions === undefined) {
    if (isRead)
      throw configError(`${where}: "questions" is missing: verdict.rule "answers" reads the answers to them`)
    return
  }
  if (!isRead)
    throw configError(
      `${where}: verdict.rule is ${JSON.stringify(verdict?.rule)}, expected "answers": the file has "questions"`,
    )
  for (const key of ['prompt', 'render', 'parse', 'chain', 'contests'] as const)
    if (judge[key]) throw configError(`${where}: "questions" does not go with "${key}"`)
  if (judge.kind === 'listwise' || judge.kind === 'list')
    throw configError(
      `${where}: "kind" is "${judge.kind}", expected pairwise, grade or choice: the file has "questions"`,
    )
  if (judge.criteria !== undefined && judge.criteria !== 'each')
    throw configError(`${where}: "criteria" is "${judge.criteria}", expected each: the file has "questions"`)
  const names = Object.keys(questions)
  if (names.length === 0) throw configError(`${where}: "questions" is empty, expected a name and a question`)
  if (names.length > 1 && asksOfEach(judge))
    throw configError(
      `${where}: "questions" has ${names.length} questions, expected one, which is asked of every ${judge.each === undefined ? 'criterion' : 'element'}`,
    )
  if (names.length > 1 && judge.kind === 'pairwise')
    throw configError(
      `${where}: "questions" has ${names.length} questions, expected one for a pairwise judge`,
    )
  for (const [name, question] of Object.entries(questions)) checkQuestion(name, question, judge, where)
  checkWindow(judge, where)
}

function checkQuestion(name: string, question: unknown, judge: JudgeFile, where: string): void {
  const at = `${where}: questions.${name}`
  if (!QUESTION_NAME.test(name) || TAKEN.includes(name))
    throw configError(
      `${at}: expected a name of up to 64 letters, digits, _ and -, that begins with a letter or _ and is not ${TAKEN.join(' or ')}`,
    )
  const keys = isObject(question) ? Object.keys(question).sort().join(' ') : ''
  if (!['predicate', 'ask choice', 'ask score'].includes(keys))
    throw configError(
      `${at} is ${JSON.stringify(question)}, expected { predicate: TEMPLATE }, { ask: TEMPLATE, choice: VALUES } or { ask: TEMPLATE, score: VALUES }`,
    )
  const { predicate, ask = predicate, choice, score } = question as Record<string, Json>
  if (typeof ask !== 'string' || ask.trim() === '')
    throw configError(
      `${at}.${predicate === undefined ? 'ask' : 'predicate'} is ${JSON.stringify(ask)}, expected a template`,
    )
  if (choice === 'options') {
    if (judge.criteria === undefined)
      throw configError(
        `${at}.choice is "options", which are those of a criterion: the file needs "criteria"`,
      )
  } else if (choice !== undefined) checkValues(choice, 'choice', at)
  else if (score !== undefined) checkValues(score, 'score', at)
}

const isWord = (value: Json) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** @throws Fatal (configuration) */
function checkValues(given: Json | undefined, type: keyof typeof VALUE_COUNTS, at: string): void {
  const [least, most] = VALUE_COUNTS[type]
  const refuse = (is: string) => {
    throw configError(
      `${at}.${type} ${is}, expected ${least} to ${most} different values: a list, or a mapping of each to what it means`,
    )
  }
  const values = Array.isArray(given)
    ? given
    : isObject(given)
      ? Object.keys(given)
      : refuse(`is ${JSON.stringify(given)}`)
  const meanings = isObject(given) ? Object.values(given) : []
  if (!values!.every(isWord) || !meanings.every((one) => one === null || isWord(one as Json)))
    refuse('has a value or a meaning that is no text')
  const texts = values!.map(String)
  if (texts.some((one) => one.trim() === '')) refuse('has an empty value')
  if (new Set(texts).size < texts.length) refuse('has a value twice')
  if (texts.length < least || texts.length > most) refuse(`has ${texts.length}`)
}

function checkWindow({ set }: JudgeFile, where: string): void {
  const window = set?.window
  if (window === undefined) return
  if (!Number.isInteger(window) || (window as number) < 1 || (window as number) > LARGEST_WINDOW)
    throw configError(
      `${where}: set.window is ${JSON.stringify(window)}, expected a whole number from 1 to ${LARGEST_WINDOW}`,
    )
}
