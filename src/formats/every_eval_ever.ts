/**
 * Every Eval Ever: results as an aggregate of each evaluated model, with judges, prompt and uncertainty, and the items that
 * are right or wrong as lines beside it. What is evaluated: of items with labels the judge, of pairs without labels both
 * models, else the model whose answers are judged.
 */
import type { Judge } from '../judges/_judge.ts'
import { CI_OPTION } from '../options/common.ts'
import { count, getOrInsert } from '../rows/maps.ts'
import { ANSWER_FIELDS, MODEL_FIELDS, QUESTION_FIELDS, textsIn } from '../rows/pair_fields.ts'
import { EXIT, Fatal, type TrialResult, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { outcomeOf } from '../scoring/outcome.ts'
import { identityOf, type RunIdentity, runKey } from '../scoring/run_identity.ts'
import { rowOfTrial } from '../scoring/scored_rows.ts'
import { Aggregate, isRight, type Measured, type Provenance, type Sample } from './_every_eval_ever.ts'
import type { Format, FormatOptions } from './_format.ts'
import { Judges } from './_lm_eval.ts'

export const format: Format = {
  about: 'Every Eval Ever 0.3: an aggregate a line for each evaluated model; with --save its files',
  fields: ['model', ...MODEL_FIELDS.flat()],
  writeOptions: [
    { name: 'dataset', type: 'string', value: 'NAME', about: 'the data set’s name (required)' },
    {
      name: 'save',
      type: 'string',
      value: 'DIR',
      about: 'also write DIR/data/DATASET/DEVELOPER/MODEL/UUID.json and UUID_samples.jsonl',
    },
    {
      name: 'evaluated',
      type: 'string',
      value: 'MODEL',
      about: 'the model whose answers are judged [the field model]',
    },
    {
      name: 'answer',
      type: 'string',
      value: 'FIELD',
      about: 'the field with the answer that is judged [the criterion’s, the judge’s, or answer]',
    },
    {
      name: 'developer',
      type: 'string',
      value: 'NAME',
      about: 'who made a model whose name has no DEVELOPER/ before it',
    },
    {
      name: 'organization',
      type: 'string',
      value: 'NAME',
      default: 'unknown',
      about: 'who publishes these results',
    },
    {
      name: 'relationship',
      type: 'string',
      choices: ['first_party', 'third_party', 'collaborative', 'other'],
      default: 'other',
      about: 'how that organization stands to the evaluated model',
    },
    { name: 'pass', type: 'number', value: 'X', about: 'a score of X or more is right: it has a sample' },
    { name: 'lower-is-better', type: 'boolean', about: 'a lower score is better: no item has a sample' },
    CI_OPTION,
  ],
  async *write(rows, options, context) {
    const results = new Results(options, context)
    for await (const batch of rows) for (const row of batch) await results.add(row)
    if (!context.cut()) yield* results.written()
  },
}

/** Scored items by the models that they evaluate. */
class Results {
  private readonly aggregates = new Map<string, Aggregate>()
  private readonly prompts: Prompts
  private readonly from: Provenance
  private readonly options: FormatOptions
  private readonly context: Context
  /** By run. */
  private readonly failed = new Map<string, number>()
  /** Results without a number, and values of which no sample is written. */
  private unmeasured = 0
  private unsampled = 0

  /** @throws Fatal (usage) without --dataset */
  constructor(options: FormatOptions, context: Context) {
    this.options = options
    this.context = context
    this.from = provenanceOf(options)
    this.prompts = new Prompts(new Judges(options, context), context.note)
  }

  /** @throws Fatal (data) if the row does not name the model that is evaluated */
  async add(row: Row): Promise<void> {
    const identity = identityOf(row)
    const [result, trials] = [row.get('result'), row.get('trials') ?? []]
    if (!result) return count(this.failed, runKey(identity), 1)
    const outcome = outcomeOf(result, trials)
    // The share of a list's first answer is no model's.
    if (!outcome || (outcome.measure === 'share' && result.kind !== 'pairwise')) {
      this.unmeasured++
      return
    }
    const asked = await this.prompts.of(row, trials)
    const item: Measured = { row, result, trials, outcome }
    const { evaluated } = this.options
    for (const [model, value] of evaluatedIn(item, identity, evaluated as string | undefined)) {
      const aggregate = getOrInsert(this.aggregates, model, () => new Aggregate(model, this.from))
      const of = { ...item, outcome: { ...outcome, value } }
      const addSample = aggregate.add(of, { identity, prompt: asked.prompt })
      const sample = this.sampleOf(of, asked.judge)
      if (sample) addSample(sample)
      else this.unsampled++
    }
  }

  private sampleOf(item: Measured, judge: Judge | undefined): Sample | undefined {
    const right = isRight(item, this.from)
    if (right === undefined) return undefined
    const rows = item.trials.flatMap((trial) => rowOfTrial(trial) ?? [])
    if (item.outcome.measure === 'correct' && rows.length === 0)
      this.context.note('a result has no replies: output.raw is empty (rows of jb-parse have them)', {
        kind: 'no reply texts',
      })
    const replies = rows.flatMap((from) => from.get('reply')?.text ?? [])
    return sampleOf(item, { right, judge, replies, answer: this.options.answer as string | undefined })
  }

  *written(): Generator<string> {
    const { failed, context, aggregates } = this
    const lost = [...failed.values()].reduce((sum, one) => sum + one, 0)
    if (lost > 0) context.note(`${lost} items failed and are in no score`)
    if (this.unmeasured > 0)
      context.note(`${this.unmeasured} results have no number of a model and are left out`)
    if (this.unsampled > 0)
      context.note(
        `${this.unsampled} values have no sample: a share or a grade is neither right nor wrong (of grades --pass X says it), or the row lacks the question or the answer`,
      )
    if (aggregates.size === 0) context.finish(EXIT.gate, 'nothing was measured: no item has a number')
    const failedOf = (identity: RunIdentity) => failed.get(runKey(identity)) ?? 0
    for (const aggregate of aggregates.values())
      yield aggregate.written(this.options.save as string | undefined, failedOf)
  }
}

/** @throws Fatal (usage) without --dataset */
function provenanceOf(options: FormatOptions): Provenance {
  const { dataset, developer, organization, relationship, ci, lowerIsBetter, pass } = options
  if (typeof dataset !== 'string' || dataset === '')
    throw usageError('every_eval_ever: name the data set of these results with --dataset NAME')
  if (pass !== undefined && lowerIsBetter)
    throw usageError(
      '--pass X takes a score of X or more for right: it cannot stand beside --lower-is-better',
    )
  return {
    dataset,
    developer: developer as string | undefined,
    organization: organization as string,
    relationship: relationship as string,
    time: Math.floor(Date.now() / 1000),
    ci: ci as number,
    lowerIsBetter: lowerIsBetter === true,
    pass: pass as number | undefined,
  }
}

/** The models that an item evaluates, and its value for each. @throws Fatal (data) if the row names none */
function evaluatedIn(
  { row, outcome: { measure, value } }: Measured,
  { model: judge }: RunIdentity,
  given: string | undefined,
): [model: string, value: number][] {
  if (measure === 'correct') return [[named(row, judge, 'the judge’s model is not known'), value]]
  if (measure === 'score') {
    const model = given ?? row.field('model')
    return [
      [named(row, model, 'no "model": name the model whose answers are judged with --evaluated'), value],
    ]
  }
  const [first, second] = textsIn(row, MODEL_FIELDS) ?? []
  const lack = 'a pair without a label is about its two models, and names none (model_a and model_b)'
  if (first === second && first !== undefined) return []
  return [
    [named(row, first, lack), value],
    [named(row, second, lack), 1 - value],
  ]
}

function named(row: Row, model: unknown, lack: string): string {
  if (typeof model === 'string' && model !== '') return model
  throw new Fatal(EXIT.data, `${row.place}: ${lack}`)
}

/** Judges and their prompts, by the names in rows; of a jury those of its members. */
class Prompts {
  private readonly known = new Map<string, { judge: Judge | undefined; prompt: string | undefined }>()

  private readonly judges: Judges
  private readonly note: Context['note']

  constructor(judges: Judges, note: Context['note']) {
    this.judges = judges
    this.note = note
  }

  async of(
    row: Row,
    trials: readonly TrialResult[],
  ): Promise<{ judge: Judge | undefined; prompt: string | undefined }> {
    // A member is called `judge · model`.
    const members = new Set(trials.flatMap(({ trial }) => trial.member?.split(' · ')[0] ?? []))
    const names = members.size > 0 ? [...members] : [row.get('judge')].filter((one) => one !== undefined)
    const key = JSON.stringify(names)
    const known = this.known.get(key)
    if (known) return known
    const found: [name: string, judge: Judge | undefined][] = []
    for (const name of names)
      found.push([name, await this.judges.of(row.fork().set('judge', name), (words) => this.tell(words))])
    const texts = found.map(([name, judge]) => [name, judge && promptOf(judge)] as const)
    for (const [name, text] of texts)
      if (text === undefined && found.some(([one, judge]) => one === name && judge))
        this.tell(`${name}: its prompt is made by code`)
    const [[, only] = []] = texts
    const prompt =
      texts.length === 1 ? only : texts.map(([name, text = 'unknown']) => `${name}:\n${text}`).join('\n\n')
    const entry = { judge: found[0]?.[1], prompt: names.length === 0 ? undefined : prompt }
    this.known.set(key, entry)
    return entry
  }

  private tell(words: string): void {
    this.note(`${words}: input_prompt is "unknown"`, { kind: 'unknown prompt' })
  }
}

/** The judge's prompt, before it is filled in; undefined if code makes it. */
function promptOf({ messages, prompt, variants }: Judge): string | undefined {
  if (prompt !== undefined) return prompt
  const all = messages ?? variants?.[0]?.messages
  if (!all || all.length === 0) return undefined
  return all.length === 1
    ? all[0]!.content
    : all.map(({ role, content }) => `${role}: ${content}`).join('\n\n')
}

/** What an instance holds of an item; undefined if its row lacks the question, or the answer. */
function sampleOf(
  { row, result, outcome: { measure, value } }: Measured,
  {
    right,
    judge,
    replies,
    answer,
  }: {
    right: boolean
    judge: Judge | undefined
    replies: readonly string[]
    answer: string | undefined
  },
): Sample | undefined {
  const input = QUESTION_FIELDS.map((field) => row.field(field)).find((one) => typeof one === 'string')
  if (input === undefined) return undefined
  const id = row.get('item') ?? ''
  if (measure === 'correct') {
    return {
      ...{ id, input, output: [...replies], value, right },
      reference: [textOf(result.label)],
      choices: textsIn(row, ANSWER_FIELDS),
      extracted: textOf(result.decision ?? result.option ?? result.winner),
      method: judge?.verdict?.rule ?? 'custom',
    }
  }
  const field = answer ?? row.get('criteria')?.[0]?.to_evaluate_field
  const output = row.field(String(field ?? judge?.fields[judge.answers?.[0] ?? 'answer'] ?? 'answer'))
  if (typeof output !== 'string') return undefined
  const reference = row.field('reference')
  return {
    ...{ id, input, value, right },
    reference: typeof reference === 'string' ? [reference] : [],
    output: [output],
    extracted: output,
    method: 'llm_judge',
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
