/** JSON Schemas for editors, from the tables by which jb checks the same files. */
import { readFileSync } from 'node:fs'
import { CRITERION_KEYS, WEIGHING } from '../src/criteria/_criterion.ts'
import { members } from '../src/files/members.ts'
import { AGAIN, JUDGE_KEYS, ROLES, TEMPLATES, type ValueCheck } from '../src/judges/_check.ts'
import { SYNTAXES } from '../src/judges/_judge.ts'
import { QUESTION_NAME, VALUE_COUNTS } from '../src/judges/_questions.ts'
import { JB_SCHEMA, type JsonObject, KINDS, ORIGINALS } from '../src/rows/record.ts'
import { PATHS, PHASE_FLAGS, PHASES } from '../src/stages/workflow/load.ts'
import { CHECKS } from '../src/verdicts/_keys.ts'
import type { RuleModule } from '../src/verdicts/_rule.ts'

const DRAFT = 'http://json-schema.org/draft-07/schema#'
const STRING = { type: 'string' }
const texts = { type: 'array', items: STRING }
const number = { type: 'number' }

/** An object with these keys and no others. */
const closed = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const mapEach = <T>(table: Record<string, T>, to: (value: T, key: string) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key, to(value, key)]))

const schemaOf = (check: ValueCheck | undefined): JsonObject => check?.[2] ?? {}

/** What the comments of an interface, or of a declaration in record.ts, say of its keys. */
function comments(file: string, name: string): Record<string, string> {
  const text = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')
  const body = new RegExp(`^(?:export interface|const) ${name} [^\\n]*\\n([\\s\\S]*?)^[})]`, 'm').exec(
    text,
  )![1]!
  const found = body.matchAll(/^ +\/\*\*\s*([\s\S]*?)\s*\*\/\n +(\w+)\??[:,]/gm)
  return Object.fromEntries(
    [...found].map(([, about, key]) => [key, about!.replaceAll(/\s*\n\s*\* ?/g, ' ')]),
  )
}

const described = (properties: JsonObject, about: Record<string, string>): JsonObject =>
  mapEach(properties as Record<string, JsonObject>, (schema, key) => ({
    ...schema,
    ...(about[key] && { description: about[key] }),
  }))

/** `verdict` for each rule, with the keys that the rule has. */
async function verdictSchema(): Promise<JsonObject> {
  const rules = await Promise.all(
    members('verdicts').map(async (rule) => {
      const { keys = [], own = {} } = (await import(`../src/verdicts/${rule}.ts`)) as RuleModule
      const checked = Object.fromEntries(keys.map((key) => [key, schemaOf(own[key] ?? CHECKS[key])]))
      return { rule, schema: closed({ rule: { const: rule }, ...checked }, ['rule']) }
    }),
  )
  return {
    type: 'object',
    properties: { rule: { enum: rules.map(({ rule }) => rule) } },
    required: ['rule'],
    allOf: rules.map(({ rule, schema }) => ({
      if: { properties: { rule: { const: rule } }, required: ['rule'] },
      // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema.
      then: schema,
    })),
  }
}

async function judgeSchema(): Promise<JsonObject> {
  const parameters = {
    temperature: number,
    top_p: number,
    max_tokens: number,
    messages: false,
    model: false,
    prompt: false,
  }
  const request = { type: 'object', properties: parameters }
  const part = {
    anyOf: [
      closed({ text: STRING }, ['text']),
      closed({ images: STRING, detail: { enum: ['low', 'high', 'auto'] } }, ['images']),
    ],
  }
  const message = {
    type: 'object',
    properties: {
      role: { enum: ROLES },
      content: { anyOf: [STRING, { type: 'array', minItems: 1, items: part }] },
    },
    required: ['role', 'content'],
  }
  const finer: JsonObject = {
    kind: { enum: [...KINDS] },
    syntax: { enum: [...SYNTAXES] },
    fields: { type: 'object', additionalProperties: STRING },
    answers: { ...texts, uniqueItems: true },
    swap: { type: 'array', items: { ...texts, minItems: 2, maxItems: 2, uniqueItems: true } },
    messages: { type: 'array', minItems: 1, items: message },
    request,
    questions: questionsSchema(),
    verdict: await verdictSchema(),
    again: closed({
      ...described(mapEach(AGAIN, schemaOf), comments('judges/_judge.ts', 'AgainConfig')),
      request,
    }),
    templates: closed(mapEach(TEMPLATES, schemaOf)),
    compat: closed(Object.fromEntries(ORIGINALS.map((name) => [name, STRING]))),
  }
  const written = Object.entries(JUDGE_KEYS).filter(([, type]) => type !== 'function')
  const keys = written.map(([key, type]) => [key, finer[key] ?? (type === 'any' ? {} : { type })])
  const properties = described(Object.fromEntries(keys), comments('judges/_judge.ts', 'JudgeFile'))
  return {
    $schema: DRAFT,
    title: 'A judge file of jb',
    ...closed(properties, ['kind', 'verdict']),
    // The rule `calls` asks no model.
    oneOf: [
      { required: ['messages'] },
      { required: ['prompt'] },
      {
        properties: { verdict: { properties: { rule: { const: 'calls' } } }, messages: false, prompt: false },
      },
    ],
  }
}

/** Typed questions, by name. */
function questionsSchema(): JsonObject {
  const word = { type: ['string', 'number', 'boolean'] }
  const values = (type: keyof typeof VALUE_COUNTS): JsonObject[] => {
    const [least, most] = VALUE_COUNTS[type]
    const meaning = { type: [...word.type, 'null'] }
    return [
      { type: 'array', items: word, minItems: least, maxItems: most, uniqueItems: true },
      { type: 'object', additionalProperties: meaning, minProperties: least, maxProperties: most },
    ]
  }
  const question = {
    anyOf: [
      closed({ predicate: STRING }, ['predicate']),
      closed({ ask: STRING, choice: { anyOf: [{ const: 'options' }, ...values('choice')] } }, [
        'ask',
        'choice',
      ]),
      closed({ ask: STRING, score: { anyOf: values('score') } }, ['ask', 'score']),
    ],
  }
  const names = { pattern: QUESTION_NAME.source, not: { enum: ['reason', 'jb'] } }
  return { type: 'object', minProperties: 1, propertyNames: names, additionalProperties: question }
}

/** A criterion, a question, a list of them, or several with their weights. */
function criteriaSchema(): JsonObject {
  const own = described(CRITERION_KEYS, comments('rows/record.ts', 'CRITERION'))
  const any = { $ref: '#/definitions/criteria' }
  const weighing = mapEach(WEIGHING, (type) => ({ type: [type, 'null'] }))
  const object = {
    type: 'object',
    properties: {
      ...own,
      items: { type: 'array', minItems: 1, items: any },
      normalize_scores: { type: 'boolean' },
      criteria: {},
      criterion: {},
    },
    anyOf: [
      { required: ['name', 'description'] },
      { required: ['items'] },
      { required: ['criterion'], properties: { criterion: any, ...weighing } },
      { required: ['criteria'], properties: { criteria: any } },
    ],
  }
  return {
    $schema: DRAFT,
    title: 'Criteria of jb: a criterion, a question, or several',
    ...any,
    definitions: { criteria: { anyOf: [STRING, { type: 'array', minItems: 1, items: any }, object] } },
  }
}

function workflowSchema(): JsonObject {
  const settings = { type: ['object', 'null'] }
  const named = { type: ['object', 'null'], additionalProperties: settings }
  const each = (names: readonly string[], schema: JsonObject) =>
    Object.fromEntries(names.map((name) => [name, schema]))
  return {
    $schema: DRAFT,
    title: 'A workflow.yml of TREC AutoJudge, for jb-workflow',
    ...closed({
      ...each(PHASE_FLAGS, { type: ['boolean', 'null'] }),
      ...each(PATHS, { type: ['string', 'null'] }),
      ...each(
        PHASES.map((phase) => `${phase}_class`),
        { type: ['string', 'null'] },
      ),
      ...each(['settings', ...PHASES.map((phase) => `${phase}_settings`)], settings),
      ...{ variants: named, sweeps: named, nugget_banks_type: { type: ['string', 'null'] }, uses_llm: {} },
    }),
  }
}

const jb = {
  ...JB_SCHEMA,
  properties: described(JB_SCHEMA.properties as JsonObject, comments('rows/record.ts', 'JB')),
}

/** By name in schema/. */
export const schemas = async (): Promise<Record<string, JsonObject>> => ({
  judge: await judgeSchema(),
  criteria: criteriaSchema(),
  workflow: workflowSchema(),
  row: {
    $schema: DRAFT,
    title: 'A row: your own keys, and jb',
    type: 'object',
    properties: { jb: jb },
  },
})
