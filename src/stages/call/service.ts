/** Selects the provider by a prefix of the model: `gemini/gemini-3.8-flash`, `openrouter/vendor/model`. */
import { Catalogue } from '../../files/data.ts'
import { members } from '../../files/members.ts'
import { nearest } from '../../options/nearest.ts'
import type { Env } from '../../providers/_access.ts'
import type { Provider } from '../../providers/_provider.ts'
import { baseNamesOf, SERVERS } from '../../providers/_servers.ts'
import { configError, usageError } from '../../rows/record.ts'

/** A provider and its defaults. */
interface Service {
  /** The prefix. */
  name: string
  provider: Provider
  base: string
  keyNames: readonly string[]
  baseNames: readonly string[]
}

export interface SelectedService extends Service {
  /** The model's name at the service. */
  sentModel: string
  /** The model's prefix selected the service. */
  selectedByModel: boolean
}

async function providerOf(api: string): Promise<Provider> {
  if (!members('providers').includes(api)) throw configError(`no provider "${api}"`)
  return (await import(`../../providers/${api}.ts`)).provider
}

const OPENAI = 'openai'
const OPENAI_APIS = new Set(['chat', 'completions', 'responses'])

const isServer = (name: string) => Object.hasOwn(SERVERS, name)

/** The service with this prefix. @param api the API of a server, which has no provider of its own */
async function serviceNamed(name: string, api: string): Promise<Service> {
  const provider = await providerOf(api)
  if (isServer(name) && name !== OPENAI) {
    const { base, key } = SERVERS[name]!
    return { name, provider, base, keyNames: [key], baseNames: baseNamesOf(name) }
  }
  const { base, keyNames, baseNames } = await providerOf(name === OPENAI ? 'chat' : name)
  return { name, provider, base, keyNames, baseNames }
}

/**
 * The service for a model.
 * @param api the value of --api; @param usual the default
 * @param plain whether the model has no prefix
 * @throws Fatal (configuration) for an unknown API
 */
export async function serviceOf(
  model: string,
  { api, usual, env, plain }: { api: string | undefined; usual: string; env: Env; plain: boolean },
): Promise<SelectedService> {
  const own = api ?? usual
  const [, name = '', rest = ''] = (!plain && /^([a-z][\w-]*)\/(.+)$/s.exec(model)) || []
  if (isServer(name) || members('providers').includes(name)) {
    const service = await serviceNamed(name, api ?? (isServer(name) ? usual : name))
    // On another server under OpenAI's variables, openai/gpt-oss-120b is the name of a model.
    const other = name === OPENAI && service.baseNames.some((variable) => env[variable]?.trim())
    if (!other) return { ...service, sentModel: await ownId(name, rest), selectedByModel: true }
  }
  const service = await serviceNamed(own, own)
  // On a server of the user's own any name may be that of a model.
  const near =
    name !== '' &&
    !service.baseNames.some((variable) => env[variable]?.trim()) &&
    nearest(name, serviceNames())
  if (near) throw usageError(`-m ${model}: no provider is called ${name}: did you mean ${near}/${rest}?`)
  return { ...service, name: OPENAI_APIS.has(own) ? OPENAI : own, sentModel: model, selectedByModel: false }
}

/** The service's id of a model: of a short name of Unitxt's, the one that this stands for. */
async function ownId(service: string, model: string): Promise<string> {
  if (service !== 'watsonx' && service !== 'bedrock') return model
  const table = (await new Catalogue('providers').data('short_names')) as Record<
    string,
    Record<string, string>
  >
  const ids = table[service]!
  return Object.hasOwn(ids, model) ? ids[model]! : model
}

/** The prefixes, sorted. */
export const serviceNames = (): string[] => [...members('providers'), ...Object.keys(SERVERS)].sort()

/** The environment variables that keys are read from, sorted; a judge's own `LLM_JUDGE_NAME_API_KEY` aside. */
export async function keyVariables(): Promise<string[]> {
  const services = await Promise.all(serviceNames().map((name) => serviceNamed(name, 'chat')))
  return [...new Set(['LLM_JUDGE_API_KEY', ...services.flatMap(({ keyNames }) => keyNames)])].sort()
}
