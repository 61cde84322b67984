/** Every way in which replies are read, and the characters that patterns go over meanwhile. */
import assert from 'node:assert/strict'
import type { Judge } from '../../src/judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge } from '../../src/judges/_load.ts'
import { Fatal, RowFailure } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import type { Read, ReadContext } from '../../src/verdicts/_rule.ts'

interface Reading {
  name: string
  json: boolean
  read: Read
}

/** Every reading there is, one of each: several judges share a rule and its configuration. */
export async function readings(): Promise<Reading[]> {
  const found = new Map<string, Reading>()
  for (const name of BUILTIN_JUDGES.names()) {
    const judge = await loadJudge(name)
    for (const compat of [undefined, ...Object.keys(judge.compat ?? {})]) {
      const config = compat === undefined ? judge.verdict : undefined
      if (config?.rule === 'json') continue
      const key = JSON.stringify(config ? { ...config, example: '' } : [compat, judge.compat![compat!]])
      if (!found.has(key))
        found.set(key, {
          name: compat === undefined ? name : `${name} --compat ${compat}`,
          json: config?.rule === 'option' && config.read === undefined,
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
export const OTHERS: Record<string, Partial<Judge>> = {
  'number, named': { kind: 'grade', verdict: { rule: 'number', name: 'Score', reason: 'after' } },
  'number alone': { kind: 'grade', verdict: { rule: 'number' } },
  'pair, any': { kind: 'pairwise', verdict: { rule: 'pair' } },
  'list at': { kind: 'list', verdict: { rule: 'list', at: 'items' } },
  'json, numbers': { kind: 'choice', verdict: { rule: 'json', options: { good: 1 } } },
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

export const context: ReadContext = {
  trial: { n: 0, of: 1, options: ['good', 'bad', 'answer_1'] },
  request: { messages: [{ role: 'user', content: 'Score:' }] },
  item: () => ({}),
}

export function readOnce(read: Read, text: string): void {
  try {
    read(text, context)
  } catch (error) {
    // The row fails; a Fatal would end the run, anything else is a bug.
    assert.ok(error instanceof RowFailure && !(error instanceof Fatal), String(error))
  }
}

const exec = RegExp.prototype.exec

/** Calls with a replacement of RegExp.prototype.exec, which every use of a pattern goes through then. */
export function watched(
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

/** The decision or score that is read in a reply, or the code of its failure. */
export function said(read: Read, reply: string, finish = 'stop'): unknown {
  try {
    const { decision, score } = read(reply, { item: () => ({}), finish })
    return decision ?? score
  } catch (error) {
    if (error instanceof RowFailure) return error.code
    throw error
  }
}
