/**
 * Replies are read in linear time, whatever is in them: with more text, every rule of every built-in judge does
 * more work in proportion. Work is counted and not timed: the characters that patterns and built-in functions go over, and
 * the blocks of code that were run (V8's own count, which takes seconds: a part of `make test-long`).
 */
import assert from 'node:assert/strict'
import { Session } from 'node:inspector'
import { after, test } from 'node:test'
import { bundled } from '../../scripts/bundle.js'
import { ROOT } from '../helpers/run.ts'

const UNITS = [
  ...[
    '\n',
    '\u2028',
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
  // A bundle of its own: V8 counts by file, and there the readers and rules are all that is run.
  const [load] = await bundled(ROOT, [`${ROOT}test/verdicts/_readings.ts`])
  const { readings: all, readOnce, watched } = (await load!()) as typeof import('./_readings.ts')
  const work = new Work(watched)
  after(() => work.end())
  const slow: string[] = []
  for (const { name, read, json } of await all()) {
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

  private readonly watched: typeof import('./_readings.ts').watched

  constructor(watched: typeof import('./_readings.ts').watched) {
    this.watched = watched
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
    this.watched((_, characters) => {
      this.characters += characters
    }, call)
    return this.characters + this.blocks()
  }

  /** How often blocks of the reading code were run since the last time. */
  private blocks(): number {
    let sum = 0
    this.session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { url, functions } of result)
        if (/\/_readings\.ts-[\w-]+\.mjs$|jsonrepair/.test(url))
          for (const { ranges } of functions) for (const { count } of ranges) sum += count
    })
    return sum
  }

  end(): void {
    for (const undo of this.undo) undo()
    this.session.disconnect()
  }
}
