/** llm-config.yml: names model and endpoint, or preferences among the available models. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { hasSecret, URL_ADVICE } from '../../files/api_key.ts'
import { readData } from '../../files/data.ts'
import { configError, isObject, type JsonObject } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import type { WorkflowOptions } from './options.ts'
import { quoted } from './quoting.ts'
import { USUAL_MODEL } from './steps.ts'

interface ModelChoice {
  model?: string
  /** Options of jb-call. */
  options: string[]
  notes: string[]
}

interface Available {
  where: string
  models: Record<string, JsonObject>
  aliases: Record<string, string>
  otherwise?: string
}

/** The model of jb-call's own options or environment, without LLM_JUDGE_NAME_MODEL for named judges. */
export function modelIn(call: readonly string[], env: Context['env']): string | undefined {
  const at = call.findLastIndex((word) => /^(-m|--model)(=|$)/.test(word) || /^-m./.test(word))
  const word = call[at]
  if (word !== undefined)
    return /^(-m|--model)$/.test(word) ? call[at + 1] : word.replace(/^(--model=|-m=?)/, '')
  return USUAL_MODEL.map((name) => env[name]).find(Boolean)
}

/** Reads the configuration, if any. @throws Fatal (configuration) if no preferred model is available */
export async function chooseModel(options: WorkflowOptions, env: Context['env']): Promise<ModelChoice> {
  const { llmConfig: path } = options
  if (path === undefined) return { options: [], notes: [] }
  const config = await readData(path)
  if (!isObject(config)) throw configError(`${path}: an LLM configuration must be a mapping`)
  const choice: ModelChoice = { options: [], notes: [] }
  if (config.api_key !== undefined)
    choice.notes.push(`${path}: api_key is ignored: keys come from the environment (OPENAI_API_KEY)`)
  if (typeof config.cache_dir === 'string')
    choice.options.push(`--cache ${quoted(join(config.cache_dir, 'replies.ndjson'))}`)
  const available = config.model_preferences === undefined ? undefined : await availableModels(env)
  // A file may have both forms: preferences are for whoever has the list.
  if (config.model_preferences === undefined || (!available && typeof config.model === 'string')) {
    if (typeof config.model === 'string') choice.model = config.model
    if (typeof config.base_url === 'string') choice.options.push(baseOption(config.base_url, path))
    return choice
  }
  const { model_preferences: preferences } = config
  if (!Array.isArray(preferences) || !preferences.every((one) => typeof one === 'string'))
    throw configError(`${path}: model_preferences must be a list of names`)
  if (!available) {
    choice.model = preferences[0]
    choice.notes.push(`${path}: no list of available models: using the first preference, ${choice.model}`)
    return choice
  }
  const { where, models } = available
  const name = pick(available, preferences, config, path)
  const { base_url, model_id, api_key_env } = models[name]!
  choice.model = typeof model_id === 'string' ? model_id : name
  if (typeof base_url === 'string') choice.options.push(baseOption(base_url.replace(/\/$/, ''), where))
  if (typeof api_key_env === 'string' && api_key_env !== '')
    choice.options.push(`--api-key-env ${quoted(api_key_env)}`)
  return choice
}

/** @throws Fatal (configuration) for a password or a key in it, which would be written to the Makefile */
function baseOption(url: string, where: string): string {
  if (hasSecret(url)) throw configError(`${where}: base_url: ${URL_ADVICE}`)
  return `--base-url ${quoted(url)}`
}

async function availableModels(env: Context['env']): Promise<Available | undefined> {
  const home = join(homedir(), '.autojudge', 'available_models.yml')
  const where = env.AUTOJUDGE_AVAILABLE_MODELS ?? (existsSync(home) ? home : undefined)
  if (where === undefined) return undefined
  if (!existsSync(where)) throw configError(`${where}: no such file (the available models)`)
  const data = await readData(where)
  if (!isObject(data) || !isObject(data.models)) throw configError(`${where}: "models" must be a mapping`)
  return {
    where,
    models: data.models as Record<string, JsonObject>,
    aliases: (isObject(data.aliases) ? data.aliases : {}) as Record<string, string>,
    ...(typeof data.default_model === 'string' && { otherwise: data.default_model }),
  }
}

const enabled = ({ models }: Available, name: string) =>
  Object.hasOwn(models, name) && models[name]?.enabled !== false

/** The first preference that is available and enabled, also by an alias. @throws Fatal (configuration) */
function pick(
  available: Available,
  preferences: readonly string[],
  config: JsonObject,
  path: string,
): string {
  for (const name of preferences) {
    const real = Object.hasOwn(available.aliases, name) ? available.aliases[name]! : name
    if (enabled(available, real)) return real
  }
  const { otherwise } = available
  if (config.on_no_match !== 'error' && otherwise !== undefined && enabled(available, otherwise))
    return otherwise
  const names = Object.keys(available.models).filter((name) => enabled(available, name))
  throw configError(
    `${path}: none of ${preferences.join(', ')} is available (${available.where} has ${names.join(', ') || 'none'})`,
  )
}
