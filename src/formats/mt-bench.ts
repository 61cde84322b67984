/**
 * MT-bench. Read: joins questions, answers and references into one row per question, model and turn, or per pair of models;
 * fields are named as in FastChat's prompts. Written: the JSON of ratings: average, distribution, categories.
 */
import { someNames } from '../options/nearest.ts'
import { getOrInsert } from '../rows/maps.ts'
import { EXIT, type JsonObject, RowFailure, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { Histogram } from '../statistics/describe.ts'
import type { Format } from './_format.ts'
import { type Bench, type BenchQuestion, FAILED_CALL, NEED_REFERENCE, readBench } from './_mt_bench.ts'
import { RecordedJudgments, reportText } from './_mt_bench_report.ts'
import { saveJson, withCsv } from './_mt_bench_save.ts'
import { OneJudge } from './_one_judge.ts'

/** Rows per batch. */
const BATCH = 256

export const format: Format = {
  about: {
    read: 'MT-bench: folders of questions, answers and references → a row a question, model and turn (--pairs: a pair)',
    write: 'MT-bench: the evaluation’s JSON of ratings: average, distribution, categories',
  },
  countsRepeats: 'mt-bench',
  readOptions: [
    {
      name: 'pairs',
      type: 'string',
      value: 'all|MODEL',
      about: 'every two models, or every other model against this one',
    },
  ],
  async *read(sources, options, context) {
    const read = await readBench(
      sources.map(({ name, path }) => path ?? name),
      context,
    )
    if (!read) return
    const { bench } = read
    let rows = read.failed
    const pairs = pairsOf(bench, options.pairs as string | undefined)
    const models = [...bench.answers.keys()]
    for (const turn of [1, 2])
      for (const question of bench.questions) {
        // Only two-turn conversations have a second turn.
        if (turn === 2 && question.turns.length !== 2) continue
        for (const shown of pairs ?? models.map((model) => [model])) {
          rows.push(rowOf(bench, question, shown, turn))
          if (rows.length < BATCH) continue
          yield rows
          rows = []
        }
      }
    if (rows.length > 0) yield rows
  },
  fields: ['model', 'question_id', 'turn'],
  writeOptions: [
    {
      name: 'save',
      type: 'string',
      value: 'DIR',
      about:
        'also write evaluation.json and evaluation.csv (a line a judgment) there, or FILE.csv beside a FILE.json that is named here',
    },
  ],
  async *write(rows, options, context) {
    const code = options.compat === 'mt-bench'
    const recorded = code ? new RecordedJudgments() : undefined
    const all = new Histogram()
    const categories = new Map<string, Histogram>()
    const one = new OneJudge('mt-bench')
    let failed = 0
    let unrated = 0
    let fallback = 0
    const models = new Set<unknown>()
    for await (const batch of withCsv(rows, options, context)) {
      for (const row of batch) {
        one.check(row)
        models.add(row.field('model'))
        const score = row.get('result')?.score
        const category = recorded?.of(row)?.category ?? String(row.field('category') ?? 'unknown')
        const ratings = getOrInsert(categories, category, () => new Histogram())
        if (typeof score !== 'number') {
          failed++
          if (row.has('result')) unrated++
          continue
        }
        if (row.get('trials')?.some(({ verdict }) => verdict?.failure)) fallback++
        all.add(score)
        ratings.add(score)
      }
    }
    if (failed > 0) context.note(`${failed} items have no rating and are in no average`)
    if (unrated > 0 && all.n === 0) context.finish(EXIT.gate, 'nothing was measured: no item has a rating')
    if (fallback > 0) context.note(`${fallback} ratings are fallbacks, for replies without one`)
    noteModels([...models].map(String), context.note)
    const text = reportText(all, categories, { failed, fallback, code })
    saveJson(text, options, context)
    yield text
  },
}

/** The evaluation is of one model. */
function noteModels(models: readonly string[], note: Context['note']): void {
  if (models.length > 1)
    note(
      `the averages are over ${models.length} models together: ${someNames(models)} (jq 'select(.model == "NAME")' takes one)`,
    )
}

/** `--pairs all`: every pair of models; `--pairs MODEL`: each other model against that one. */
function pairsOf({ answers }: Bench, pairs: string | undefined): [string, string][] | undefined {
  const models = [...answers.keys()]
  if (pairs === undefined) return undefined
  if (pairs === 'all')
    return models.flatMap((a, i) => models.slice(i + 1).map((b): [string, string] => [a, b]))
  if (!answers.has(pairs))
    throw usageError(`--pairs ${pairs}: no answers of that model (there are: ${models.join(', ')})`)
  return models.filter((model) => model !== pairs).map((model) => [model, pairs])
}

/** Fields with the texts of a conversation: NAME for one turn, NAME_1 and NAME_2 for two. */
const byTurn = (turn: number, name: string, [first, second]: (string | null)[]): JsonObject =>
  turn === 1 ? { [name]: first! } : { [`${name}_1`]: first!, [`${name}_2`]: second! }

function rowOf(bench: Bench, question: BenchQuestion, shown: string[], turn: number): Row {
  const { question_id, category, turns } = question
  const id = String(question_id)
  const [first, second] = shown as [string, string?]
  const [models, names] =
    second === undefined
      ? [{ model: first }, ['answer']]
      : [{ model_1: first, model_2: second }, ['answer_a', 'answer_b']]
  const item: JsonObject = { question_id, category, ...models, turn, ...byTurn(turn, 'question', turns) }
  const lost: string[] = []
  const failed: string[] = []
  for (const [index, model] of shown.entries()) {
    const { turns: said = [] } = bench.answers.get(model)?.get(id) ?? {}
    if (said[turn - 1] === undefined) lost.push(`no answer of ${model} to question ${id}, turn ${turn}`)
    if (said.slice(0, turn).includes(FAILED_CALL)) failed.push(model)
    Object.assign(item, byTurn(turn, names[index]!, [said[0] ?? null, said[1] ?? null]))
  }
  if (NEED_REFERENCE.has(category)) {
    const { turns: right = [] } = bench.references.get(id) ?? {}
    if (!right[turn - 1]) lost.push(`no reference answer to question ${id}, which ${category} needs`)
    item.ref_answer_1 = right[0] ?? null
    if (turn === 2) item.ref_answer_2 = right[1] ?? null
  }
  const row = Row.make(item, '(mt-bench)', Number(question_id) || 0)
  row.set('item', [id, ...shown, turn].join(':'))
  if (failed.length > 0)
    return row.fail(
      'read',
      new RowFailure('source_failed', `${FAILED_CALL} is the answer of ${failed.join(', ')}`),
    )
  return lost.length > 0 ? row.fail('read', new RowFailure('missing_field', lost.join('; '))) : row
}
