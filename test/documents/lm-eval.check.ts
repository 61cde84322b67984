/** lm-eval’s page on llm_judge: each task file of the document as it stands. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { judgeServer, lastOf } from '../helpers/judge_server.ts'
import { fine, pipe } from '../helpers/run.ts'
import { COMMAND, envOf, inJb, judgment, logged, resultsIn } from './_lm-eval.ts'
import { seed, seedSkip } from './_seed.ts'

test('this is the only command of the document', { skip: seedSkip('001') }, () => {
  const commands = seed('001')
    .replaceAll(/\\\n\s+/g, '')
    .match(/^lm-eval .*$/gm)!
  assert.deepEqual(
    commands.map((line) => line.replaceAll(/ +/g, ' ')),
    [COMMAND],
  )
})

/** The document's YAML blocks that hold a prompt, as task files; a block that is only the prompt gets the rest of its metric. */
function taskFiles(): string[] {
  const blocks = [...seed('001').matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block]) => block!)
  return blocks
    .filter((block) => block.includes('prompt_template:'))
    .map((block) => {
      if (block.includes('metric_list:')) return block
      const form = block.includes('{{ response_format }}') ? 'response_format: { score: 8.5 }\n' : ''
      return `metric_list:\n  - metric: llm_judge\n${(form + block).replace(/^/gm, '    ')}`
    })
    .map((block) => `task: my_task\n${block}`)
}

test('each task file of the document runs as it stands, and asks in its words', {
  skip: seedSkip('001'),
}, async (t) => {
  const server = await judgeServer(t, judgment)
  const files = taskFiles()
  assert.equal(files.length, 14)
  for (const file of files) {
    const cwd = folder(t, { ...logged, 'my_task.yaml': file })
    server.asked.length = 0
    fine(await pipe(inJb('my_task.yaml'), { cwd, env: envOf(server) }))
    const models = [...file.matchAll(/model: (\S+)/g)].map(([, model]) => model)
    assert.deepEqual(
      new Set(server.asked.map(({ model }) => model)),
      new Set(models.length > 0 ? models : ['gpt-4']),
    )
    for (const asked of server.asked) {
      assert.deepEqual([asked.temperature, asked.max_tokens], [0, 1024])
      assert.doesNotMatch(lastOf(asked), /\{\{|\{%/)
    }
    const names = [...file.matchAll(/name: (\w+)/g)].map(([, name]) => `llm_judge_${name}`)
    const found = resultsIn(cwd)
    const score = file.includes('response_format:') ? 7.5 : file.includes('prediction') ? 8.5 : 8
    for (const name of names.length > 0 ? names : ['llm_judge'])
      assert.equal(found[`${name},none`], score, file)
  }
})
