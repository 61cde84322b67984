/** Ratings in replies: as documented, and as FastChat and the rating extraction read them (--compat mt-bench). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { judgeServer } from '../helpers/judge_server.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { bench } from './_mt-bench.ts'

test('ratings as documented and as the originals read them', async () => {
  const read = async (judge: string, texts: string[], ...args: string[]) =>
    rowsOf(
      await jb('parse', ['--judge', judge, '--text', 'text', ...args], {
        stdin: ndjson(texts.map((text) => ({ text }))),
      }),
    ).map(({ jb }) => {
      const { error, verdict } = jb
      if (args.length > 0 || verdict?.failure === undefined)
        return error?.code ?? verdict!.decision ?? verdict!.score
      // As documented, a reply without a rating has the rating 1, and is counted.
      assert.equal(verdict.score, 1)
      return verdict.failure
    })
  // Reply; MT-bench as documented here, FastChat's code; rating extraction as documented, its code.
  const table: [string, unknown, unknown, unknown, unknown][] = [
    ['[[8.5]]', 8.5, 8.5, 'no_verdict', 1],
    ['[[8.]]', 8, 8, 'no_verdict', 1],
    ['[[ 8 ]]', 8, -1, 'no_verdict', 1],
    ['[[8/10]]', 8, -1, 'no_verdict', 1],
    ['[[-1]]', 'out_of_range', -1, 'no_verdict', 1],
    // FastChat's program ends at 08, which is no number of Python's: its row fails, no -1 stands for it.
    ['[[08]]', 8, 'no_verdict', 'no_verdict', 1],
    ['[[08.5]]', 8.5, 8.5, 'no_verdict', 1],
    ['[[00]]', 'out_of_range', 0, 'no_verdict', 1],
    ['so [010]', 'no_verdict', 'no_verdict', 'no_verdict', 1],
    ['Rating: [[08]]', 8, 'no_verdict', 8, 8],
    // So it does at digits of other scripts, which its pattern takes; they are found before others.
    ['see [2]. [[٣]]', 'no_verdict', 'no_verdict', 'no_verdict', 1],
    ['see [1] so [9]', 'no_verdict', 1, 'no_verdict', 1],
    ['[[10]] then [[3]]', 'conflict', 10, 'no_verdict', 1],
    ['Rating: [[7]]', 7, 7, 7, 7],
    ['Rating: [[7]] no, Rating: [[4]]', 'conflict', 7, 'conflict', 4],
    ['Rating: [[7]]\nno, Rating: [[4]]', 4, 7, 4, 4],
    ['Rating: [[8.5]]', 8.5, 8.5, 8.5, 1],
    ['Rating: [[0]]', 'out_of_range', 0, 'out_of_range', 0],
    ['Rating: [[٧]]', 'no_verdict', 'no_verdict', 'no_verdict', 7],
    ['Rating: [[11]]', 'out_of_range', 11, 'out_of_range', 11],
    ['Rating: [[100]]', 'out_of_range', 100, 'out_of_range', 100],
    ['Well.\n\nRating: [[7', 'no_verdict', -1, 'no_verdict', 1],
    ['no rating', 'no_verdict', -1, 'no_verdict', 1],
  ]
  const texts = table.map(([text]) => text)
  const column = (index: number) => table.map((line) => line[index])
  assert.deepEqual(await read('mt_bench', texts), column(1))
  assert.deepEqual(await read('mt_bench', texts, '--compat', 'mt-bench'), column(2))
  assert.deepEqual(await read('mt_bench_rating', texts), column(3))
  assert.deepEqual(await read('mt_bench_rating', texts, '--compat', 'mt-bench'), column(4))

  const pairs: [string, unknown, unknown][] = [
    ['I say [[A]]', 'A>B', 'A>B'],
    ['I say [[C]]', 'A=B', 'A=B'],
    ['Not [[A]] but [[B]]', 'conflict', 'A>B'],
    ['neither', 'no_verdict', 'no_verdict'],
  ]
  const words = pairs.map(([text]) => text)
  assert.deepEqual(
    await read('mt_bench_pair', words),
    pairs.map(([, documented]) => documented),
  )
  assert.deepEqual(
    await read('mt_bench_pair', words, '--compat', 'mt-bench'),
    pairs.map(([, , original]) => original),
  )
})

test('what FastChat’s program stops at is one failed row, counted, also with a prompt of the user’s own', async (t) => {
  const place = judgeFolder(t, bench)
  for (const judge of ['mt_bench', `${place}/judge_prompts.jsonl#single`]) {
    const stdin = ndjson([{ text: '[[8]]' }, { text: '[[08]]' }, { text: '[[6]]' }])
    const parsed = await jb('parse', ['--judge', judge, '--text', 'text', '--compat', 'mt-bench'], { stdin })
    assert.match(rowsOf(parsed)[1]!.jb.error!.message, /the original crashes at 08/)
    const [report] = rowsOf(
      await jb('aggregate', ['--format', 'json'], { stdin: parsed.stdout }),
    ) as unknown as Record<string, unknown>[]
    const { score, items, valid, failures } = report!
    assert.deepEqual([score, items, valid, failures], [7, 3, 2, { no_verdict: 1 }])
  }
})

test('FastChat’s -1 is in no mean, and it is counted', async () => {
  const stdin = ndjson([{ text: '[[8]]' }, { text: 'none' }])
  const ran = await pipe(
    'jb-parse --judge mt_bench --text text --compat mt-bench | jb-aggregate --format json',
    { stdin },
  )
  const { score, items, valid, failures } = JSON.parse(ran.stdout)
  assert.deepEqual([score, items, valid, failures], [8, 2, 1, { no_verdict: 1 }])
})

test('two ratings in one reply: the last pair, and with --compat mt-bench the first, double brackets before single ones', async (t) => {
  const prompt = {
    name: 'pair-scores',
    type: 'pairwise',
    system_prompt: '',
    prompt_template: '{question} {answer_a} {answer_b}',
    output_format: '[[rating_a,rating_b]]',
  }
  const cwd = judgeFolder(t, { 'p.jsonl': ndjson([prompt]) })
  // Reply, the last pair (own reading), FastChat's.
  const cases: [text: string, own: string, original: string][] = [
    ['[[8,3]]', 'A>B', 'A>B'],
    ['[[2,9]]\nno: [[9, 2]]', 'A>B', 'B>A'],
    ['[1,2] then [[9,8]]', 'A>B', 'A>B'],
    ['[1,2]', 'no_verdict', 'B>A'],
    ['[[7, 7.1]]', 'A=B', 'A=B'],
    // Python's code stops at 08, but not where it comes second.
    ['[[08,9]]', 'B>A', 'no_verdict'],
    ['[[9,8]] or [[08,9]]', 'conflict', 'A>B'],
    ['none', 'no_verdict', 'no_verdict'],
  ]
  const stdin = ndjson(cases.map(([text]) => replied('p.jsonl', text)))
  for (const [column, args] of [
    [1, []],
    [2, ['--compat', 'mt-bench']],
  ] as const) {
    const rows = rowsOf(expect(await jb('parse', ['-q', ...args], { cwd, stdin }), {}))
    assert.deepEqual(
      rows.map(({ jb }) => jb.verdict?.decision ?? jb.error?.code),
      cases.map((one) => one[column]),
    )
  }
})

test('a rating in running text is asked for once more under --compat mt-bench, as the original does; else it counts', async (t) => {
  const server = await judgeServer(t, ({ messages }) =>
    messages.length > 2 ? '7' : 'Well done. Rating: [[9]] it is.',
  )
  const read = async (compat: string) => {
    const before = server.asked.length
    const ran = await pipe(
      `jb-render -q mt_bench_rating ${compat} | jb-call -q -m m --base-url ${server.url} --no-cache --repair 2 | jb-parse -q`,
      { stdin: ndjson([{ question_id: 1, question: 'q', answer: 'a' }]) },
    )
    return [(rowsOf(fine(ran))[0]!.jb.verdict as { score: number }).score, server.asked.length - before]
  }
  assert.deepEqual(await read(''), [9, 1])
  assert.deepEqual(await read('--compat mt-bench'), [7, 2])
})
