/**
 * Every reader, writer and filter takes linear time: twice its worst input takes at most 2.5 times the CPU time. A new
 * one needs a case here. (Rules that read replies: verdicts/linear.check.ts.)
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import type { Format } from '../src/formats/_format.ts'
import { mapValues } from '../src/rows/maps.ts'
import { folder } from './helpers/folder.ts'
import { type Filter, jb, ROOT, shown } from './helpers/run.ts'

/** Bytes of the larger input. */
const LARGE = 2e6
const MOST = 2.5
/** Milliseconds that say nothing: compiling and collecting garbage may take as much. */
const FLOOR = 150
/** So often a doubling is measured until it is no more than that. */
const TRIES = 3

/** An input of about that many bytes: stdin, or files by their names, which options may name too. */
type Made = string | { files: Record<string, string>; args: string[] }
type Build = (bytes: number) => Made
/** By what is long or many in it. */
type Shapes = Record<string, Build>
type Line = (i: number) => string

/** Lines, until there are enough bytes. */
function list(bytes: number, line: Line): string[] {
  const made: string[] = []
  for (let i = 0, size = 0; size < bytes; i++) size += made[made.push(line(i)) - 1]!.length + 1
  return made
}
const lines = (bytes: number, line: Line) => `${list(bytes, line).join('\n')}\n`
const many =
  (line: Line): Build =>
  (bytes) =>
    lines(bytes, line)
const times = (n: number, of: (i: number) => string) => Array.from({ length: n }, (_, i) => of(i)).join(',')

/** JSON of that many bytes: the ways in which a value can be long. */
const LONG: Record<string, (bytes: number) => string> = {
  lines: (bytes) => JSON.stringify('\\"\n[[{'.repeat(bytes / 9)),
  list: (bytes) => `[${times(bytes / 8, (i) => `[${i}]`)}]`,
  keys: (bytes) => `{${times(bytes / 16, (i) => `"key_${i}":${i}`)}}`,
}
const ways = Object.entries(LONG)

/** Rows by a pattern, with their number for each # and a value for each @: many rows, and two with a value as LONG. */
function rows(pattern: string): Shapes {
  const row = (i: number, value: string) => pattern.replaceAll('#', String(i)).replaceAll('@', () => value)
  const long = ways.map(([name, of]): [string, Build] => [
    name,
    (bytes) => [0, 1].map((i) => `${row(i, of(bytes / 2))}\n`).join(''),
  ])
  return { rows: many((i) => row(i, String(i))), ...Object.fromEntries(long) }
}

interface Judged {
  n?: number
  of?: number
  model?: string
  name?: string
  more?: string
}

/** The row of a trial: of a pair, or of a grade. */
const ROWS = {
  pair: (i: number, { n = 0, of = 1, model = `m${i % 2}`, name = '', more = '0' }: Judged = {}) =>
    `{"id":"p${i}","question":"Why?","source":"made","response_A":"a","response_B":"b","model_a":"m${i % 7}",` +
    `"model_b":"m${7 + (i % 5)}","label":"${i % 3 ? 'A>B' : 'B>A'}","more":${more},` +
    `"jb":{"judge":"vanilla",${name}"item":"p${i}","trial":{"n":${n},"of":${of},"order":"AB"},` +
    `"request":{"messages":[{"role":"user","content":"Which?"}]},` +
    `"reply":{"text":"I say [[A]]","finish_reason":"stop","model":"${model}"},` +
    `"verdict":{"label":"A","decision":"${i % 4 ? 'A>B' : 'B>A'}"}}}`,
  grade: (i: number, { n = 0, of = 1, model = `m${i % 2}`, name = '', more = '0' }: Judged = {}) =>
    `{"id":"p${i}","question":"Why?","source":"made","topic_id":"t${i % 50}","run_id":"r${Math.floor(i / 50)}",` +
    `"response":{"text":"a"},"answer":"a","model":"x","question_id":${i},"turn":1,"category":"math","subset":"Math",` +
    `"label":${i % 5},"more":${more},` +
    `"jb":{"judge":"rating",${name}"item":"p${i}","trial":{"n":${n},"of":${of}},` +
    `"request":{"messages":[{"role":"user","content":"Good?"}]},` +
    `"reply":{"text":"Rating: [[3]]","finish_reason":"stop","model":"${model}"},` +
    `"verdict":{"label":"3","score":${(i * 7) % 5},"range":[0,5]}}}`,
}
type Kind = keyof typeof ROWS

/** Rows of one judge and model. */
const one = (kind: Kind): Shapes => ({
  [`${kind}: items`]: many((i) => ROWS[kind](i, { model: 'm' })),
  [`${kind}: trials`]: (bytes) => {
    const of = Math.ceil(bytes / ROWS[kind](0).length)
    return lines(bytes, (n) => ROWS[kind](0, { n, of, model: 'm' }))
  },
  ...Object.fromEntries(
    (['lines', 'keys'] as const).map((way): [string, Build] => [
      `${kind}: ${way}`,
      (bytes) => lines(1, () => ROWS[kind](0, { model: 'm', more: LONG[way]!(bytes) })),
    ]),
  ),
})
/** And those of many runs. */
const runs = (kind: Kind): Shapes => ({
  ...one(kind),
  [`${kind}: two models`]: many((i) => ROWS[kind](i)),
  [`${kind}: models`]: many((i) => ROWS[kind](i >> 1, { model: `m${i}` })),
  [`${kind}: names`]: many((i) => ROWS[kind](i >> 1, { name: `"name":"n${i}",` })),
})
const both: Shapes = { ...runs('pair'), ...runs('grade') }
const OF_RUNS = /: (two models|models|names)$/
const ofRuns = Object.fromEntries(Object.entries(both).filter(([name]) => OF_RUNS.test(name)))

/** The first run is what others are compared with. */
const against =
  (build: Build): Build =>
  (bytes) => {
    const text = build(bytes) as string
    const { jb } = JSON.parse(text.slice(0, text.indexOf('\n'))) as { jb: Record<string, string> }
    const { model } = jb.reply as unknown as { model: string }
    return {
      files: { 'runs.jsonl': text },
      args: ['runs.jsonl', '--against', [jb.judge, jb.name, model].filter(Boolean).join(' · ')],
    }
  }

/** Leaderboards, whose lines name a run, a topic and a measure. */
const board = (line: (run: number, topic: number, measure: number) => string): Shapes => ({
  runs: many((i) => line(i, 1, 1)),
  topics: many((i) => line(1, i, 1)),
  measures: many((i) => line(1, 1, i)),
  diagonal: many((i) => line(i, i, i)),
})
const BOARD = (run: number, topic: number, measure: number) => `r${run}\tt${topic}\tM${measure}\t0.5`

interface Call {
  trace: string
  i: number
  parent: number
  said: readonly string[]
}
const id = (i: number) => (i + 1).toString(16).padStart(16, '0')

/** Calls as a tracing tool records them: of one trace, or of many. */
function traces(call: (of: Call) => string): Shapes {
  const of = (i: number, parent: number, said = [`Why ${i}?`]) =>
    call({ trace: 'a'.repeat(32), i, parent, said })
  return {
    chain: many((i) => of(i, i - 1)),
    'chain upwards': many((i) => of(i, i + 1)),
    siblings: many((i) => of(i, 0)),
    same: many((i) => of(i, 0, ['Why?'])),
    traces: many((i) => call({ trace: id(i).padStart(32, '0'), i, parent: -1, said: [`Why ${i}?`] })),
    thread: (bytes) => {
      let talk: string[] = []
      return lines(bytes, (i) => of(i, i - 1, (talk = [...talk, `Why ${i}?`])))
    },
    messages: (bytes) =>
      of(
        1,
        -1,
        list(bytes / 3, (i) => `Why ${i}?`),
      ),
  }
}
const otelSpan = ({ trace, i, parent, said }: Call) => {
  const messages = said.map((content) => ({ role: 'user', parts: [{ type: 'text', content }] }))
  return (
    `{"traceId":"${trace}","spanId":"${id(i)}","parentSpanId":"${parent < 0 ? '' : id(parent)}","name":"chat",` +
    `"startTimeUnixNano":"${1790000000000000000n + BigInt(i)}","attributes":[` +
    `{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages",` +
    `"value":{"stringValue":${JSON.stringify(JSON.stringify(messages))}}}]}`
  )
}
const otelDocument = (spans: string) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`
const langfuse = ({ trace, i, parent, said }: Call) =>
  `{"id":"o${i}","type":"GENERATION","traceId":"${trace}","parentObservationId":${parent < 0 ? null : `"o${parent}"`},` +
  `"startTime":"2026-09-01T10:00:02.000Z","input":${JSON.stringify(said.map((content) => ({ role: 'user', content })))},` +
  `"output":"b${i}"}`
const phoenix = ({ trace, i, parent, said }: Call) => {
  const messages = said.map((content) => ({ 'message.role': 'user', 'message.content': content }))
  return (
    `{"name":"chat","span_kind":"LLM","parent_id":${parent < 0 ? null : `"${id(parent)}"`},` +
    `"context":{"trace_id":"${trace}","span_id":"${id(i)}"},"start_time":"2026-11-29T08:19:00.397971+00:00",` +
    `"status_code":"OK","status_message":"","attributes":{"llm.input_messages":${JSON.stringify(messages)}}}`
  )
}
const mlflow = (i: number, parent: number) =>
  `{"span_id":"${id(i)}","parent_span_id":${parent < 0 ? null : `"${id(parent)}"`},"name":"n",` +
  `"start_time_unix_nano":${i},"attributes":{"mlflow.spanType":"\\"LLM\\"","mlflow.spanInputs":"\\"Q${i}\\"",` +
  `"mlflow.spanOutputs":"\\"A${i}\\""}}`
const mlflowTrace = (i: number, spans: string) =>
  `{"info":{"trace_id":"tr-${i}","state":"OK"},"data":{"spans":[${spans}]}}`

const inspect = (samples: number, messages: number) =>
  `{"version":2,"status":"success","eval":{"task":"t","model":"m","run_id":"r","eval_id":"e"},"samples":[${times(
    samples,
    (i) =>
      `{"id":${i},"epoch":1,"input":"i","target":"t","scores":{},"messages":[${times(
        messages,
        (k) => `{"role":"${k % 2 ? 'assistant' : 'user'}","content":"c${k}"}`,
      )}]}`,
  )}]}`

/** AutoJudge's folder of runs, each response at a place. */
const responses =
  (place: (i: number) => [run: number, topic: number]): Build =>
  (bytes) => {
    const all = list(bytes, (i) => {
      const [run, topic] = place(i)
      return `{"metadata":{"team_id":"t","run_id":"r${run}","topic_id":"t${topic}"},"responses":[{"text":"Said ${i}."}],"references":[]}`
    })
    const topics = new Set(all.map((_, i) => place(i)[1]))
    return {
      files: {
        'topics.jsonl': [...topics].map((i) => `{"request_id":"t${i}","title":"t"}\n`).join(''),
        'runs/r.jsonl': `${all.join('\n')}\n`,
      },
      args: ['--topics', 'topics.jsonl', '--responses', 'runs'],
    }
  }

/** MT-bench's folder. */
function bench(questions: number, models: number): Made {
  const ids = Array.from({ length: questions }, (_, i) => i)
  const of = (line: (id: number) => string) => ids.map((id) => `${line(id)}\n`).join('')
  const answers = Array.from({ length: models }, (_, m) =>
    of((id) => `{"question_id":${id},"model_id":"m${m}","choices":[{"index":0,"turns":["a","b"]}]}`),
  )
  return {
    files: {
      'question.jsonl': of((id) => `{"question_id":${id},"category":"writing","turns":["q","q"]}`),
      'model_answer/all.jsonl': answers.join(''),
    },
    args: ['.'],
  }
}

/** Two models' answers. */
const twoFiles =
  (pattern: string): Build =>
  (bytes) => {
    const file = (model: string) =>
      lines(bytes / 2, (i) =>
        pattern
          .replaceAll('#', String(i))
          .replaceAll('@', () => LONG.keys!(bytes / 2))
          .replace('{', `{"model":"${model}","response":"r",`),
      )
    return {
      files: { 'a.jsonl': file('a'), 'b.jsonl': file('b') },
      args: ['--a', 'a.jsonl', '--b', 'b.jsonl'],
    }
  }

const bank = (i: number, nuggets: string) => `{"qid":"t${i}","query":"q","nuggets":[${nuggets}]}`
const nugget = (i: number) => `{"text":"Why ${i}?","importance":"vital"}`

/** Command lines, without `jb-`. */
const CASES: Record<string, Shapes> = {
  'read alpaca_eval': rows(
    '{"instruction":"i#","generator_1":"a","generator_2":"m","preference":1,"more":@}',
  ),
  'read arena-battles': rows('{"question_id":#,"model_a":"a#","model_b":"b","winner":"tie","more":@}'),
  'read arena-hard': rows(
    '{"model":"m#","question_id":#,"baseline":"b","games":[{"score":"A>B"},{"score":"B>A"}],"more":@}',
  ),
  'read autojudge': {
    runs: responses((i) => [i, 0]),
    topics: responses((i) => [0, i]),
    pairs: responses((i) => [i >> 1, i & 1]),
  },
  'read csv': {
    'long cell': (bytes) => `a,b\n1,"${'x ""y"",\n'.repeat(bytes / 10)}"\n`,
    quotes: (bytes) => `a,b\n${'"",""\n'.repeat(bytes / 6)}`,
    columns: (bytes) => `${times(bytes / 10, (i) => `c${i}`)}\n${times(bytes / 10, () => '1')}\n`,
    lines: many((i) => (i === 0 ? 'a,b,c' : `${i},x,y`)),
  },
  'read deepeval': rows(
    '{"testCases":[{"name":"n#","input":"i","actualOutput":"o","more":@,"metricsData":[]}]}',
  ),
  'read evalassist': {
    rows: rows('{"name":"n#","instances":[{"response":"r","metadata":{"more":@}}]}').rows!,
  },
  'read inspect': {
    samples: (bytes) => inspect(bytes / 120, 1),
    messages: (bytes) => inspect(1, bytes / 45),
  },
  'read ir_measures': board(BOARD),
  'read json': {
    elements: (bytes) => `[${list(bytes, (i) => `{"i":${i}}`).join(',\n')}]`,
    spaces: (bytes) => `[${' '.repeat(bytes)}{"x":${' '.repeat(bytes)}1}]`,
    'a document': (bytes) =>
      `{"a":{"x":${LONG.list!(bytes / 2)},"rows":[${times(bytes / 30, (i) => `{"x":"${i}"}`)}]}}`,
    ...Object.fromEntries(ways.map(([name, of]) => [name, (bytes: number) => `[{"x":${of(bytes)}}]`])),
  },
  'read jsonl': board(
    (run, topic, measure) =>
      `{"run_id":"r${run}","topic_id":"t${topic}","measure":"M${measure}","value":0.5}`,
  ),
  'read judgebench-outputs': rows(
    '{"pair_id":"p#","judge_name":"vanilla","judgments":[{"judgment":{"response":"r"},"decision":"A>B"}],"more":@}',
  ),
  'read langfuse': {
    ...traces(langfuse),
    scores: many((i) =>
      i === 0
        ? langfuse({ trace: 't', i, parent: -1, said: ['Why?'] })
        : `{"id":"s${i}","traceId":"t","name":"n${i}","source":"ANNOTATION","dataType":"NUMERIC","value":1}`,
    ),
  },
  'read llmbar': rows('{"input":"i#","output_1":"a","output_2":"b","label":1,"more":@}'),
  'read lm-eval': rows(
    '{"doc_id":#,"doc":{"more":@},"target":"t","resps":[["r"]],"filtered_resps":["r"],"filter":"none"}',
  ),
  'read mlflow': {
    chain: (bytes) => mlflowTrace(0, list(bytes, (i) => mlflow(i, i - 1)).join(',')),
    siblings: (bytes) => mlflowTrace(0, list(bytes, (i) => mlflow(i, i === 0 ? -1 : 0)).join(',')),
    traces: many((i) => mlflowTrace(i, mlflow(i, -1))),
  },
  'read mt-bench': { questions: (bytes) => bench(bytes / 140, 1), models: (bytes) => bench(1, bytes / 70) },
  'read mt-bench-judgments': rows(
    '{"question_id":#,"model":"m#","turn":1,"judge":["gpt-4","single-v1"],"judgment":"[[8]]","score":8,"more":@}',
  ),
  'read nuggets': {
    banks: many((i) => bank(i, nugget(0))),
    nuggets: (bytes) => bank(0, times(bytes / 40, nugget)),
  },
  'read openai-batch': {
    lines: (bytes) =>
      lines(
        bytes / 2,
        (i) => `{"custom_id":"c${i}","body":{"model":"m","messages":[{"role":"user","content":"q"}]}}`,
      ) +
      lines(
        bytes / 2,
        (i) =>
          `{"custom_id":"c${i}","response":{"status_code":200,"body":{"choices":[{"message":{"role":"assistant","content":"a"}}]}}}`,
      ),
    same: many(
      (i) => `{"custom_id":"c","body":{"model":"m","messages":[{"role":"user","content":"q${i}"}]}}`,
    ),
  },
  'read otel': {
    ...traces((call) => otelDocument(otelSpan(call))),
    'one document': (bytes) =>
      otelDocument(
        list(bytes, (i) => otelSpan({ trace: id(0), i, parent: i - 1, said: [`c${i}`] })).join(','),
      ),
  },
  'read pair': {
    rows: twoFiles('{"id":"#","question":"q"}'),
    'rows without an id': twoFiles('{"name":"n#","question":"q"}'),
    keys: twoFiles('{"id":"#","more":@}'),
  },
  'read phoenix': traces(phoenix),
  'read promptfoo': rows(
    '{"testIdx":#,"promptIdx":0,"provider":"p","success":true,"vars":{"more":@},"response":{"output":"o"},"prompt":{"raw":"q"}}',
  ),
  'read qrels': { documents: many((i) => `t 0 d${i} 1`), topics: many((i) => `t${i} 0 d 1`) },
  'read rag4reports': board((run, topic, measure) => `t${topic}\tr${run}\tM${measure}\t0.5`),
  'read ranking': board((run, topic, measure) => `t${topic} Q0 r${run} 1 0.5 M${measure}`),
  'read rewardbench-scores': rows('{"id":#,"subset":"s","scores_chosen":1,"scores_rejected":0,"more":@}'),
  'read tot': board((run, topic, measure) => `r${run}\tM${measure}\tt${topic}\t0.5`),
  'read trec --from ir_measures': board(BOARD),
  'read trec_eval': board((_, topic, measure) => `M${measure}\tt${topic}\t0.5`),

  'write csv': both,
  'write evalassist': runs('grade'),
  'write every_eval_ever --dataset d': runs('grade'),
  'write github --pass 2': both,
  'write ir_measures': runs('grade'),
  'write jsonl': runs('grade'),
  'write judgebench': runs('pair'),
  'write junit --pass 2': both,
  'write lm-eval': one('grade'),
  'write lm-eval-details': runs('grade'),
  'write mlflow': runs('grade'),
  'write mt-bench': one('grade'),
  'write mt-bench-csv': runs('grade'),
  'write mt-bench-judgments': both,
  'write mt-bench-results': { ...one('pair'), ...one('grade') },
  'write nuggets': { banks: many((i) => `{"id":"t${i}","topic_id":"t${i}","bank":${bank(i, nugget(0))}}`) },
  'write otel': runs('grade'),
  'write parquet': both,
  'write qrels': runs('grade'),
  'write rag4reports': runs('grade'),
  'write ranking': runs('grade'),
  'write responses': runs('grade'),
  'write rewardbench': one('pair'),
  'write rewardbench2': one('grade'),
  'write rm-gallery': one('pair'),
  'write rm-gallery-rewardbench2': one('grade'),
  'write spread': runs('grade'),
  'write tot': runs('grade'),
  'write trec': runs('grade'),
  'write trec_eval': {
    // It is for one run.
    topics: many((i) =>
      ROWS.grade(i)
        .replace(/"run_id":"\w+"/, '"run_id":"r"')
        .replace(/"t\d+"/, `"t${i}"`),
    ),
  },
  'write tsv': both,

  aggregate: both,
  'aggregate --by id': ofRuns,
  // tau_GAP compares each run with all above it.
  'agree --from ir_measures --truth-measure M1 --correlation kendall,pearson,spearman,tauap_b,kendall@10':
    Object.fromEntries(
      Object.entries(board(BOARD)).map(([name, build]): [string, Build] => [
        name,
        (bytes) => {
          const least = [1, 2, 3].map((run) => `${BOARD(-run, 1, 1)}\n`).join('')
          const text = `${least}${build(bytes / 2)}`
          return { files: { 'truth.txt': text, 'mine.txt': text }, args: ['truth.txt', 'mine.txt'] }
        },
      ]),
    ),
  audit: both,
  'audit --by id': ofRuns,
  'compare --by id': {
    items: many((i) => ROWS.pair(i >> 1, { model: `m${i & 1}` })),
    grades: many((i) => ROWS.grade(i >> 1, { model: `m${i & 1}` })),
  },
  'call -m baseline:first --no-cache --refresh': both,
  // Without it, every two of at most 200 runs are compared.
  compare: mapValues(ofRuns, against),
  parse: both,
  // A leaderboard has at most 2,000 models.
  rank: {
    ...runs('pair'),
    models: many((i) => `{"id":"p${i}","model_a":"a${i % 900}","model_b":"b${i % 1000}","winner":"model_a"}`),
  },
  'render vanilla': both,
  score: both,
  // A jury has at most 500 members.
  'score --jury majority': {
    items: many((i) => ROWS.pair(i >> 1, { model: `m${i & 1}` })),
    members: many((i) => ROWS.pair(Math.floor(i / 400), { model: `m${i % 400}` })),
    grades: many((i) => ROWS.grade(Math.floor(i / 400), { model: `m${i % 400}` })),
  },
  // A page has at most 500 runs.
  view: Object.fromEntries(Object.entries(both).filter(([name]) => !/: (models|names)$/.test(name))),
}

/** How many milliseconds of CPU the input takes. */
async function cost(words: readonly string[], made: Made, cwd: string | undefined): Promise<number> {
  const [filter, ...args] = words
  const begun = process.cpuUsage()
  const ran = await jb(filter as Filter, [...args, '-q', ...(typeof made === 'string' ? [] : made.args)], {
    cwd,
    stdin: typeof made === 'string' ? made : '',
  })
  const { user, system } = process.cpuUsage(begun)
  // An input that is refused at its first line takes no time.
  assert.ok([0, 1].includes(ran.code!), shown(ran))
  return (user + system) / 1000
}

for (const [command, shapes] of Object.entries(CASES))
  test(`jb-${command}`, async (t) => {
    const slow: string[] = []
    for (const [shape, build] of Object.entries(shapes)) {
      const take = (bytes: number) => {
        const made = build(bytes)
        return cost(command.split(' '), made, typeof made === 'string' ? undefined : folder(t, made.files))
      }
      let [half, whole] = [0, await take(LARGE)]
      const isSlow = () => whole > MOST * Math.max(half, FLOOR)
      for (let tried = 0; tried < TRIES && isSlow(); tried++) {
        if (tried > 0) whole = Math.min(whole, await take(LARGE))
        half = Math.max(half, await take(LARGE / 2))
      }
      const words = `${shape}: ${half > 0 ? `${Math.round(half)} → ` : ''}${Math.round(whole)} ms`
      t.diagnostic(words)
      if (isSlow()) slow.push(words)
    }
    assert.deepEqual(slow, [])
  })

test('every reader, writer and filter has a case', async () => {
  const commands = Object.keys(CASES).map((command) => `${command} `)
  const names = readdirSync(`${ROOT}src/formats`).flatMap((file) => /^([a-z].*)\.ts$/.exec(file)?.[1] ?? [])
  // `example` takes no input, and a Parquet file is what jb-write parquet has written.
  const wanted = new Set(['read', 'write', 'workflow', 'read example', 'read parquet'])
  const all = readdirSync(`${ROOT}src/stages`)
  for (const name of names) {
    const { format } = (await import(`../src/formats/${name}.ts`)) as { format: Format }
    for (const way of ['read', 'write'] as const) if (format[way]) all.push(`${way} ${name}`)
  }
  const lacking = all.filter(
    (name) => !wanted.has(name) && !commands.some((one) => one.startsWith(`${name} `)),
  )
  assert.deepEqual(lacking, [], 'give it its worst input')
})
