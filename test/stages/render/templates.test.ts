/** Templates as files: bare ones, and the original files of JudgeBench with --templates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, pair, rowOf, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'

const ITEM = pair({ pair_id: 'p', question: 'Q?', response_A: 'RA', response_B: 'RB\n' })

test('a bare template is the user’s message; two answers by any usual name make it pairwise', async (t) => {
  const path = folder(t, {
    'ab.jinja2': '{{ question }}: {{ answer_a }} or {{ answer_b }}?\n',
    'upper.j2': '{{ response_A }} or {{ response_B }}',
    'numbers.txt': '{{ response_1 }} or {{ response_2 }}',
    'one.txt': 'Rate: {{ response_A }}\n\n',
    'nunjucks.njk': '{{ question | upper }}',
  })
  const rows = async (...args: string[]) =>
    rowsOf(fine(await jb('render', args, { stdin: ndjson([ITEM]), cwd: path })))
  const contents = async (...args: string[]) => (await rows(...args)).map(({ jb }) => jb.request)
  const user = (content: string) => ({ messages: [{ role: 'user', content }] })
  const map = ['--map', 'answer_a=response_A', '--map', 'answer_b=response_B', '--order', 'both']
  // One final line end of the template goes, as in Jinja2.
  assert.deepEqual(await contents('ab.jinja2', ...map), [user('Q?: RA or RB\n?'), user('Q?: RB\n or RA?')])
  assert.deepEqual(await contents('upper.j2', '--order', 'ba'), [user('RB\n or RA')])
  assert.deepEqual(await contents('one.txt'), [user('Rate: RA\n')])
  assert.deepEqual(await contents('nunjucks.njk'), [user('Q?')])
  const numbered = ['--map', 'response_1=response_A', '--map', 'response_2=response_B']
  assert.deepEqual(await contents('numbers.txt', ...numbered), [user('RA or RB\n')])
  const [row] = await rows('upper.j2')
  assert.deepEqual([row?.jb.judge, row?.jb.trial?.order], ['upper.j2', 'AB'])

  // How its replies are read is for jb-parse to say.
  const trials = await rows('upper.j2', '--order', 'both')
  const reply = { text: 'so [[B>A]]', model: 'm' }
  const stdin = ndjson(trials.map((row) => ({ ...row, jb: { ...row.jb, reply } })))
  const parsed = fine(await jb('parse', ['--judge', 'arena_hard'], { stdin, cwd: path }))
  assert.deepEqual(
    rowsOf(parsed).map(({ jb }) => jb.verdict?.decision),
    ['B>A', 'A>B'],
  )
  expect(await jb('parse', [], { stdin, cwd: path }), {
    err: /unknown_judge: upper\.j2: .*jb-parse --judge/,
  })
})

test('a bare template that only speaks of two answers shows none', async (t) => {
  const cwd = folder(t, {
    'prose.txt': 'Rate {{ answer }}. You do not see answer_a and answer_b.\n',
    'comment.jinja2': '{# once: answer_a, answer_b #}{{ question }}',
    'comment.njk': '{# response_1 {{ response_2 }} #}{{ question }}',
    'block.jinja2': '{% if answer_a %}{{ answer_b | upper }}{% endif %}',
  })
  const stdin = ndjson([{ ...ITEM, answer: 'four', answer_a: 'a', answer_b: 'b' }])
  const trial = async (file: string) => rowOf(fine(await jb('render', [file], { cwd, stdin }))).jb.trial
  for (const file of ['prose.txt', 'comment.jinja2', 'comment.njk'])
    assert.deepEqual(await trial(file), { n: 0, of: 1 }, file)
  assert.deepEqual(await trial('block.jinja2'), { n: 0, of: 1, order: 'AB' })
})

test('--syntax format: names in single braces, as Python’s str.format reads them', async (t) => {
  const cwd = folder(t, { 'j.txt': '{question} {{kept}} {answer_a}/{answer_b}\n' })
  const stdin = ndjson([{ question: '{answer_b} {{ x }}', answer_a: 'A', answer_b: 'B' }])
  const args = ['j.txt', '--syntax', 'format', '--order', 'both']
  const rows = rowsOf(fine(await jb('render', args, { stdin, cwd })))
  assert.deepEqual(
    rows.map(({ jb }) => jb.request?.messages?.[0]?.content.trimEnd()),
    ['{answer_b} {{ x }} {kept} A/B', '{answer_b} {{ x }} {kept} B/A'],
  )
})

/** The names of JudgeBench's files, and small templates of our own with the variables those files use. */
const FILES: Record<string, string> = {
  'vanilla_prompt.jinja2': 'V {{ question }}\n(a) {{ answer_a }}\n(b) {{ answer_b }}\n',
  'arena_hard_judge_system.jinja2': 'You judge.\n\nBe fair.\n',
  'arena_hard_judge_prompt.jinja2':
    '<|P|>\n{{ prompt }}\n\n<|A|>\n{{ answer_a }}\n<|B|>\n{{ answer_b }}\n<|end|>',
  'autoj_prompt.jinja2': '[Q]: {{ prompt }} [1]: {{ response }} [2]: {{ response_another }}\n\n',
  'prometheus2_prompt.jinja2': 'I {{ instruction }} A {{ response_A }} B {{ response_B }} R {{ rubric }}',
  'skywork_critic_prompt.jinja2': '{{ input }}\n[A] {{ response_a }}\n[B] {{ response_b }}\n',
  'pandalm_prompt.jinja2': '### {{ instruction }}\n1: {{ resp1 }}\n2: {{ resp2 }}\n### Evaluation:\n',
  'judgelm_prompt.jinja2': '{{ question }}|{{ answer_1 }}|{{ answer_2 }}',
}
const PROMPTS: Record<string, [ab: string, ba: string]> = {
  vanilla: ['V Q?\n(a) RA\n(b) RB\n', 'V Q?\n(a) RB\n\n(b) RA'],
  arena_hard: [
    '<|P|>\nQ?\n\n<|A|>\nRA\n<|B|>\nRB\n\n<|end|>',
    '<|P|>\nQ?\n\n<|A|>\nRB\n\n<|B|>\nRA\n<|end|>',
  ],
  compass_judger: [
    '<|P|>\nQ?\n\n<|A|>\nRA\n<|B|>\nRB\n\n<|end|>',
    '<|P|>\nQ?\n\n<|A|>\nRB\n\n<|B|>\nRA\n<|end|>',
  ],
  auto_j: ['[Q]: Q? [1]: RA [2]: RB\n\n', '[Q]: Q? [1]: RB\n [2]: RA\n'],
  prometheus_2: ['I Q? A RA B RB\n R {rubric}', 'I Q? A RB\n B RA R {rubric}'],
  skywork_critic: ['Q?\n[A] RA\n[B] RB\n', 'Q?\n[A] RB\n\n[B] RA'],
  // The original's code puts a line end behind it.
  // It strips the answers, too.
  panda_lm: ['### Q?\n1: RA\n2: RB\n### Evaluation:\n', '### Q?\n1: RB\n2: RA\n### Evaluation:\n'],
  judge_lm: ['Q?|RA|RB\n', 'Q?|RB\n|RA'],
}

/** Configuration files in the shape of arena-hard-auto's, v0.1 and v2.0. */
const CONFIGS = {
  'judge_config.yaml': [
    'bench_name: own-words\nreference: False # Optional\nref_model: null  \npairwise: True\ntemperature: 0.5\nmax_tokens: 99',
    'regex_pattern: \\[\\[([AB<>=]+)\\]\\]',
    'system_prompt: "Weigh {both}.\\n\\n1. First: [[A>>B]]"',
    'prompt_template: ["<|Q|>\\n{question_1}\\n<|1|>\\n{answer_1}\\n<|2|>\\n{answer_2}"]\nmodel_list:\n  - m',
  ].join('\n'),
  'arena-hard-v2.0.yaml': [
    '# judge_model: x\ntemperature: 1.0\nmax_tokens: 32000\nregex_pattern: \\[([AB<>=]+)\\]',
    'prompt_template: "{{Q}} {QUESTION}\\n{ANSWER_A}|{ANSWER_B}"',
  ].join('\n'),
}

test('--templates takes arena-hard-auto’s configuration files of both generations', async (t) => {
  const path = folder(t, { ...CONFIGS, 'none.yaml': 'prompt_template: 3', 'config/x': '' })
  const item = ndjson([{ ...ITEM, question: '{answer_2} {{Q}}' }])
  const render = (from: string, ...more: string[]) =>
    jb('render', ['arena_hard', '--templates', `${path}/${from}`, '--order', 'both', ...more], {
      stdin: item,
    })
  const requests = async (from: string) => rowsOf(fine(await render(from, '-q'))).map(({ jb }) => jb.request!)
  const v1 = { role: 'system', content: 'Weigh {both}.\n\n1. First: [[A>>B]]' }
  // The folder is searched for the older one's name.
  for (const from of ['judge_config.yaml', ''])
    assert.deepEqual(
      await requests(from),
      ['RA|RB\n', 'RB\n|RA'].map((pair) => {
        const [first, second] = pair.split('|')
        const content = `<|Q|>\n{answer_2} {{Q}}\n<|1|>\n${first}\n<|2|>\n${second}`
        return { messages: [v1, { role: 'user', content }], temperature: 0.5, max_tokens: 99 }
      }),
    )
  const own = rowOf(fine(await jb('render', ['arena_hard'], { stdin: item }))).jb.request!
  const [ab, ba] = await requests('arena-hard-v2.0.yaml')
  assert.deepEqual(
    [ab, ba].map((one) => one!.messages?.[1]?.content),
    ['{Q} {answer_2} {{Q}}\nRA|RB\n', '{Q} {answer_2} {{Q}}\nRB\n|RA'],
  )
  assert.deepEqual([ab!.messages![0], ab!.temperature, ab!.max_tokens], [own.messages![0], 1, 32000])
  const { stderr } = await render('arena-hard-v2.0.yaml')
  assert.match(stderr, /no system_prompt .*arena_hard’s own is sent/)
  assert.match(stderr, /regex_pattern is not used/)
  const wrong = await render('none.yaml')
  assert.deepEqual([wrong.code, /none\.yaml: "prompt_template" must be/.test(wrong.stderr)], [78, true])
})

test('--templates takes JudgeBench’s files with the variables they really use, in both orders', async (t) => {
  const path = folder(t, FILES)
  for (const [name, [ab, ba]] of Object.entries(PROMPTS)) {
    const own = rowOf(fine(await jb('render', [name], { stdin: ndjson([ITEM]) }))).jb.request!
    const set = name === 'prometheus_2' ? ['--set', 'rubric={rubric}'] : []
    const args = [name, '--templates', path, '--order', 'both', ...set]
    const rows = rowsOf(fine(await jb('render', args, { stdin: ndjson([ITEM]) })))
    const prompts = rows.map(({ jb: { request } }) => request!.messages?.at(-1)?.content ?? request!.prompt)
    assert.deepEqual(prompts, [ab, ba], name)
    for (const { jb } of rows) {
      const { messages, prompt: _, ...parameters } = jb.request!
      const { messages: ownMessages, prompt: __, ...ownParameters } = own
      assert.deepEqual(parameters, ownParameters, name)
      assert.deepEqual(
        messages?.map(({ role }) => role),
        ownMessages?.map(({ role }) => role),
        name,
      )
      // The system prompt comes from the original's file where it has one.
      if (messages?.[0]?.role === 'system')
        assert.equal(
          messages[0].content,
          name === 'prometheus_2' ? ownMessages![0]!.content : 'You judge.\n\nBe fair.',
        )
    }
  }
})

test('--templates: panda_lm’s special tokens go from the answers; prometheus_2’s system message can be set', async (t) => {
  const path = folder(t, FILES)
  const item = {
    id: 1,
    question: '<s>Q',
    response_A: ' <s>a [PAD]<|endoftext|>b</s>\n',
    // What is left of one inside another stays, as in one pass.
    response_B: '[X] <S>[<s>PAD]',
  }
  const panda = rowOf(fine(await jb('render', ['panda_lm', '--templates', path], { stdin: ndjson([item]) })))
  assert.equal(panda.jb.request!.prompt, '### <s>Q\n1: a b\n2: [X] <S>[PAD]\n### Evaluation:\n')
  // Each of the tokens that the original's code lists.
  const tokens =
    '<unk> <pad> <s> </s> [PAD] <|endoftext|> [UNK] [CLS] [MASK] <|startofpiece|> <|endofpiece|> [gMASK] [sMASK]'
  const listed = { id: 1, question: 'Q', response_A: tokens, response_B: `x${tokens}y` }
  const none = rowOf(fine(await jb('render', ['panda_lm', '--templates', path], { stdin: ndjson([listed]) })))
  assert.equal(none.jb.request!.prompt!.replaceAll(' ', ''), '###Q\n1:\n2:xy\n###Evaluation:\n')
  const ruled = await jb('render', ['prometheus_2', '--set', 'rubric=[Is it so?]'], { stdin: ndjson([ITEM]) })
  assert.match(rowOf(fine(ruled)).jb.request!.messages![1]!.content, /\[Is it so\?\]/)
  const args = ['prometheus_2', '--templates', path, '--set', 'system=Be fair: {{ 1 }}']
  const set = rowOf(fine(await jb('render', args, { stdin: ndjson([ITEM]) })))
  assert.equal(set.jb.request!.messages![0]!.content, 'Be fair: {{ 1 }}')
})

test('the originals’ environment: trim_blocks, lstrip_blocks, one final line end dropped, nothing for a name unknown', async (t) => {
  const path = folder(t, {
    'vanilla_prompt.jinja2': [
      'start {{ nobody }}.',
      '  {% if question %}',
      '    {{ question }}',
      '  {% endif %}',
      '  {# a note #}',
      '  {%- for one in [answer_a, answer_b] %}',
      '\t{% if loop.first %}',
      '* {{ one }} {% if one %} inline {% endif %} after',
      '  {%+ if true %}kept{% endif %}',
      '\t{% else %}',
      '- {{ one | trim }}',
      '    {% endif %}',
      '{% endfor %}',
      '',
      'end',
      '',
      '',
    ].join('\n'),
  })
  const ran = fine(await jb('render', ['vanilla', '--templates', path], { stdin: ndjson([ITEM]) }))
  // As Jinja2 3.1 prints it in that environment.
  assert.equal(
    rowOf(ran).jb.request?.messages?.[0]?.content,
    'start .\n    Q?\n* RA  inline  after\n  kept- RB\n\nend\n',
  )
})

test('--templates: what is missing is said', async (t) => {
  const path = folder(t, { 'arena_hard_judge_prompt.jinja2': '{{ prompt }} {{ answer_a }} {{ answer_b }}' })
  const cases: [string[], RegExp][] = [
    [
      ['vanilla'],
      /vanilla_prompt\.jinja2: no such template file \(vanilla takes its prompt from it with --templates\)/,
    ],
    [['arena_hard'], /arena_hard_judge_system\.jinja2: no such template file/],
    [['relevance'], /relevance: this judge has no original template files/],
  ]
  for (const [args, err] of cases)
    expect(await jb('render', [...args, '--templates', path], { stdin: ndjson([ITEM]) }), {
      code: 78,
      out: '',
      err,
    })
})

test('includes and macros of a template are looked for in its own folder, and nowhere else', async (t) => {
  const path = folder(t, {
    'judges/main.jinja2': '{% include "part.jinja2" %} {{ question }}',
    'judges/part.jinja2': 'part of {{ question }}',
    'judges/outside.jinja2': '{% include "../secret.jinja2" %}',
    'secret.jinja2': 'secret',
  })
  const stdin = ndjson([ITEM])
  const ran = fine(await jb('render', ['judges/main.jinja2'], { stdin, cwd: path }))
  assert.equal(rowOf(ran).jb.request?.messages?.[0]?.content, 'part of Q? Q?')
  const outside = await jb('render', ['judges/outside.jinja2', '-q'], { stdin, cwd: path })
  assert.ok(!outside.stdout.includes('secret"'), outside.stdout)
  assert.ok(outside.code === 78 || rowOf(outside).jb.error?.code === 'template_error')
})

test('--templates: --map and --set of the judge’s names hold for the variables that stand for them', async (t) => {
  const path = folder(t, FILES)
  const stdin = ndjson([{ ...ITEM, my_q: 'MINE', left: 'LEFT' }])
  const asked = async (...args: string[]) => {
    const rows = rowsOf(fine(await jb('render', [...args, '--templates', path], { stdin })))
    return rows.map(({ jb: { request } }) => request!.messages!.at(-1)!.content)
  }
  const prompt = (question: string, a = 'RA', b = 'RB\n') => `[Q]: ${question} [1]: ${a} [2]: ${b}\n`
  assert.deepEqual(await asked('auto_j', '--map', 'question=my_q'), [prompt('MINE')])
  assert.deepEqual(await asked('auto_j', '--set', 'question=SAID'), [prompt('SAID')])
  // A variable may be named itself, whatever it stands for.
  assert.deepEqual(await asked('auto_j', '--map', 'question=my_q', '--set', 'prompt=P'), [prompt('P')])
  assert.deepEqual(await asked('auto_j', '--order', 'both', '--map', 'answer_a=left'), [
    prompt('Q?', 'LEFT'),
    prompt('Q?', 'RB\n', 'LEFT'),
  ])
})
