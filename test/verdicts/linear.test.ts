/**
 * Replies are read in linear time, whatever is in them: with more text, every rule of every built-in judge does
 * more work in proportion. Work is counted and not timed: the steps of each pattern, the blocks of
 * code that were run (V8's own count), and the characters that built-in functions went over.
 */
import assert from 'node:assert/strict'
import { Session } from 'node:inspector'
import { after, test } from 'node:test'
import type { Judge } from '../../src/judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge } from '../../src/judges/_load.ts'
import { Fatal, RowFailure } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import type { Read, ReadContext } from '../../src/verdicts/_rule.ts'
import { attacks, stepsOf } from '../helpers/regexp_steps.ts'

interface Reading {
  name: string
  json: boolean
  read: Read
}

/** Every reading there is, one of each: several judges share a rule and its configuration. */
async function readings(): Promise<Reading[]> {
  const found = new Map<string, Reading>()
  for (const name of BUILTIN_JUDGES.names()) {
    const judge = await loadJudge(name)
    for (const compat of [undefined, ...Object.keys(judge.compat ?? {})]) {
      const config = compat === undefined ? judge.verdict : judge.compat![compat]
      if (config?.rule === 'json') continue
      const key = JSON.stringify([compat === undefined, { ...config, example: '' }])
      if (!found.has(key))
        found.set(key, {
          name: compat === undefined ? name : `${name} --compat ${compat}`,
          json: config?.read === 'json',
          read: await readerOf(judge, compat === undefined ? {} : { compat }),
        })
    }
  }
  for (const [name, judge] of Object.entries(OTHERS))
    found.set(name, {
      name,
      json: name.startsWith('json'),
      read: await readerOf({ name, where: name, builtin: true, about: '', fields: {}, ...judge } as Judge),
    })
  return [...found.values()]
}

/** What no built-in judge uses of the rules, and what they use of rule json: it is the slowest to count. */
const OTHERS: Record<string, Partial<Judge>> = {
  'number, named': { kind: 'grade', verdict: { rule: 'number', name: 'Score', reason: 'after' } },
  'number alone': { kind: 'grade', verdict: { rule: 'number' } },
  'pair, any': { kind: 'pairwise', verdict: { rule: 'pair' } },
  'list at': { kind: 'list', verdict: { rule: 'list', at: 'items' } },
  'json, numbers': { kind: 'grade', verdict: { rule: 'json', options: { good: 1 } } },
  'json, strict': { kind: 'grade', verdict: { rule: 'json', repair: 'strict', numbers: 'python' } },
  'json, schema': {
    kind: 'grade',
    verdict: {
      rule: 'json',
      schema: {
        properties: {
          score: { pattern: '^(a+)+$' },
          items: { uniqueItems: true, items: { type: 'object' } },
        },
        patternProperties: { '^(a|a)*$': {} },
      },
    },
  },
}

const context: ReadContext = {
  trial: { n: 0, of: 1, options: ['good', 'bad', 'answer_1'] },
  request: { messages: [{ role: 'user', content: 'Score:' }] },
  item: () => ({}),
}

function readOnce(read: Read, text: string): void {
  try {
    read(text, context)
  } catch (error) {
    // The row fails; a Fatal would end the run, anything else is a bug.
    assert.ok(error instanceof RowFailure && !(error instanceof Fatal), String(error))
  }
}

const SAMPLES = [
  ...['', 'x', 'Rating: [[8]]', 'Rating: 8', 'Score: 8/10\nbecause', '8', '8 3', 'a: 1, b: 2', 'Grade: 2'],
  ...['{"score": "1e5"}', '```json\n{"a": 1,}\n```', '{"items": ["a"]}', "{'a': True}", '“{`', '{"a": NaN'],
  ...[
    '[\'a\', "b"]',
    '- a\n- b',
    '<think>a</think>[[A>B]]',
    '[RESULT] 4',
    'final decision is Tie',
    'Better: 1',
  ],
]

const exec = RegExp.prototype.exec

/** Calls with a replacement of RegExp.prototype.exec, which every use of a pattern goes through then. */
function watched(
  watch: (pattern: RegExp, characters: number, length: number) => void,
  call: () => void,
): void {
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const found = exec.call(this, text)
    const end = found ? found.index + found[0].length : this.sticky ? from : text.length
    watch(this, end - from + 1, text.length)
    return found
  }
  try {
    call()
  } finally {
    RegExp.prototype.exec = exec
  }
}

test('no pattern that reads replies takes more than linear time', async () => {
  const patterns = new Map<string, RegExp>()
  const words = ' word'.repeat(2 * SHORT)
  for (const { read } of await readings())
    for (const sample of SAMPLES)
      for (const text of [sample, sample + words, words + sample])
        watched(
          // What is only ever asked of a few words has no more work with a longer reply.
          (pattern, _, length) => length <= SHORT || patterns.set(String(pattern), pattern),
          () => readOnce(read, text),
        )
  assert.ok(patterns.size > 40, 'no pattern was seen')
  const slow = [...patterns.values()].flatMap((pattern) => worst(pattern) ?? [])
  assert.deepEqual(slow, [])
})

/** The first text with which four times the length is more than six times the work. */
function worst(pattern: RegExp): string | undefined {
  const [short, long] = [[...attacks(pattern, SHORT)], [...attacks(pattern, 4 * SHORT)]]
  for (const [i, text] of short.entries()) {
    const few = stepsOf(pattern, text, 1e5) + SHORT
    if (stepsOf(pattern, long[i]!, 6 * few) > 6 * few)
      return `${pattern} ${JSON.stringify(text.slice(0, 40))}`
  }
  return undefined
}
/** Longer than the runs that patterns bound. */
const SHORT = 120

test('a pattern that takes more than linear time is seen', () => {
  for (const pattern of [
    /^\s*x|\s+$/g,
    /(a+)+b/,
    /a.*b.*c/,
    /"(?:[^"\\]|\\.)*"/g,
    /^(?:\W*[^\w.+-])?([01])\W*$/gm,
  ])
    assert.ok(worst(pattern), String(pattern))
  for (const pattern of [/\[\[(\d+)\]\]/g, /^\s*x/g, /a\s{0,40}$/]) assert.equal(worst(pattern), undefined)
})

const UNITS = [
  ...[
    '\n',
    ' ',
    '`',
    '```\n',
    '[',
    '{',
    '"',
    '\\"',
    "'",
    '1',
    '1,',
    'a',
    '- a\n',
    '-\u2028',
    '[[8]] ',
    '[1],',
  ],
  ...[
    '{"a":',
    '["a",',
    '"a\n',
    '{}',
    '<think>',
    '</think>',
    'Rating: [[',
    'Score: 1\n',
    'good ',
    '}',
    '0',
    '{"score":1} ',
  ],
]
/** Within a text or a list of JSON. */
const INSIDE = ['\n', '\\"', '"', '1,', 'a', '{', '"a\n']
const LEADS = ['', '{"score": "', '{"items": [1, ']

test('twice the reply is about twice the work', async () => {
  const work = new Work()
  after(() => work.end())
  const slow: string[] = []
  for (const { name, read, json } of await readings()) {
    const length = json ? UNREPAIRED : 3000
    const leads = json ? LEADS : ['']
    const texts = leads.flatMap((lead) => (lead === '' ? UNITS : INSIDE).map((unit) => [lead, unit] as const))
    const at = (length: number, some = texts) =>
      work.of(() => {
        for (const [lead, unit] of some) readOnce(read, lead + unit.repeat(length / unit.length))
      })
    if (at(2 * length) <= 2.6 * at(length)) continue
    const which = texts.find((one) => at(2 * length, [one]) > 2.6 * (at(length, [one]) + length))
    slow.push(`${name}: ${JSON.stringify(which?.join(''))}`)
  }
  assert.deepEqual(slow, [])
})
/** Longer than what is given to jsonrepair. */
const UNREPAIRED = 17_000

/** Counts what a call does. */
class Work {
  private readonly session = new Session()
  private characters = 0
  private readonly undo: (() => void)[] = []

  constructor() {
    this.session.connect()
    this.session.post('Profiler.enable')
    this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    const text = String.prototype
    const size = (value: unknown) => String(value).length
    this.count(JSON, 'parse', (_, [json]) => size(json))
    this.count(JSON, 'stringify', (_, __, made) => size(made))
    this.count(text, 'indexOf', (self, [, from], at) => (at < 0 ? size(self) : at) - (Number(from) || 0))
    this.count(text, 'lastIndexOf', (self, _, at) => size(self) - at)
    this.count(text, 'includes', (self) => size(self))
    this.count(text, 'trim', (self, _, made) => size(self) - size(made))
    for (const name of ['split', 'replaceAll', 'toLowerCase', 'repeat'] as const)
      this.count(text, name, (self) => size(self))
  }

  // biome-ignore lint/suspicious/noExplicitAny: any built-in function
  private count(owner: any, name: string, sizeOf: (self: any, args: unknown[], made: any) => number): void {
    const original = owner[name]
    const count = (size: number) => (this.characters += Math.max(0, size))
    owner[name] = function (...args: unknown[]) {
      const made = original.apply(this, args)
      count(sizeOf(this, args, made))
      return made
    }
    this.undo.push(() => (owner[name] = original))
  }

  of(call: () => void): number {
    this.blocks()
    this.characters = 0
    watched((_, characters) => {
      this.characters += characters
    }, call)
    return this.characters + this.blocks()
  }

  /** How often blocks of the reading code were run since the last time. */
  private blocks(): number {
    let sum = 0
    this.session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { url, functions } of result)
        if (/\/src\/(verdicts|python)\/|jsonrepair/.test(url))
          for (const { ranges } of functions) for (const { count } of ranges) sum += count
    })
    return sum
  }

  end(): void {
    for (const undo of this.undo) undo()
    this.session.disconnect()
  }
}

test('a reply nested 8,000 deep fails its row, and the others are read', async () => {
  const deep = (n: number) => `{"score": 3, "more": ${'['.repeat(n)}${']'.repeat(n)}}`
  const replies = [deep(10), deep(8000), `Here: ${deep(8000)}`, `${deep(8000)}]`, deep(100_000)]
  for (const verdict of [
    { rule: 'json' },
    { rule: 'json', like: { score: 1, more: [] } },
    { rule: 'list', at: 'more' },
  ]) {
    const kind = verdict.rule === 'list' ? 'list' : 'grade'
    const judge = { name: 'j', where: 'j', builtin: true, about: '', fields: {}, kind, verdict } as Judge
    const read = await readerOf(judge)
    const [shallow, ...rest] = replies.map((reply) => {
      try {
        return JSON.stringify(read(reply, context)).length
      } catch (error) {
        assert.ok(error instanceof RowFailure, String(error))
        return error.code
      }
    })
    assert.equal(typeof shallow, 'number')
    assert.deepEqual(rest, Array(4).fill('no_verdict'))
  }
})

test('a schema’s patterns are RE2, and its lists may be long', async () => {
  const reader = (schema: object) =>
    readerOf({
      ...OTHERS['json, numbers'],
      name: 'j',
      where: 'j.yaml',
      verdict: { rule: 'json', schema },
    } as Judge)
  const read = await reader({
    properties: {
      score: {},
      note: { type: 'string', pattern: '^(\\w+\\s?)*$' },
      list: { uniqueItems: true },
    },
  })
  assert.equal(read('{"score": 1, "note": "a b", "list": [1, "1", {"a": 1, "b": 2}]}', context).score, 1)
  assert.throws(() => read(`{"score": 1, "note": "${'a'.repeat(50)}!"}`, context), /note must match pattern/)
  assert.throws(
    () => read('{"score": 1, "list": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}', context),
    /list must NOT have duplicate items/,
  )
  await assert.rejects(reader({ properties: { a: { pattern: '(?=a)' } } }), /j\.yaml: verdict\.schema: .*RE2/)
})
