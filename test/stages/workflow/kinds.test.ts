/** Workflow files of every kind that the originals' repositories have, with every key they use: compiled, or refused by name. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { kiddie } from '../../trec/_cli.ts'
import { compiled, make, standIns, textOf, withoutGzip } from './_make.ts'
import { ANY } from './_plan.ts'

const INPUT = 'w.yml --rag-topics topics.jsonl --rag-responses runs -m m'.split(' ')

/** Text, options, and what the Makefile holds or what is refused. */
const KINDS: Record<string, [yaml: string, args: string[], expected: RegExp]> = {
  'no model': ['judge_class: naive\ncreate_nuggets: false\nuses_llm: false\n', [], /--measure LENGTH/],
  'a pipe that fails with any part of it': [
    'judge_class: naive\n',
    [],
    /^\.SHELLFLAGS := -e -o pipefail -c$/m,
  ],
  'one sentence': ['judge_class: first_sentence\nsettings: { segments: 2 }\n', [], /--set segments=2/],
  'a class': [
    'judge_class: "judges.tiny:TinyJudge"\ncreate_nuggets: false\n',
    [],
    /ask .*phase=judge class=judges\.tiny:TinyJudge /,
  ],
  'three classes': [
    'nugget_class: "a.b:N"\nqrels_class: "a.b:Q"\njudge_class: "a.b:J"\nnugget_settings: { n: 3 }\nqrels_settings: { grade_range: [0, 3] }\n',
    [],
    /settings\.grade_range:=\\x5b0,3\\x5d'/,
  ],
  'a dotted class': [
    'judge_class: trec25.judges.minimal.MinimalJudge\n',
    [],
    /trec25\.judges\.minimal\.MinimalJudge/,
  ],
  'classes and judges mixed': [
    'nugget_class: nuggetize\njudge_class: "a:J"\ncreate_qrels: no\n',
    [],
    /jb-render nuggetize/,
  ],
  rubric: ['judge_class: rubric\njudge_settings: { grade_threshold: 4 }\n', [], /--set grade_threshold=4/],
  'umbrela’s': ['judge_class: relevance\ncreate_nuggets: false\ncreate_qrels: true\n', [], /jb-write qrels/],
  preferences: ['judge_class: preference\nnugget_class: nuggetize\ncreate_nuggets: true\n', [], /--per pair/],
  nuggetizer: ['judge_class: nugget_assign\njudge_settings: { window: 5 }\n', [], /--set window=5/],
  'nuggets alone': ['nugget_class: nuggetize\njudge: false\ncreate_nuggets: true\n', [], /^judge:$/m],
  'qrels alone': [
    'qrels_class: relevance\njudge: false\ncreate_nuggets: false\n',
    [],
    / -o default\.qrels\.txt$/m,
  ],
  'a bank of one’s own': [
    'judge_class: rubric\ncreate_nuggets: false\nnugget_input: bank.jsonl\n',
    [],
    /--nuggets bank\.jsonl/,
  ],
  'a bank to begin with': [
    'judge_class: rubric\ncreate_nuggets: true\nnugget_input: bank.jsonl\n',
    [],
    / --nuggets bank\.jsonl[\s\S]* --nuggets default\.nuggets\.jsonl/,
  ],
  'every flag': [
    'judge_class: rubric\nqrels_class: relevance\ncreate_nuggets: true\ncreate_qrels: true\njudge: true\nnugget_depends_on_responses: false\njudge_uses_nuggets: true\njudge_uses_qrels: false\nqrels_uses_nuggets: false\nforce_recreate_nuggets: true\nforce_recreate_qrels: false\naugment_report: true\n',
    [],
    /jb-write responses/,
  ],
  'every path': [
    'judge_class: rubric\nqrels_class: relevance\nnugget_banks_type: x\nnugget_input: "in/{_name}.jsonl"\nnugget_output: "n/{_name}"\nqrels_output: "q/{_name}"\nqrels_input: given.qrels\n',
    [],
    /^q\/default\.qrels\.txt: /m,
  ],
  'settings of the toolkit': [
    `judge_class: ${ANY}\ncreate_nuggets: false\nsettings: { llm_model: gpt, filebase: "{_name}-{llm_model}" }\njudge_settings: { on_missing_evals: fix_aggregate }\n`,
    [],
    /--on-missing fix_aggregate -o default-m\.eval\.txt$/m,
  ],
  variant: [
    'judge_class: rubric\nsettings: { filebase: one }\nvariants: { strict: { grade_threshold: 5 }, mild: { judge_settings: { grade_threshold: 1 } } }\n',
    ['--all-variants'],
    / --set grade_threshold=1 +-o one-mild\.eval\.txt$/m,
  ],
  'a sweep': [
    'judge_class: rubric\nsweeps: { grid: { grade_threshold: [2, 3] } }\n',
    ['--sweep', 'grid'],
    /-o grid-grade_threshold3\.eval\.txt$/m,
  ],
  'banks that some points of a sweep share': [
    'judge_class: rubric\nsettings: { filebase: "{_name}-k{grade_threshold}" }\nsweeps: { grid: { grade_threshold: [2, 3], window: [1, 9] } }\n',
    ['--sweep', 'grid'],
    /> grid-k2\.nugget\.replies\.ndjson\.gz$(?:.*\n)*.*> grid-k3\.nugget\.replies\.ndjson\.gz$/m,
  ],
  'a key that there is not': ['judge_clas: rubric\n', [], /judge_class is missing/],
  'no class': ['create_nuggets: true\nsettings: { top_k: 20 }\n', [], /nugget_class is missing/],
  'a name of the runner’s own': [
    'judge_class: rubric\nsettings:\n  llm_config: x\n',
    [],
    /w\.yml:3: settings\.llm_config: .* is reserved/,
  ],
}

describe('workflow files', () => {
  const cwd = kiddie()
  standIns(cwd)
  for (const name of ['bank.jsonl', 'given.qrels', 'in/default.jsonl']) {
    mkdirSync(join(cwd, dirname(name)), { recursive: true })
    writeFileSync(join(cwd, name), '')
  }
  for (const [kind, [yaml, args, expected]] of Object.entries(KINDS))
    it(kind, async () => {
      writeFileSync(join(cwd, 'w.yml'), yaml)
      const inputs = ['--rag-topics', 'topics.jsonl', '--rag-responses', 'runs', '-m', 'm']
      const { stdout, stderr, code } = await compiled(cwd, ['w.yml', ...inputs, ...args])
      if (code === 0) {
        const { code, out, err } = make(cwd, stdout, '-n')
        assert.equal(code, 0, err)
        assert.match(`${stdout}\n${out}`, expected)
      } else {
        assert.equal(code, 78, stderr)
        assert.match(stderr, expected)
      }
    })
})

it('each file has a rule of its own, which says all of it', { skip: withoutGzip }, async () => {
  const cwd = kiddie()
  standIns(cwd)
  writeFileSync(
    join(cwd, 'w.yml'),
    'judge_class: rubric\nqrels_class: relevance\nvariants: { strict: { grade_threshold: 5 }, mild: { llm_model: small } }\n',
  )
  const { stdout } = await compiled(cwd, [...INPUT, '--out-dir', 'out', '--all-variants'])
  assert.equal(stdout.match(/^out\/[\w.]+: .*/gm)!.length, 12)
  assert.doesNotMatch(stdout, /^[\w./]*%[\w./]*:/m)
  assert.match(stdout, /^# variant strict: judge: the leaderboard, from the replies$/im)
  assert.equal(make(cwd, stdout).code, 0)
  const call = (name: string, model: string) => {
    const one = textOf(join(cwd, `out/${name}.judge.replies.ndjson.gz`))
    assert.match(one, new RegExp(`^jb-call --model=${model}$`, 'm'))
  }
  call('strict', 'm')
  call('mild', 'small')
  // Changed by hand: what the change decides over is made again.
  const again = make(cwd, stdout.replace(/jb-write ir_measures(?=.*grade_threshold=5$)/m, 'jb-write tot'))
  assert.equal(
    again.out.trim(),
    'jb-parse out/strict.judge.replies.ndjson.gz | jb-write tot --topics topics.jsonl --set grade_threshold=5 -o out/strict.eval.txt',
  )
})
