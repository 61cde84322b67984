/**
 * Baselines answer in place of a model: a real judge must do better than they do, and demos run without a key. They
 * look only at the item and answer in the judge's format. Each is a file, found by its name: `-m baseline:NAME`.
 */
import { shownOf as shownTo } from '../criteria/_roles.ts'
import { members } from '../files/members.ts'
import type { Judge } from '../judges/_judge.ts'
import { didYouMean } from '../options/nearest.ts'
import { type Question, questionsIn, valuesOf } from '../rows/questions.ts'
import { type Criterion, type Json, RowFailure, type Trial, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { seededBytes } from '../rows/seed.ts'
import { valueAt } from '../rows/value_at.ts'
import { windowOf } from '../verdicts/_window.ts'
import { meaningOf } from '../verdicts/answers.ts'
import { type Baseline, type Material, wordsIn } from './_baseline.ts'
import { optionsOf, rangeOf, type WantedVerdict, wordsFor } from './_words.ts'

const loaded = new Map<string, Promise<Baseline>>()

/** The baseline that a model's name (`baseline:longer`) names. @throws Fatal (usage) with the possible names */
function baselineOf(model: string): Promise<Baseline> {
  const name = model.slice(model.indexOf(':') + 1)
  let found = loaded.get(name)
  if (!found) {
    const names = members('baselines')
    if (!names.includes(name)) {
      const all = names.map((one) => `baseline:${one}`).join(', ')
      const hint = didYouMean(name, names, ` (baselines: ${all})`, 'baseline:')
      throw usageError(`unknown model "${model}"${hint}`)
    }
    loaded.set(name, (found = import(`./${name}.ts`).then(({ baseline }) => baseline)))
  }
  return found
}

/** The baseline's reply to the row, in its judge's format. @throws RowFailure missing_field */
export async function answer(model: string, row: Row, judgeOf: () => Promise<Judge>): Promise<string> {
  const baseline = await baselineOf(model)
  if (!row.has('judge'))
    throw new RowFailure('missing_field', `no jb.judge in the row: ${model} answers in a judge's format`)
  const judge = await judgeOf()
  const trial = row.get('trial')
  const window = windowOf(trial)
  const questions = row.get('request')?.questions
  if (questions !== undefined) return typedWords(judge, row, baseline, questionsIn(questions as Json))
  if (window) {
    const lines: string[] = []
    for (const [place, single] of window.trials.entries()) {
      const alone = row.fork().set('trial', single as Trial)
      lines.push(`${place + 1}. ${await wordsFor(judge, verdictOf(judge, alone, baseline), alone)}`)
    }
    return lines.join('\n')
  }
  return wordsFor(judge, verdictOf(judge, row, baseline), row)
}

/** The answers to typed questions, as a model that writes gives them. */
function typedWords(judge: Judge, row: Row, baseline: Baseline, questions: readonly Question[]): string {
  const trials = windowOf(row.get('trial'))?.trials
  const criteria = judge.criteria === undefined ? undefined : row.get('criteria')
  const said = questions.map((question, place): [string, Json] => {
    const alone = row.fork()
    if (trials) alone.set('trial', trials[place] as Trial)
    if (criteria) alone.set('criterion', criteria[place])
    const value = valueFor(judge, alone, baseline, question)
    return [question.name, question.type === 'predicate' ? value === 'true' : value]
  })
  return JSON.stringify(Object.fromEntries(said))
}

/** The value of a typed question that a baseline chooses: by the better answer, or by its level, numbers from the least. */
function valueFor(judge: Judge, row: Row, baseline: Baseline, question: Question): string {
  const values = valuesOf(question).map(([value]) => ({ value, means: meaningOf(value, judge) }))
  const trial = row.get('trial')
  const material = materialOf(judge, row, trial)
  const draw = drawOf(row, trial)
  if (judge.kind === 'pairwise') {
    const [a, b] = weights(material, baseline, draw) as [number, number]
    const wanted = a > b ? 'A>B' : b > a ? 'B>A' : 'A=B'
    return (values.find(({ means }) => means === wanted) ?? values[0]!).value
  }
  if (judge.kind === 'grade') values.sort((one, other) => Number(one.means) - Number(other.means))
  const at = Math.floor(level(material, baseline, draw) * values.length)
  return values[Math.min(values.length - 1, at)]!.value
}

/** Whether the judge has a label for a tie; a rule without labels is assumed to allow one. */
function hasTie(judge: Judge): boolean {
  const labels = judge.verdict?.labels
  return labels === null || typeof labels !== 'object' || Object.values(labels).includes('A=B')
}

/** The baseline's verdict on the item, in shown terms. */
function verdictOf(judge: Judge, row: Row, baseline: Baseline): WantedVerdict {
  const trial = row.get('trial')
  const material = materialOf(judge, row, trial)
  const draw = drawOf(row, trial)
  switch (judge.kind) {
    case 'pairwise': {
      const [a, b] = weights(material, baseline, draw) as [number, number]
      // Without a label for a tie the first answer shown wins, which is a tie over both orders.
      return { decision: a > b || (a === b && !hasTie(judge)) ? 'A>B' : b > a ? 'B>A' : 'A=B' }
    }
    case 'listwise': {
      const by = weights(material, baseline, draw)
      const ranking = by.map((_, index) => index).sort((x, y) => by[y]! - by[x]! || x - y)
      return { winner: ranking[0]!, ranking }
    }
    case 'grade': {
      const [low, high] = rangeOf(judge)
      const score = low + level(material, baseline, draw) * (high - low)
      const whole = Number.isInteger(low) && Number.isInteger(high) && high - low > 1
      return { score: whole ? Math.round(score) : Math.round(score * 100) / 100 }
    }
    case 'choice': {
      const options = optionsOf(judge, row)
      const at = Math.min(options.length - 1, Math.floor(level(material, baseline, draw) * options.length))
      return { option: options[at] ?? 'Yes' }
    }
    default:
      return { items: keyWords(material.question) }
  }
}

/** The item's question and answers, found by the judge's names for them. @throws RowFailure missing_field */
function materialOf(judge: Judge, row: Row, trial: Trial | undefined): Material {
  const criterion = row.get('criterion')
  if (criterion) return judgedOf(row, criterion, trial)
  const fields: Judge['fields'] = { ...judge.fields, ...row.get('map') }
  const names = answerNames(judge, Object.keys(fields))
  const field = (template: string) => fields[template] ?? template
  const values = names.map((template, index) => {
    // Each turn's answer has its own name: the last turn counts.
    const turns = [template, ...(judge.swap ?? []).map((pair) => pair[index] ?? template)]
    const value = turns.map((turn) => valueAt(row.item, field(turn))).findLast((one) => one !== undefined)
    if (value === undefined && judge.kind !== 'grade' && names.length > 1)
      throw new RowFailure(
        'missing_field',
        `field "${field(template)}" is missing: a baseline needs the answers`,
      )
    return value
  })
  // A single field may be the list of all answers.
  const listed =
    values.length === 1 && Array.isArray(values[0]) && judge.kind === 'listwise' ? values[0] : values
  const answers = listed.map(textOf)
  if (trial?.order === 'BA') answers.reverse()
  const others = Object.keys(fields).filter((template) => !names.includes(template))
  const asked = others.filter((template) =>
    /question|prompt|instruction|input|query|topic|title|task/i.test(template),
  )
  const question = (asked.length > 0 ? asked : others).map((template) =>
    textOf(valueAt(row.item, field(template))),
  )
  return { question: question.join('\n'), answers: shownOf(answers, trial) }
}

/** The context and the texts that a criterion judges. */
function judgedOf(row: Row, criterion: Criterion, trial: Trial | undefined): Material {
  const { judged, context } = shownTo(row, criterion, new Map(Object.entries(row.get('map') ?? {})))
  const texts = Array.isArray(judged) ? judged.map(textOf) : [textOf(judged)]
  const places = trial?.pair ?? texts.map((_, index) => index)
  const shown = trial?.order === 'BA' && Array.isArray(judged) ? [...places].reverse() : places
  return {
    question: context.map(({ value }) => value).join('\n'),
    answers: shown.map((place) => texts[place] ?? ''),
  }
}

/** Answers in the order in which the trial shows them, if it lists their indices. */
function shownOf(answers: string[], trial: Trial | undefined): string[] {
  const places = trial?.shown ?? trial?.answers ?? trial?.pair
  if (!Array.isArray(places)) return answers
  return places.map((place) => answers[Number(place)] ?? '')
}

/** The template names of answers: those in the judge file, else names that sound like answers. */
function answerNames(judge: Judge, names: string[]): string[] {
  if (judge.answers?.length) return judge.answers
  const sounding = names.filter((name) =>
    /answer|response|output|completion|prediction|candidate|summary|text/i.test(name),
  )
  if (judge.kind === 'pairwise') return (sounding.length >= 2 ? sounding : names.slice(-2)).slice(0, 2)
  return (sounding.length > 0 ? sounding : names).slice(-1)
}

/** One number for each answer: the largest wins. */
const weights = (material: Material, { weight }: Baseline, draw: (what: string) => number): number[] =>
  material.answers.map((text, index) => weight(text, { ...material, index, draw }))

/** A number in [0, 1], for a grade or an option. */
const level = ({ question, answers }: Material, baseline: Baseline, draw: (what: string) => number): number =>
  baseline.level(answers.join('\n'), { question, draw })

/** The first five distinct words of four or more letters, to fill a list. */
const keyWords = (text: string) => [...new Set(wordsIn(text).filter((word) => word.length > 3))].slice(0, 5)

/** Numbers from 0 up to 1 that depend on the item, the trial and `what`. */
function drawOf(row: Row, trial: Trial | undefined): (what: string) => number {
  return (what) => {
    const item = row.get('item') ?? row.itemText()
    const { of: _count, seed: _seed, ...which } = trial ?? { of: 1 }
    return seededBytes(`${item}\n${JSON.stringify(which)}\n${what}`).readUInt32BE() / 2 ** 32
  }
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return typeof value === 'object' ? Object.values(value).map(textOf).join('\n') : String(value)
}
