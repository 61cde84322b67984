/** Files that are read whole: bytes that are not UTF-8 are an error with file, line and byte, never U+FFFD. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineSplitter } from '../../src/files/text.ts'
import { folder, judgeFolder } from '../helpers/folder.ts'
import { expect, jb } from '../helpers/run.ts'

/** Text as Latin-1: an `é` in it is no UTF-8. */
const latin1 = (text: string) => Buffer.from(text, 'latin1')

const TOPICS = '{"request_id":"t1","title":"tides"}\n{"request_id":"é","title":"x"}\n'
const BANK = '{"query":"tides","qid":"t1","nuggets":[\n{"text":"é"}]}'
const BOARD = ['a', 'b', 'é'].map((run, i) => `${run} t1 M ${i}\n${run} all M ${i}\n`).join('')

test('topics, banks, grades and leaderboards that are not UTF-8 are refused', async (t) => {
  const cwd = folder(t, {
    'topics.jsonl': latin1(TOPICS),
    'sound.jsonl': TOPICS.replaceAll('é', 'e'),
    'bank.json': latin1(BANK),
    'grades.qrels': latin1('t1 0 d1 1\nt1 0 é 2\n'),
    'board.txt': latin1(BOARD),
    'utf16.txt': Buffer.from(`\ufeff${BOARD}`, 'utf16le'),
    'sound.txt': BOARD.replaceAll('é', 'e'),
    'questions/nuggets_t1.json': latin1('{"é?":["OR",{"a":["d1"]}]}'),
    'run.jsonl': '',
  })
  const cases: [words: string, message: RegExp][] = [
    ['read autojudge --topics topics.jsonl', /topics\.jsonl:2: not valid UTF-8 at byte 16: convert/],
    ['read autojudge --topics sound.jsonl --nuggets bank.json', /bank\.json:2: not valid UTF-8 at byte 10: /],
    ['read nuggets bank.json', /bank\.json:2: not valid UTF-8 at byte 10: /],
    [
      'read autojudge --topics sound.jsonl --qrels grades.qrels',
      /grades\.qrels:2: not valid UTF-8 at byte 6: /,
    ],
    ['read qrels grades.qrels', /grades\.qrels:2: not valid UTF-8 at byte 6: /],
    ['agree board.txt sound.txt', /board\.txt:5: not valid UTF-8 at byte 1: /],
    ['agree sound.txt board.txt', /board\.txt:5: not valid UTF-8 at byte 1: /],
    ['agree utf16.txt sound.txt', /utf16\.txt: the input is UTF-16: /],
    ['agree questions questions', /nuggets_t1\.json:1: not valid UTF-8 at byte 3: /],
  ]
  for (const [words, err] of cases) {
    const [filter, ...args] = words.split(' ')
    expect(await jb(filter!, args, { cwd }), { code: 65, out: '', err })
  }
})

test('judges, criteria, prompts and personas that are not UTF-8 are refused', async (t) => {
  const cwd = judgeFolder(t, {
    'judge.yaml': latin1(
      'kind: grade\nmessages: [{ role: user, content: "é {{ x }}" }]\nverdict: { rule: number }\n',
    ),
    'judge.json': latin1('{"kind":"grade",\n"prompt":"é"}'),
    'judge.txt': latin1('Grade {{ x }}\nfrom é on'),
    'outer.j2': "{% include 'inner.txt' %} {{ x }}",
    'inner.txt': latin1('a\né'),
    'prompts.jsonl': latin1('\n{"name":"é"}'),
    'task.yaml': latin1('task: é\nmetric_list: [{ metric: llm_judge }]\n'),
    'criteria.jsonl': latin1('\n\n{"name":"é"}'),
    'personas.ndjson': latin1('{"é":1}\n'),
    'templates/pandalm_prompt.jinja2': latin1('é'),
    'rows.jsonl': '{"x":"1","question":"q","response":"r","response_A":"a","response_B":"b"}\n',
  })
  const cases: [words: string, err: RegExp, code?: number][] = [
    ['judge.yaml rows.jsonl', /judge\.yaml:2: not valid UTF-8 at byte 36: convert/],
    ['judge.json rows.jsonl', /judge\.json:2: not valid UTF-8 at byte 11: /],
    ['judge.txt rows.jsonl', /judge\.txt:2: not valid UTF-8 at byte 6: /],
    ['outer.j2 rows.jsonl', /inner\.txt:2: not valid UTF-8 at byte 1: /, 0],
    ['prompts.jsonl rows.jsonl', /prompts\.jsonl:2: not valid UTF-8 at byte 10: /],
    ['task.yaml rows.jsonl', /task\.yaml:1: not valid UTF-8 at byte 7: /],
    ['direct --criteria criteria.jsonl rows.jsonl', /criteria\.jsonl:3: not valid UTF-8 at byte 10: /],
    [
      'direct --criteria clarity? --personas personas.ndjson rows.jsonl',
      /personas\.ndjson:1: not valid UTF-8 at byte 3: /,
    ],
    ['panda_lm --templates templates rows.jsonl', /pandalm_prompt\.jinja2:1: not valid UTF-8 at byte 1: /],
  ]
  for (const [words, err, code = 78] of cases)
    expect(await jb('render', words.split(' '), { cwd }), { code, err })
})

test('a byte order mark is no part of a prompt, a topic or a column', async (t) => {
  const cwd = judgeFolder(t, {
    'judge.txt': '\ufeffGrade {{ x }}',
    'judge.json': `\ufeff${JSON.stringify({ kind: 'grade', messages: [{ role: 'user', content: 'Grade {{ x }}' }], verdict: { rule: 'number' } })}`,
    'rows.jsonl': '{"x":"1"}\n',
  })
  for (const judge of ['judge.txt', 'judge.json'])
    expect(await jb('render', [judge, 'rows.jsonl'], { cwd }), { out: /"content":"Grade 1"/ })
})

test('a line of a program ends at \\n alone, wherever its pieces end', () => {
  const lines = lineSplitter()
  assert.deepEqual(['a\u2028', 'b\u0085\r\n\n', 'c', '\nrest'].map(lines), [
    [],
    ['a\u2028b\u0085\r', ''],
    [],
    ['c'],
  ])
})
