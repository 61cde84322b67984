/** Rows whose `jb` holds random JSON where something of the toolkit's should stand. */
type Random = () => number

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!

const WORDS = [
  '',
  'A>B',
  'tie',
  '__proto__',
  'constructor',
  'toString',
  'é\u202e\u0000',
  '1',
  '[[A]]',
  './e.mjs',
]
const NUMBERS = [0, -1, 0.5, 1e308, 2 ** 53, -0, 3]

function randomJson(random: Random, depth = 0): unknown {
  const kind = random()
  if (kind < 0.12) return null
  if (kind < 0.2) return random() < 0.5
  if (kind < 0.4) return pick(random, NUMBERS)
  if (kind < 0.6 || depth > 3) return pick(random, WORDS)
  const size = Math.floor(random() * 4)
  if (kind < 0.8) return Array.from({ length: size }, () => randomJson(random, depth + 1))
  const keys = ['name', 'options', 'text', 'reply', 'n', 'of', 'score', 'trial', 'verdict', ...WORDS]
  return Object.fromEntries(
    Array.from({ length: size }, () => [pick(random, keys), randomJson(random, depth + 1)]),
  )
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const CRITERION = {
  name: 'tone',
  description: 'Is it kind?',
  to_evaluate_field: 'response',
  context_fields: null,
  options: [
    { name: 'Yes', description: '', score: 1 },
    { name: 'No', description: '', score: 0 },
  ],
}
const trial = { n: 0, of: 1 }
const reply = (text: string) => ({ text, model: 'm', finish_reason: 'stop', usage: USAGE, ms: 3, tries: 1 })
const request = { messages: [{ role: 'user', content: 'Which?' }], temperature: 0 }

/** Sound `jb`s of every kind of judge, as they are after each stage. */
const SOUND: Record<string, unknown>[] = [
  {
    judge: 'arena_hard',
    trial: { n: 0, of: 1, order: 'BA' },
    request,
    reply: reply('[[A>>B]]'),
    verdict: { label: 'A>>B', decision: 'B>A', strength: 2 },
  },
  { judge: 'vanilla', trial, request, reply: reply('Output (a)') },
  {
    judge: 'mt_bench',
    trial,
    request,
    reply: reply('[[7]]'),
    verdict: { label: '7', score: 7, range: [1, 10] },
  },
  {
    judge: 'direct',
    trial: { ...trial, criterion: 'tone', options: ['Yes', 'No'] },
    criterion: CRITERION,
    request,
    reply: reply('{"option":"Yes"}'),
    verdict: { label: 'Yes', option: 'Yes', score: 1 },
  },
  { judge: 'nuggetize', trial, request, reply: reply('["a"]'), verdict: { label: null, items: ['a'] } },
  {
    judge: 'pairwise',
    trial: { ...trial, answers: 3, pair: [0, 1] },
    criterion: CRITERION,
    request,
    reply: reply('1'),
    verdict: { label: '1', winner: 1 },
  },
  {
    judge: 'vanilla',
    trial,
    chain: [{ judge: 'direct', reply: reply('x') }],
    request,
    reply: reply('x'),
    error: { stage: 'parse', code: 'no_verdict', message: 'none' },
  },
  {
    judge: 'arena_hard',
    result: { decision: 'A>B', scores: [1, 0], correct: true, model: 'm' },
    trials: [{ trial, verdict: { label: 'A', decision: 'A>B' }, usage: USAGE, model: 'm' }],
  },
  {
    judge: 'direct',
    criteria: [CRITERION],
    result: { option: 'Yes', score: 1 },
    trials: [{ trial, verdict: { label: 'Yes', option: 'Yes', score: 1 }, model: 'm' }],
  },
]

/** Share of rows with JSON that is nested deeply: each is as long as a hundred others. */
const DEEP = 0.01

/** JSON nested as deep as a file may hold it. */
const deep = (levels: number): unknown => {
  let value: unknown = 0
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { object: value }
  return value
}

/** A copy of the value with random JSON somewhere in it. */
function broken(value: unknown, random: Random): unknown {
  if (value === null || typeof value !== 'object' || random() < 0.3) return randomJson(random)
  if (Array.isArray(value)) {
    const at = Math.floor(random() * value.length)
    return value.map((one, i) => (i === at ? broken(one, random) : one))
  }
  const key = pick(random, Object.keys(value))
  return { ...value, [key]: broken((value as Record<string, unknown>)[key], random) }
}

export function randomRows(count: number, seed: number): object[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, id) => {
    let jb: unknown = { ...pick(random, SOUND), item: String(id) }
    const times = 1 + Math.floor(random() * 3)
    for (let i = 0; i < times; i++) {
      const before = jb
      jb = broken(jb, random)
      if (jb === null || typeof jb !== 'object' || Array.isArray(jb)) jb = before
    }
    // An item that is there twice counts once.
    const { item } = jb as { item?: unknown }
    if (typeof item === 'string') jb = { ...(jb as object), item: `${item}#${id}` }
    // Equal numbers would be the same item, counted once.
    else if (typeof item === 'number') jb = { ...(jb as object), item: id + 0.5 }
    else if (item !== undefined) jb = { ...(jb as object), item: [item, id] }
    if (random() < DEEP)
      jb = { ...(jb as object), [pick(random, ['verdict', 'result', 'reply', 'label'])]: deep(20_000) }
    const label = random() < DEEP ? deep(20_000) : pick(random, ['A>B', 'B>A', 1, null, ['x']])
    return {
      id,
      question: 'q',
      response_A: 'a',
      response_B: 'bb',
      response: 'r',
      run_id: 'r',
      topic_id: `t${id}`,
      label,
      jb,
    }
  })
}

/** JSON of any depth: JSON.stringify has a stack. */
function lineOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const parts: string[] = []
  const work: (unknown | { close: string })[] = [value]
  const TEXT = Symbol('text')
  const text = (words: string) => ({ [TEXT]: words })
  while (work.length > 0) {
    const one = work.pop()
    if (one === null || typeof one !== 'object') parts.push(JSON.stringify(one))
    else if (TEXT in one) parts.push((one as { [TEXT]: string })[TEXT])
    else {
      const list = Array.isArray(one)
      const members: unknown[] = [text(list ? '[' : '{')]
      for (const [i, [key, inner]] of Object.entries(one).entries())
        members.push(text(`${i > 0 ? ',' : ''}${list ? '' : `${JSON.stringify(key)}:`}`), inner)
      members.push(text(list ? ']' : '}'))
      work.push(...members.reverse())
    }
  }
  return parts.join('')
}

export const linesOf = (rows: object[]) => rows.map(lineOf).join('\n')
