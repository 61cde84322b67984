/** Tables on a terminal: names are folded, then columns left out, last ones first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fittedLines, listEntry, roomOf, sentenceLines, tableForms } from '../../src/formats/_fit.ts'
import { type Style, styled, tableLines } from '../../src/formats/_table.ts'
import type { Context } from '../../src/rows/stage.ts'

const table = {
  head: ['judge', 'items', 'accuracy', 'interval'],
  lines: [
    ['arena_hard · anthropic/claude-3-5-sonnet-20241022', '350', '70.81 %', '65.6–75.5'],
    ['vanilla · m', '350', '50.00 %', '44.8–55.2'],
  ],
}
const printed = (room: number | undefined, of = table) => fittedLines(of, styled(false), { room })

test('a table that fits is left alone', () => {
  for (const room of [undefined, 200, 79])
    assert.deepEqual(printed(room), tableLines(table, styled(false)), String(room))
})

test('names are folded behind a sign, and figures stand beside their first line', () => {
  assert.deepEqual(printed(50), [
    'judge                  items  accuracy   interval',
    '---------------------  -----  --------  ---------',
    'arena_hard ·             350   70.81 %  65.6–75.5',
    'anthropic/claude-3-5-',
    'sonnet-20241022',
    'vanilla · m              350   50.00 %  44.8–55.2',
  ])
})

test('columns that have no room are named; the first figure stays', () => {
  assert.deepEqual(printed(40).slice(-2), ['not shown: interval (--format table |', 'less -S shows all)'])
  const narrow = printed(10)
  assert.equal(narrow[0], 'judge            items')
  assert.match(narrow.join(' '), /not shown: accuracy, interval \(--format table \| less -S shows all\)$/)
  const lines = printed(20, { head: ['n', 'x'], lines: [['a'.repeat(40), '1']] }).slice(2)
  assert.equal(lines.map((line) => line.split(' ')[0]).join(''), 'a'.repeat(40))
})

test('sentences break at spaces, and control characters end none', () => {
  assert.deepEqual(sentenceLines(['first slot chosen in 50 % of\n96 games'], 20), [
    'first slot chosen in',
    '50 % of 96 games',
  ])
  assert.deepEqual(sentenceLines(['a b', 'c'], undefined), ['a b', 'c'])
})

test('below a table what it comes to is plain, and how it was found dim', () => {
  const style: Style = (code, text) => `<${code}>${text}`
  const { table } = tableForms({ head: ['n'], lines: [['1']] }, ['a is better', 'p by sign test'], 1)
  assert.deepEqual(table(style, undefined).split('\n').slice(-3), ['a is better', '<2>p by sign test', ''])
})

test('an entry of a list is wrapped below where its words begin, and is one line in a pipe', () => {
  assert.equal(
    listEntry('csv  ', 'a row a record, all strings', 20),
    'csv  a row a record,\n     all strings\n',
  )
  assert.equal(
    listEntry('csv  ', 'a row a record, all strings', undefined),
    'csv  a row a record, all strings\n',
  )
})

test('room is that of the terminal, and of nothing else', () => {
  const context = (output: boolean, env = {}, columns = 70) =>
    ({ terminal: { output, color: false, columns }, env }) as Context
  assert.equal(roomOf(context(true, {}, 0)), undefined)
  assert.equal(roomOf(context(true)), 70)
  assert.equal(roomOf(context(true, { COLUMNS: '60' })), 60)
  assert.equal(roomOf(context(false)), undefined)
})
