/** `--templates DIR`: a judge's prompt from the user's copy of the original program's template files. */
import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { readData } from '../../files/data.ts'
import { isFolder } from '../../files/folder.ts'
import { readText } from '../../files/text.ts'
import { arenaHardMessages, COPIED_PROMPT } from '../../judges/_arena_hard.ts'
import { chatMessages } from '../../judges/_chatml.ts'
import type { Judge } from '../../judges/_judge.ts'
import { readPrompts, variantsOf } from '../../judges/_prompts.ts'
import { configError, EXIT, type Message } from '../../rows/record.ts'
import type { TemplateOptions } from '../../templates/index.ts'

/** JudgeBench's settings of Jinja2; an undefined name is empty, too. */
const ENVIRONMENT: TemplateOptions = { trim_blocks: true, lstrip_blocks: true, keep_trailing_newline: false }

/** The judge with the prompts of a judge_prompts.jsonl. @param path the file or its folder */
async function promptsOf(judge: Judge, path: string, type: 'single' | 'pairwise'): Promise<Judge> {
  const file = isFolder(path) ? join(path, 'judge_prompts.jsonl') : path
  const variants = variantsOf(await readPrompts(file), type, file)
  return { ...judge, messages: undefined, variants, syntax: 'format' }
}

/** @throws Fatal (configuration) if the file is missing */
function readTemplate(judge: Judge, path: string): string {
  if (existsSync(path)) return readText(path, EXIT.config)
  throw configError(
    `${path}: no such template file (${judge.where} takes its prompt from it with --templates)`,
  )
}

/** A judge with its original's templates. */
interface Original {
  judge: Judge
  /** The judge's names that the templates' variables stand for. */
  vars: Record<string, string>
  template: TemplateOptions
  /** Reports on settings in the files that are not used. */
  notes?: string[]
}

/** A template's beginning that removes texts from answers. */
function withoutTexts(answers: readonly string[] = [], texts: readonly string[] = []): string {
  if (texts.length === 0) return ''
  // A noncharacter stands for each until all are found, as in one pass: what is left around one is not one of them.
  const marked = texts.map((text) => ` | replace(${JSON.stringify(text)}, '\uffff')`).join('')
  const set = answers.map((name) => `{% set ${name} = ${name}${marked} | replace('\uffff', '') | trim %}`)
  // Unlike a block, an expression keeps the line end after it.
  return `${set.join('')}{{ '' }}`
}

/** What is exchanged for order BA, by the names of the templates' variables. @throws Fatal (configuration) */
function renaming(judge: Judge, vars: Record<string, string>): Pick<Judge, 'answers' | 'swap'> {
  const renamed = new Map<string, string>()
  for (const [variable, name] of Object.entries(vars)) {
    if (!(name in judge.fields) && !(name in (judge.set ?? {})))
      throw configError(
        `${judge.where}: templates.vars.${variable} is "${name}", which is not a field of the judge`,
      )
    renamed.set(name, variable)
  }
  const rename = (name: string) => renamed.get(name) ?? name
  return {
    answers: judge.answers?.map(rename),
    swap: judge.swap?.map(([one, other]): [string, string] => [rename(one), rename(other)]),
  }
}

/** The configuration file at the path, or in this folder by its name in arena-hard-auto v0.1. */
function configIn(path: string): string | undefined {
  const file = isFolder(path) ? join(path, 'judge_config.yaml') : path
  return /^\.ya?ml$/.test(extname(file)) && existsSync(file) ? file : undefined
}

/** @throws Fatal (configuration) if a file is missing */
export async function originalTemplates(judge: Judge, folder: string): Promise<Original> {
  const { templates } = judge
  if (!templates)
    throw configError(`${judge.where}: this judge has no original template files ("templates" in its file)`)
  if (templates.prompts)
    return { judge: await promptsOf(judge, folder, templates.prompts), vars: {}, template: {} }
  const config = templates.user === COPIED_PROMPT ? configIn(folder) : undefined
  if (config !== undefined) {
    const { vars, notes, ...asked } = arenaHardMessages(judge, await readData(config), config)
    const made: Judge = { ...judge, ...asked, ...renaming(judge, vars), syntax: 'format' }
    return { judge: made, vars, template: {}, notes }
  }
  const text = (name: string) => readTemplate(judge, join(folder, `${name}.jinja2`))
  const vars = templates.vars ?? {}
  const renamedAnswers = renaming(judge, vars)
  if (templates.chatml !== undefined) {
    const path = isFolder(folder) ? join(folder, templates.chatml) : folder
    const messages = chatMessages(readTemplate(judge, path))
    if (!messages) throw configError(`${path}: no prompt in ChatML: it does not begin with <|im_start|>`)
    return { judge: { ...judge, ...renamedAnswers, messages, syntax: 'alpaca' }, vars, template: {} }
  }
  // The original's code appends a text after the final newline was removed.
  const file = text(templates.user!)
  const whole =
    templates.append === undefined
      ? file
      : `${file.replace(/\r?\n$/, '')}{{ ${JSON.stringify(templates.append)} }}`
  const user = `${withoutTexts(renamedAnswers.answers, templates.without)}${whole}`
  const made: Judge = { ...judge, ...renamedAnswers, folder }
  if (judge.messages) {
    const system = judge.messages.filter(({ role }) => role === 'system')
    const kept: Message[] = templates.system ? [{ role: 'system', content: text(templates.system) }] : system
    made.messages = [...kept, { role: 'user', content: user }]
  } else made.prompt = user
  return { judge: made, vars, template: { ...ENVIRONMENT, undefined: 'empty' } }
}
