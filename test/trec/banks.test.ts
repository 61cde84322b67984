import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { JsonObject } from '../../src/rows/record.ts'
import { argue } from '../../src/trec/banks/argue.ts'
import type { BankFormat } from '../../src/trec/banks/bank.ts'
import { customBank } from '../../src/trec/banks/custom.ts'
import {
  BANK_FORMATS,
  bankLine,
  convert,
  readBank,
  readBanks,
  verifyBanks,
} from '../../src/trec/banks/index.ts'
import { nuggetizer } from '../../src/trec/banks/nuggetizer.ts'
import { ragtime26 } from '../../src/trec/banks/ragtime26.ts'
import { lastingFolder } from '../helpers/folder.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const reference = fc.record({ doc_id: text })
const answer = fc.record(
  {
    answer: text,
    references: maybe(fc.array(reference, { maxLength: 2 })),
    quality: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
    importance: maybe(fc.oneof(fc.integer(), text)),
    metadata: maybe(fc.dictionary(text, fc.jsonValue())),
  },
  { requiredKeys: ['answer'] },
)
const entry = (kind: string) =>
  fc
    .record(
      {
        [kind]: text,
        answers: maybe(fc.array(answer, { maxLength: 3 })),
        aggregator_type: maybe(fc.constantFrom('AND', 'OR')),
        references: maybe(fc.array(reference, { maxLength: 2 })),
        importance: maybe(text),
        metadata: maybe(fc.dictionary(text, fc.jsonValue())),
      },
      { requiredKeys: [kind] },
    )
    .map((one) => JSON.parse(JSON.stringify(one)) as JsonObject)
const keyed = (kind: string) =>
  fc
    .array(entry(kind), { maxLength: 4 })
    .map((list) => Object.fromEntries(list.map((one) => [one[kind], one])))
const arguing = fc.record({
  query_id: text,
  title_query: text,
  nugget_bank: keyed('question'),
  claim_bank: keyed('claim').map((map) =>
    Object.fromEntries(
      Object.entries(map).map(([key, one]) => [key, { ...(one as JsonObject), answers: null }]),
    ),
  ),
})
const nuggeting = fc.record({
  qid: text,
  query: text,
  nuggets: fc.array(
    fc
      .record(
        {
          text,
          importance: maybe(fc.constantFrom('vital', 'okay', 'failed')),
          assignment: maybe(fc.constantFrom('support', 'partial_support', 'not_support')),
          reasoning: maybe(text),
        },
        { requiredKeys: ['text'] },
      )
      .map((one) => JSON.parse(JSON.stringify(one)) as JsonObject),
    { maxLength: 5 },
  ),
})

/** bank → file → bank → file: the second file is the first. */
function roundTrips(format: BankFormat, row: JsonObject): void {
  const first = readBank(row, 'a:1', format)
  const line = bankLine(first.bank, format, 'a:1')
  const second = readBank(JSON.parse(line), 'b:1', format)
  assert.deepEqual(second.bank, readBank(JSON.parse(line), 'b:1').bank, 'the format is known by its looks')
  assert.deepEqual(second.bank.nuggets, first.bank.nuggets)
  assert.equal(bankLine(second.bank, format, 'b:1'), line)
}

describe('banks and files', () => {
  it('AutoARGUE: bank → file → bank', () => {
    fc.assert(fc.property(arguing, (row) => roundTrips(argue, row as unknown as JsonObject)))
  })
  it('Nuggetizer: bank → file → bank', () => {
    fc.assert(fc.property(nuggeting, (row) => roundTrips(nuggetizer, row as unknown as JsonObject)))
  })
  it('RAGTIME26 and v3 become each other', () => {
    fc.assert(
      fc.property(arguing, (row) => {
        const { bank } = readBank({ ...row, claim_bank: null } as unknown as JsonObject, 'a:1', argue)
        const line = bankLine(bank, ragtime26, 'a:1')
        const again = readBank(JSON.parse(line), 'b:1')
        assert.equal(again.format, ragtime26)
        assert.deepEqual(
          again.bank.nuggets.map((nugget) => [nugget.text, nugget.importance]),
          bank.nuggets.map((nugget) => [nugget.text, nugget.importance]),
        )
        assert.equal(bankLine(again.bank, ragtime26, 'b:1'), line)
      }),
    )
  })
  it('every text carries over between AutoARGUE and Nuggetizer', () => {
    fc.assert(
      fc.property(nuggeting, (row) => {
        const { bank } = readBank(row as unknown as JsonObject, 'a:1', nuggetizer)
        const there = convert(bank, nuggetizer, argue)
        const back = convert(there, argue, nuggetizer)
        const texts = [...new Set(bank.nuggets.map((nugget) => nugget.text))].sort()
        assert.deepEqual(there.nuggets.map((nugget) => nugget.text).sort(), texts)
        assert.deepEqual(back.nuggets.map((nugget) => nugget.text).sort(), texts)
        assert.equal(back.topic, bank.topic)
      }),
    )
  })
})

describe('AutoARGUE', () => {
  const bank = () => argue.create('t7', 'how volcanic rocks form')
  it('ids are the md5 of the text; nulls are not written; keys stand in the schema’s order', () => {
    const row = {
      nugget_bank: { Q: { metadata: null, question: 'Abc', query_id: 't7' } },
      title_query: 'x',
      query_id: 't7',
    }
    assert.equal(
      bankLine(readBank(row as never, 'a:1').bank, argue, 'a:1'),
      '{"query_id":"t7","title_query":"x","format_version":"v3","nugget_bank":{"Q":{"question":"Abc","question_id":"35593b7ce5020eae3ca68fd5b6f3e031","query_id":"t7"}}}',
    )
    const named = readBank({ query_id: null, title_query: 'Abc', nugget_bank: {} } as never, 'a:1')
    assert.equal(named.bank.topic, '35593b7ce5020eae3ca68fd5b6f3e031')
  })
  it('a question added again is merged, and nothing is dropped', () => {
    const one = bank()
    argue.add(one, { text: 'What cools?', answers: ['lava'], references: ['d1'], importance: 'okay' })
    argue.add(one, {
      text: 'What cools?',
      answers: ['lava', 'ash'],
      references: ['d2'],
      importance: 'vital',
      from: 'second',
    })
    argue.add(one, { text: 'What cools?', references: ['d3'] })
    const question = (one.raw.nugget_bank as JsonObject)['What cools?'] as JsonObject
    assert.deepEqual(question.answers, {
      lava: { answer: 'lava', references: [{ doc_id: 'd1' }, { doc_id: 'd2' }] },
      ash: { answer: 'ash', references: [{ doc_id: 'd2' }] },
    })
    assert.equal(question.importance, 'vital')
    assert.equal(question.aggregator_type, 'OR')
    assert.deepEqual(question.references, [{ doc_id: 'd3' }])
    assert.deepEqual(question.metadata, { from: 'second' })
    assert.equal(one.nuggets.length, 1)
  })
  it('a statement is a claim, and keeps its references', () => {
    const one = bank()
    argue.add(one, { text: 'Basalt cools fast.', references: ['d1'] })
    argue.add(one, { text: 'Basalt cools fast.', references: ['d2'] })
    const claim = (one.raw.claim_bank as JsonObject)['Basalt cools fast.'] as JsonObject
    assert.deepEqual(claim.references, [{ doc_id: 'd1' }, { doc_id: 'd2' }])
    assert.equal(one.nuggets[0]!.kind, 'claim')
  })
  it('two metadata are both kept', () => {
    const one = bank()
    argue.add(one, { text: 'q?', by: 'a' })
    argue.add(one, { text: 'q?', by: 'b' })
    assert.deepEqual(((one.raw.nugget_bank as JsonObject)['q?'] as JsonObject).metadata, {
      left: { by: 'a' },
      right: { by: 'b' },
      merged: [{ by: 'a' }, { by: 'b' }],
    })
  })
  it('answers and banks may be lists, references bare ids', () => {
    const row = {
      metadata: { topic_id: 't1' },
      nugget_bank: [
        { question: 'q', answers: [{ answer: 'a', references: ['d1'] }] },
        { question: 'q', answers: ['b'] },
      ],
    }
    const { bank } = readBank(row as never, 'a:1', argue)
    assert.equal(bank.topic, 't1')
    assert.deepEqual(bank.nuggets[0]!.answers, ['a', 'b'])
  })
})

describe('Nuggetizer', () => {
  it('the tool’s "failed" is no assignment; other words are refused with their place', () => {
    const row = (assignment: string) =>
      ({ qid: 'q', query: 'x', nuggets: [{ text: 'a', assignment }] }) as never
    assert.deepEqual(readBank(row('failed'), 'a:1').bank.nuggets[0]!.assignment, undefined)
    assert.throws(() => readBank(row('Support'), 'a:3'), /a:3: nuggets\[0\]\.assignment is "Support"/)
  })
})

describe('bank files', () => {
  const folder = lastingFolder()
  const line = (qid: string) => JSON.stringify({ qid, query: 'x', nuggets: [{ text: `about ${qid}` }] })
  it('JSONL, gzip and folders; a second bank of a topic is an error that names both places', async () => {
    writeFileSync(join(folder, 'a.jsonl'), `${line('1')}\n\n${line('2')}\n`)
    writeFileSync(join(folder, 'b.json.gz'), gzipSync(JSON.stringify(JSON.parse(line('3')), null, 2)))
    assert.deepEqual([...(await readBanks(folder)).keys()], ['1', '2', '3'])
    writeFileSync(join(folder, 'c.jsonl'), line('2'))
    await assert.rejects(
      () => readBanks(folder),
      /c\.jsonl:1: a second bank for topic "2" \(first: .*a\.jsonl:3\)/,
    )
  })
  it('a form of one’s own, described by a small file', () => {
    const format = customBank(
      { id: 'topic_id', nuggets: 'facts', text: 'fact', importance: 'weight' },
      'mine.yaml',
    )
    const row = { topic_id: 't', facts: [{ fact: 'a', weight: 2, source: 'book' }] } as never
    const { bank } = readBank(row, 'x:1', format)
    format.add(bank, { text: 'b', importance: 1 })
    format.add(bank, { text: 'a' })
    assert.equal(
      bankLine(bank, format, 'x:1'),
      '{"topic_id":"t","facts":[{"fact":"a","weight":2,"source":"book"},{"fact":"b","weight":1}]}',
    )
    assert.throws(() => customBank({ id: 'x', nugets: 'y' }, 'mine.yaml'), /mine\.yaml: unknown key "nugets"/)
  })
  it('an unknown form is refused', () => {
    assert.throws(() => readBank({ a: 1 }, 'x.jsonl:4'), /x\.jsonl:4: not a nugget bank/)
  })
  it('missing topics, extra topics, empty banks, in this order', () => {
    const banks = [argue.create('a', ''), argue.create('z', '')]
    assert.deepEqual(
      verifyBanks(banks, ['a', 'b']).map(({ message }) => message),
      ['topics without a bank: b', 'banks of topics that are not in --topics: z', 'empty banks: a, z'],
    )
  })
  it('every format makes, fills and writes a bank', () => {
    for (const format of Object.values(BANK_FORMATS)) {
      const bank = format.create('t', 'title')
      format.add(bank, { text: 'Why?', importance: 'vital' })
      const again = readBank(JSON.parse(bankLine(bank, format, 'x')), 'x', format)
      assert.deepEqual([again.bank.topic, again.bank.nuggets[0]!.text], ['t', 'Why?'])
    }
  })
})
