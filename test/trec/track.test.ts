import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, lines } from './_cli.ts'

const TOPICS = [
  { request_id: '1', title: 'tides', limit: 10 },
  { request_id: '2', title: 'rocks', limit: 10 },
  { request_id: '3', title: 'caves', limit: 10 },
]
const METADATA = { team_id: 'owls', run_id: 'a', narrative_id: 1, narrative: 'tides', run_desc: 'one' }
const shard = (n: number) => `shard_0${n}_${n}`
const good = {
  metadata: METADATA,
  answer: [{ text: 'The moon pulls.', citations: [0] }],
  references: [shard(1)],
}

/** What --check says of these responses: exit code, findings as [level, category, topic], what is said at the end. */
async function check(track: string, rows: object[], more: Record<string, string> = {}) {
  const cwd = folder({ 'topics.jsonl': TOPICS, 'run.jsonl': rows, ...more })
  const { stdout, stderr, code } = await pipe(
    `jb-read autojudge --check ${track} --topics topics.jsonl run.jsonl`,
    { cwd },
  )
  const found = lines(stdout)
  return {
    code,
    stderr,
    found,
    short: found.map(({ level, category, topic_id }) => [level, category, topic_id]),
  }
}

const others = [2, 3].map((id) => ({
  ...good,
  metadata: { ...METADATA, narrative_id: id, narrative: id === 2 ? 'rocks' : 'caves' },
}))

describe('jb-read autojudge --check', () => {
  it('a submission that follows the rules: no row, exit code 0', async () => {
    const { code, short, stderr } = await check('rag26', [good, ...others])
    assert.deepEqual([code, short], [0, []])
    assert.match(stderr, /3 of 3 responses valid by rag26, 0 problems, 0 smells/)
  })
  it('problems and smells with their places; problems make it 1', async () => {
    const { code, found, short } = await check('rag26', [
      {
        metadata: { ...METADATA, narrative: 'Tides', run_desc: ' ' },
        answer: [
          { text: ' ', citations: [0, 1, 2, 3] },
          { text: 'w '.repeat(1025), citations: [9] },
        ],
        references: [shard(1), shard(2), shard(2), 'odd', shard(4)],
      },
      { ...good, metadata: { ...METADATA, run_id: 'a' } },
      { ...good, metadata: { ...METADATA, narrative_id: 9 } },
      { metadata: { run_id: 'a' }, answer: [] },
    ])
    assert.equal(code, 1)
    assert.deepEqual(short, [
      ['problem', 'narrative', '1'],
      ['problem', 'metadata', '1'],
      ['problem', 'blank_sentence', '1'],
      ['smell', 'citation_count', '1'],
      ['problem', 'docid_pattern', '1'],
      ['problem', 'reference_index', '1'],
      ['smell', 'references_duplicate', '1'],
      ['problem', 'docid_pattern', '1'],
      ['smell', 'references_uncited', '1'],
      ['problem', 'length', '1'],
      ['problem', 'duplicate_topics', '1'],
      ['problem', 'new_topics', '9'],
      ['problem', 'format', undefined],
      ['smell', 'missing_topics', '2'],
      ['smell', 'missing_topics', '3'],
    ])
    assert.equal(found[0].place, 'run.jsonl:1')
    assert.match(found.at(-3).message, /metadata has neither "topic_id" nor "narrative_id"/)
  })
  it('--strict: smells are problems', async () => {
    const one = [{ ...good, references: [shard(1), shard(2)] }]
    const levels = async (track: string) => (await check(track, one)).found.map(({ level }) => level)
    assert.deepEqual(await levels('rag26'), ['smell', 'smell', 'smell'])
    assert.deepEqual(await levels('rag26 --strict'), ['problem', 'problem', 'problem'])
  })
  it('a limit of the topic, in characters; references that are exactly what is cited', async () => {
    const uuid = (n: number) => `0000000${n}-0000-0000-0000-000000000000_1`
    const { short } = await check('ragtime25', [
      {
        metadata: { team_id: 'o', run_id: 'a', topic_id: '1', task: 'english' },
        responses: [{ text: 'Twelve chars', citations: { [uuid(1)]: 0.5 } }],
        references: [uuid(2)],
      },
    ])
    assert.deepEqual(
      short.filter(([, , topic]) => topic === '1'),
      [
        ['smell', 'references_undeclared', '1'],
        ['problem', 'references_uncited', '1'],
        ['smell', 'length', '1'],
      ],
    )
  })
  it('rules of a file, in linear time; names and files that are not there', async () => {
    const rules =
      'specs:\n  ours: { sentence_type: [rag24], mandatory_metadata: [team_id], references_kind: cited_only, docid_pattern: "(a+)+$" }\n'
    const long = { ...good, references: [`${'a'.repeat(40)}!`] }
    const ours = await check('rules.yml', [long], { 'rules.yml': rules })
    assert.deepEqual(ours.short.filter(([, category]) => category === 'docid_pattern').length, 2)
    assert.match((await check('nowhere', [])).stderr, /--check nowhere: one of dragun25, kiddie, rag25/)
    assert.match(
      (await check('rules.yml#x', [], { 'rules.yml': rules })).stderr,
      /rules\.yml#NAME: NAME is one of ours/,
    )
    const wrong = await check('w.yml', [], {
      'w.yml': 'sentence_type: [rag24]\nmandatory_metadata: []\nsmells: [odor]\n',
    })
    assert.deepEqual([wrong.code, /smells: "odor" is not one of/.test(wrong.stderr)], [78, true])
  })
})
